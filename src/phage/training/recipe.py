"""The recipe: everything that decides what a run learns, frozen.

In:   values from one TOML file (``recipe_file.load``).
Out:  Recipe, in seven sections; a wrong value names its key and what would be right.
Why:  one run = one recipe, saved beside the weights, so that a model can always say how it was
      made. Defaults are the paper's table; what goes beyond the paper is off unless asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from phage.graph.types import Relation
from phage.training.values import refuse_unless

RELATION_NAMES = tuple(str(relation) for relation in Relation)


@dataclass(frozen=True, slots=True)
class Backbone:
    """The encoder that is trained."""

    model: str = "anferico/bert-for-patents"
    """Name on the model hub, a folder, or ``package:name/folder`` inside an installed package."""
    weights: Literal["pretrained", "random"] = "pretrained"
    """``random`` takes only the architecture; for measurements and tests."""
    attention_dropout: float | None = None
    """Overrides the backbone's own; dropout on attention weights rules out the fastest kernels."""
    pooling: Literal["cls", "mean"] = "cls"
    """A patent's vector: [CLS], as the paper, or the mean of all tokens."""
    gradient_checkpointing: bool = False
    """Recomputes activations in the backward pass: less memory, about a third slower."""

    def __post_init__(self) -> None:
        """Refuse what cannot be trained."""
        refuse_unless(bool(self.model), "backbone.model", self.model, "a hub name or a folder")
        chance = self.attention_dropout
        good = chance is None or 0 <= chance < 1
        refuse_unless(good, "backbone.attention_dropout", chance, "0 ≤ p < 1")


@dataclass(frozen=True, slots=True)
class Input:
    """How the claims fit the window."""

    window: int = 512
    """Tokens per patent, [CLS] and [SEP] included."""
    fit: Literal["prefix", "balanced"] = "prefix"
    """``prefix`` cuts at the window's end, as the paper; ``balanced`` leaves each claim a share."""
    section: Literal["claims", "tac"] = "claims"
    """``tac`` reads title and abstract before the claims; encode with the same section."""
    invented: int = 0
    """Patents to invent where no data is given; for trying things out."""

    def __post_init__(self) -> None:
        """Refuse a window that holds no word."""
        refuse_unless(self.window >= 8, "input.window", self.window, "at least 8 tokens")
        refuse_unless(self.invented >= 0, "input.invented", self.invented, "0 or more")


@dataclass(frozen=True, slots=True)
class Graph:
    """How the claim graph is built and which of its relations are used."""

    parser: Literal["pattern", "spacy"] = "spacy"
    """``spacy`` parses dependencies, as the paper; ``pattern`` is built in and needs no model."""
    citations: Literal["full", "paper"] = "paper"
    """``paper``: its five prepositions and one number, to the letter."""
    relations: tuple[str, ...] = RELATION_NAMES
    """Edges kept for mask, bias and claim loss; none of them is the paper's No Graph."""
    control: Literal["none", "random-pairs", "rewired", "other-patent"] = "none"
    """Other edges in place of the true ones (``phage.training.controls``); none: the true ones."""

    def __post_init__(self) -> None:
        """Refuse a relation that does not exist."""
        for name in self.relations:
            good = name in RELATION_NAMES
            refuse_unless(good, "graph.relations", name, f"some of {', '.join(RELATION_NAMES)}")
        once = len(set(self.relations)) == len(self.relations)
        refuse_unless(once, "graph.relations", list(self.relations), "each relation once")


@dataclass(frozen=True, slots=True)
class Guide:
    """How the graph enters attention."""

    mask: bool = True
    """Close token pairs of claims that no edge connects."""
    bias: bool = True
    """Add a learned scalar per layer and relation to the open pairs."""
    probability: float = 1.0
    """Share of micro-batches with the graph on; beyond the paper where below 1."""
    engine: Literal["auto", "reference", "dense", "kernel"] = "auto"
    """Which implementation; ``auto`` takes the kernel on a GPU and dense elsewhere."""

    def __post_init__(self) -> None:
        """Refuse a share that is none."""
        good = 0 <= self.probability <= 1
        refuse_unless(good, "guidance.probability", self.probability, "0 ≤ p ≤ 1")


@dataclass(frozen=True, slots=True)
class Loss:
    """The terms of the objective."""

    document: bool = True
    """Contrast patents by IPC."""
    claim: bool = True
    """Pull connected claims together."""
    claim_weight: float = 1.0
    """λ of the joint objective."""
    temperature: float = 0.05
    """τ of the document loss."""
    claim_temperature: float = 0.05
    """τ_c of the claim loss."""
    relation_weights: Literal["learned", "uniform"] = "learned"
    """w_r = softplus(w̃_r); ``uniform`` keeps all at their start, ln 2."""
    claim_patents: Literal["all", "anchor"] = "all"
    """Which patents of a triplet carry the claim loss."""
    claim_negatives: Literal["own", "others"] = "own"
    """``own``: the patent's other claims, as the paper; ``others``: claims of other patents."""
    negatives: Literal["one", "in-batch", "pairs"] = "one"
    """``one`` per anchor, as the paper, or all of the micro-batch that are of another class;
    ``pairs`` draws none beside them: two patents per anchor are encoded, each contrasted with all."""
    positives: Literal["drawn", "class", "graded"] = "drawn"
    """The one drawn, as the paper; or all of the micro-batch that share the class; or all by how
    far their IPC codes agree. The last two are beyond ``negatives = "one"``."""
    grade: float = 0.5
    """``graded``: weight lost per IPC level that two patents do not share."""
    views: float = 0.0
    """Weight of two encodings of a patent as positives: guided and graph-free where a graph guides
    attention; beyond the paper."""
    view: Literal["whole", "half", "first"] = "whole"
    """What the second encoding reads: all (nothing where no graph guides), half of the claims, one."""
    keep: float = 0.0
    """Weight of keeping the neighbours patents had before training (mean pooling), or a teacher's."""
    teacher: str = ""
    """Vectors of the training patents by another model, as ``phage encode`` writes them."""

    def __post_init__(self) -> None:
        """Refuse an objective without a term, and temperatures that divide by zero."""
        some = self.document or self.claim or self.views > 0
        refuse_unless(some, "loss.document", False, "true, or loss.claim = true")
        for name in ("temperature", "claim_temperature"):
            value = getattr(self, name)
            refuse_unless(value > 0, f"loss.{name}", value, "above 0")
        for name in ("claim_weight", "views", "keep"):
            value = getattr(self, name)
            refuse_unless(value >= 0, f"loss.{name}", value, "0 or more")
        refuse_unless(0 < self.grade < 1, "loss.grade", self.grade, "between 0 and 1")
        heard = self.keep > 0 or not self.teacher
        refuse_unless(heard, "loss.keep", self.keep, "above 0, or a teacher is not heard")
        many = self.positives == "drawn" or self.negatives != "one"
        refuse_unless(many, "loss.positives", self.positives, "drawn, with one negative")


@dataclass(frozen=True, slots=True)
class Sampling:
    """Which patents form a triplet."""

    level: Literal["subclass", "main-group", "group", "adaptive"] = "subclass"
    """IPC level that a positive shares and a negative does not: H02M, H02M 7, H02M 7/493; or the
    first of these with no more than ``most`` patents in the corpus."""
    most: int = 500
    """``adaptive``: patents from which a class is divided."""
    balance: float = 1.0
    """Exponent on a class's size when anchors are drawn: 1 takes each patent once, 0 all alike."""
    near: float = 0.0
    """Share of drawn negatives that are of the anchor's IPC class (H02), for a harder contrast."""
    nearest: int = 0
    """Positives are drawn from so many members of the class, those nearest to the anchor by
    ``loss.teacher``; 0: from all, as the paper."""
    deduplicate: tuple[str, ...] = ("application", "family")
    """One patent is kept per ``application``, ``family``, ``title`` (with the filing date); empty
    ones are never equal."""

    def __post_init__(self) -> None:
        """Refuse what patents cannot be compared by, and shares that are none."""
        refuse_unless(self.most >= 2, "sampling.most", self.most, "2 or more")
        refuse_unless(self.nearest >= 0, "sampling.nearest", self.nearest, "0 or more")
        for name in ("balance", "near"):
            value = getattr(self, name)
            refuse_unless(0 <= value <= 1, f"sampling.{name}", value, "0 ≤ share ≤ 1")
        for name in self.deduplicate:
            good = name in ("application", "family", "title")
            refuse_unless(good, "sampling.deduplicate", name, "application, family or title")


@dataclass(frozen=True, slots=True)
class Train:
    """The optimisation."""

    batch: int = 4
    """Triplets per forward pass of one process."""
    accumulation: int = 128
    """Forward passes per optimiser step, over all processes together."""
    epochs: int = 5
    """Passes in which each patent that has a positive is the anchor once."""
    max_steps: int | None = None
    """Optimiser steps after which the run ends, if before the last epoch does."""
    learning_rate: float = 2e-5
    """AdamW's."""
    relation_learning_rate: float | None = None
    """Of the relation scalars, where it should differ."""
    weight_decay: float = 0.01
    """On matrices; not on norms, biases and relation scalars."""
    clip: float = 1.0
    """Maximum norm of the gradient."""
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    """After the warm-up; the paper names none."""
    warmup: float = 0.0
    """Share of all steps over which the rate rises."""
    pull: float = 0.0
    """Decay towards the weights training started from, times the learning rate."""
    average: float = 0.0
    """Share of those weights in the published model; checkpoints hold the trained ones."""
    precision: Literal["bf16", "fp32"] = "bf16"
    """Of the products; weights, losses and optimiser are fp32 in both."""
    compile: bool = False
    """torch.compile the backbone's layers: faster on a GPU, after half a minute of compiling."""
    repeatable: bool = False
    """The same bits from the same seed on GPUs of one kind; slower, compiled anew in every run; CPUs
    give them anyway."""
    seed: int = 1
    """Of triplets, dropout and guidance."""
    save_every: int = 100
    """Optimiser steps between checkpoints; 0 saves only at the end and when stopped."""
    keep: int = 2
    """Checkpoints kept."""

    def __post_init__(self) -> None:
        """Refuse counts and rates out of range."""
        for name, least in _LEAST.items():
            value = getattr(self, name)
            good = value is None or value >= least
            refuse_unless(good, f"train.{name}", value, f"{least} or more")
        refuse_unless(self.seed < 2**63, "train.seed", self.seed, "below 2 to the 63rd")
        refuse_unless(self.learning_rate > 0, "train.learning_rate", self.learning_rate, "above 0")
        refuse_unless(self.clip > 0, "train.clip", self.clip, "above 0")
        refuse_unless(0 <= self.average < 1, "train.average", self.average, "0 ≤ share < 1")
        refuse_unless(0 <= self.warmup < 1, "train.warmup", self.warmup, "0 ≤ share < 1")


_LEAST = {
    "batch": 1, "accumulation": 1, "epochs": 1, "max_steps": 1, "relation_learning_rate": 0,
    "weight_decay": 0, "pull": 0, "seed": 0, "save_every": 0, "keep": 1,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Recipe:
    """One run."""

    name: str = "phage"
    """Of the model."""
    backbone: Backbone = field(default_factory=Backbone)
    input: Input = field(default_factory=Input)
    graph: Graph = field(default_factory=Graph)
    guidance: Guide = field(default_factory=Guide)
    loss: Loss = field(default_factory=Loss)
    sampling: Sampling = field(default_factory=Sampling)
    train: Train = field(default_factory=Train)

    def __post_init__(self) -> None:
        """Refuse sections that contradict each other."""
        learns = self.loss.document or self.aligned or self.viewed
        key, value = ("loss.document", False) if self.graph.relations else ("graph.relations", [])
        refuse_unless(learns, key, value, "otherwise, or there is nothing to learn from")
        drawn = self.sampling.near == 0 or self.loss.negatives != "pairs"
        refuse_unless(drawn, "sampling.near", self.sampling.near, "0: pairs draw no negative")
        taught = self.sampling.nearest == 0 or bool(self.loss.teacher)
        refuse_unless(taught, "sampling.nearest", self.sampling.nearest, "0, or set loss.teacher")

    @property
    def viewed(self) -> bool:
        """Whether patents are encoded in two views."""
        return self.loss.views > 0 and (self.guidable or self.loss.view != "whole")

    @property
    def guidable(self) -> bool:
        """Whether there is a graph that could change attention."""
        return bool(self.graph.relations) and (self.guidance.mask or self.guidance.bias)

    @property
    def guided(self) -> bool:
        """Whether attention ever sees the graph."""
        return self.guidable and (self.guidance.probability > 0 or self.loss.views > 0)

    @property
    def biased(self) -> bool:
        """Whether the 5 L biases are learned."""
        return self.guided and self.guidance.bias

    @property
    def aligned(self) -> bool:
        """Whether the claim loss counts."""
        return bool(self.graph.relations) and self.loss.claim and self.loss.claim_weight > 0

    @property
    def weighted(self) -> bool:
        """Whether the four w_r are learned."""
        return self.aligned and self.loss.relation_weights == "learned"

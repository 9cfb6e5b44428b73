"""The recipe: everything that decides what a run learns, frozen.

In:   values from one TOML file (``recipe_file.load``), converted and checked by msgspec.
Out:  Recipe, in seven sections.
Why:  one run = one recipe, saved beside the weights, so that a model always shows how it was made.
      Defaults are the paper's; everything beyond the paper is off by default."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from msgspec import Meta

from phage.errors import PhageError
from phage.graph.types import Relation

RELATION_NAMES = tuple(str(relation) for relation in Relation)
RelationName = Literal["cite", "term", "func", "both"]

Count = Annotated[int, Meta(ge=1)]
Share = Annotated[float, Meta(ge=0, le=1)]
Part = Annotated[float, Meta(ge=0, lt=1)]
Weight = Annotated[float, Meta(ge=0, le=1_000)]
Temperature = Annotated[float, Meta(gt=0, le=100)]


@dataclass(frozen=True, slots=True)
class Backbone:
    """The encoder that is trained."""

    model: Annotated[str, Meta(min_length=1)] = "anferico/bert-for-patents"
    """Name on the model hub, a folder, or ``package:name/folder`` inside an installed package."""
    attention_dropout: Part | None = None
    """Overrides the backbone's own attention dropout; any above 0 rules out the fastest kernels."""
    hidden_dropout: Part | None = None
    """Overrides the backbone's own dropout between and inside its layers."""
    pooling: Literal["cls", "mean"] = "cls"
    """A patent's vector: [CLS], as in the paper, or the mean of all tokens."""
    adapter: Count | None = None
    """Rank of a low-rank adapter; if set, only the adapter is trained and saved
    (``phage.adapter``)."""


@dataclass(frozen=True, slots=True)
class Input:
    """Which part of a patent is read."""

    window: Annotated[int, Meta(ge=8)] = 512
    """Tokens per patent, [CLS] and [SEP] included."""
    fit: Literal["prefix", "balanced"] = "prefix"
    """``prefix`` cuts at the window's end, as in the paper; ``balanced`` keeps a share of each
    claim."""
    section: Literal["claims", "tac", "varied"] = "claims"
    """``tac`` reads title and abstract before the claims. ``varied`` does the same but omits one or
    both at random, so that the model also learns to read files that lack them."""
    invented: Annotated[int, Meta(ge=0)] = 0
    """Patents to invent if no data is given; for trials."""


@dataclass(frozen=True, slots=True)
class Graph:
    """How the claim graph is built and which of its relations are used."""

    parser: Literal["pattern", "spacy"] = "spacy"
    """``spacy`` parses dependencies, as in the paper; ``pattern`` is built in and needs no
    model."""
    citations: Literal["full", "paper"] = "paper"
    """``paper``: its five prepositions and one number, to the letter."""
    relations: tuple[RelationName, ...] = RELATION_NAMES  # type: ignore[assignment]
    """Edges kept for mask, bias and claim loss; an empty list is the paper's No Graph."""
    control: Literal["none", "random-pairs", "rewired", "other-patent"] = "none"
    """Control edges that replace the true ones (``phage.training.controls``); ``none`` keeps the
    true ones."""


@dataclass(frozen=True, slots=True)
class Guide:
    """How the graph enters attention."""

    mask: bool = True
    """Close token pairs of claims that no edge connects."""
    bias: bool = True
    """Add a learned scalar per layer and relation to the open pairs."""
    probability: Share = 1.0
    """Share of micro-batches with the graph on; values below 1 go beyond the paper."""


@dataclass(frozen=True, slots=True)
class Loss:
    """The terms of the objective. Five keys are weights of terms; 0 turns a term off."""

    document: Weight = 1.0
    """Weight of contrasting patents by IPC."""
    claim: Weight = 1.0
    """λ: weight of pulling connected claims together."""
    temperature: Temperature = 0.05
    """τ of all terms that compare patents."""
    claim_temperature: Temperature = 0.05
    """τ_c of the claim loss."""
    relation_weights: Literal["learned", "uniform"] = "learned"
    """w_r = softplus(w̃_r); ``uniform`` keeps all at their start, ln 2."""
    claim_negatives: Literal["own", "others"] = "own"
    """``own``: the patent's other claims, as in the paper; ``others``: claims of other patents."""
    negatives: Literal["one", "in-batch", "pairs"] = "one"
    """``one`` per anchor, as in the paper. ``in-batch``: all patents of the micro-batch in another
    class. ``pairs`` draws no extra negatives: two patents per anchor are encoded, each contrasted
    with all."""
    views: Weight = 0.0
    """Weight of contrasting two encodings of a patent as each other's positives; beyond the paper.
    If a graph guides attention, one encoding is guided and the other graph-free."""
    view: Literal["whole", "half", "first", "sections"] = "whole"
    """What the second encoding of a patent reads: all of it (pointless without a graph), half of
    the claims, or claim 1. With ``sections``, the two encodings read different parts
    (``views.py``), and the teacher and the classifier see both."""
    teacher: str = ""
    """Vectors of the training patents, as ``phage teacher`` or ``phage encode`` writes them."""
    teacher_temperature: Temperature = 0.05
    """τ of the teacher's similarities; a smaller value makes its nearest neighbours count more."""
    distill: Weight = 0.0
    """Weight of learning the teacher's neighbours."""
    classify: Weight = 0.0
    """Weight of a classifier of the IPC subclass on top of the vectors; it is not saved."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """Which patents meet in a micro-batch."""

    level: Literal["subclass", "main-group", "group", "adaptive"] = "subclass"
    """IPC level that a positive shares and a negative does not: H02M, H02M 7, H02M 7/493.
    ``adaptive`` takes the first of these with at most 500 patents in the corpus."""
    balance: Share = 1.0
    """Exponent on a class's size when anchors are drawn: 1 takes each patent once, 0 gives all
    classes the same weight."""
    nearest: Annotated[int, Meta(ge=0, le=24)] = 0
    """How many of the 24 patents that the teacher finds nearest join an anchor, instead of a
    positive and a negative by class. 0 draws triplets by class, as in the paper."""
    deduplicate: tuple[Literal["application", "family", "title"], ...] = ("application", "family")
    """One patent is kept per ``application``, ``family`` or ``title`` (with the filing date); empty
    values are never equal."""


@dataclass(frozen=True, slots=True)
class Train:
    """The optimisation."""

    batch: Count = 4
    """Anchors per forward pass of one process."""
    accumulation: Count = 128
    """Forward passes per optimiser step, over all processes together."""
    epochs: Count = 5
    """Passes in which each patent that has a positive is the anchor once."""
    max_steps: Count | None = None
    """The most optimiser steps; the run may end before its last epoch."""
    learning_rate: Annotated[float, Meta(gt=0, le=1)] = 2e-5
    """Learning rate of AdamW."""
    schedule: Literal["constant", "linear"] = "constant"
    """Schedule of the learning rate. ``linear`` rises over a tenth of all steps, then falls to
    zero."""
    average: Part = 0.0
    """Share of the first weights in the published model; checkpoints hold the trained ones."""
    precision: Literal["bf16", "fp32"] = "bf16"
    """Precision of the products; weights, losses and optimiser are always fp32."""
    compile: bool = False
    """torch.compile the backbone's layers: faster on a GPU, after half a minute of compiling."""
    repeatable: bool = False
    """The same bits from the same seed on GPUs of one kind. This is slower and compiles again in
    every run. CPUs repeat their results anyway."""
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 1
    """Seed of triplets, dropout and guidance."""
    save_every: Annotated[int, Meta(ge=0)] = 100
    """Optimiser steps between checkpoints; 0 saves only at the end and when stopped."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """One run."""

    name: str = "phage"
    """Name of the model."""
    backbone: Backbone = field(default_factory=Backbone)
    input: Input = field(default_factory=Input)
    graph: Graph = field(default_factory=Graph)
    guidance: Guide = field(default_factory=Guide)
    loss: Loss = field(default_factory=Loss)
    sampling: Sampling = field(default_factory=Sampling)
    train: Train = field(default_factory=Train)

    def __post_init__(self) -> None:
        """Refuse sections that contradict each other."""
        loss, sampling, names = self.loss, self.sampling, self.graph.relations
        _require(len(set(names)) == len(names), "graph.relations names a relation twice")
        some = loss.document or self.aligned or loss.distill or loss.classify
        _require(
            bool(some or (loss.views and self.viewed)),
            "this recipe has no loss to learn from",
            "set loss.document, loss.distill or loss.classify above 0; loss.claim needs "
            "graph.relations, loss.views needs a guided graph or another loss.view",
        )
        _require(
            bool(loss.teacher) == bool(loss.distill or sampling.nearest),
            "loss.teacher is set but not used, or used but not set",
            "set loss.teacher together with loss.distill or sampling.nearest, or none of them",
        )
        _require(
            not (sampling.nearest and loss.document),
            "loss.document cannot be used with sampling.nearest",
            "set loss.document = 0: an anchor's neighbours are not drawn by class",
        )

    @property
    def viewed(self) -> bool:
        """Whether patents are encoded in two views."""
        if self.loss.view == "sections":
            return True
        return self.loss.views > 0 and (self.guidable or self.loss.view != "whole")

    @property
    def stored(self) -> int:
        """Tokens of a patent in the training set: more than the window if views move."""
        return self.input.window * (3 if self.loss.view == "sections" else 1)

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
        return bool(self.graph.relations) and self.loss.claim > 0

    @property
    def weighted(self) -> bool:
        """Whether the four w_r are learned."""
        return self.aligned and self.loss.relation_weights == "learned"


def _require(good: bool, problem: str, remedy: str = "name each one once") -> None:
    if not good:
        raise PhageError(problem, remedy=remedy)

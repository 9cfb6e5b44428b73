"""Error rates of the significance test, by simulation.

python benchmarks/significance.py [--simulations 2000] [-o results/significance.json]

In:   nothing; simulated test sets like the week's: long-tailed classes, correlated models, many
      queries of NDCG 0 or 1, vectors that are clustered again in every simulation.
Out:  per measure, size and number of seeds how often p < .05 where two models are alike, how often
      the 95 % interval holds the true difference, and how often a real difference is found. Beside
      them the rates of the paired bootstrap that was used before.
Why:  a p-value is worth what its error rate is."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from phage.evaluation.randomisation import DRAWS, chances, judge
from phage.evaluation.tasks import Kind
from phage.provenance import provenance
from phage.storage import write_json

ROOT = Path(__file__).parents[1]
FEW, OLD_DRAWS, OLD_SHARE, CHECKED = 499, 300, 8, 25
"""Draws per simulation, those of the old test, one of how many it judges, checked with DRAWS."""
DOCUMENTS = 897  # the week's test part
Seeds = list[dict[str, np.ndarray]]


@dataclass(frozen=True)
class Setting:
    """What is simulated."""

    data: str
    """f1, nmi or ndcg."""
    size: int
    """Classes, or queries."""
    seeds: int
    truth: str = "alike"
    """alike; close: alike, and one answer in twenty differs; elsewhere: alike in sum, but each is
    better in classes of its own; better: the first model is."""

    @property
    def runs(self) -> int:
        """Five runs of probe or K-Means where there is one seed, as `phage evaluate` has them."""
        return 1 if self.data == "ndcg" or self.seeds > 1 or self.truth == "close" else 5


SETTINGS = [
    *(Setting("f1", size, seeds) for size in (200, 368) for seeds in (1, 5)),
    *(Setting("f1", 368, 1, truth) for truth in ("close", "elsewhere")),
    *(Setting("f1", 368, seeds, "better") for seeds in (1, 5)),
    *(Setting("nmi", size, seeds) for size in (200, 368) for seeds in (1, 5)),
    *(Setting("nmi", 368, seeds, "better") for seeds in (1, 5)),
    *(Setting("ndcg", size, seeds) for size in (185, 939) for seeds in (1, 5)),
    *(Setting("ndcg", 185, seeds, "better") for seeds in (1, 5)),
]
KINDS = {"f1": Kind.CLASSIFICATION, "nmi": Kind.CLUSTERING, "ndcg": Kind.RETRIEVAL}
NAMES = {"f1": ("micro_f1", "macro_f1"), "nmi": ("nmi",), "ndcg": ("ndcg@100",)}


def class_shares(classes: int) -> np.ndarray:
    """Give long-tailed shares; the first of the week's 368 have .14 and .07.

    >>> class_shares(368)[:2].round(2).tolist()
    [0.11, 0.11]
    """
    shares = (np.arange(classes) // 2 * 2 + 2.0) ** -1.15  # in pairs of one size
    return shares / shares.sum()


def labelled(setting: Setting, random: np.random.Generator) -> tuple[Seeds, Seeds]:
    """Simulate a probe's answers: five runs of one seed, or one run of several."""
    shares = class_shares(setting.size)
    truth = random.choice(setting.size, DOCUMENTS, p=shares)
    ease = 0.55 * np.log(shares * DOCUMENTS) - 1.45
    hard = random.normal(0, 1.0, DOCUMENTS)
    others = random.choice(setting.size, (3, DOCUMENTS), p=shares)  # what it is mistaken for
    sides: list[Seeds] = []
    for side in (1, -1):
        own = ease[truth] + hard + random.normal(0, 0.35, DOCUMENTS) * (setting.truth != "close")
        if setting.truth == "better" and side > 0:
            own += 0.17
        if setting.truth == "elsewhere":
            own += side * 0.6 * (1 - 2 * (truth % 2))
        mistaken = np.where(random.random(DOCUMENTS) < 0.7, 0, 1) * (setting.truth != "close")
        made = []
        for _ in range(setting.seeds):
            latent = own
            if setting.seeds > 1:  # a seed is better or worse as a whole, and in some classes
                latent = own + random.normal(0, 0.05) + random.normal(0, 0.3, DOCUMENTS)
                latent = latent + random.normal(0, 0.25, setting.size)[truth]
            runs = []
            for _ in range(setting.runs):
                right = latent + random.normal(0, 0.12, DOCUMENTS) > 0
                usual = 0.99 if setting.truth == "close" else 0.92
                chosen = np.where(random.random(DOCUMENTS) < usual, mistaken, 2)
                runs.append(np.where(right, truth, others[chosen, np.arange(DOCUMENTS)]))
            made.append({"truth": truth, "predicted": np.stack(runs)})
        sides.append(made)
    return sides[0], sides[1]


def clustered(setting: Setting, random: np.random.Generator) -> tuple[Seeds, Seeds]:
    """Simulate vectors around class centres and cluster them by K-Means, anew every time."""
    wide = 10
    centres = np.random.default_rng(0).normal(0, 1, (setting.size, wide))
    truth = random.choice(setting.size, DOCUMENTS, p=class_shares(setting.size))
    shared = centres[truth] + random.normal(0, 0.5, (DOCUMENTS, wide))
    sides: list[Seeds] = []
    for side in (1, -1):
        spread = 0.45 if setting.truth == "better" and side > 0 else 0.5
        own = shared + random.normal(0, spread, (DOCUMENTS, wide))
        made = []
        for _ in range(setting.seeds):
            vectors = own
            if setting.seeds > 1:
                drift = random.normal(0, 0.15, (setting.size, wide))[truth]
                noise = 0.2 * np.exp(random.normal(0, 0.1)) * random.normal(size=own.shape)
                vectors = own + drift + noise
            runs = [k_means(vectors, truth, random) for _ in range(setting.runs)]
            made.append({"truth": truth, "clusters": np.stack(runs)})
        sides.append(made)
    return sides[0], sides[1]


def k_means(vectors: np.ndarray, truth: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Cluster by a few steps of Lloyd; as many clusters as there are labels."""
    count, vectors = len(np.unique(truth)), vectors.astype(np.float32)
    centres = vectors[random.choice(len(vectors), count, replace=False)]
    for _ in range(6):
        nearest = ((centres**2).sum(1) / 2 - vectors @ centres.T).argmin(1)
        order = np.argsort(nearest, kind="stable")
        kept, starts = np.unique(nearest[order], return_index=True)
        sizes = np.diff(np.append(starts, len(order)))
        centres[kept] = np.add.reduceat(vectors[order], starts) / sizes[:, None]
    return nearest


def ranked(setting: Setting, random: np.random.Generator) -> tuple[Seeds, Seeds]:
    """Simulate NDCG per query: an eighth find nothing, a fifth find all at once."""
    ease = random.normal(0, 1, setting.size)
    sides: list[Seeds] = []
    for side in (1, -1):
        own = ease + random.normal(0, 0.35, setting.size)
        if setting.truth == "better" and side > 0:
            own += 0.12
        made = []
        for _ in range(setting.seeds):
            latent = own
            if setting.seeds > 1:
                latent = own + random.normal(0, 0.05) + random.normal(0, 0.2, setting.size)
            between = 0.1 + 0.7 * (np.clip((latent + 1.25) / 2.15, 0, 1)) ** 1.5
            values = np.where(latent < -1.25, 0.0, np.where(latent > 0.9, 1.0, between))
            made.append({"query": np.arange(setting.size), "ndcg@100": values})
        sides.append(made)
    return sides[0], sides[1]


MAKERS: dict[str, Callable[..., tuple[Seeds, Seeds]]] = {
    "f1": labelled, "nmi": clustered, "ndcg": ranked,
}  # fmt: skip


def new_test(kind: Kind, one: Seeds, other: Seeds, draws: int) -> dict[str, Any]:
    """Judge as `phage report --against` does."""
    return {name: judge(name, [found])
            for name, found in chances(kind, one, other, draws).items()}  # fmt: skip


def old_test(kind: Kind, one: Seeds, other: Seeds) -> dict[str, tuple[float, float, float]]:
    """Judge as before: documents and seeds redrawn, p the share of differences beyond 0."""
    random = np.random.default_rng(0)
    count = len(one[0]["query" if kind is Kind.RETRIEVAL else "truth"])
    weights = random.multinomial(count, np.full(count, 1 / count), OLD_DRAWS).astype(np.float32)
    weights = np.concatenate([np.ones((1, count), np.float32), weights])  # first the set itself
    drawn = [[old_measures(kind, seed, weights) for seed in side] for side in (one, other)]
    found = {}
    for name in drawn[0][0]:
        apart = np.stack([a[name] - b[name] for a, b in zip(*drawn, strict=True)])
        value, apart = apart[:, 0].mean(), apart[:, 1:]
        chosen = random.integers(0, len(apart), (OLD_DRAWS, len(apart)))
        apart = apart[chosen, np.arange(OLD_DRAWS)[:, None]].mean(1)
        if name in ("macro_f1", "nmi"):
            apart = apart + value - apart.mean()
        p = 2 * min((apart <= 0).sum() + 1, (apart >= 0).sum() + 1) / (OLD_DRAWS + 1)
        found[name] = (*np.quantile(apart, [0.025, 0.975]), min(1.0, p))
    return found


def old_measures(kind: Kind, seed: dict[str, np.ndarray], weights: np.ndarray) -> dict[str, Any]:
    """Give the measures of every redrawn test set."""
    if kind is Kind.RETRIEVAL:
        return {"ndcg@100": weights @ seed["ndcg@100"] / weights.sum(1)}

    def hot(labels: np.ndarray) -> np.ndarray:
        return np.eye(1 + int(labels.max()), dtype=np.float32)[labels]

    def entropy(labels: np.ndarray) -> np.ndarray:
        share = weights @ hot(np.unique(labels, return_inverse=True)[1]) / weights.sum(1)[:, None]
        return -(share * np.log(np.maximum(share, 1e-30))).sum(1)

    truth, found = seed["truth"], []
    if kind is Kind.CLUSTERING:
        for run in seed["clusters"]:
            cells = truth * DOCUMENTS + run
            both = entropy(truth) + entropy(run)
            found.append({"nmi": 2 * (both - entropy(cells)) / both})
    else:
        for run in seed["predicted"]:
            marks = hot(np.stack([truth, run]))
            hits, both = weights @ (marks[0] * marks[1]), weights @ (marks[0] + marks[1])
            scores = np.where(both > 0, 2 * hits / np.maximum(both, 1), 0)
            macro = scores.sum(1) / (both > 0).sum(1)
            found.append({"micro_f1": hits.sum(1) / weights.sum(1), "macro_f1": macro})
    return {name: np.mean([run[name] for run in found], axis=0) for name in found[0]}


def simulate(setting: Setting, simulations: int) -> list[dict[str, Any]]:
    """Give a row per measure."""
    new: list[dict[str, Any]] = []
    old, full = [], []
    kind, begun = KINDS[setting.data], time.process_time()
    for number in range(simulations):
        random = np.random.default_rng([number, setting.size, setting.seeds])
        one, other = MAKERS[setting.data](setting, random)
        new.append(new_test(kind, one, other, FEW))
        if number % OLD_SHARE == 0:
            old.append(old_test(kind, one, other))
        if number < CHECKED:
            full.append(new_test(kind, one, other, DRAWS))
    rows = []
    for name in NAMES[setting.data]:
        found = [each[name] for each in new]
        values = np.array([each.value for each in found])
        real = values.mean() if setting.truth == "better" else 0.0
        checked = [(few[name].p, many[name].p) for few, many in zip(new, full, strict=False)]
        rows.append({
            **asdict(setting), "measure": name, "runs": setting.runs, "simulations": simulations,
            "difference": float(values.mean()), "deviation": float(values.std(ddof=1)),
            "p_below_.05": float(np.mean([each.p < 0.05 for each in found])),
            "interval_holds": float(np.mean([e.low <= real <= e.high for e in found])),
            "interval_width": float(np.mean([e.high - e.low for e in found])),
            "paired_bootstrap": {
                "simulations": len(old),
                "p_below_.05": float(np.mean([each[name][2] < 0.05 for each in old])),
                "interval_holds": float(
                    np.mean([each[name][0] <= real <= each[name][1] for each in old])
                ),
            },
            "with_all_draws": {
                "simulations": len(checked),
                "largest_change_of_p": float(max(abs(few - many) for few, many in checked)),
                "p_below_.05": [sum(few < 0.05 for few, _ in checked),
                                sum(many < 0.05 for _, many in checked)],
            },
            "seconds": round(time.process_time() - begun, 1),
        })  # fmt: skip
        print({k: v for k, v in rows[-1].items() if k != "with_all_draws"}, flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--only", choices=KINDS, help="one kind of data, for trials")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "results/significance.json")
    options = parser.parse_args()
    chosen = [setting for setting in SETTINGS if options.only in (None, setting.data)]
    jobs = [(s, options.simulations // (4 if s.truth == "better" else 1)) for s in chosen]
    with ProcessPoolExecutor(options.workers) as pool:
        rows = [row for made in pool.map(simulate, *zip(*jobs, strict=True)) for row in made]
    about = {"draws": FEW, "draws_elsewhere": DRAWS, "old_draws": OLD_DRAWS, "documents": DOCUMENTS}
    write_json(options.output, {**about, "rows": rows, "provenance": provenance()})


if __name__ == "__main__":
    main()

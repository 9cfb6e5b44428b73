# ruff: noqa
# mypy: ignore-errors
"""What vectors are worth: rankings on the device, probes and clusters in processes of their own.

Validation: the week's, A61B 5's, and the Indian validation part (retrieval among its own patents,
different applicants; a probe of its own inside it). Test: the same of the test parts."""

import os
from pathlib import Path

import numpy as np
import torch


def ranked(vectors, queries, relevance, closed=None, depth: int = 100) -> float:
    """NDCG@100; ``closed`` pairs (query, document) are left out of the ranking."""
    from phage.evaluation.ranking import measure

    rows = torch.as_tensor(queries, device=vectors.device)
    scores = vectors[rows] @ vectors.T
    scores[torch.arange(len(rows), device=scores.device), rows] = -9
    if closed is not None and len(closed):
        place = np.full(len(vectors), -1)
        place[queries] = np.arange(len(queries))
        kept = closed[place[closed[:, 0]] >= 0]
        scores[place[kept[:, 0]], kept[:, 1]] = -9
    found = scores.topk(min(depth, len(vectors) - 1), dim=1).indices.cpu().numpy()
    return measure(found, np.asarray(queries), relevance)["ndcg@100"]


def indian_pairs(corpus, side: int):
    """Rows of one part, relevant pairs of different applicants and closed ones, as places in it."""
    rows = np.flatnonzero((corpus.corpus == 1) & (corpus.side == side))
    place = np.full(len(corpus.side), -1)
    place[rows] = np.arange(len(rows))
    pairs = corpus.meta["pairs"]
    both = np.concatenate([pairs, pairs[:, [1, 0, 2]]])
    at = place[both[:, :2]]
    inside = (at >= 0).all(1)
    at, same = at[inside], both[inside, 2]
    return rows, at[same == 0], at[same == 1]


def field_pairs(corpus, rows):
    """Pairs of documents of one field whose IPC symbols, rare ones heavier, agree to .7 or more."""
    ends = np.concatenate([[0], np.cumsum(corpus.meta["symbol_counts"].astype(np.int64))])
    symbols = corpus.meta["symbols"]
    sets = [symbols[ends[r] : ends[r + 1]] for r in rows]
    hot = np.zeros((len(rows), symbols.max() + 1), np.float32)
    for k, s in enumerate(sets):
        hot[k, s] = 1
    weight = np.log(len(rows) / np.maximum(1, hot.sum(0)))
    hot *= np.maximum(weight, 0)
    enough = (hot > 0).sum(1) >= 3
    hot /= np.maximum(np.linalg.norm(hot, axis=1, keepdims=True), 1e-9)
    like = hot @ hot.T
    like[~enough] = 0
    like[:, ~enough] = 0
    np.fill_diagonal(like, 0)
    return np.argwhere(like >= 0.7)


class Questions:
    """All that is asked, of validation or of test."""

    def __init__(self, folder: Path, corpus, test: bool) -> None:
        from phage.evaluation.tasks import TaskData

        self.folder, self.corpus, self.test = folder, corpus, test
        self.side = 2 if test else 1
        self.week = TaskData.load(folder / "week-tasks.npz")
        named = {t.name: t for t in self.week.tasks}
        asked = (
            ("retrieval", "retrieval-all")
            if test
            else ("retrieval-development", "retrieval-validation")
        )
        self.coupled = {n: named[n].relevance for n in asked}
        self.week_rows = np.flatnonzero(corpus.corpus == 0)
        self.indian_rows, self.far, self.near = indian_pairs(corpus, self.side)
        field = TaskData.load(folder / "a61b5-tasks.npz")
        part = next(t for t in field.tasks if t.name == "classification").split
        # train and validation of the field for validation; all for test
        self.field_kept = np.flatnonzero((part == 0) | (part == 1) | ((part == 2) & test))
        self.field_rows = corpus.meta["field_rows"][self.field_kept]
        self.field_asked = np.flatnonzero(part[self.field_kept] == self.side)
        self.field_pairs = field_pairs(corpus, self.field_rows[self.field_asked])
        self.rows = np.concatenate([self.week_rows, self.indian_rows, self.field_rows])
        self.cuts = np.cumsum([len(self.week_rows), len(self.indian_rows)])

    def rankings(self, vectors) -> dict:
        w, i, f = torch.tensor_split(vectors, self.cuts.tolist())
        out = {}
        short = {"retrieval-development": "wk_dev", "retrieval-validation": "wk_val"}
        short |= {"retrieval": "wk_test", "retrieval-all": "wk_all"}
        for name, pairs in self.coupled.items():
            out[short[name]] = ranked(w, np.unique(pairs[:, 0]), pairs)
        out["ind"] = ranked(i, np.unique(self.far[:, 0]), self.far, self.near)
        asked = f[torch.from_numpy(self.field_asked).to(f.device)]
        pairs = self.field_pairs
        out["fld"] = ranked(asked, np.unique(pairs[:, 0]), pairs)
        return out

    def jobs(self, vectors):
        """Arguments of ``slow`` for one way of reading."""
        w, i, f = np.split(vectors.cpu().numpy().astype(np.float32), self.cuts)
        label = self.corpus.meta["subclass"][self.indian_rows]
        end = "" if self.test else "-validation"
        return [
            ("week", "classification" + end, str(self.folder / "week-tasks.npz"), w, None),
            ("week", "clustering" + end, str(self.folder / "week-tasks.npz"), w, None),
            (
                "field",
                "classification" + end,
                str(self.folder / "a61b5-tasks.npz"),
                f,
                self.field_kept,
            ),
            ("field", "clustering" + end, str(self.folder / "a61b5-tasks.npz"), f, self.field_kept),
            ("indian", "classification", None, i, label),
            ("indian", "clustering", None, i, label),
        ]


def alone() -> None:
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    torch.set_num_threads(1)


def slow(corpus: str, name: str, path, vectors, extra, runs: int = 3) -> dict:
    """Probe or cluster; gives measures by short names."""
    from phage.evaluation.classification import Labelled, f1, probe
    from phage.evaluation.clustering import agreement, cluster
    from phage.evaluation.scoring import score_task
    from phage.evaluation.tasks import TaskData

    tag = {"week": "wk", "field": "fld", "indian": "ind"}[corpus]
    if path is not None:
        data = TaskData.load(path)
        task = next(t for t in data.tasks if t.name == name)
        ids = next(iter(data.ids.values()))
        whole = vectors
        if extra is not None:
            whole = np.zeros((len(ids), vectors.shape[1]), np.float32)
            whole[extra] = vectors
        view = task.view
        score = score_task(task, {view: whole}, range(runs)).runs
        keys = {"micro_f1": "mic", "macro_f1": "mac", "nmi": "nmi", "ari": "ari"}
        return {
            f"{tag}_{short}": float(np.mean(score[k])) for k, short in keys.items() if k in score
        }
    draw = np.random.default_rng(0).random(len(vectors))
    known = extra >= 0
    parts = [known & (draw < 0.6), known & (draw >= 0.6) & (draw < 0.7), known & (draw >= 0.7)]
    if name == "clustering":
        labels = extra[parts[2]].astype(np.int64)
        each = [agreement(labels, c)["nmi"] for c in cluster(vectors[parts[2]], labels, range(1))]
        return {"ind_nmi": float(np.mean(each))}
    data = [Labelled(vectors[p], extra[p].astype(np.int64)) for p in parts]
    each = [f1(data[2].labels, probe(*data, seed)) for seed in range(2)]
    return {f"ind_{k[:3]}": float(np.mean([e[k] for e in each])) for k in each[0]}

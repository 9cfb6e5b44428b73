# ruff: noqa
# mypy: ignore-errors
"""Train and score the runs of a plan, one after the other, on one GPU; probes run beside it.

python -c "import train; train.main()" PREP PLAN OUT [--smoke]

PLAN is JSON Lines, one run each, read anew after every run: {"name": …, "base": …, …}; what is not
said is in DEFAULT. {"name": …, "soup": [names]} averages checkpoints, {"test": true} asks the test
parts. Results are appended to OUT/results.jsonl; checkpoints are OUT/NAME.pt."""

import json
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch
from corpus import Corpus, encode, read
from model import load_base, named
from score import Questions, alone, slow
from torch.nn import functional as F

DEFAULT = {
    "base": "gte", "steps": 250, "batch": 512, "lr": 2e-4, "tau": 0.05, "window": [256], "seed": 1,
    "views": {"ta/c": 0.5, "tac/c": 0.3, "c/c": 0.2, "told": 0.0},
    "shares": [0.15, 0.6, 0.25], "label": "subclass",
    "self": 1.0, "ipc": 0.0, "head": 0.0, "teach": 0.0, "teacher": {}, "beta": 0.7, "near": 0,
    "claim": 0.0, "claim_pairs": "random", "alphas": [1.0], "reads": ["tac", "whole"], "probes": ["tac"],
    "more": False, "drop": 0.15,
}  # fmt: skip
DEV = "cuda" if torch.cuda.is_available() else "cpu"


class Driver:
    def __init__(self, folder: Path, out: Path, smoke: bool) -> None:
        self.folder, self.out, self.smoke = folder, out, smoke
        self.corpus = Corpus(folder, DEV)
        if smoke:  # a fortieth of the documents trains
            c = self.corpus
            c.side[(c.side == 0) & (np.arange(len(c.side)) % 40 != 0)] = -1
        self.asked = {False: Questions(folder, self.corpus, False)}
        self.bases: dict = {}
        self.dense: dict = {}
        self.teachers: dict = {}
        self.pool = ProcessPoolExecutor(2 if smoke else 13, get_context("spawn"), alone)
        self.lock = threading.Lock()
        self.known_edges = None
        print(
            "loaded",
            len(self.corpus.side),
            {int(k): int((self.corpus.side == k).sum()) for k in (0, 1, 2)},
        )

    def edges(self):
        if self.known_edges is None:
            self.known_edges = dict(np.load(self.folder / "edges.npz"))
        return self.known_edges

    # -- what is known before training ------------------------------------------------------
    def base(self, name: str):
        if name not in self.bases:
            self.bases[name] = load_base(self.folder, name, DEV).state()
        return self.bases[name]

    def model(self, name: str):
        model = load_base(self.folder, name, DEV)
        return model

    def train_rows(self, more: bool):
        c = self.corpus
        kept = c.side == 0
        if more:  # the Indian validation part as well, once everything is chosen
            kept |= (c.side == 1) & (c.corpus == 1)
        return np.flatnonzero(kept)

    def vectors(self, name: str, rows):
        key = (name, len(rows))
        if key not in self.dense:
            start = time.time()
            if name == "lex":
                made = lexical(self.corpus, rows, told=True)
            elif name.startswith("ck:"):  # a student that learned before, half of its first weights
                how = {"soup": name[3:].split("+")[1:]}
                model, kind = self.model(name[3:].split("+")[0]), "whole"
                first, own = model.state(), self.mixed(how)
                model.load({k: 0.6 * v + 0.4 * first[k] for k, v in own.items()})
                made = read(model, self.corpus, rows, [kind])[kind].half()
            else:
                made = read(self.model(name), self.corpus, rows, ["whole"], name == "e5")[
                    "whole"
                ].half()
            self.dense[key] = made
            print(f"teacher {name}: {time.time() - start:.1f} s", flush=True)
        return self.dense[key]

    def teacher(self, weights: dict, rows):
        """Similarities of all training documents, z-scores per row, float16; 24 nearest."""
        key = (json.dumps(weights, sort_keys=True), len(rows))
        if key not in self.teachers:
            self.teachers.clear()
            total = torch.zeros(len(rows), len(rows), dtype=torch.float16, device=DEV)
            for name, weight in weights.items():
                v = self.vectors(name, rows)
                for at in range(0, len(rows), 4096):
                    s = (v[at : at + 4096] @ v.T).float()
                    s = (s - s.mean(1, keepdim=True)) / s.std(1, keepdim=True)
                    total[at : at + 4096] += (weight * s.clamp(max=30)).half()
            total.fill_diagonal_(-10)
            near = torch.cat(
                [total[at : at + 4096].topk(24, dim=1).indices for at in range(0, len(rows), 4096)]
            )
            self.teachers[key] = total, near.cpu().numpy()
        return self.teachers[key]

    # -- one run ----------------------------------------------------------------------------
    def run(self, given: dict) -> None:
        how = {**DEFAULT, **given}
        how["views"] = {**DEFAULT["views"], **given.get("views", {})}
        if "export" in how:
            state = self.mixed(how)
            from safetensors.torch import save_file

            save_file(
                {k: v.half().cpu().contiguous() for k, v in named(state).items()},
                self.out / how["export"],
            )
            return
        if how.get("lexical"):
            q = self.asked[False]
            self.report(
                how, "lex", {"tac": lexical(self.corpus, q.rows, told=False).float()}, probes=[]
            )
            return
        start = time.time()
        if "soup" in how:
            state = self.mixed(how)
            model = self.model(how["base"])
        elif how["steps"] == 0:
            model = self.model(how["base"])
            state = model.state()
        else:
            model = self.model(how["base"])
            state = self.fit(model, how)
            torch.save(
                {k: v.half().cpu() for k, v in state.items()}, self.out / f"{how['name']}.pt"
            )
        spent = time.time() - start
        first = self.base(how["base"]) if how["base"] != "mpnet" else None
        for alpha in how["alphas"]:
            if how["base"] != "mpnet":
                model.load({k: alpha * v + (1 - alpha) * first[k] for k, v in state.items()})
            start = time.time()
            test = bool(how.get("test"))
            if test not in self.asked:
                self.asked[test] = Questions(self.folder, self.corpus, test)
            prefix = how["base"] == "e5" and how["steps"] == 0
            found = read(model, self.corpus, self.asked[test].rows, how["reads"], prefix)
            sync()
            read_s = time.time() - start
            self.report({**how, "train_s": spent, "read_s": read_s}, alpha, found, how["probes"])

    def mixed(self, how: dict) -> dict:
        states = [torch.load(self.out / f"{n}.pt", map_location=DEV) for n in how["soup"]]
        return {k: sum(s[k].float() for s in states) / len(states) for k in states[0]}

    def report(self, how: dict, alpha, found: dict, probes) -> None:
        asked = self.asked[bool(how.get("test"))]
        for kind, vectors in found.items():
            each = asked.rankings(vectors)
            row = {"name": how["name"], "alpha": alpha, "read": kind, "test": bool(how.get("test"))}
            row |= {k: float(v.mean()) for k, v in each.items()}
            row |= {k: how[k] for k in ("train_s", "read_s", "loss", "speed") if k in how}
            if how.get("test") or how.get("keep"):
                np.savez_compressed(self.out / f"{how['name']}-{alpha}-{kind}.npz", **each)
            if kind in probes or (how.get("test") and kind in how["reads"]):
                jobs = asked.jobs(vectors)
                runs = 5 if how.get("test") else 3
                left = [len(jobs)]

                def done(future, row=row, left=left):
                    with self.lock:
                        try:
                            row |= future.result()
                        except Exception as error:
                            row["error"] = repr(error)
                        left[0] -= 1
                        if not left[0]:
                            self.write(row)

                for job in jobs:
                    self.pool.submit(slow, *job, runs).add_done_callback(done)
            else:
                with self.lock:
                    self.write(row)

    def write(self, row: dict) -> None:
        with (self.out / "results.jsonl").open("a") as out:
            out.write(
                json.dumps({k: round(v, 4) if isinstance(v, float) else v for k, v in row.items()})
                + "\n"
            )

    def fit(self, model, how: dict) -> dict:
        c, rng = self.corpus, np.random.default_rng(how["seed"])
        torch.manual_seed(how["seed"])
        rows = self.train_rows(how["more"])
        groups = [np.flatnonzero(c.corpus[rows] == k) for k in range(3)]
        similar = near = None
        if how["teacher"]:
            similar, near = self.teacher(how["teacher"], rows)
        label = torch.from_numpy(c.meta[how["label"]][rows]).long().to(DEV)
        params = [{"params": list(model.parameters()), "lr": how["lr"], "weight_decay": 0.01}]
        head = None
        if how["head"]:
            head = torch.nn.Parameter(
                0.05 * torch.randn(int(label.max()) + 1, model.p["word"].shape[1], device=DEV)
            )
            params.append({"params": [head], "lr": 5e-3, "weight_decay": 0.0})
        optimiser = torch.optim.AdamW(params, fused=DEV == "cuda")
        steps, warm = how["steps"], max(1, how["steps"] // 10)
        pace = torch.optim.lr_scheduler.LambdaLR(
            optimiser, lambda s: min((s + 1) / warm, max(0.02, (steps - s) / (steps - warm)))
        )
        losses, tokens, begun = [], 0, 0.0
        for step in range(steps):
            if step == 5:
                sync()
                begun, tokens = time.time(), 0
            chosen = draw(rng, groups, how, near)
            spans = views(c, rows[chosen], rng, how)
            count = len(chosen)
            if how["claim"]:
                extra = claims(
                    c,
                    rows[chosen][::2],
                    rng,
                    self.edges() if how["claim_pairs"] == "edge" else None,
                )
                spans = tuple(np.concatenate([a, b]) for a, b in zip(spans, extra, strict=True))
            tokens += int(spans[1].sum()) + 2 * len(spans[1])
            made = model(*c.batch(*spans))
            at = torch.from_numpy(chosen).to(DEV)
            target = similar[at][:, at].float() if similar is not None and how["teach"] else None
            loss = self.loss(made[:count], made[count : 2 * count], target, label[at], head, how)
            if how["claim"]:
                a, b = made[2 * count :].chunk(2)
                loss = loss + how["claim"] * contrast(a, b, how["tau"])
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            pace.step()
            losses.append(loss.detach())
        sync()
        how["speed"] = tokens / max(1e-9, time.time() - begun)
        values = torch.stack(losses).tolist()
        how["loss"] = float(np.mean(values[-20:]))
        print(
            how["name"],
            f"loss {np.mean(values[:10]):.3f} → {how['loss']:.3f}, {how['speed']:.0f} tokens/s,"
            f" {torch.cuda.max_memory_allocated() / 2**30 if DEV == 'cuda' else 0:.0f} GiB",
            flush=True,
        )
        return model.state()

    def loss(self, a, b, target, label, head, how):
        total = a.new_zeros(())
        logits = a @ b.T / how["tau"]
        if how["self"]:
            total = total + how["self"] * contrast(a, b, how["tau"])
        if target is not None or how["ipc"]:
            hidden = torch.eye(len(a), dtype=torch.bool, device=a.device)
            out = [F.log_softmax(x.masked_fill(hidden, -1e4), dim=1) for x in (logits, logits.T)]
        if target is not None:
            wanted = F.softmax(how["beta"] * target.masked_fill(hidden, -1e4), dim=1)
            total = total - how["teach"] * sum((wanted * o).sum(1).mean() for o in out) / 2
        if how["ipc"]:
            same = (label[:, None] == label[None]) & (label >= 0)[:, None] & ~hidden
            count = same.sum(1)
            some = count > 0
            for o in out:
                each = (o * same).sum(1) / count.clamp(min=1)
                total = total - 0.5 * how["ipc"] * each.sum() / some.sum().clamp(min=1)
        if head is not None:
            known = label >= 0
            classes = F.normalize(head, dim=1)
            for v in (a, b):
                guess = 20 * v[known] @ classes.T
                total = total + 0.5 * how["head"] * F.cross_entropy(
                    guess, label[known], label_smoothing=0.05
                )
        return total


def contrast(a, b, tau):
    logits = a @ b.T / tau
    own = torch.arange(len(a), device=a.device)
    return (F.cross_entropy(logits, own) + F.cross_entropy(logits.T, own)) / 2


def sync() -> None:
    if DEV == "cuda":
        torch.cuda.synchronize()


def draw(rng, groups, how, near):
    """Places of a batch's documents among the training rows; neighbours of each seed beside it."""
    count = how["batch"] // (1 + how["near"])
    share = rng.multinomial(count, how["shares"])
    seeds = np.concatenate(
        [rng.choice(g, min(n, len(g)), replace=False) for g, n in zip(groups, share, strict=True)]
    )
    if how["near"] and near is not None:
        which = rng.random((len(seeds), near.shape[1])).argsort(1)[:, : how["near"]]
        seeds = np.unique(np.concatenate([seeds, near[seeds[:, None], which].ravel()]))
    return rng.permutation(seeds)


def views(c: Corpus, rows, rng, how):
    """Two readings of each document: spans of all first ones, then of all second ones."""
    n, cap = len(rows), int(rng.choice(how["window"])) - 2
    kinds = list(how["views"])
    p = np.array([how["views"][k] for k in kinds])
    kind = np.array(kinds)[rng.choice(len(kinds), n, p=p / p.sum())]
    title, abstract, claim, end = c.title[rows], c.abstract[rows], c.claim[rows], c.end[rows]
    # a random claim to start from, not so late that little is left
    pick = c.first[rows] + 2 + (rng.random(n) * np.maximum(1, c.claims[rows])).astype(np.int64)
    pick = np.minimum(pick, c.first[rows + 1] - 1)
    late = c.part_ends[np.maximum(pick, c.first[rows] + 2 - (c.claims[rows] == 0))]
    late = np.where((end - late < 48) | (rng.random(n) < 0.5), claim, late)
    sa, la = c.spans(rows)
    sb, lb = c.spans(rows)
    with_title, with_abstract = rng.random(n) > how["drop"], rng.random(n) > how["drop"] / 2
    head_t = np.where(with_title | ~with_abstract, abstract - title, 0)
    head_a = np.where(with_abstract, np.minimum(claim - abstract, cap - head_t), 0)
    sa[:, 1], la[:, 1], sa[:, 2], la[:, 2] = title, head_t, abstract, head_a
    sb[:, 3], lb[:, 3] = late, np.minimum(end - late, cap)
    # tac/c: the first also reads claims, the second those behind them
    room = cap - head_t - head_a
    behind = claim + np.minimum(room, end - claim)
    tac = (kind == "tac/c") & (end - behind > 48)
    sa[tac, 3], la[tac, 3] = claim[tac], np.minimum(room, end - claim)[tac]
    sb[tac, 3] = behind[tac]
    lb[tac, 3] = np.minimum(end - behind, cap)[tac]
    # c/c: two halves, or the first window and what is behind it
    half = claim + np.minimum((end - claim) // 2, cap)
    cc = (kind == "c/c") & (end - claim > 96)
    la[cc, 1:3] = 0
    sa[cc, 3], la[cc, 3] = claim[cc], (half - claim)[cc]
    sb[cc, 3], lb[cc, 3] = half[cc], np.minimum(end - half, cap)[cc]
    # told: a piece of the description against title, abstract and claims
    told = (kind == "told") & (c.told_n[rows] > 256)
    at = c.told_at[rows] + (rng.random(n) * (c.told_n[rows] - 200).clip(1)).astype(np.int64)
    sa[told, 3], la[told, 3] = claim[told], np.minimum(room, end - claim)[told]
    sb[told, 3] = at[told]
    lb[told, 3] = np.minimum(cap, c.told_at[rows] + c.told_n[rows] - at)[told]
    for s, l in ((sa, la), (sb, lb)):  # nothing to read: the whole beginning
        empty = l.sum(1) < 4
        s[empty, 3], l[empty, 3] = title[empty], np.minimum(end - title, cap)[empty]
    return np.concatenate([sa, sb]), np.concatenate([la, lb])


def claims(c: Corpus, rows, rng, edges):
    """Two claims of each document: the ends of an edge, or any two."""
    rows = rows[c.claims[rows] >= 2]
    n = c.claims[rows]
    i = (rng.random(len(rows)) * n).astype(np.int64)
    j = (i + 1 + (rng.random(len(rows)) * (n - 1)).astype(np.int64)) % n
    if edges is not None:
        first, count = edges["first"][rows], edges["count"][rows]
        at = first + (rng.random(len(rows)) * np.maximum(1, count)).astype(np.int64)
        pair = edges["pairs"][np.minimum(at, len(edges["pairs"]) - 1)]
        good = (count > 0) & (pair < n[:, None]).all(1)
        i, j = np.where(good, pair[:, 0], i), np.where(good, pair[:, 1], j)
    starts, lengths = c.spans(np.concatenate([rows, rows]))
    both = np.concatenate([i, j]) + 2 + np.concatenate([c.first[rows]] * 2)
    starts[:, 3] = c.part_ends[both]
    lengths[:, 3] = np.minimum(c.part_ends[both + 1] - starts[:, 3], 126)
    return starts, lengths


def lexical(c: Corpus, rows, told: bool, wide: int = 65_536):
    """BM25's weights of pieces and pairs of pieces, unit length; (R, wide) float16."""
    pieces = 16_000
    out = torch.zeros(len(rows), wide, dtype=torch.float16, device=DEV)
    size = torch.zeros(len(rows), device=DEV)
    for at in range(0, len(rows), 2048):
        some = rows[at : at + 2048]
        counts = torch.zeros(len(some), wide, device=DEV)
        spans = [(c.title[some], c.end[some]), (c.title[some], c.claim[some])]
        if told:
            spans.append((c.told_at[some].clip(0), c.told_at[some].clip(0) + c.told_n[some]))
        for s, e in spans:
            n = torch.from_numpy(e - s).to(DEV)
            owner = torch.repeat_interleave(torch.arange(len(some), device=DEV), n)
            begin = torch.from_numpy(s).to(DEV)[owner]
            offset = torch.arange(len(owner), device=DEV) - (n.cumsum(0) - n)[owner]
            ids = c.ids[begin + offset].long()
            one = c.letters[ids].float()
            counts.view(-1).index_add_(0, owner * wide + ids, one)
            pair = (ids[:-1] * 7919 + ids[1:] * 104_729) % (wide - pieces) + pieces
            kept = (owner[:-1] == owner[1:]) & c.letters[ids[:-1]] & c.letters[ids[1:]]
            counts.view(-1).index_add_(0, (owner[:-1] * wide + pair)[kept], 0.7 * one[:-1][kept])
        out[at : at + 2048] = counts.half()
        size[at : at + 2048] = counts.sum(1)
    seen = torch.zeros(wide, device=DEV)
    for at in range(0, len(rows), 4096):
        seen += (out[at : at + 4096] > 0).sum(0)
    rare = torch.log((len(rows) + 0.5) / (seen + 0.5)).clamp(min=0)
    for at in range(0, len(rows), 4096):
        tf = out[at : at + 4096].float()
        length = (0.25 + 0.75 * size[at : at + 4096] / size.mean())[:, None]
        made = rare * tf / (tf + 1.5 * length)
        out[at : at + 4096] = F.normalize(made, dim=1).half()
    return out


def main() -> None:
    folder, plan, out = map(Path, sys.argv[1:4])
    out.mkdir(parents=True, exist_ok=True)
    if DEV == "cuda":
        torch.set_float32_matmul_precision("high")
    driver = Driver(folder, out, "--smoke" in sys.argv)
    finished: set = set()
    while True:
        todo = [json.loads(line) for line in plan.read_text().splitlines() if line.strip()]
        todo = [t for t in todo if t["name"] not in finished]
        ready = [
            t for t in todo if t.get("base") != "mpnet" or (folder / "mpnet.safetensors").exists()
        ]
        if ready and ready[0]["name"] == "stop":
            break
        if not ready:
            time.sleep(1)
            continue
        now = ready[0]
        finished.add(now["name"])
        try:
            start = time.time()
            driver.run(now)
            print(f"{now['name']}: {time.time() - start:.1f} s", flush=True)
        except Exception as error:  # the next run may do better
            import traceback

            traceback.print_exc()
            print(f"{now['name']} failed: {error!r}", flush=True)
            torch.cuda.empty_cache()
    driver.pool.shutdown(wait=True)


if __name__ == "__main__":
    main()

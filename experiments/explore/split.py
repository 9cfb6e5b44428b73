# ruff: noqa
# mypy: ignore-errors
"""Read the three corpora, split them, pose the tasks; once, where the patents are.

In:   the week, A61B 5 and the Indian patents, in shared/data.
Out:  ``patents.pkl`` (texts), ``week-tasks.npz``, ``a61b5-tasks.npz`` (as the repository poses them),
      ``sides.json`` (number → train, validation, test; "" is not used).
Why:  one invention is on one side: Indian patents follow the US patents of the same title or of
      nearly the same claims; US parts stay as docs/benchmark.md defines them."""

import hashlib
import json
import pickle
import re
import sys
from collections import defaultdict
from pathlib import Path

from benchmarks.mini.corpora import with_development
from benchmarks.mini.prepare import claimed

from phage.claims import read
from phage.evaluation.datasets import field, week
from phage.evaluation.duplicates import groups
from phage.evaluation.split import hash_split, split_patents, twins
from phage.evaluation.tasks import Split

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"


def title(patent) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", patent.title.casefold()))


def indian_side(titles: list[str]) -> str:
    place = int.from_bytes(hashlib.sha256(min(titles).encode()).digest(), "big") % 100
    return "train" if place < 60 else "validation" if place < 80 else "test"


def main(out: Path) -> None:
    w = claimed(read(DATA / "uspto-grants-2014-01-07.xml.xz"))
    a = claimed(read(DATA / "a61b5-claims.jsonl.xz"))
    i = claimed(read(DATA / "indian-patents.jsonl.xz"))
    print(len(w), len(a), len(i), i[0].number, a[0].number, w[0].number, flush=True)
    own = {p.number for p in (*w, *a)}
    i = [p for p in i if p.number not in own]
    pickle.dump({"week": w, "a61b5": a, "indian": i}, (out / "patents.pkl").open("wb"))
    print("read", flush=True)
    with_development(week.from_patents(w).tasks).save(out / "week-tasks.npz")
    sides = {n: s.name.lower() for n, s in split_patents(w).items()}
    pairs = list(twins((*w, *a, *i), titles=True))
    print("twins", len(pairs), flush=True)
    heads = groups([p.number for p in (*w, *a)], [(x, y) for x, y in pairs if {x, y} <= own])
    known = {heads[p.number] for p in w}
    kept = [p for p in a if heads[p.number] not in known]
    splits = {p.number: hash_split(heads[p.number]) for p in kept}
    field.from_patents(kept, splits=splits).tasks.save(out / "a61b5-tasks.npz")
    sides.update({p.number: "" for p in a} | {n: s.name.lower() for n, s in splits.items()})
    first: dict[str, str] = {}
    for p in (*w, *a, *i):
        if title(p):
            pairs.append((first.setdefault(title(p), p.number), p.number))
    joined = groups([p.number for p in (*w, *a, *i)], pairs)
    members = defaultdict(list)
    for p in (*w, *a, *i):
        members[joined[p.number]].append(p)
    dropped = 0
    indian = {p.number for p in i}
    for group in members.values():
        ours = [p for p in group if p.number in indian]
        if not ours:
            continue
        us = {sides[p.number] for p in group if p.number in own}
        side = next((s for s in ("test", "validation", "train") if s in us), "")
        side = side or indian_side([title(p) for p in ours])
        for p in ours:
            sides[p.number] = side
        if side != "train":  # the invention's other members do not train
            for p in group:
                if p.number in own and sides[p.number] == "train":
                    sides[p.number], dropped = "train-dropped", dropped + 1
    json.dump(sides, (out / "sides.json").open("w"))
    for name, ps in (("week", w), ("a61b5", a), ("indian", i)):
        print(name, {s: sum(sides[p.number] == s for p in ps) for s in set(sides.values())})
    print("us patents dropped from training", dropped, "matched", Split.TRAIN)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

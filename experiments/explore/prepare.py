# ruff: noqa
# mypy: ignore-errors
"""Texts → token ids, labels, relevance: all that the GPU machine needs, in a few small files.

python experiments/explore/prepare.py PREP GTE        # after split.py; GTE: a folder with the full tokenizer

In:   what split.py wrote; the full tokenizer; the embedded model's tokenizer.
Out:  ``vocab.txt`` (the embedded model's pieces first, then the next most frequent ones),
      ``tokens-*.npy.xz`` (uint16, title + abstract + claims of every document, one after the other),
      ``meta.npz`` (corpus, side, lengths, labels), ``tasks.npz`` (what is asked)."""

import hashlib
import json
import lzma
import pickle
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from benchmarks.mini.bases import FILTERS, descriptions
from transformers import AutoTokenizer, BertTokenizerFast

from phage.evaluation.tasks import TaskData

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
SIZE, MORE = 16_000, 14_000
CAP = {"week": 4_096, "indian": 2_048, "a61b5": 1_024}
TRAINED = 1_024
"""Tokens of claims that are kept: of documents that are scored, and of those that only train."""
SIDES = {"train": 0, "validation": 1, "test": 2}


def vocabulary(out: Path, patents, base: Path) -> BertTokenizerFast:
    full = AutoTokenizer.from_pretrained(base)
    small = AutoTokenizer.from_pretrained("src/phage/models/phage-mini")
    counts: Counter[int] = Counter()
    for name, every in (("week", 4), ("indian", 8), ("a61b5", 16)):
        texts = [
            " ".join([p.title, p.abstract, *(c.text for c in p.claims)])
            for p in patents[name][::every]
        ]
        for row in full(texts, add_special_tokens=False, verbose=False)["input_ids"]:
            counts.update(row)
    first = sorted(small.get_vocab(), key=small.get_vocab().get)
    words, known = list(first), set(first)
    old = full.get_vocab()
    for word in sorted(old, key=lambda w: (-counts[old[w]], old[w])):
        if len(words) >= SIZE:
            break
        if word not in known:
            words.append(word)
    share = [
        sum(counts[old[w]] for w in part if w in old) / counts.total() for part in (first, words)
    ]
    print(
        f"{len(first)} pieces cover {share[0]:.4%}, {len(words)} cover {share[1]:.4%}", flush=True
    )
    (out / "vocab.txt").write_text("\n".join(words))
    return BertTokenizerFast(vocab={w: k for k, w in enumerate(words)}, do_lower_case=True)


def chosen(patents, sides, scored) -> list[tuple[str, object]]:
    train = [p for p in patents["a61b5"] if sides[p.number] == "train" and p.number not in scored]
    train.sort(key=lambda p: hashlib.sha256(f"size {p.number}".encode()).digest())
    kept = scored | {p.number for p in train[:MORE]}
    docs = [("week", p) for p in patents["week"]] + [("indian", p) for p in patents["indian"]]
    return docs + [("a61b5", p) for p in patents["a61b5"] if p.number in kept]


def encode(tokenizer, docs, sides):
    """Tokens and lengths: title, abstract, then claims, numbered as the repository spells them."""
    flat, lengths, counts = [], [], []
    for at in range(0, len(docs), 500):
        block = docs[at : at + 500]
        texts = [
            t
            for _, p in block
            for t in (p.title, p.abstract, *(f"{c.number}. {c.text}" for c in p.claims))
        ]
        rows = iter(tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"])
        for name, p in block:
            parts = [next(rows)[:64], next(rows)[:512]]
            only = name == "indian" and sides[p.number] == "train"
            left = TRAINED if only else CAP[name]
            for _ in p.claims:
                row = next(rows)[: max(0, left)]
                left -= len(row)
                if row:
                    parts.append(row)
            counts.append(len(parts))
            lengths += map(len, parts)
            flat += [np.array(part, dtype=np.uint16) for part in parts]
    return np.concatenate(flat), np.array(lengths, np.uint16), np.array(counts, np.uint16)


def save(path: Path, array) -> None:
    with lzma.open(path, "wb", filters=[{**FILTERS[0], "preset": 6}]) as out:
        np.save(out, array)
    print(path.name, array.shape, path.stat().st_size, flush=True)


def labels(docs, cut):
    found = [cut(p.ipc[0]) if p.ipc else "" for _, p in docs]
    names = sorted(set(found) - {""})
    place = {n: k for k, n in enumerate(names)} | {"": -1}
    return np.array([place[f] for f in found], np.int32)


def main(out: Path, base: Path) -> None:
    patents = pickle.load((out / "patents.pkl").open("rb"))
    sides = json.loads((out / "sides.json").read_text())
    tokenizer = vocabulary(out, patents, base)
    field = TaskData.load(out / "a61b5-tasks.npz")
    scored = {str(n) for n in next(iter(field.ids.values()))}
    docs = chosen(patents, sides, scored)
    numbers = [p.number for _, p in docs]
    ids, lengths, counts = encode(tokenizer, docs, sides)
    corpora = np.array([("week", "indian", "a61b5").index(c) for c, _ in docs], np.int8)
    ends = np.concatenate([[0], np.cumsum(lengths.astype(np.int64))])
    doc_ends = ends[np.concatenate([[0], np.cumsum(counts.astype(np.int64))])]
    for k, name in enumerate(("week", "indian", "a61b5")):
        rows = np.flatnonzero(corpora == k)
        save(out / f"tokens-{name}.npy.xz", ids[doc_ends[rows[0]] : doc_ends[rows[-1] + 1]])
        print(
            name, len(rows), (doc_ends[rows[-1] + 1] - doc_ends[rows[0]]) / len(rows), "tokens each"
        )
    side = np.array([SIDES.get(sides[n], -1) for n in numbers], np.int8)
    with lzma.open(DATA / "uspto-grants-2014-01-07.descriptions.txt.xz", "rt") as lines:
        told = dict(descriptions(lines))
    trained = np.flatnonzero((corpora == 0) & (side == 0))
    texts = [told.get(numbers[r], "")[:16_000] for r in trained]
    rows = tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"]
    rows = [np.array(r[:3_000], np.uint16) for r in rows]
    save(out / "descriptions.npy.xz", np.concatenate(rows))
    place = {n: k for k, n in enumerate(numbers)}
    symbols = [sorted({c for c in p.ipc if "/" in c}) for _, p in docs]
    names = {s: k for k, s in enumerate(sorted({s for row in symbols for s in row}))}
    pairs = np.array(
        [
            (place[a], place[b], int(s))
            for a, b, _, s in (
                line.split("\t")
                for line in lzma.open(DATA / "indian-pairs.tsv.xz", "rt").read().splitlines()[1:]
            )
            if a in place and b in place
        ]
    )
    np.savez_compressed(
        out / "meta.npz",
        corpus=corpora, side=side, lengths=lengths, counts=counts, pairs=pairs,
        subclass=labels(docs, lambda c: c[:4]), group=labels(docs, lambda c: c),
        main=labels(docs, lambda c: c.split("/")[0]),
        symbols=np.array([names[s] for row in symbols for s in row], np.int32),
        symbol_counts=np.array([len(row) for row in symbols], np.int16),
        told=np.array([len(r) for r in rows], np.uint16), told_rows=trained.astype(np.int32),
        field_rows=np.array([place[str(n)] for n in next(iter(field.ids.values()))], np.int32),
    )  # fmt: skip
    json.dump(numbers, (out / "numbers.json").open("w"))
    print((out / "meta.npz").stat().st_size, len(pairs))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))

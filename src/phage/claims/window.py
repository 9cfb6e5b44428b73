"""Tokens of a claim set, cut to a model's window.

In:   claims, the model's tokenizer, the window (tokens with [CLS] and [SEP]), a way to fit.
Out:  token ids and the claim of each token; nothing longer than the window.
Why:  the paper cuts the tail off (``prefix``), which loses most edges of a long set; ``balanced``
      lets every claim keep its beginning. Neither looks at the graph, so a graph-free encoder
      can cut the same way."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from phage.claims.normal import sound
from phage.claims.text import joined
from phage.claims.types import Claim
from phage.errors import PhageError

SPECIAL = 2
"""[CLS] and [SEP]."""


class Fit(StrEnum):
    """How a claim set that is too long is cut."""

    PREFIX = "prefix"
    """The first tokens, as in the paper."""
    BALANCED = "balanced"
    """The first tokens of every claim; short claims stay whole."""


@dataclass(frozen=True, slots=True)
class ClaimTokens:
    """A claim set as a model reads it: ``[CLS] claims [SEP]``."""

    ids: tuple[int, ...]
    """Token ids, [CLS] first and [SEP] last."""
    claims: tuple[int, ...]
    """For each token the index of its claim; -1 for [CLS] and for what stands before the claims;
    [SEP] goes with the last claim kept."""
    lengths: tuple[int, ...]
    """Tokens that each claim has before the cut."""

    def __len__(self) -> int:
        """Count the tokens."""
        return len(self.ids)


class Tokenizer(Protocol):
    """What is asked of a tokenizer: any fast one of ``transformers`` that has [CLS] and [SEP]."""

    is_fast: bool
    cls_token_id: int
    sep_token_id: int
    model_max_length: int

    def __call__(self, text: str, **options: Any) -> Mapping[str, list[Any]]:  # noqa: ANN401
        """Give ``input_ids`` and, when asked, ``offset_mapping``."""


def claim_tokens(
    claims: Sequence[Claim],
    tokenizer: Tokenizer,
    window: int,
    fit: Fit | str = Fit.PREFIX,
    head: str = "",
) -> ClaimTokens:
    """Tokenise the claims as one text and cut them to the window.

    ``prefix`` gives exactly what the tokenizer's own truncation of ``claims_text`` gives. ``head``
    (title and abstract) stands before the claims and is cut last.
    """
    check_tokenizer(tokenizer)
    if window <= SPECIAL:
        raise PhageError(
            f"a window of {window} tokens has no room for text", remedy="use 3 or more"
        )
    text, starts = joined(claims)
    if head:
        text, starts = f"{head} {text}", [start + len(head) + 1 for start in starts]
    # verbose=False: the tokenizer's own warning on long texts does not apply, we cut below.
    spelled = tokenizer(
        sound(text), add_special_tokens=False, return_offsets_mapping=True, truncation=False,
        padding=False, verbose=False,
    )  # fmt: skip
    # The last character of a token decides: some tokenizers let a token begin with the blank
    # before its word, which is still the claim before.
    first = -1 if head else 0
    owners = [max(bisect_right(starts, end - 1) - 1, first) for _, end in spelled["offset_mapping"]]
    lengths = [0] * len(starts)
    for owner in owners:
        if owner >= 0:
            lengths[owner] += 1
    before = min(owners.count(-1), window - SPECIAL)
    room = [*shares(lengths, window - SPECIAL - before, fit), before]  # the head's is room[-1]
    ids, kept = [tokenizer.cls_token_id], [-1]
    for token, owner in zip(spelled["input_ids"], owners, strict=True):
        if room[owner] > 0:
            room[owner] -= 1
            ids.append(token)
            kept.append(owner)
    ids.append(tokenizer.sep_token_id)
    kept.append(kept[-1])
    return ClaimTokens(tuple(ids), tuple(kept), tuple(lengths))


def shares(lengths: Sequence[int], room: int, fit: Fit | str = Fit.PREFIX) -> list[int]:
    """Say how many tokens each claim keeps; together at most ``room``.

    >>> shares([6, 2, 5], 9, "prefix")
    [6, 2, 1]
    >>> shares([6, 2, 5], 9, "balanced")  # the two long ones are levelled, the earlier gets the odd
    [4, 2, 3]
    """
    if Fit(fit) is Fit.PREFIX:
        kept = []
        for length in lengths:
            kept.append(min(length, room))
            room -= kept[-1]
        return kept
    level, odd = _level(lengths, room)
    kept = []
    for length in lengths:
        extra = length > level and odd > 0
        kept.append(min(length, level) + extra)
        odd -= extra
    return kept


def _level(lengths: Sequence[int], room: int) -> tuple[int, int]:
    """Find the largest cap under which all claims fit, and what is left over."""
    left = len(lengths)
    for length in sorted(lengths):
        if length * left > room:
            return divmod(room, left)
        room -= length
        left -= 1
    return max(lengths, default=0), 0


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
    """Give the window of a model, or check the one asked for against it.

    ``config`` is the model's; the smaller of its positions and the tokenizer's limit counts.
    """
    positions = getattr(config, "max_position_embeddings", None)
    if positions and getattr(config, "model_type", "") in OFFSET_POSITIONS:
        # Their positions start behind the padding id.
        positions -= (getattr(config, "pad_token_id", None) or 0) + 1
    limits = [n for n in (positions, tokenizer.model_max_length) if n and n < _NO_LIMIT]
    if asked is None and not limits:
        raise PhageError("neither model nor tokenizer states a window", remedy="pass window=512")
    if asked is not None and limits and asked > min(limits):
        raise PhageError(
            f"a window of {asked} tokens exceeds the model's {min(limits)}",
            remedy=f"use window={min(limits)} or a model that reads more",
        )
    return min(limits) if asked is None else asked


OFFSET_POSITIONS = {"roberta", "xlm-roberta", "camembert", "xlm-roberta-xl"}
_NO_LIMIT = 1_000_000
"""Tokenizers without a limit say 10³⁰."""

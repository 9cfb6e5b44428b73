"""One cell of a table: a list that was written into it, or no value at all.

In:   what stands in a cell, and which part of a patent it is to be.
Out:  the value, lists unfolded; an error that says why there is none.
Why:  a list that is taken for a text, or a count for claims, is wrong without any sign of it."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from typing import Any

from phage.claims.readers.documents import Malformed
from phage.claims.readers.records import Flawed, shown
from phage.claims.types import LISTS

_LISTED = (*LISTS, "citations", "claims")
_BEGINS = re.compile(r"\s*(?:\[\s*[{'\"]|\{\s*['\"])")
"""A list of texts or objects, or an object; no claim begins like this."""
_BESIDE = re.compile(r"\s*\[[^\[\]]*\]\s*\(?1\s?[.)]\s*[^\W\d]")
"""Words in brackets, and then a numbered claim: a text after all."""
_NOTHING = {
    "nan", "none", "null", "nil", "na", "n/a", "nat", "<na>",
    "#n/a", "#ref!", "#value!", "#name?", "#null!", "#num!", "#div/0!",
}  # fmt: skip
_SHORT = re.compile(r"\d+(?:[.,]\d+)?E\+\d+", re.IGNORECASE)
_REMEDY = "write it as JSON"


def cell(part: str, value: Any, name: str = "") -> Any:  # noqa: ANN401  (whatever a cell holds)
    """Return what a cell says of a part of a patent; lists are JSON, Python, or have semicolons.

    ``name`` is what an error calls it.

    >>> cell("claims", '["A pump."]'), cell("inventors", "Jane Doe; John Roe")
    (['A pump.'], ['Jane Doe', 'John Roe'])
    """
    try:
        return _read(part, value)
    except Malformed as error:
        raise Malformed(f"{name} {error}") from None


def _read(part: str, value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, Flawed):
        raise Malformed(f"the cell shows {value}")
    if not isinstance(value, str):
        return value
    if part in ("number", "claims") and is_nothing(value, part):
        what = "a number" if part == "number" else "the text of claims"
        raise Malformed(f"{shown(value.strip())} is not {what}")
    if part == "number" and _SHORT.fullmatch(value.strip()):
        short = f"{shown(value.strip())} is a number that Excel cut short"
        raise Malformed(f"{short}: format the column as text, then enter its numbers again")
    if part not in _LISTED:
        return value
    if part == "claims" and _BESIDE.match(value):
        return value
    if _BEGINS.match(value) or re.fullmatch(r"\s*\[.*\]\s*", value, re.DOTALL):
        found = _unfolded(value)
        if found is not None:
            return found
    if part == "claims":
        return value
    return [one.strip() for one in re.split(r"[;|\n]+", value) if one.strip()]


def is_nothing(text: str, part: str = "claims") -> bool:
    """Return whether a cell is a program's word for no value, or claims without a letter.

    >>> is_nothing("#N/A"), is_nothing("17"), is_nothing("17", "number"), is_nothing("請求項")
    (True, True, False, False)
    """
    bare = text.strip()
    counts = str.isalnum if part == "number" else str.isalpha
    return bare.lower() in _NOTHING or not any(map(counts, bare))


def _unfolded(text: str) -> Any:  # noqa: ANN401
    """Read a list or an object; None where a text only stands in brackets."""
    found = None
    for load in (_JSON.decode, ast.literal_eval):
        try:
            found = load(text.strip())
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        if load is ast.literal_eval and _adjacent(text.strip()):
            raise Malformed(f"a list without commas, as NumPy prints it: {_REMEDY}")
        break
    if isinstance(found, (list, dict)):
        return found
    if _BEGINS.match(text):
        raise Malformed(
            f"begins like a list, {shown(text[:30])}, but is not a valid list: {_REMEDY}"
        )
    return None


_JSON = json.JSONDecoder(strict=False)
_BLANK = (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT)


def _adjacent(text: str) -> bool:
    """Return whether texts stand side by side, and no comma parts any: Python would join them.

    With a comma, they are one text on several lines, as ``pprint`` writes it.

    >>> _adjacent("['A pump.' 'A cup.']"), _adjacent("['A ' 'pump.', 'A cup.']")
    (True, False)
    """
    last, found = 0, False
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in _BLANK:
            continue
        if token.string == ",":
            return False
        found |= token.type == last == tokenize.STRING
        last = token.type
    return found

"""JSON values from texts that may be damaged.

In:   a line, or a whole file.
Out:  its values, one after another; for a damaged one the reason, and those after it all the same.
Why:  a comma too many in the last record must not cost the ten thousand before it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from phage.claims.normal import sound

_BETWEEN = re.compile(r"[\s,]*")
_NEXT = re.compile(r"\}\s*,?\s*(?=\{)")
"""Where an element of a list ends and the next begins, as far as can be told in a damaged one."""
_EFFORT = 4
"""How often a damaged text is gone through, in all; what is left then is given up."""


@dataclass(frozen=True, slots=True)
class Unloaded:
    """A value that could not be loaded."""

    reason: str


class Loader:
    """A decoder that notes keys which stand in one object twice."""

    def __init__(self) -> None:
        """Make the decoder once; it is used for every line of a file."""
        self.repeated: list[str] = []
        self.decoder = json.JSONDecoder(object_pairs_hook=self._object)

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = (
                sorted({name for name in found if names.count(name) > 1})
                if len(names) < 1000
                else []
            )
            self.repeated.append(f"of repeated keys the last is taken ({', '.join(twice)[:80]})")
        return found

    def value(self, text: str) -> Any:  # noqa: ANN401  (whatever JSON holds)
        """Load one value."""
        self.repeated.clear()
        try:
            return _sound(self.decoder.decode(text), text)
        except (ValueError, RecursionError) as error:
            return Unloaded(_reason(error))

    def elements(
        self, text: str, is_record: Callable[[dict[str, Any]], bool]
    ) -> Iterator[tuple[int, int, Any]]:
        """Give the elements of a list, or the one value there is: row or line, from 1, and value."""
        whole = self.value(text)
        if isinstance(whole, list):
            yield from ((row, 0, one) for row, one in enumerate(whole, start=1))
        elif isinstance(whole, Unloaded) and text.lstrip().startswith("["):
            yield from self._damaged(text, is_record)
        else:
            yield 0, 1, whole

    def _damaged(
        self, text: str, is_record: Callable[[dict[str, Any]], bool]
    ) -> Iterator[tuple[int, int, Any]]:
        """Load one element after another; after a damaged one, go on with the next record."""
        place, line, counted, lost, effort = text.index("[") + 1, 1, 0, False, _EFFORT * len(text)
        place = _after(_BETWEEN, text, place)
        while place < len(text) and text[place] != "]" and effort > 0:
            begin = place
            line, counted = line + text.count("\n", counted, begin), begin
            self.repeated.clear()
            try:
                value, place = self.decoder.raw_decode(text, begin)
            except (ValueError, RecursionError) as error:
                if not lost:
                    yield 0, line, Unloaded(_reason(error))
                effort -= max(1, getattr(error, "pos", len(text)) - begin)
                place, lost = _after(_NEXT, text, begin), True
                continue
            if lost and not (isinstance(value, dict) and is_record(value)):
                place = _after(_NEXT, text, place - 1)  # it belongs to the damaged one
                continue
            lost = False
            yield 0, line, _sound(value, text[begin:place])
            place = _after(_BETWEEN, text, place)
        if effort <= 0:
            yield 0, line, Unloaded("not valid JSON: too damaged from here on")


def _after(pattern: re.Pattern[str], text: str, place: int) -> int:
    found = pattern.search(text, place)
    return found.end() if found else len(text)


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "refused: JSON nested too deep"
    if isinstance(error, json.JSONDecodeError):
        return f"not valid JSON: {error.msg}, column {error.colno:,}"
    return f"not valid JSON: {error}"


def _sound(value: Any, text: str) -> Any:  # noqa: ANN401  (whatever JSON holds)
    """Mend halves of surrogate pairs, which only escapes can bring in; few files have any."""
    if "\\ud" not in text and "\\uD" not in text:
        return value
    return json.loads(sound(json.dumps(value, ensure_ascii=False)))

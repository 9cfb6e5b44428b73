"""JSON values from texts that may be large, damaged or hostile.

In:   a line, or a stream that holds one value or a list of them.
Out:  the values, one after another; for a damaged one the reason, and those after it all the same.
Why:  a comma too many in the last record must not cost the ten thousand before it, and a list of a
      million empty objects packs into kilobytes but would take gigabytes at once."""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from phage.claims.normal import sound
from phage.claims.readers.unpack import BLOCK, Peek, Refused, reason

LARGEST = 64 << 20
"""Bytes of one record."""
PARTS = 4_000_000
"""Objects, lists and values of one record; each takes up to a hundred bytes in memory."""
EFFORT = 4
"""How often a damaged list is gone through, in all; what is left then is given up."""
_NEXT = re.compile(r"\}\s*,?\s*(?=\{)")
"""Where a record ends and the next begins, as far as a damaged list shows it."""
_SPACE = " \t\r\n"
_NEAR = 32
"""An error so near the end of what was read may be gone when more is read."""


@dataclass(frozen=True, slots=True)
class Unloaded:
    """A value that could not be loaded."""

    reason: str


class Loader:
    """A decoder that notes what it had to change: keys that stand in one object twice, half characters."""

    def __init__(self) -> None:
        """Make the decoder once; it is used for every line of a file."""
        self.changes: list[str] = []
        self.decoder = json.JSONDecoder(object_pairs_hook=self._object)

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            counts = Counter(name for name, _ in pairs)
            twice = sorted(name for name, count in counts.items() if count > 1)
            self.changes.append(
                f"a key is repeated; its last value is used ({', '.join(twice)[:80]})"
            )
        return found

    def _sound(self, value: Any, text: str) -> Any:  # noqa: ANN401  (whatever JSON holds)
        """Mend halves of surrogate pairs, which only escapes can bring in; few files have any."""
        if "\\ud" not in text and "\\uD" not in text:
            return value
        plain = json.dumps(value, ensure_ascii=False)
        mended = sound(plain)
        if mended == plain:
            return value
        self.changes.append("half a surrogate pair replaced by '?'")
        return json.loads(mended)

    def value(self, text: str) -> Any:  # noqa: ANN401  (whatever JSON holds)
        """Load one value."""
        self.changes.clear()
        try:
            return self._sound(self.decoder.decode(bounded(text)), text)
        except (ValueError, RecursionError, Refused) as error:
            return Unloaded(_reason(error))

    def elements(
        self, stream: Peek, is_record: Callable[[dict[str, Any]], bool]
    ) -> Iterator[tuple[int, int, Any]]:
        """Yield the elements of a list: row from 1, line from 1, value.

        After a damaged element, reading goes on with the next object that ``is_record``.
        """
        window = _Window(stream, self.decoder)
        window.sign()
        window.at += 1  # the opening bracket
        row, lost = 0, False
        while (sign := window.sign()) != "]" or lost:
            if not sign:
                if not lost:
                    yield row + 1, window.line(), Unloaded("not valid JSON: the list breaks off")
                return
            line = window.line()
            self.changes.clear()
            try:
                value, text = window.value()
                if lost and not (isinstance(value, dict) and is_record(value)):
                    window.skip(1)  # it belongs to the damaged one
                    continue
                row, lost = row + 1, False
                yield row, line, self._sound(value, text)
                self._between(window)
            except (ValueError, RecursionError, Refused) as error:
                if not lost:
                    row += 1
                    yield row, line, Unloaded(_reason(error))
                if isinstance(error, Refused):
                    return
                lost = True
                window.skip(0)
        window.at += 1
        if window.sign():
            yield row + 1, window.line(), Unloaded("not valid JSON: more text behind the list")

    @staticmethod
    def _between(window: _Window) -> None:
        """Pass the comma behind an element; refuse anything else but the list's end."""
        sign = window.sign()
        if sign == ",":
            window.at += 1
        elif sign not in ("", "]"):
            raise ValueError(f"{sign!r} between two records")


class _Window:
    """The text from the present place on, with more of the stream behind it on demand."""

    def __init__(self, stream: Peek, decoder: json.JSONDecoder) -> None:
        self.stream, self.decoder = stream, decoder
        encoding = json.detect_encoding(stream.peek(4))
        self._decode = codecs.getincrementaldecoder(encoding)("replace").decode
        self.text, self.at, self.ended = "", 0, False
        self._lines, self._counted = 1, 0
        self._read = self._spent = 0

    def line(self) -> int:
        """Return the line of the present place."""
        self._lines += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._lines

    def more(self, size: int) -> None:
        """Drop what was read and take up to ``size`` bytes more."""
        self.line()
        block = self.stream.read(size)
        self.ended = len(block) < size
        self._read += len(block)
        self.text = bounded(self.text[self.at :] + self._decode(block, self.ended))
        self.at = self._counted = 0

    def sign(self) -> str:
        """Return the next character that is not blank, without taking it; none at the end."""
        while True:
            while self.at < len(self.text) and self.text[self.at] in _SPACE:
                self.at += 1
            if self.at < len(self.text) or self.ended:
                return self.text[self.at : self.at + 1]
            self.more(BLOCK)

    def value(self) -> tuple[Any, str]:
        """Take one value; return it with its text."""
        size = BLOCK
        while True:
            try:
                value, end = self.decoder.raw_decode(self.text, self.at)
                if end < len(self.text) or self.ended:  # a number may go on behind what is here
                    text, self.at = self.text[self.at : end], end
                    return value, text
            except json.JSONDecodeError as error:
                self._spent += error.pos - self.at + 1
                whole = error.pos < len(self.text) - _NEAR and "Unterminated" not in error.msg
                if self.ended or whole:
                    raise
            left = len(self.text) - self.at
            if left > LARGEST:
                raise Refused(f"a JSON record larger than {LARGEST >> 20} MB")
            size = max(size, left)  # twice the text at each try: all tries together are linear
            self.more(size)

    def skip(self, back: int) -> None:
        """Move to where the next record may begin."""
        if self._spent > EFFORT * max(self._read, BLOCK):
            raise Refused("a list too damaged to be read from here on")
        start = self.at - back
        while True:
            found = _NEXT.search(self.text, start)
            if found or self.ended:
                self.at = found.end() if found else len(self.text)
                return
            self.at = max(self.at, self.text.rfind("}", start))
            self.more(BLOCK)
            start = 0


def bounded(text: str) -> str:
    """Refuse a record that is small as a text and huge as objects, before it is read.

    >>> bounded("[{}, {}]")
    '[{}, {}]'
    """
    if sum(map(text.count, "{[,")) > PARTS:
        raise Refused(f"a JSON record of more than {PARTS:,} parts")
    return text


def _reason(error: Exception) -> str:
    if isinstance(error, Refused):
        return reason(error)
    if isinstance(error, RecursionError):
        return "refused: JSON nested too deep"
    if isinstance(error, json.JSONDecodeError):
        return f"not valid JSON: {error.msg}"
    return f"not valid JSON: {error}"

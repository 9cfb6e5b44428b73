"""A JSON array, one element after another.

In:   a stream that begins with "[".
Out:  each element, as soon as it is whole.
Why:  an array of a million empty objects packs into kilobytes and would take gigabytes at once."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from typing import Any

from phage.claims.readers.unpack import BLOCK, Peek, Refused

LARGEST = 64 << 20
"""Bytes of one record."""
PARTS = 4_000_000
"""Objects, lists and values of one record; each takes up to a hundred bytes in memory."""
_SPACE = " \t\r\n"


def bounded(text: str) -> str:
    """Refuse a record that is small as a text and huge as objects, before it is read.

    >>> bounded("[{}, {}]")
    '[{}, {}]'
    """
    if sum(map(text.count, "{[,")) > PARTS:
        raise Refused(f"a JSON record of more than {PARTS:,} parts")
    return text


class _Window:
    """The text from the present place on, with more of the stream behind it on demand."""

    def __init__(self, stream: Peek) -> None:
        self.stream, self.text, self.at = stream, "", 0
        self.decode = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
        self.ended = False

    def more(self, size: int) -> None:
        """Drop what was read and take up to ``size`` bytes more."""
        block = self.stream.read(size)
        self.ended = len(block) < size
        self.text = bounded(self.text[self.at :] + self.decode(block, self.ended))
        self.at = 0

    def sign(self) -> str:
        """Give the next character that is not blank, without taking it; none at the end."""
        while True:
            while self.at < len(self.text) and self.text[self.at] in _SPACE:
                self.at += 1
            if self.at < len(self.text) or self.ended:
                return self.text[self.at : self.at + 1]
            self.more(BLOCK)

    def value(self) -> tuple[Any, str]:
        """Take one value; give it with its text."""
        self.sign()  # the decoder takes no blanks
        size = BLOCK
        while True:
            try:
                value, end = _DECODER.raw_decode(self.text, self.at)
                if end < len(self.text) or self.ended:  # a number may go on behind what is here
                    text, self.at = self.text[self.at : end], end
                    return value, text
            except json.JSONDecodeError:
                if self.ended:
                    raise
            left = len(self.text) - self.at
            if left > LARGEST:
                raise Refused(f"a JSON record larger than {LARGEST >> 20} MB")
            size = max(size, left)  # twice the text at each try: all tries together are linear
            self.more(size)


_DECODER = json.JSONDecoder()


def elements(stream: Peek) -> Iterator[tuple[Any, str]]:
    """Give the elements of an array, each with its text; ValueError where the array is broken.

    >>> import io
    >>> list(elements(Peek(io.BytesIO(b'[{"a": 1}, 22]'))))
    [({'a': 1}, '{"a": 1}'), (22, '22')]
    """
    window = _Window(stream)
    sign = window.sign()
    closed = sign != "["
    window.at += 1
    if not closed and window.sign() == "]":
        window.at += 1
        closed = True
    while not closed:
        yield window.value()
        sign = window.sign()
        if sign not in ("]", ","):
            raise ValueError("a list breaks off" if not sign else f"{sign!r} between two records")
        window.at += 1
        closed = sign == "]"
    if window.sign():
        raise ValueError("more text behind the list")

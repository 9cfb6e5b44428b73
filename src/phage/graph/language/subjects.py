"""Tell a claim that depends from one that only refers.

In:   what a claim is to ("An apparatus for …" → apparatus), per language.
Out:  functions (citing text, reference, cited text) → whether the reference is cross-category.
Why:  "an apparatus for performing the method of claim 1" names claim 1 but inherits no category,
      and the graph must say so."""

from __future__ import annotations

import re
from collections.abc import Callable

from phage.graph.language.types import CrossCategory, Reference

_STATUS = re.compile(r"^\s*[(\[][^()\[\]]{1,40}[)\]]\s*")
"""What an office prints before a claim: "(Currently amended)", "[Original]"."""

Subject = Callable[[str], str]
Same = Callable[[str, str], bool]


def embedded(subject: Subject, same: Same, joins: str, strong: str) -> CrossCategory:
    """Judge a language that puts the subject first: English, German, French.

    ``joins`` finds any word that could attach the reference to a later noun than the subject;
    ``strong`` those that surely do ("comprising", "using").
    """
    joint, sure, word = (re.compile(p, re.IGNORECASE) for p in (joins, strong, r"[^\W\d_][\w-]*"))

    def cross(text: str, reference: Reference, cited: str) -> bool:
        status = _STATUS.match(text)
        before = text[status.end() if status else 0 : reference.start]
        if not joint.search(before):  # "The pump of claim 1"
            return False
        own, other = subject(_STATUS.sub("", text, 1)), subject(_STATUS.sub("", cited, 1))
        if not own or not other:
            return False
        rest = before[before.lower().find(own) + len(own) :].lower()
        if same(own, other):
            # "A display device comprising the semiconductor device of claim 1"
            inner = own != other and rest.rstrip().endswith(f" {other}")
            return inner and bool(sure.search(rest))
        return any(same(found, other) for found in word.findall(rest)) or bool(sure.search(rest))

    return cross


def trailing(subject: Subject, depends: str, carries_on: str) -> CrossCategory:
    """Judge a language that puts the subject last: Japanese, Korean.

    ``depends`` follows the noun of a claim that takes up the one it cites ("…において");
    ``carries_on`` marks that the noun after the reference is an object of something else.
    """
    taken_up, on = re.compile(depends), re.compile(carries_on)

    def cross(text: str, reference: Reference, cited: str) -> bool:
        if taken_up.search(text, reference.start, reference.end):
            return False
        own, other = subject(text), subject(cited)
        if not own or not other or own == other:
            return False
        noun = re.split(r"[、。，,.；;：:]", text[reference.end :], maxsplit=1)[0]
        if (taken := taken_up.search(noun)) and subject(noun[: taken.start()]) == other:
            return False
        return bool(on.search(text, reference.end))

    return cross

"""How sure a finding about antecedents is: signs that speak for it, and their weights.

In:   a mention and what is known before it; what the whole claim set says of the term.
Out:  signs with how often each holds; their weighted sum, in tenths of a log-odds.
Why:  granted claims name many things that nobody introduced and nobody misses. The weights in
      evidence.toml were fitted on granted claims against the same claims with one fault each
      (benchmarks/check_fit.py)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files

from phage.checking.known import Known
from phage.checking.scope import Introduction
from phage.checking.types import Step
from phage.checking.words import INHERENT, VALUES
from phage.language.en.noted import Noted
from phage.language.en.tagging import TaggedClaim
from phage.language.en.tags import Tag

Signs = Mapping[str, int]
"""Sign → how often it holds; a sign that does not hold is absent."""

_TABLES: dict[str, dict[str, int]] = tomllib.loads(
    (files(__package__) / "evidence.toml").read_text("utf-8")
)
_AFTER: dict[str, str] = {
    Tag.BE: "be", Tag.HAVE: "have", Tag.CAN: "modal", Tag.STOP: "end", Tag.SEMI: "end",
    Tag.COLON: "end", "": "end", Tag.COMMA: "comma", Tag.AND: "and", Tag.TO: "to",
    Tag.PREP: "preposition", Tag.OF: "of", Tag.VERB: "verb", Tag.WHICH: "which",
    Tag.WHERE: "wherein", Tag.ADV: "adverb", Tag.THE: "the", Tag.A: "a", "(": "bracket",
}  # fmt: skip
_BEFORE = _AFTER | {"": "nothing", Tag.SEMI: "semicolon", Tag.COLON: "colon"}
_PREPOSITIONS = frozenset(
    [
        "in",
        "on",
        "by",
        "for",
        "from",
        "with",
        "at",
        "into",
        "between",
        "through",
        "as",
        "via",
        "within",
        "using",
    ]
)
_INSIDE: dict[str, str] = {Tag.NOUN: "noun", Tag.NOUNS: "plural", Tag.ORD: "ordinal"}
_ARTICLES = frozenset(["the", "said", "a", "an", "each"])
_COMPRISING = frozenset(["comprising", "comprises", "comprise", "including", "includes", "include"])
_HOLDING = _COMPRISING | {"having", "has", "have", "with"}
AGENT = re.compile(r"[^e](?:er|or)$")
"""What acts: "the roller" does not follow from "rolling"."""
_ABSTRACT = re.compile(r"(?:ion|ment|ity|ness|ance|ence|ency|ancy|ure|al|th)$")
PARTICIPLE = re.compile(r"(?:ed|ing|en)$")
DOUBTFUL = (Step.NONE, Step.QUALIFIED)
"""Steps that found no introduction; the later ones before them let a mention pass without one."""
PASSED = (Step.DERIVED, Step.INHERENT, Step.NOT_NEEDED)


def weigh(table: str, *signs: Signs) -> int:
    """Add up what speaks for a finding and against it.

    >>> weigh("twice", {"next_end": 1}) > weigh("twice", {"next_verb": 1})
    True
    """
    weights = _TABLES[table]
    return weights["bias"] + sum(
        weights.get(sign, 0) * times for found in signs for sign, times in found.items()
    )


def limit(table: str, name: str) -> int:
    """Return the weight from which a finding is a ``warning``, or a ``note``."""
    return _TABLES[table][name]


def missing_signs(known: Known, mention: Noted, step: Step) -> Signs:
    """Collect the evidence that an introduction is missing, and not merely unnecessary.

    A mention that the ladder let pass has signs of its own: their names begin with "passed".
    """
    words, tags = known.reading.words, known.reading.tags
    after = mention.last + 1
    previous = words[mention.left - 1] if mention.left else ""
    parts = mention.term.split()
    head = parts[-1]
    head_known = known.knows(head)
    heard = sum(map(known.knows, parts[:-1])) + head_known
    kin = known.look_up(">" + head)
    around = _around(known.reading, mention.left - 1, after)
    abstract = _ABSTRACT.search(head) is not None
    first, last = tags[mention.first], tags[mention.last]
    if words[mention.last].endswith(("'s", "’s")):  # tagged as a plural
        first, last = Tag.NOUN if mention.first == mention.last else first, Tag.NOUN
    signs = _holding(
        {
            f"step_{step}": True,
            f"words_known_{'all' if heard == len(parts) else 'some' if heard else 'none'}": True,
            "new": step is Step.NONE and not head_known,
            # Granted claims name many known things in the plural; a name never heard is none of them.
            "plural": mention.plural and not (step is Step.NONE and not heard),
            "kin": bool(kin),
            "kin_in_claim": any(found.claim == known.number for found in kin),
            "refers": known.refers,
            "preamble": mention.start <= known.body,
            "of_known": words[after : after + 1] == ("of",) and _owner_known(known, after + 1),
            f"first_{_INSIDE.get(first, 'other')}": True,
            f"last_{_INSIDE.get(last, 'other')}": True,
            "holding": previous in _HOLDING,
            "comprising": previous in _COMPRISING,
            "item": previous in (";", ":")
            or words[max(0, mention.left - 2) : mention.left] == (";", "and"),
            "inherent": head in INHERENT,
            "value": head in VALUES,
            "one_word": len(parts) == 1,
            "agent": AGENT.search(head) is not None,
            "act": head.endswith("ing"),
            "participle": len(parts) > 1 and PARTICIPLE.search(parts[0]) is not None,
            "abstract": abstract,
            **around,
            **({f"abstract_{sign}": True for sign in around if sign[0] == "n"} if abstract else {}),
        }
    )
    return {f"passed_{sign}": 1 for sign in signs} if step in PASSED else signs


def _owner_known(known: Known, at: int) -> bool:
    """Return whether the first word behind "of", an article not counted, has stood before."""
    rest = [word for word in known.reading.words[at : at + 2] if word not in _ARTICLES]
    return bool(rest) and known.knows(rest[0])


def repeat_signs(known: Known, mention: Noted, before: list[Introduction]) -> Signs:
    """Collect the evidence that one thing is introduced twice, and not a second thing once."""
    words = known.reading.words
    previous = words[mention.left - 1] if mention.left else ""
    head = mention.term.rsplit(" ", 1)[-1]
    near = words[max(0, mention.left - 14) : mention.left]
    signs: dict[str, int] = _holding(
        {
            "or": previous == "or",
            "holding": previous in _HOLDING,
            "each": "each" in near or "respective" in near,
            "wherein_before": "wherein" in near,
            "clause": previous in ("wherein", "whereby", "that", "when", "if", "while"),
            "value": head in VALUES,
            "inherent": head in INHERENT,
            "in_claim": before[-1].claim == known.number,
            "refers": known.refers,
            "own_thing": known.refers and known.text[:2] in ("A ", "An"),
            "listed": previous in (",", "or")
            and words[mention.last + 1 : mention.last + 2] in ((",",), ("or",)),
            **_around(known.reading, mention.left - 1, mention.last + 1),
        }
    )
    signs["word"] = min(4, mention.term.count(" ") + 1)
    signs["introduced_above"] = min(5, len(before))
    return signs


def lack_signs(step: Step, near: Introduction | None, lacking: int, taken: int) -> Signs:
    """Collect how the whole set speaks of a term that lacks its introduction.

    A name that the claims of other chains lack, too, is known to the drafter; an introduction is
    lost once, and the thing is taken up again. ``lacking``: chains that lack it.
    """
    signs = {"lacking_again": min(2, lacking - 1), "taken_up_times": min(5, taken)}
    signs["taken_up"] = int(taken > 0)
    if step in PASSED:
        signs = {f"passed_{sign}": times for sign, times in signs.items()}
    single = near is not None and near.single
    return signs | {"elsewhere": int(near is not None), "elsewhere_single": int(single)}


def set_signs(taken: int, made: int, repeated: int, here: tuple[int, int]) -> Signs:
    """Collect how the whole set speaks of a term, and the claim ``here``: before and behind."""
    signs: dict[str, int] = _holding(
        {
            "taken_up": taken > 0,
            "taken_up_before_in_claim": here[0] > 0,
            "taken_up_behind_in_claim": here[1] > 0,
        }
    )
    signs |= {"taken_up_times": min(5, taken), "introduced_times": min(8, made)}
    return signs | {"repeated_times": min(4, repeated - 1)}


def wording_signs(here: tuple[str, str], there: tuple[str, str], one_claim: bool) -> Signs:
    """Compare the words around two introductions: a sentence may have been repeated, not a thing.

    >>> wording_signs(("the cart comprising ", " and a"), ("comprising ", " on"), False)
    {'same_before': 1, 'comprising_again': 1}
    """
    before, first_before = (side[0].rsplit(None, 3)[-3:] for side in (here, there))
    after, first_after = (side[1].split(None, 3)[:3] for side in (here, there))
    of = after[:1] == first_after[:1] == ["of"]
    return _holding(
        {
            "same_before": before[-1:] == first_before[-1:],
            "same_three_before": len(before) == 3 and before == first_before,
            "same_behind": after[:1] == first_after[:1],
            "of_the_same": of and after == first_after,
            "of_another": of and after != first_after,
            "comprising_again": not one_claim and before[-1:] != [] and before[-1] in _COMPRISING,
        }
    )


def _around(reading: TaggedClaim, before: int, after: int) -> dict[str, bool]:
    """Name what stands before and behind a mention: small words by themselves, others by tag."""
    words, tags = reading.words, reading.tags
    previous = (words[before], tags[before]) if before >= 0 else ("", "")
    following = (words[after], tags[after]) if after < len(words) else ("", "")
    return {
        "before_" + _small(previous, _BEFORE): True,
        "next_" + _small(following, _AFTER): True,
    }


def _small(found: tuple[str, str], tags: Mapping[str, str]) -> str:
    word, tag = found
    return word if word in _PREPOSITIONS else tags.get(tag, "other")


def _holding(signs: dict[str, bool]) -> dict[str, int]:
    return {sign: 1 for sign, holds in signs.items() if holds}

"""Claims → the same limitations in other words, by fixed edits, for benchmarks/chart.py."""

from __future__ import annotations

import random
import re

SYNONYMS = dict(
    pair.split("=")
    for pair in [
        "comprises=has",
        "comprising=having",
        "comprise=have",
        "includes=contains",
        "including=containing",
        "include=contain",
        "configured=adapted",
        "coupled=connected",
        "connected=linked",
        "disposed=located",
        "positioned=placed",
        "located=situated",
        "arranged=placed",
        "formed=made",
        "provided=present",
        "adjacent=beside",
        "receiving=obtaining",
        "receive=obtain",
        "received=obtained",
        "determining=establishing",
        "determine=establish",
        "determined=established",
        "generating=producing",
        "generate=produce",
        "generated=produced",
        "transmitting=sending",
        "transmit=send",
        "transmitted=sent",
        "selected=chosen",
        "selecting=choosing",
        "select=choose",
        "portion=part",
        "portions=parts",
        "member=piece",
        "apparatus=machine",
        "device=unit",
        "method=process",
        "housing=casing",
        "aperture=hole",
        "opening=gap",
        "plurality=number",
        "substantially=essentially",
        "approximately=about",
        "upper=top",
        "lower=bottom",
        "outer=external",
        "inner=internal",
        "display=show",
        "displaying=showing",
        "storing=keeping",
        "stored=kept",
        "providing=giving",
        "data=information",
        "signal=message",
        "surface=face",
        "layer=film",
        "material=substance",
        "second=further",
        "greater=more",
        "less=lower",
        "predetermined=preset",
        "associated=related",
        "based=depending",
        "using=by means of",
        "attached=fixed",
        "engaged=in contact",
        "extends=reaches",
        "extending=reaching",
        "removing=taking away",
        "moving=shifting",
        "measuring=gauging",
        "detecting=sensing",
        "identifying=recognising",
        "corresponding=matching",
        "respective=own",
        "user=person",
        "image=picture",
        "vehicle=car",
        "container=vessel",
        "fluid=liquid",
        "rod=bar",
    ]
)
_WORD = re.compile(r"[A-Za-z]+")
_LEAD = re.compile(r"^(?:and |wherein,? |whereby |further |comprising:? |including:? )+")
_SMALL = frozenset(
    "a an the said of to in on at by for with and or is are be each which that".split()  # noqa: SIM905
)


def rewritten(text: str, seed: str, dropped: float = 0.0) -> str:
    """Give a limitation in other words; ``dropped`` is the share of words that are left out."""
    draw = random.Random(seed)
    text = _LEAD.sub("", text.strip().rstrip("."))
    for old, new in (("at least one", "one or more"), ("a plurality of", "several")):
        text = text.replace(old, new)
    parts = [part for part in re.split(r",\s+|;\s+", text) if part]
    turn = draw.randrange(len(parts)) if parts else 0
    text = ", ".join([*parts[turn:], *parts[:turn]])
    made = _WORD.sub(lambda found: _word(found[0], draw, dropped), text)
    return re.sub(r"\s+", " ", made).strip(" ,")


def _word(word: str, draw: random.Random, dropped: float) -> str:
    low = word.lower()
    if low in ("the", "said"):
        return draw.choice(("a", "the"))
    if low in ("a", "an"):
        return draw.choice(("a", "one"))
    if low in _SMALL:
        return word
    if draw.random() < dropped:
        return ""
    if low in SYNONYMS:
        return SYNONYMS[low]
    if len(low) > 4 and low.endswith("s") and not low.endswith(("ss", "us", "is")):
        return word[:-1] if draw.random() < 0.5 else word
    return word

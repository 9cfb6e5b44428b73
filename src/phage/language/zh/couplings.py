"""Chinese: what a functional verb joins."""

from __future__ import annotations

import re
from collections.abc import Iterable

from phage.language.passage import Passage
from phage.language.predicates import Predicate, components_of
from phage.language.types import Mention

_CLAUSE = re.compile(r"[，,；;。：:]")
_SENTENCE = re.compile(r"[；;。：:]")
_WITH = re.compile(r"[与與和同跟至到将將把由]|通过|被|相")
_NOUN_USE = re.compile(
    r"\s*(?:包括|包含|为|是|关系|方式|中|时|点|系统|装置|机构|结构|组件|电压|[件部板杆器座架轴孔端线柱块环槽面口片体])"
)
_OWNER = re.compile(r"\s*(?:的|之)\s*")


def joins(passage: Passage, predicate: Predicate) -> Iterable[Mention]:
    """Return the phrases of the verb's clause except possessors; without a subject, the topic."""
    text = passage.text
    start = passage.last_before(_CLAUSE, predicate.start)
    end = passage.first_after(_CLAUSE, predicate.end)
    ends_clause = passage.blank(predicate.end, end)
    if _NOUN_USE.match(text, predicate.end) or (
        ends_clause and not _WITH.search(text, start, predicate.start)
    ):
        return []  # 支承系统, 星形连接
    before = [
        m
        for m in passage.within(start, predicate.start, predicate.start)
        if not _OWNER.match(text, m.end)
    ]
    after = [m for m in passage.within(predicate.end, end, predicate.end) if not _owns(passage, m)]
    if not before:
        sentence = passage.last_before(_SENTENCE, predicate.start)
        spoken = passage.forth_from(sentence, start)
        topic = next((m for m in spoken if not _owns(passage, m)), None)
        before = [topic] if topic else []
    if predicate.verb == "configure":
        before, after = before[-1:], after[:1]
    members = [*before[-2:], *after[:2]]
    return members if len(members) > 1 else []


def _owns(passage: Passage, mention: Mention) -> bool:
    """Return whether the phrase only possesses the next one: 壳体的内壁."""
    owner = _OWNER.match(passage.text, mention.end)
    return owner is not None and passage.starts_at(owner.end())


components = components_of(__package__, joins)

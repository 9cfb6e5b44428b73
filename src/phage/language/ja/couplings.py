"""Japanese: what a functional verb joins."""

from __future__ import annotations

import re
from collections.abc import Iterable

from phage.language.passage import Passage
from phage.language.predicates import Predicate, VerbLast, components_of
from phage.language.types import Mention

_CLAUSE = re.compile(r"[。；;：:]|(?:て|し|り|れ|え|せ|み|き|び|ず|おり|共に|とともに|であって)、")
_ADNOMINAL = re.compile(
    r"(?:[たるいうつむぶ]|な|して|って)"
    r"(?=(?P<ahead>\s*(?:その|[一-龥ァ-ヴ])))|[たるいうむと]、"
)
_ENDING = re.compile(
    r"\s*(?:可能|自在)?\s*(?:に|な)?(?:さ|し|せ|ら|れ|て|い|た|る|す|る|得|う|ま|あ|っ|く|な){0,9}\s*"
)
_TAKES = re.compile(
    r"\s*(?:[にをがはへでも]|と(?!も)|から|まで|より|及び|および|又は|または|並びに|、|"
    r"の(?:間|上|下|内|中|内部|外部|内側|外側|周囲|近傍|前|後|上方|下方|側|一方|他方))"
)
_ORDER = VerbLast(_CLAUSE, _ADNOMINAL, _TAKES, re.compile(r"\s*(?:は|が)"), re.compile(r"、"))


def joins(passage: Passage, predicate: Predicate) -> Iterable[Mention]:
    """Return the objects before the verb, and its subject: the topic, or the noun it describes."""
    following = passage.next_from(predicate.end)
    ending = _ENDING.match(passage.text, predicate.end)
    near = following and ending and ending.end() >= following.start
    return _ORDER.arguments(passage, predicate, [following] if following and near else None)


components = components_of(__package__, joins)

"""Korean: what a functional verb joins."""

from __future__ import annotations

import re
from collections.abc import Iterable

from phage.language.passage import Passage
from phage.language.predicates import Predicate, VerbLast, components_of
from phage.language.types import Mention

_CLAUSE = re.compile(
    r"[;.。]|(?:고|며|여|서|되|나)\s*,|(?:되고|하고|되며|하며|이며|이고|있고|있으며)\s"
)
_ADNOMINAL = re.compile(r"(?:된|되는|한|하는|될|할|시킨|시키는|있는|갖는|진|인|위한)\s+")
_ENDING = re.compile(
    r"(?:된|되는|한|하는|될|할|시킨|시키는|되어\s*있는|가능한|가능하게\s*\S{1,80}|되도록\s*\S{1,80})\s+"
)
_TAKES = re.compile(
    r"(?:에서?|[와과을를이가은는]|으?로|에게|으로부터|로부터)(?![가-힣])|\s*(?:및|또는|,)|"
    r"(?:의)?\s*(?:사이|내부|외부|상부|하부|상면|하면|일측|타측|내측|외측|상|내|일단|타단|양측|양단)에"
)
_TOPIC = re.compile(r"[은는이가](?![가-힣])")
_ORDER = VerbLast(_CLAUSE, _ADNOMINAL, _TAKES, _TOPIC, re.compile(r","))


def joins(passage: Passage, predicate: Predicate) -> Iterable[Mention]:
    """Return the objects before the verb, and its subject: the topic, or the noun it describes."""
    text, following = passage.text, passage.next_from(predicate.end)
    ending = _ENDING.match(text, predicate.end)
    described: list[Mention] | None = None
    if ending:  # the verb describes a noun, which is its subject
        near = following and following.start - ending.end() < 12
        owner = following and text.startswith("의", following.end)
        described = [following] if following and near and not owner else []
    return _ORDER.arguments(passage, predicate, described)


components = components_of(__package__, joins)

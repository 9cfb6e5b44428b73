"""Use the neighbours of a word to decide what the word alone leaves open.

In:   one tag per word, as the lexicon gives them, and the words.
Out:  as many tags, each of which is unambiguous.
Why:  "the supports" is a noun, "which supports" a verb: order and articles decide. The rules are in
      rules.toml, each with a name and an example. They are compiled and run here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from phage.language.en.lexicon import CONTEXT, NOUN_VERBS
from phage.language.en.tags import NAME, Tag, sign_class, signs, tag_pattern
from phage.language.words import fill, load_table

Words = Sequence[str]
_LISTS: dict[str, frozenset[str]] = {**CONTEXT, "noun_verbs": NOUN_VERBS}
_ITEM = re.compile(rf"({NAME})(?:@(!?)([a-z_]+))?(?:>([A-Z_]+))?")
"""A word of a pattern, perhaps with the list it must be in and its new tag."""


@dataclass(frozen=True, slots=True)
class WordRule:
    """A rule that looks at words; group n of its pattern is the position of the n-th such word."""

    guard: str
    """A sign without which the rule cannot match; empty if it could be one of several."""
    pattern: re.Pattern[str]
    tests: tuple[tuple[int, frozenset[str], bool], ...]
    """Group, word list, whether the word must be in it."""
    changes: tuple[tuple[int, str], ...]
    """Group, new sign."""
    needs: frozenset[str]
    """Words, one of which must occur for the rule to match; empty for any."""

    def holds(self, match: re.Match[str], words: Words) -> bool:
        """Return whether the words of a match are in their lists."""
        for group, listed, wanted in self.tests:
            at = match.start(group)
            if at >= 0 and (words[at] in listed) is not wanted:
                return False
        return True


@dataclass(frozen=True, slots=True)
class Stage:
    """Rules that decide one open tag, in order; ``rest`` then replaces what is left."""

    open: str
    rest: str
    where: str
    """Signs that must occur in the claim."""
    unless: frozenset[str]
    """Words that must not occur near its beginning."""
    rules: list[tuple[re.Pattern[str], str]] = field(default_factory=list)
    """Pattern and what replaces its matches."""


_STAGE = re.compile(
    r"decide (?P<open>\w+)(?:, else (?P<rest>\w+))?(?:, where (?P<where>[A-Z ]+))?"
    r"(?:, unless (?P<unless>\w+))?"
)


class TagRules:
    """All rules, compiled."""

    def __init__(self, table: Sequence[Sequence[str]], parts: Mapping[str, str]) -> None:
        """Compile the rows of rules.toml."""
        self.by_word: list[WordRule] = []
        self.stages: list[Stage] = []
        for row in table:
            if len(row) == 1:
                if stage := _STAGE.fullmatch(row[0]):
                    self.stages.append(_stage(stage))
                continue
            rule = fill({"it": row[1]}, parts)["it"]
            if self.stages:
                self.stages[-1].rules.append(_replacement(rule))
            else:
                self.by_word.append(_word_rule(rule))

    def resolve(self, tags: str, words: Words) -> str:
        """Decide what the lexicon leaves open.

        >>> resolve("DNwZDN", ["the", "base", "that", "supports", "the", "arm"])
        'DNwVDN'
        >>> resolve("DZbEPDN", ["the", "supports", "are", "mounted", "on", "the", "base"])
        'DSBVPDN'
        """
        tags = self._by_word(tags, words)
        for stage in self.stages:
            if stage.open not in tags or stage.where not in tags:
                continue
            if stage.unless and not stage.unless.isdisjoint(words[:30]):
                continue
            for pattern, new in stage.rules:
                if stage.open not in tags:
                    break
                if pattern.search(tags):  # most do not match, and a template costs more
                    tags = pattern.sub(new, tags)
            tags = tags.replace(stage.open, stage.rest)
        return tags

    def _by_word(self, tags: str, words: Words) -> str:
        """Apply the rules that need the words themselves; every rule sees the original tags."""
        found, present = list(tags), set(words)
        for rule in self.by_word:
            if rule.guard in tags and not (rule.needs and rule.needs.isdisjoint(present)):
                for match in rule.pattern.finditer(tags):
                    if rule.holds(match, words):
                        for group, sign in rule.changes:
                            found[match.start(group)] = sign
        return "".join(found)


def _word_rule(rule: str) -> WordRule:
    tests = list[tuple[int, frozenset[str], bool]]()
    changes, guard, group = list[tuple[int, str]](), "", 0

    def written(item: re.Match[str]) -> str:
        nonlocal group, guard
        name, negated, listed, new = item.groups()
        if not listed and not new:
            return name
        group += 1
        if listed:
            tests.append((group, _LISTS.get(listed, frozenset((listed,))), not negated))
        if new:
            changes.append((group, signs(new)))
            guard = guard or sign_class(name)
        return f"({name})"

    pattern = _leaping(tag_pattern(_ITEM.sub(written, rule)))
    needs = next((listed for _, listed, wanted in tests if wanted), frozenset())
    return WordRule(guard if len(guard) == 1 else "", pattern, tuple(tests), tuple(changes), needs)


def _stage(head: re.Match[str]) -> Stage:
    return Stage(
        open=signs(head["open"]),
        rest=signs(head["rest"] or head["open"]),
        where=signs(head["where"] or ""),
        unless=_LISTS[head["unless"]] if head["unless"] else frozenset(),
    )


def _replacement(rule: str) -> tuple[re.Pattern[str], str]:
    r"""Return a pattern and its replacement; groups keep the unchanged parts.

    >>> pattern, new = _replacement("CAN ADV* NOUN>VERB (?=THE)")
    >>> pattern.pattern, new
    ('M(R{0,40})N(?=D)', 'M\\1V')
    """
    pattern, new, group, end = "", "", 0, 0
    for item in _ITEM.finditer(rule):
        if item[4]:
            # Between two changes: what is looked back at, a sign, and the rest in a group.
            kept = _KEPT.match(tag_pattern(rule[end : item.start()]))
            behind, sign, rest = kept.groups() if kept else ("", "", "")
            if rest:
                group += 1
            pattern += f"{behind}{sign}({rest})" if rest else behind + sign
            new += f"{sign}\\{group}" if rest else sign
            pattern, new, end = pattern + sign_class(item[1]), new + Tag[item[4]].value, item.end()
    return _leaping(pattern + tag_pattern(rule[end:])), new


_KEPT = re.compile(r"((?:\(\?<[=!][^()]*\))?)((?:\w(?![*+?{]))?)(.*)")
_BEHIND = re.compile(r"^\(\?<([=!])((?:[^()]|\([^()]*\))+)\)(\(?[A-Za-z]\)?)(?![*+?{])")


def _leaping(pattern: str) -> re.Pattern[str]:
    """Compile with the sign before its lookbehind, so that the search skips to the sign.

    >>> _leaping("(?<=[Da])G(?=n)").pattern
    'G(?<=[Da]G)(?=n)'
    """

    def turned(match: re.Match[str]) -> str:
        kind, before, sign = match.groups()
        if "(" in before and "(" in sign:  # groups would change places
            return match[0]
        return f"{sign}(?<{kind}{before}{sign.strip('()')})"

    return re.compile(_BEHIND.sub(turned, pattern))


_TABLE = load_table(__package__, "rules.toml")
PARTS = fill(_TABLE["parts"])
ROWS: list[list[str]] = _TABLE["table"]["rules"]
resolve = TagRules(ROWS, PARTS).resolve

"""The table of tagging rules, row by row: each has an example that comes out right, and only with it."""

import pytest

from phage.language.en import tagging
from phage.language.en.rules import _STAGE, PARTS, ROWS, TagRules
from phage.language.en.tags import Tag

PLACES = [place for place, row in enumerate(ROWS) if len(row) == 3]
NAMES = [ROWS[place][0] for place in PLACES]


def marked(example):
    """Split "the base supports/VERB the arm" into plain text and the tags that words must have."""
    words = [word.partition("/") for word in example.split()]
    expected = {place: Tag[tag.rstrip(",;:.")] for place, (_, _, tag) in enumerate(words) if tag}
    text = " ".join(word + tag[len(tag.rstrip(",;:.")) :] for word, _, tag in words)
    return text, expected


def outcome(example, rows, monkeypatch):
    """Give the tags of the marked words under some rows of the table."""
    text, expected = marked(example)
    monkeypatch.setattr(tagging, "resolve", TagRules(rows, PARTS).resolve)
    reading = tagging.tag_claim(text)
    starts = [len(" ".join(text.split(" ")[:place])) + bool(place) for place in expected]
    found = dict(zip(reading.starts, reading.tags, strict=False))
    return [Tag(found[start]) for start in starts], list(expected.values())


@pytest.mark.parametrize("place", PLACES, ids=NAMES)
def test_rule(place, monkeypatch):
    example = ROWS[place][2]
    found, expected = outcome(example, ROWS, monkeypatch)
    assert expected
    assert found == expected
    others = [*ROWS[:place], *ROWS[place + 1 :]]
    assert outcome(example, others, monkeypatch)[0] != expected, "the example needs no such rule"


def test_names_are_unique():
    assert len(set(NAMES)) == len(NAMES)


def test_every_tag_has_its_own_sign():
    assert len({tag.value for tag in Tag}) == len(Tag.__members__)


def test_every_row_is_a_rule_or_a_stage():
    heads = [row[0] for row in ROWS if len(row) != 3]
    assert heads[0] == "by words"
    assert all(_STAGE.fullmatch(head) for head in heads[1:])

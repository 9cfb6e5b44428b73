"""No claim takes more than its length to check: hostile shapes, whole sizes."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.shapes import SETS, SHAPES, WORDS

from phage.checking import check
from phage.checking.report.page import page
from phage.checking.types import CheckSettings, Office
from phage.claims import Claim, Patent
from phage.claims.readers import draft
from phage.errors import PhageError

CODES = list(WORDS)
STRICT = CheckSettings(strict=True)


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_ends(shape):
    code = CODES[list(SHAPES).index(shape) % len(CODES)]
    claims = (Claim(1, WORDS[code].new), Claim(2, SHAPES[shape](WORDS[code], 4_000)))
    assert check(Patent("hostile", claims, language=code), STRICT).language == code


@pytest.mark.parametrize("name", SETS)
def test_every_set_ends(name):
    patent = Patent("set", SETS[name](120))
    assert page([(patent, check(patent, STRICT))])


@pytest.mark.parametrize("run", [" ", "\n"])
@pytest.mark.parametrize("office", [Office.US, Office.EP])
def test_white_space_costs_its_length(run, office):
    blanks = run * 400_000
    text = f"A pump{blanks}x.", f"The pump of claim{blanks}1, with the{blanks}shaft (1{blanks}x)."
    claims = tuple(Claim(number, words) for number, words in enumerate(text, start=1))
    assert check(Patent("hostile", claims), CheckSettings(office, strict=True)).findings
    again = draft.patent(f"1. {text[0]}\n1. {text[0]}{blanks}\n{blanks}1. x\n2. {text[1]}")
    assert [claim.printed for claim in again.claims] == [0, 1, 1, 0]


@pytest.mark.parametrize("many", ["a bolt", "a bolt{1} ({0})", "{2} bolt ({0})"])
def test_mentions_cost_their_number(many):
    """Four times the mentions take about four times the calls."""

    def calls(size):
        words = (
            (n % 9999, "" if n % 2 else "s", "the" if 2 * n > size else "a") for n in range(size)
        )
        text = " ".join(many.format(*row) for row in words) + " the nut" * size
        patent = Patent("many", (Claim(1, f"A bed having {text}."),))
        counted = itertools.count()
        sys.setprofile(lambda *_: next(counted))
        try:
            check(patent, CheckSettings(Office.EP))
        finally:
            sys.setprofile(None)
        return next(counted)

    calls(10)  # loads what is loaded once
    assert calls(4_000) < 5 * calls(1_000)


def test_a_list_of_numbers_ends():
    listed = ", ".join(map(str, range(1, 3_001)))
    found = check(Patent("list", (Claim(1, "A pump."), Claim(2, f"The pump of claims {listed}."))))
    assert "reference-missing" in {finding.rule for finding in found.findings}


def test_claims_that_all_cite_all_are_refused():
    with pytest.raises(PhageError, match="references to claims"):
        check(Patent("many", SETS["any preceding claim"](5_000)))


def test_a_number_printed_thousands_of_times_ends():
    read = draft.patent("1. A pump with the shaft.\n" * 3_000)
    assert len(read.claims) == 3_000
    rules = {finding.rule for finding in check(read).findings}
    assert "number-duplicate" in rules

"""What a claim set says of a term in one place tells about another place."""

from phage.checking import read_legally
from phage.checking.reading import LegalReading
from phage.checking.whole_set import introduced_elsewhere, repeats, unresolved
from phage.claims import Claim, Patent


def reading(*texts: str) -> LegalReading:
    """Read claims as the law does."""
    return read_legally(Patent("ZZ1", tuple(Claim(n, text) for n, text in enumerate(texts, 1))))


def passages(signs):
    """Keep the signs of passages that are written twice."""
    return {sign for sign in signs if "_with_same_" in sign}


def test_a_passage_that_another_claim_has_with_the_tells_of_a_slip():
    first = "A pump comprising a valve, wherein a lid closes against the valve in use."
    slip = "A pump comprising a valve, wherein a lid closes against a valve in use."
    (_, signs), *others = repeats(reading(first, slip))
    assert not others
    assert passages(signs) == {"the_with_same_before", "the_with_same_behind"}


def test_a_passage_that_another_claim_has_too_is_a_habit():
    text = "A pump comprising a valve, wherein a lid closes against a valve in use."
    for _, signs in repeats(reading(text, text)):
        assert passages(signs) == {"a_with_same_before", "a_with_same_behind"}


def test_its_own_words_do_not_count():
    text = "A pump comprising a valve, wherein a lid closes against a valve in use."
    ((_, signs),) = repeats(reading(text))
    assert not passages(signs)


def test_a_missing_introduction_stands_in_another_claim():
    whole = reading(
        "A pump comprising a shaft and having a valve at its end.",
        "A pump comprising a shaft and having the valve at its end.",
    )
    ((found, signs),) = unresolved(whole, introduced_elsewhere(whole))
    assert (found.claim, found.term) == (2, "valve")
    assert passages(signs) == {"a_with_same_before", "a_with_same_behind"}

"""A model says which languages it knows, and a text in another one is warned about, once."""

from __future__ import annotations

import warnings

import pytest

from phage.claims import Claim, Patent
from phage.encoder import Encoder
from phage.encoder.settings import languages

GERMAN = (
    "Vorrichtung nach Anspruch 1, dadurch gekennzeichnet, dass die Welle hohl ist und ein Lager."
)


@pytest.mark.parametrize(
    ("head", "found"),
    [
        ("language: en", ("en",)),
        ("language: [en, de]", ("en", "de")),
        ("language:\n- en\n- fr\nlicense: mit", ("en", "fr")),
        ("language: multilingual", ()),
        ("license: mit", ()),
    ],
)
def test_the_card_states_the_languages(head, found, tmp_path):
    assert languages(tmp_path) == ()
    (tmp_path / "README.md").write_text(f"---\n{head}\n---\nlanguage: xx\n", encoding="utf-8")
    assert languages(tmp_path) == found


def test_another_language_is_warned_about_once():
    encoder = Encoder.from_pretrained("phage-mini")
    patent = Patent("EP1B1", (Claim(1, GERMAN),), language="de")
    english = "A pump comprising a housing, a shaft carried in the housing and an impeller on it."
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encoder.encode([english])
    for items in ([patent, patent], [GERMAN, english]):
        for run in (encoder.encode, lambda given: list(encoder.read(given))):
            with pytest.warns(UserWarning, match="knows en; a text in 'de' was given") as seen:
                run(items)
            assert len(seen) == 1

"""Which rules run in which language, and antecedents without a ladder."""

import pytest
from typer.testing import CliRunner

from phage.checking import check
from phage.checking.rulebook import LANGUAGES, RULES
from phage.claims import Claim, Patent
from phage.cli import app

SETS = {
    "fr": ("Pompe comprenant un boîtier et un arbre.",
           "Pompe selon la revendication 1, dans laquelle ledit rotor est fixé audit arbre.",
           "ledit rotor"),
    "zh": ("一种泵，包括壳体和轴。", "根据权利要求1所述的泵，其特征在于，所述转子固定在所述壳体上。", "所述转子"),
    "ja": ("筐体と軸とを備えるポンプ。", "前記回転子は前記筐体に固定される請求項1に記載のポンプ。", "前記回転子"),
    "ko": ("하우징 및 샤프트를 포함하는 펌프.", "제1항에 있어서, 상기 회전자는 상기 하우징에 고정되는 펌프.", "상기 회전자"),
}  # fmt: skip


@pytest.mark.parametrize("language", SETS)
def test_what_is_taken_up_but_named_nowhere_is_a_warning(language):
    first, second, words = SETS[language]
    patent = Patent("draft", (Claim(1, first), Claim(2, second)), language=language)
    found = [f for f in check(patent).findings if f.rule == "antecedent-missing"]
    assert [(f.claim, str(f.severity)) for f in found] == [(2, "warning")]
    assert found[0].place.text.startswith(words)


def test_the_french_reference_to_a_definition_is_no_example():
    text = "Pompe telle que définie ci-dessus, dans un métal tel que l'acier."
    found = check(Patent("draft", (Claim(1, text),), language="fr")).findings
    assert [f.place.text for f in found if f.rule == "optional-language"] == ["tel que"]


def test_the_german_article_does_not_take_up():
    claims = (
        Claim(1, "Pumpe mit einer Welle."),
        Claim(2, "Pumpe nach Anspruch 1, wobei der Rotor rot ist."),
    )
    assert not check(Patent("draft", claims, language="de")).findings


def test_the_list_of_rules_names_languages():
    listed = CliRunner().invoke(app, ["check", "--rules", "list"]).stdout.splitlines()
    assert len(listed) == 1 + len(RULES)
    assert "en fr zh ja ko" in next(
        line for line in listed if line.startswith("antecedent-missing")
    )
    assert all(set(rule.languages) <= set(LANGUAGES) for rule in RULES.values())


def test_several_failing_references_are_named_in_the_plural():
    claims = Claim(1, "A bed."), Claim(2, "The bed of claim 4 or 5, being red.")
    [found] = check(Patent("draft", claims)).findings
    assert found.message == "claim 2 refers to claims 4 and 5, which do not exist"


def test_suggestions_keep_the_capitals_of_abbreviations():
    claims = (
        Claim(1, "A lamp comprising an LED."),
        Claim(2, "The lamp of claim 1, comprising an LED."),
    )
    [found] = check(Patent("draft", claims)).findings
    assert found.suggestion.startswith("write 'the LED', or 'another LED'")


def test_several_named_together_are_not_one():
    claims = (
        Claim(1, "A rack comprising a plurality of first pins and a plurality of second pins."),
        Claim(2, "The rack of claim 1, wherein the first and second pins are steel."),
    )
    assert not check(Patent("draft", claims)).findings


@pytest.mark.parametrize(
    ("language", "thing", "carrier"),
    [
        ("fr", "Dispositif avec un tambour.",
         "Installation comportant un dispositif selon la revendication 1."),
        ("fr", "Dispositif avec un tambour.",
         "Véhicule incluant un dispositif selon la revendication 1."),
        ("de", "Vorrichtung mit einer Trommel.",
         "Fahrzeug, aufweisend eine Vorrichtung nach Anspruch 1."),
        ("de", "Vorrichtung mit einer Trommel.",
         "Fahrzeug, enthaltend eine Vorrichtung nach Anspruch 1."),
    ],
)  # fmt: skip
def test_what_carries_the_claimed_thing_is_no_dependent_claim(language, thing, carrier):
    patent = Patent("draft", (Claim(1, thing), Claim(2, carrier)), language=language)
    assert {f.rule for f in check(patent).findings} <= {"independent-count"}

"""Every phrase family of claim references, in sentences invented for the purpose."""

from pathlib import Path

import pytest

from phage.claims import Claim
from phage.errors import PhageError
from phage.graph import CiteKind, Reason
from phage.graph.citations import cite_edges
from phage.language import LANGUAGES, language_of

DEPENDENT, ALTERNATIVE, CROSS = CiteKind

FIRST = {
    "en": "A pump comprising a rotor.",
    "de": "Pumpe mit einem Rotor.",
    "fr": "Pompe comprenant un rotor.",
    "zh": "一种泵，包括转子。",
    "ja": "ロータを備えるポンプ。",
    "ko": "로터를 포함하는 펌프.",
}


def claim_set(language, *last, count=None):
    """Claims that begin with independent ones and end with ``last``."""
    count = count or 6
    first = [FIRST[language]] * (count - len(last))
    return tuple(Claim(n, text) for n, text in enumerate([*first, *last], start=1))


def parents(language, text, count=6):
    """The claims that the last of ``count`` claims cites."""
    edges, diagnostics = cite_edges(claim_set(language, text, count=count), LANGUAGES[language])
    for edge in edges:
        for item in edge.evidence:
            assert text[item.start : item.end] == item.phrase
            assert item.claim == edge.target == count
    assert diagnostics == ()
    return [edge.source for edge in edges]


TABLE = Path(__file__).with_name("references.tsv").read_text(encoding="utf-8")
PHRASES = [line.split("\t") for line in TABLE.splitlines() if not line.startswith("#")]


@pytest.mark.parametrize(("language", "expected", "text"), PHRASES)
def test_phrase(language, expected, text):
    assert parents(language, text) == [int(number) for number in expected.split()]


@pytest.mark.parametrize(
    ("language", "first", "last", "kind"),
    [
        ("en", "A pump.", "The pump of claim 1.", DEPENDENT),
        ("en", "A pumping device.", "The apparatus of claim 1.", DEPENDENT),
        ("en", "A method of pumping.", "The method of pumping of claim 1.", DEPENDENT),
        ("en", "A method of pumping.", "A process for pumping as in claim 1.", DEPENDENT),
        ("en", "A method.", "Apparatus for carrying out the method of claim 1.", CROSS),
        ("en", "A socket.", "A plug for co-operation with the socket of claim 1.", CROSS),
        ("en", "A product.", "Process for the manufacture of the product of claim 1.", CROSS),
        (
            "en",
            "A method.",
            "A storage medium with code causing computers to perform the method of claim 1.",
            CROSS,
        ),
        ("en", "A device.", "A camera including the device according to claim 1.", CROSS),
        ("en", "A compound.", "A composition comprising a compound of claim 1.", CROSS),
        ("en", "An apparatus.", "A method using the apparatus of claim 1.", CROSS),
        ("en", "A process.", "A film obtained by the process of claim 1.", CROSS),
        (
            "en",
            "A drive device.",
            "A display device comprising the drive device of claim 1.",
            CROSS,
        ),
        ("de", "Verfahren zum Pumpen.", "Verfahren zum Pumpen nach Anspruch 1.", DEPENDENT),
        (
            "de",
            "Verfahren zum Pumpen.",
            "Vorrichtung zur Durchführung des Verfahrens nach Anspruch 1.",
            CROSS,
        ),
        ("de", "Pumpe.", "Fahrzeug mit einer Pumpe nach Anspruch 1.", CROSS),
        ("fr", "Procédé de pompage.", "Procédé de pompage selon la revendication 1.", DEPENDENT),
        (
            "fr",
            "Procédé de pompage.",
            "Dispositif pour la mise en œuvre du procédé selon la revendication 1.",
            CROSS,
        ),
        ("fr", "Pompe.", "Véhicule comprenant une pompe selon la revendication 1.", CROSS),
        ("zh", "一种泵，包括转子。", "根据权利要求1所述的泵，其中转子空心。", DEPENDENT),
        ("zh", "一种泵，包括转子。", "一种车辆，包括权利要求1所述的泵。", CROSS),
        ("zh", "一种方法，包括步骤。", "一种用于实施权利要求1所述的方法的装置，包括泵。", CROSS),
        ("ja", "ロータを備えるポンプ。", "静かな請求項1に記載のポンプ。", DEPENDENT),
        (
            "ja",
            "工程を含む方法。",
            "請求項1に記載の方法において、静かな工程を含む方法。",
            DEPENDENT,
        ),
        ("ja", "ロータを備えるポンプ。", "請求項1に記載のポンプを備える車両。", CROSS),
        ("ko", "로터를 포함하는 펌프.", "제1항에 있어서, 조용한 펌프.", DEPENDENT),
        ("ko", "로터를 포함하는 펌프.", "제1항에 따른 펌프를 포함하는 차량.", CROSS),
    ],
)
def test_kind(language, first, last, kind):
    edges, _ = cite_edges((Claim(1, first), Claim(2, last)), LANGUAGES[language])
    assert [edge.kind for edge in edges] == [kind]


def test_several_parents_are_alternatives_unless_the_reference_is_cross_category():
    claims = (
        Claim(1, "A pump."),
        Claim(2, "A process of casting."),
        Claim(3, "The pump of claim 1."),
        Claim(4, "The pump of claim 1 or 3, made by the process of claim 2."),
    )
    edges, _ = cite_edges(claims, LANGUAGES["en"])
    assert [(e.source, e.kind) for e in edges if e.target == 4] == [
        (1, ALTERNATIVE),
        (2, CROSS),
        (3, ALTERNATIVE),
    ]


def test_a_noun_narrows_the_preceding_claims():
    claims = (
        Claim(1, "A pump."),
        Claim(2, "A method of casting."),
        Claim(3, "The method of claim 2."),
        Claim(4, "Use of any preceding method claim."),
    )
    edges, _ = cite_edges(claims, LANGUAGES["en"])
    assert [e.source for e in edges if e.target == 4] == [2, 3]


@pytest.mark.parametrize(
    ("language", "text", "reference", "reason"),
    [
        ("en", "The pump of claim 5.", 5, Reason.LATER),
        ("en", "The pump of claim 4.", 4, Reason.SELF),
        ("en", "The pump of claim 9.", 9, Reason.MISSING),
        ("en", "The pump of claim 3.", 3, Reason.CANCELLED),
        ("en", "The pump of any of the following claims, having a lid.", 5, Reason.LATER),
        ("en", "The pump of claim, wherein the rotor is hollow.", 0, Reason.MISSING),
        ("de", "Pumpe nach Anspruch 5.", 5, Reason.LATER),
        ("de", "Pumpe nach einem der nachfolgenden Ansprüche.", 5, Reason.LATER),
        ("fr", "Pompe selon la revendication 4.", 4, Reason.SELF),
        ("fr", "Pompe selon la revendication, dont le rotor est creux.", 0, Reason.MISSING),
        ("de", "Pumpe nach Anspruch, wobei der Rotor hohl ist.", 0, Reason.MISSING),
        ("zh", "根据权利要求9所述的泵。", 9, Reason.MISSING),
        ("zh", "根据权利要求所述的泵。", 0, Reason.MISSING),
        ("ja", "静かな請求項に記載のポンプ。", 0, Reason.MISSING),
        ("ja", "請求項3に記載のポンプ。", 3, Reason.CANCELLED),
        ("ko", "제5항에 있어서, 조용한 펌프.", 5, Reason.LATER),
        ("ko", "청구항 오류! 참조원을 찾을 수 없습니다.에 있어서, 펌프.", 0, Reason.MISSING),
    ],
)
def test_what_cannot_be_an_edge_is_a_diagnostic(language, text, reference, reason):
    other = FIRST[language]
    claims = (Claim(1, other), Claim(2, other), Claim(4, text), Claim(5, other))
    edges, diagnostics = cite_edges(claims, LANGUAGES[language], cancelled=(3,))
    assert edges == ()
    assert [(d.claim, d.reference, d.reason) for d in diagnostics] == [(4, reference, reason)]
    assert text[diagnostics[0].start : diagnostics[0].end] == diagnostics[0].phrase


def test_a_range_past_the_claim_keeps_its_earlier_part():
    claims = claim_set("en", "The pump of any of claims 1 to 99.", FIRST["en"], count=4)
    edges, diagnostics = cite_edges(claims, LANGUAGES["en"])
    assert [e.source for e in edges] == [1, 2]
    assert [(d.reference, d.reason) for d in diagnostics] == [
        (3, Reason.SELF),
        (4, Reason.LATER),
        (5, Reason.MISSING),
    ]


def test_first_claim_has_no_preceding_one():
    edges, diagnostics = cite_edges(
        (Claim(1, "The pump of any preceding claim."),), LANGUAGES["en"]
    )
    assert edges == ()
    assert [(d.reference, d.reason) for d in diagnostics] == [(0, Reason.MISSING)]


def test_two_phrases_for_one_parent_are_one_edge_with_both():
    text = "The pump of claim 1, wherein the rotor is that of claim 1."
    edges, _ = cite_edges(claim_set("en", text, count=2), LANGUAGES["en"])
    assert [len(edge.evidence) for edge in edges] == [2]


def test_paper_mode_reads_five_prepositions_and_one_number():
    texts = (
        "A pump.",
        "The pump of claim 1 or 2.",
        "The pump as recited in claim 1.",
        "The pump according to any of claims 1 to 3.",
        "The pump as set forth in claim 1.",
        "The pump as claimed in claim 2.",
        "The pump as in claim 3.",
        "The pump according to claim 4.",
    )
    claims = tuple(Claim(n, text) for n, text in enumerate(texts, start=1))
    edges, _ = cite_edges(claims, LANGUAGES["en"], mode="paper")
    assert [(e.source, e.target) for e in edges] == [(1, 2), (1, 5), (2, 6), (3, 7), (4, 8)]


def test_paper_mode_is_english_and_modes_are_named():
    with pytest.raises(PhageError, match="English"):
        cite_edges((), LANGUAGES["de"], mode="paper")
    with pytest.raises(PhageError, match="'full' or 'paper'"):
        cite_edges((), LANGUAGES["en"], mode="strict")


def test_unknown_language_lists_the_known():
    with pytest.raises(PhageError, match=r"en \(English\), de \(German\)"):
        language_of("es", place="ES1A")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "claim 1" + "," * 5000),
        ("en", "claim 1" + ", " * 5000 + "x"),
        ("en", "claims " + "1, " * 5000),
        ("en", "claim 1" + " " * 9000 + "x"),
        ("de", "Anspruch 1" + ", " * 5000 + "x"),
        ("fr", "revendication 1" + ", " * 5000 + "x"),
        ("zh", "权利要求1" + "、" * 5000 + "x"),
        ("ja", "請求項1" + "、" * 5000 + "x"),
        ("ko", "제1항" + ", " * 5000 + "x"),
        ("ko", "제1 또는 " * 5000),
        ("ko", "1, " * 5000 + "항"),
    ],
)
def test_hostile_lists_end(language, text):
    LANGUAGES[language].references(text)

"""The ten claim sets of the design give exactly the findings named there."""

import pytest

from phage.checking import CheckSettings, Office, check, read_legally
from phage.claims import Claim, Patent

SETS = {
    "missing": (
        ["A pump comprising a shaft.",
         "The pump of claim 1, wherein the rotor is fixed to the shaft."],
        [("antecedent-missing", 2, "the rotor", "error")],
    ),
    "order": (
        ["A cup comprising a rim and the lid, wherein a lid closes the rim."],
        [("antecedent-missing", 1, "the lid", "error")],
    ),
    "ambiguous": (
        ["A lock comprising a first bolt and a second bolt.",
         "The lock of claim 1, wherein the bolt is hollow.",
         "The lock of claim 1, wherein the first and second bolts are steel."],
        [("antecedent-ambiguous", 2, "the bolt", "warning")],
    ),
    "alternatives": (
        ["A lamp comprising a base.",
         "The lamp of claim 1, further comprising a dimmer.",
         "The lamp of claim 1 or 2, wherein the dimmer is rotary."],
        [("antecedent-missing", 3, "the dimmer", "error")],
    ),
    "paths": (
        ["A tool.",
         "The tool of claim 1, comprising a clip.",
         "The tool of claim 1, comprising a cap with a clip.",
         "The tool of claim 2 or 3, wherein the clip is plastic."],
        [("antecedent-ambiguous", 4, "the clip", "note")],
    ),
    "number": (
        ["A rack comprising at least one shelf and a plurality of pins.",
         "The rack of claim 1, wherein said at least one shelf rests on each of the pins.",
         "The rack of claim 1, wherein the pin is steel."],
        [("antecedent-number", 3, "the pin", "warning")],
    ),
    "derived": (
        ["A device for coating a sphere, comprising means for measuring a pressure.",
         ("The device of claim 1, wherein the measuring means touches the outer surface of the "
          "sphere and the measured pressure is stored.")],
        [("means-plus-function", 1, "means for measuring", "note")],
    ),
    "cross": (
        ["A method of drying a sheet, comprising heating a drum.",
         "An apparatus for performing the method of claim 1, comprising a heater for the drum."],
        [],
    ),
    "twice": (
        ["A cart comprising a wheel.",
         "The cart of claim 1, comprising a wheel and a brake on the wheel."],
        [("introduced-twice", 2, "a wheel", "warning")],
    ),
}  # fmt: skip


def rows(report):
    return [(f.rule, f.claim, f.place.text, str(f.severity)) for f in report.findings]


def patent(*texts, numbers=None, **others):
    numbers = numbers or range(1, len(texts) + 1)
    return Patent("draft", tuple(map(Claim, numbers, texts)), **others)


@pytest.mark.parametrize("name", SETS)
def test_the_sets_give_their_findings(name):
    texts, expected = SETS[name]
    assert rows(check(patent(*texts))) == expected


def test_the_tenth_set_has_broken_references_and_unchecked_claims():
    report = check(
        patent(
            "A bed.", "The bed of claim 1 or 4, having a slat.",
            "The bed of claim 1 or 2, having a foot.", "The sofa of claim 3, being red.",
            "The bed of claim 1, being blue.", numbers=(1, 2, 3, 4, 6),
        )
    )  # fmt: skip
    assert [(f.rule, f.claim) for f in report.findings] == [
        ("reference-later", 2), ("multiple-on-multiple", 3), ("category-mismatch", 4),
        ("number-gap", 6),
    ]  # fmt: skip
    assert set(report.unchecked) == {2, 3, 4}


def test_related_places_name_both_antecedents_and_the_parent_that_lacks_it():
    [found] = check(patent(*SETS["ambiguous"][0])).findings
    assert [place.text for place in found.related] == ["a first bolt", "a second bolt"]
    [found] = check(patent(*SETS["alternatives"][0])).findings
    assert "through claim 1" in found.message and found.related[0].claim == 2


def test_places_are_the_words_of_the_claim():
    for texts, _ in SETS.values():
        for found in check(patent(*texts)).findings:
            for place in (found.place, *found.related):
                assert texts[place.claim - 1][place.start : place.end] == place.text


def test_the_reading_keeps_parents_tables_and_steps():
    reading = read_legally(patent(*SETS["derived"][0]))
    steps = {found.term: str(found.step) for found in reading.claims[2].resolutions}
    assert steps["outer surface"] == "inherent" and steps["measured pressure"] == "derived"
    lamp = read_legally(patent(*SETS["alternatives"][0]))
    named = {
        n: {found.term for found in claim.walk.introductions} for n, claim in lamp.claims.items()
    }
    assert "dimmer" not in named[1] and "dimmer" in named[2] and list(lamp.above(3)) == [1, 2]
    assert [link.parents for link in lamp.claims[3].links] == [(1, 2)]


def test_one_cause_is_one_finding():
    report = check(
        patent(
            "A pump comprising a shaft.", "The pump of claim 1, wherein the rotor is red.",
            "The pump of claim 1, wherein the rotor is blue.",
        )
    )  # fmt: skip
    [found] = report.findings
    assert found.claim == 2 and [place.claim for place in found.related] == [3]
    assert "claim 3" in found.message


def test_every_fault_of_a_faulty_draft_keeps_its_weight():
    parts = ["wheel", "brake", "lamp", "seat", "bell", "rack", "chain"]
    report = check(patent(f"A cart comprising {', '.join('the ' + part for part in parts)}."))
    assert report.counts() == {"error": 7, "warning": 0, "note": 0}


@pytest.mark.parametrize(
    ("office", "expected"), [("US", "error"), ("WO", "warning"), ("EP", None), ("KR", "error")]
)
def test_offices_weigh_differently(office, expected):
    texts = ["A bed.", "The bed of claim 1, being red.", "The bed of claim 1 or 2, being big.",
             "The bed of claim 2 or 3, being new."]  # fmt: skip
    found = check(patent(*texts), CheckSettings(Office(office))).findings
    kinds = {f.rule: str(f.severity) for f in found}
    assert kinds.get("multiple-on-multiple") == expected


@pytest.mark.parametrize(
    ("language", "texts", "expected"),
    [
        ("de", ["Pumpe mit einer Welle.", "Pumpe nach Anspruch 7, wobei die Welle hohl ist."],
         ["reference-missing"]),
        ("fr", ["Pompe comprenant un arbre.", "Pompe selon la revendication 2, creuse."],
         ["reference-self"]),
        ("zh", ["一种泵，包括轴。", "根据权利要求3所述的泵，其特征在于，所述轴是空心的。",
                "根据权利要求1所述的泵，其特征在于，包括阀。"], ["reference-later"]),
        ("ja", ["軸を備えるポンプ。", "請求項5に記載のポンプ。"], ["reference-missing"]),
        ("ko", ["축을 포함하는 펌프.", "제5항에 있어서, 상기 축은 중공인 펌프."],
         ["reference-missing"]),
    ],
)  # fmt: skip
def test_references_are_checked_in_every_language(language, texts, expected):
    report = check(patent(*texts, language=language))
    assert [f.rule for f in report.findings if f.rule.startswith("reference")] == expected


def test_a_long_chain_and_a_long_claim_are_read_to_the_end():
    chain = ["A pump comprising a part 1."]
    chain += [
        f"The pump of claim {n}, having a bolt{n} on the bolt{n - 1}." for n in range(1, 1500)
    ]
    report = check(patent(*chain))
    assert {f.claim for f in report.findings if f.rule == "antecedent-missing"} == {2}
    every = ["A pump."] + ["A pump as in any preceding claim, having a bolt."] * 200
    assert len(check(patent(*every)).unchecked) == 0
    long = "A pump comprising " + ", ".join(f"a bolt{n} and the nut{n}" for n in range(4000)) + "."
    counts = check(patent(long)).counts()
    assert counts["error"] > 3000

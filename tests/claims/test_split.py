"""One run of text → claims: languages, traps, and whatever hypothesis thinks of."""

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phage.claims.normal import fold
from phage.claims.split import split, split_set

CASES = {
    "figures and decimals": (
        ("What is claimed is: 1. A pump as in FIG. 2. A rod of 0.3. The rod turns. 2. The pump of "
        "claim 1. 3. The pump of claim 1. 4. The pump of claim 3, wherein 5. 0 mm is left."),
        {1: "A pump as in FIG. 2. A rod of 0.3. The rod turns.", 2: "The pump of claim 1.",
         3: "The pump of claim 1.", 4: "The pump of claim 3, wherein 5. 0 mm is left."},
    ),
    "glued": ("1. A pump.2.The pump of claim 1.3.The pump of claim 2.",
              {1: "A pump.", 2: "The pump of claim 1.", 3: "The pump of claim 2."}),
    "cancelled": (("1-20. (canceled) 21. A pump. 22. (Cancelled) 23.-25. (cancelled) 26. The pump of "
                  "claim 21."), {21: "A pump.", 26: "The pump of claim 21."}),
    "cancelled list": ("1, 3-5. (canceled) 6. A pump.", {6: "A pump."}),
    "cancelled without point": ("Claims 1-10 (cancelled). 11. A pump.", {11: "A pump."}),
    "renumbered": ("5. A pump. 7. The pump of claim 5.", {5: "A pump.", 7: "The pump of claim 5."}),
    "bold": ("<b>1</b>. A pump. <b>2</b>. The pump of claim <b>1</b>.",
             {1: "A pump.", 2: "The pump of claim 1."}),
    "fixed blanks": ("1.\u00a0A\u00a0pump.\u00a02.\u00a0The pump of claim\u00a01.",
                     {1: "A pump.", 2: "The pump of claim 1."}),
    "lead and trail": ("CLAIMS\n\n1. A pump\n  with a rod.\n\n2. The pump of claim 1.\n\nABSTRACT\nA pump.\n",
                       {1: "A pump with a rod.", 2: "The pump of claim 1."}),
    "stars": ("We claim: 1. A pump. 2. The pump of claim 1. * * * * *",
              {1: "A pump.", 2: "The pump of claim 1."}),
    "design": ("I claim: The ornamental design for a pump, as shown and described.",
               {1: "The ornamental design for a pump, as shown and described."}),
    "list inside": ("1. A method comprising: 1. mixing; 2. heating; 3. cooling. 2. The method of claim 1.",
                    {1: "A method comprising: 1. mixing; 2. heating; 3. cooling.", 2: "The method of claim 1."}),
    "letters inside": ("1. A pump with (1) a rod, (2) a seal and (3) a cap. 2. The pump of claim 1.",
                       {1: "A pump with (1) a rod, (2) a seal and (3) a cap.", 2: "The pump of claim 1."}),
    "chemistry": ("1. A compound of formula 2. 2. 2-Amino-ethanol. 3. 1,3-Dioxane of claim 2.",
                  {1: "A compound of formula 2.", 2: "2-Amino-ethanol.", 3: "1,3-Dioxane of claim 2."}),
    "no full stop": (("1. A compound, wherein R is 2. The compound of claim 1, wherein R is 3. The "
                     "compound of claim 2."),
                     {1: "A compound, wherein R is", 2: "The compound of claim 1, wherein R is",
                      3: "The compound of claim 2."}),
    "numbered words": ("1. A steel of grade No. 3. 2. The steel of claim 1, e.g. 3. Grade. 3. The steel of claim 2.",
                       {1: "A steel of grade No. 3.", 2: "The steel of claim 1, e.g. 3. Grade.",
                        3: "The steel of claim 2."}),
    "claim word": ("Claim 1. A pump. Claim 2. The pump of claim 1.",
                   {1: "A pump.", 2: "The pump of claim 1."}),
    "brackets": ("Claims [Claim 1] A pump. [Claim 2] The pump of claim 1.",
                 {1: "A pump.", 2: "The pump of claim 1."}),
    "parentheses": ("1) A pump. 2) The pump of claim 1.", {1: "A pump.", 2: "The pump of claim 1."}),
    "google": ("What is claimed is: \n 1 . A pump.\n 2 . The pump ofclaim 1wherein it is.",
               {1: "A pump.", 2: "The pump ofclaim 1wherein it is."}),
    "German": (("1. Pumpe mit 2. Welle. 2. Pumpe nach Anspruch 1, die am 3. Tag läuft. 3. Pumpe nach "
               "einem der Ansprüche 1 bis 2."),
               {1: "Pumpe mit 2. Welle.", 2: "Pumpe nach Anspruch 1, die am 3. Tag läuft.",
                3: "Pumpe nach einem der Ansprüche 1 bis 2."}),
    "French": ("REVENDICATIONS 1.- Pompe. 2.- Pompe selon la revendication 1.",
               {1: "Pompe.", 2: "Pompe selon la revendication 1."}),
    "French lines": ("1 - Pompe.\n2 - Pompe selon la revendication 1.",
                     {1: "Pompe.", 2: "Pompe selon la revendication 1."}),
    "Spanish": ("REIVINDICACIONES 1. Bomba. 2. Bomba según la reivindicación 1.",
                {1: "Bomba.", 2: "Bomba según la reivindicación 1."}),
    "Chinese": ("1、一种泵，其特征在于包括轴。2、根据权利要求1所述的泵。3、如权利要求1或2所述的泵。",
                {1: "一种泵，其特征在于包括轴。", 2: "根据权利要求1所述的泵。", 3: "如权利要求1或2所述的泵。"}),
    "Chinese points": ("权利要求书 1.一种泵。2.根据权利要求1所述的泵。",
                       {1: "一种泵。", 2: "根据权利要求1所述的泵。"}),
    "Japanese": ("【特許請求の範囲】【請求項１】ポンプ。【請求項２】請求項１に記載のポンプ。",
                 {1: "ポンプ。", 2: "請求項１に記載のポンプ。"}),
    "Korean": ("청구항 1\n펌프.\n청구항 2\n제1항에 있어서, 펌프.\n청구항 3\n청구항 1에 있어서, 펌프.",
               {1: "펌프.", 2: "제1항에 있어서, 펌프.", 3: "청구항 1에 있어서, 펌프."}),
    "Korean points": ("1. 펌프 2. 제1항에 있어서, 펌프 3. 제2항에 있어서, 펌프",
                      {1: "펌프", 2: "제1항에 있어서, 펌프", 3: "제2항에 있어서, 펌프"}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_case(case):
    text, expected = CASES[case]
    assert {claim.number: claim.text for claim in split(text)} == expected


def test_cancelled_numbers_are_given():
    assert split_set("1-3. (canceled) 4. A pump. 5. (canceled)").cancelled == (1, 2, 3, 5)


WORDS = st.sampled_from(
    [
        "pump",
        "shaft",
        "rod",
        "seal",
        "FIG.",
        "fluid",
        "wherein",
        "the",
        "a",
        "said",
        "2",
        "3.5",
        "(12)",
        "first",
        "No.",
        "second",
        "0.5%",
        "valve,",
        "housing;",
        "and:",
        "α-helix",
        "R2",
        "about",
        "§5",
        "“cap”",
        "step",
    ]
)
BODIES = st.lists(WORDS, min_size=1, max_size=30).map(" ".join)


@st.composite
def claim_sets(draw):
    """Claims as offices write them: independent ones, and ones that refer back."""
    claims = []
    for number in range(1, draw(st.integers(1, 12)) + 1):
        body = draw(BODIES)
        if number > 1 and draw(st.booleans()):
            parent = draw(st.integers(1, number - 1))
            claims.append(f"The pump of claim {parent}, wherein the {body} ends here.")
        else:
            claims.append(f"A pump comprising {body} and a lid.")
    return claims


@settings(max_examples=300)
@given(
    claim_sets(),
    st.sampled_from([" ", "\n", "\n\n", "  \u00a0"]),
    st.sampled_from(["", "What is claimed is: ", "CLAIMS\n", "We claim:\n\n"]),
)
def test_joined_claims_come_apart_again(claims, gap, lead):
    text = lead + gap.join(f"{n}. {claim}" for n, claim in enumerate(claims, 1))
    assert [claim.text for claim in split(text)] == [fold(claim) for claim in claims]


@settings(max_examples=500)
@given(
    st.text(
        alphabet=string.ascii_letters + string.digits + " .\n,;:()<>-[]【】請求項청구항、α/",
        max_size=400,
    )
)
def test_any_text_is_safe(text):
    found = split_set(text)
    numbers = [claim.number for claim in found.claims]
    assert numbers == sorted(set(numbers)), "rising, each once"
    ends = 0
    for claim in found.claims:
        start, end = claim.span
        assert ends <= start < end <= len(text), "claims do not overlap"
        assert claim.text == fold(claim.text) != ""
        ends = end


@pytest.mark.parametrize(
    "text",
    ["1 " * 200_000, "1," * 30_000, "<b>" * 60_000, "1. " * 20_000, "<" * 200_000, "9-" * 100_000,
     "【" * 200_000, "1.-" * 70_000, "(canceled) " * 20_000, " " * 400_000 + "x", "claim " * 60_000],
    ids=lambda text: text[:10].strip() or "blank",
)  # fmt: skip
def test_hostile_text_takes_linear_time(text):
    # No timing is asserted: a quadratic pattern would take hours and stop the suite.
    split_set(text)


def test_span_is_where_the_text_stood():
    text = "We claim:\n1. A  pump\n with a rod.\n2. The pump of claim 1. "
    for claim in split(text):
        assert fold(text[slice(*claim.span)]) == claim.text

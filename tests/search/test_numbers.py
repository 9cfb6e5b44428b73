"""Patent numbers in every spelling we have met."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phage.searching.numbers import digits_of, recognised

PUBLICATIONS = {
    "US8621662B2": [
        "8621662", "8,621,662", "8 621 662", "8.621.662", "08621662", "US8621662", "us8621662b2",
        "US 8621662", "US 8,621,662", "US 8,621,662 B2", "US8621662B2", "US-8621662-B2",
        "US 8621662 (B2)", "U.S. 8,621,662", "USPN 8,621,662", "U.S. Pat. No. 8,621,662", "U. S. Patent 8,621,662",
        "US Patent No. 8,621,662 B2.", "Patent No.: US 8,621,662", "patent number 8621662",
        "US08621662", "\uff35\uff33\uff18\uff16\uff12\uff11\uff16\uff16\uff12", " US8621662 B2 ",
        "https://patents.google.com/patent/US8621662B2/en", "US8'621'662", "'US8621662B2'",
    ],
    "US20190123456A1": [
        "US 2019/0123456 A1", "US2019/0123456", "2019/0123456", "20190123456", "US20190123456A1",
        "US 20190123456 A1", "US-2019123456-A1", "Pub. No.: US 2019/0123456 A1", "US-20190123456",
    ],
    "USD697285S1": ["D697,285", "US D697,285 S", "USD697285S1", "Des. 697,285", "D 697 285"],
    "USRE44672E1": ["RE44,672", "Re. 44,672", "USRE44672E", "US RE44672 E1"],
    "EP1234567A1": [
        "EP1234567", "EP 1 234 567 A1", "EP-1234567-A1", "EP 1234567", "ep1234567a1", "EP1,234,567",
        "European Patent No. EP 1 234 567", "EP 1.234.567",
    ],
    "EP0166996B2": ["EP0166996", "EP 0 166 996 B2", "EP166996"],
    "WO2019123456A1": ["WO 2019/123456", "WO2019/123456 A1", "WO2019123456", "WO 19/123456"],
    "WO1999012345A1": ["WO 99/12345", "WO99/12345", "WO9912345"],
    "WO9912345A1": ["WO 1999/012345", "WO1999012345"],
    "KR100866101B1": ["KR 10-0866101 B1", "KR100866101", "KR 10 0866101", "10-0866101"],
    "KR20150012345A": ["KR 10-2015-0012345", "KR1020150012345", "10-2015-0012345", "KR20150012345"],
    "KR1020150012345A": ["KR20150012345"],
    "JP5123456B2": ["特許第5123456号", "特許5123456", "JP 5123456"],
    "JP2004123456A": ["特開2004-123456", "JP 2004-123456 A", "JP2004123456", "JP 2004/123456"],
    "DE102009012345A1": ["DE 10 2009 012 345 A1", "DE 10 2009 012 345.6", "DE102009012345"],
    "GB2345678A": ["GB 2,345,678 A", "GB2345678"],
    "CN108566071B": ["CN 108566071 B", "CN108566071"],
    "172293": ["172293", "172,293"],
}  # fmt: skip
APPLICATIONS = {
    "US16123456": [
        "16/123,456", "16/123456", "US 16/123,456", "Appl. No. 16/123,456", "Serial No. 16/123,456",
        "U.S. Application No. 16/123,456", "US16123456", "16123456",
    ],
    "EP85107895": ["EP 85107895.4", "EP85107895", "EP 85 107 895.4", "85107895.4"],
    "CN200810012345": ["CN200810012345.6", "ZL 200810012345.X", "CN ZL200810012345.6", "200810012345.6"],
    "PCTDK2011000074": ["PCT/DK2011/000074", "pct/dk2011/000074", "PCT/DK11/00074", "PCT/DK2011/00074", "PCTDK2011000074"],
}  # fmt: skip


def spellings(table):
    return [(number, spelled) for number, several in table.items() for spelled in several]


def test_there_are_many():
    assert len(spellings(PUBLICATIONS)) + len(spellings(APPLICATIONS)) >= 40


@pytest.mark.parametrize(("number", "spelled"), spellings(PUBLICATIONS))
def test_a_publication_in_any_spelling(number, spelled):
    readings = recognised(spelled)
    assert digits_of(number) in {one.digits for one in readings}
    assert all(not one.office or number.startswith(one.office) for one in readings)
    assert all(
        not one.kind or number.split(one.digits)[-1].startswith(one.kind) for one in readings
    )


@pytest.mark.parametrize(("number", "spelled"), spellings(APPLICATIONS))
def test_an_application_in_any_spelling(number, spelled):
    assert number in {one.application for one in recognised(spelled)}


@pytest.mark.parametrize(
    "text",
    ["a pump", "2014", "pump 8621662", "XX1234567", "ABC1234567", "3.5 to 4.5", "claim 1", "", "US",
     "no", "patent", "12", "the pump of claim 1, wherein the shaft is of steel", "H2O", "WO"],
)  # fmt: skip
def test_a_text_is_not_a_number(text):
    assert recognised(text) == ()


@given(st.text(max_size=130))
def test_any_text_is_read_or_left(text):
    for one in recognised(text):
        assert one.digits

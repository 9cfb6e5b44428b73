"""Owners, inventors, priorities and families, in every office's clothes."""

import json
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import written

from phage.claims import Claim, Patent, read, write
from phage.claims.copies import identities
from phage.claims.tables import table

REDBOOK = """
<priority-claims><priority-claim sequence="01" kind="national"><country>DK</country>
<doc-number>2010 70310</doc-number><date>20100701</date></priority-claim></priority-claims>
<pct-or-regional-filing-data><document-id><country>WO</country>
<doc-number>PCT/DK2011/000074</doc-number><date>20110701</date></document-id>
</pct-or-regional-filing-data>
<us-parties><us-applicants><us-applicant sequence="001" app-type="applicant"><addressbook>
<last-name>Doe</last-name><first-name>Jane</first-name></addressbook></us-applicant></us-applicants>
<inventors><inventor sequence="001"><addressbook><last-name>Doe</last-name>
<first-name>Jane</first-name></addressbook></inventor><inventor sequence="002"><addressbook>
<last-name>Roe</last-name><first-name>Rick &amp; R.</first-name></addressbook></inventor></inventors>
</us-parties><assignees><assignee><addressbook><orgname>Acme &amp; Co.</orgname></addressbook>
</assignee></assignees>"""
PAP = """<inventors><first-named-inventor><name><given-name>Jane</given-name>
<middle-name>E.</middle-name><family-name>Doe</family-name></name></first-named-inventor></inventors>
<assignee><organization-name>Acme Corp.</organization-name></assignee>
<foreign-priority-data><priority-application-number><doc-number>2000-1</doc-number>
</priority-application-number><country-code>JP</country-code><filing-date>20000105</filing-date>
</foreign-priority-data></subdoc-bibliographic-information>"""
SGML = """<B300><B310><DNUM><PDAT>971605</PDAT></DNUM></B310><B320><DATE><PDAT>19970408</PDAT></DATE>
</B320><B330><CTRY><PDAT>NO</PDAT></CTRY></B330></B300><B700><B720><B721><PARTY-US><NAM><FNM>
<PDAT>Jane</PDAT></FNM><SNM><STEXT><PDAT>Doe</PDAT></STEXT></SNM></NAM></PARTY-US></B721></B720>
<B730><B731><PARTY-US><NAM><ONM><STEXT><PDAT>Acme AS</PDAT></STEXT></ONM></NAM></PARTY-US></B731>
</B730></B700></SDOBI>"""
GREENBOOK = """INVT
NAM  Doe; Jane
ASSG
NAM  Acme Corporation
PRIR
CNT  JPX
APD  19730710
APN  48/84696
CLAS
"""
EPO = """<B300><B310>115496/84</B310><B320><date>19840607</date></B320><B330><ctry>JP</ctry></B330>
</B300><B700><B720><B721><snm>Doe, Jane, c/o Acme K.K.</snm></B721></B720><B730><B731>
<snm>Acme K.K.</snm></B731></B730></B700></SDOBI>"""
MAREC = """<priority-claims><priority-claim ucid="NL-1010536-A"><document-id><country>NL</country>
<doc-number>1010536</doc-number><kind>A</kind><date>19981112</date></document-id></priority-claim>
</priority-claims><parties><applicants><applicant format="epo"><addressbook><name>ACME BV</name>
</addressbook></applicant><applicant format="original"><addressbook><last-name>Acme B.V.</last-name>
</addressbook></applicant></applicants><inventors><inventor format="original"><addressbook>
<last-name>DOE, JANE</last-name></addressbook></inventor></inventors></parties>
</bibliographic-data>"""
GOOGLE = {
    "assignee_harmonized": [{"name": "ACME INC", "country_code": "US"}],
    "inventor_harmonized": [{"name": "DOE JANE"}],
    "priority_claim": [{"application_number": "US-201462001234-P", "filing_date": 20140521}],
}
HUPD = {"inventor_list": [{"inventor_name_first": "JANE", "inventor_name_last": "DOE"}]}
SMALL = {
    "id": "DE102011B3",
    "claims": ["A pump."],
    "applicant": "Acme GmbH",
    "inventor": "Jane Doe",
}

FILES = {
    "redbook.xml": (
        written.redbook(extra=REDBOOK), ("Acme & Co.",), ("Jane Doe", "Rick & R. Roe"),
        ("DK201070310", "PCTDK2011000074"), "DK201070310",
    ),
    "pap.xml": (
        written.PAP.replace("</subdoc-bibliographic-information>", PAP), ("Acme Corp.",),
        ("Jane E. Doe",), ("JP20001",), "JP20001",
    ),
    "sgml.xml": (
        written.SGML.replace("</SDOBI>", SGML), ("Acme AS",), ("Jane Doe",), ("NO971605",),
        "NO971605",
    ),
    "greenbook.txt": (
        written.GREENBOOK.replace("CLAS\n", GREENBOOK), ("Acme Corporation",), ("Jane Doe",),
        ("JP4884696",), "JP4884696",
    ),
    "epo.xml": (
        written.epo().replace("</SDOBI>", EPO), ("Acme K.K.",), ("Jane Doe",), ("JP11549684",),
        "JP11549684",
    ),
    "marec.xml": (
        written.marec(claims=written.WHOLE_SET).replace("</bibliographic-data>", MAREC),
        ("Acme B.V.",), ("JANE DOE",), ("NL1010536",), "19768124",
    ),
    "google.json": (
        json.dumps({**written.GOOGLE, **GOOGLE}), ("ACME INC",), ("DOE JANE",), ("US62001234",),
        "53199817",
    ),
    "hupd.json": (json.dumps({**written.HUPD, **HUPD}), (), ("Jane Doe",), (), "US13817165"),
    "small.jsonl": (json.dumps(SMALL), ("Acme GmbH",), ("Jane Doe",), (), ""),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_who_filed_it_and_where_it_comes_from(tmp_path, name):
    text, assignees, inventors, priorities, family = FILES[name]
    (tmp_path / name).write_text(text)
    [patent] = read(tmp_path / name)
    assert patent.assignees == assignees
    assert patent.inventors == inventors
    assert patent.priorities == priorities
    assert patent.family == family
    for table_name in ("out.parquet", "out.jsonl"):
        write([patent], tmp_path / table_name)
        assert list(read(tmp_path / table_name)) == [patent]


def test_a_family_is_the_first_application_of_all(tmp_path):
    """Two grants that go back to one application are one family; one that goes to none is its own."""
    parent = "<doc-number>12192097</doc-number>"
    other = written.redbook("08621663").replace("13175987", "13999999")
    alone = written.redbook("08621664").replace("us-related-documents", "nothing")
    dated = written.redbook("08621665").replace(parent, f"{parent}<date>20080814</date>")
    (tmp_path / "week.xml").write_text(written.redbook() + other + alone + dated)
    families = [patent.family for patent in read(tmp_path / "week.xml")]
    assert families == ["US12192097", "US12192097", "US13175987", "US12192097"]


def test_applicants_stand_in_for_assignees(tmp_path):
    bare = REDBOOK[: REDBOOK.index("<assignees>")]
    (tmp_path / "a.xml").write_text(written.redbook(extra=bare))
    [patent] = read(tmp_path / "a.xml")
    assert patent.assignees == ("Jane Doe",)


def test_computed_families_leave_splits_as_they_were():
    patent = Patent("US1B2", (Claim(1, "A pump."),), application="US7", related=("US3",))
    computed = replace(patent, family="US3")
    assert identities(computed) == identities(patent)
    assert identities(replace(patent, family="53199817")) > identities(patent)


def test_a_table_of_before_has_no_such_columns_and_is_read(tmp_path):
    patent = Patent("US1B2", (Claim(1, "A pump."),), title="Pump")
    new = ["assignees", "inventors", "priorities", "priority_date"]
    pq.write_table(table([patent]).drop_columns(new), tmp_path / "old.parquet")
    assert list(read(tmp_path / "old.parquet")) == [patent]
    assert isinstance(table([patent])["assignees"].type, pa.ListType)

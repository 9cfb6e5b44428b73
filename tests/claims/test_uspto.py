"""The USPTO's four formats, as small documents written here."""

import pytest
import written


def texts(patent):
    return [(claim.number, claim.text) for claim in patent.claims]


def test_redbook_grant(load):
    [patent], report = load(written.redbook(), descriptions=True)
    assert (patent.number, patent.kind, patent.application) == ("US8621662B2", "B2", "US13175987")
    assert patent.ipc == ("F04B 53/14", "F16K 1/02"), "the one marked F comes first"
    assert patent.cpc == ("F04B 53/144",)
    assert (patent.filing_date, patent.publication_date) == ("2011-07-05", "2014-01-07")
    assert (patent.title, patent.abstract) == ("A hollow pump", "A pump is hollow.")
    assert patent.description == "It pumps.\nIt stops."
    assert texts(patent) == [
        (1, "A pump comprising: a housing; and a shaft of 5 mm H2O."),
        (2, "The pump of claim 1, wherein it is hollow."),
        (3, "The pump of claim 1 or 2, with a valve."),
    ]
    assert [claim.references for claim in patent.claims] == [(), (1,), (1, 2)]
    assert [(c.document, c.category, c.kind) for c in patent.citations] == [
        ("US2967305A", "cited by examiner", "patent"),
        ("WO2007101938", "cited by applicant", "patent"),
        ("Pumps, Vol. 2.", "cited by applicant", "other"),
    ]
    assert patent.related == ("US12192097",)
    assert report.formats == {"redbook": 1} and not report.problems


@pytest.mark.parametrize(
    ("number", "kind", "expected"),
    [
        ("D0697285", "S1", "USD697285S1"),
        ("PP024123", "P2", "USPP24123P2"),
        ("RE044690", "E1", "USRE44690E1"),
        ("H0002286", "H1", "USH2286H1"),
        ("20150075015", "A1", "US20150075015A1"),
    ],
)
def test_numbers_of_all_kinds(load, number, kind, expected):
    [patent], _ = load(written.redbook(number, kind, [("00001", "The ornamental design.", ())]))
    assert patent.number == expected
    assert texts(patent) == [(1, "The ornamental design.")]


def test_cancelled_claims_are_left_out_but_remembered(load):
    claims = [
        ("01-18", "<b>1</b>.-<b>18</b>. (Cancelled)", ()),
        ("00019", "<b>19</b>. A pump.", ()),
        ("00020", "<b>20</b>. (canceled)", ()),
        ("00021", '<b>21</b>. The pump of <claim-ref idref="CLM-00019">claim 19</claim-ref>.', ()),
    ]
    [patent], report = load(
        written.redbook("20150075015", "A2", claims, root="us-patent-application")
    )
    assert texts(patent) == [(19, "A pump."), (21, "The pump of claim 19.")]
    assert patent.cancelled == (*range(1, 19), 20)
    assert patent.claims[1].references == (19,)
    assert not report.problems


def test_declared_count_is_checked(load):
    document = written.redbook(extra="<number-of-claims>4</number-of-claims>")
    [patent], report = load(document)
    assert len(patent.claims) == 3
    assert report.partial == 1 and "4 declared, 3 found" in report.problems[0].reason


def test_pap(load):
    [patent], _ = load(written.PAP)
    assert (patent.number, patent.application) == ("US20010000044A1", "US09342866")
    assert patent.ipc == ("F04B 53/14", "F16K 1/02")
    assert (patent.filing_date, patent.title) == ("1999-06-29", "Hollow pump")
    assert patent.abstract == "A μ-pump — hollow.", "ISO entities are characters"
    assert texts(patent) == [
        (1, "A pump comprising: a housing; a shaft."),
        (2, "The pump of claim 1 , wherein it is hollow."),
    ]
    assert [claim.references for claim in patent.claims] == [(), (1,)]
    assert patent.related == ("US08998863",)


def test_sgml_with_open_empty_elements(load):
    [first, second], report = load(written.SGML + written.SGML.replace("06336130", "06336131"))
    assert (first.number, second.number) == ("US6336130B1", "US6336131B1")
    assert first.ipc == ("F04B 53/14", "A47L 5/14")
    assert (first.application, first.filing_date) == ("US09413215", "1999-10-05")
    assert texts(first) == [
        (1, "A pump comprising: a shaft of CO2."),
        (2, "The pump of claim 1, hollow."),
    ]
    assert first.claims[1].references == (1,)
    assert [c.document for c in first.citations] == ["US5825759A", "Pumps‘."]
    assert not report.problems


def test_greenbook(load):
    [patent], report = load("HHHHHT        APS1 ISSUE - 760106\n" + written.GREENBOOK, "week.txt")
    assert (patent.number, patent.kind, patent.application) == ("US3930271A", "A", "US05532875")
    assert patent.ipc == ("F04B 53/14", "A47L 5/14")
    assert (patent.filing_date, patent.publication_date) == ("1974-12-16", "1976-01-06")
    assert texts(patent) == [
        (1, "A pump comprising a housing at 20° C. and a shaft of CO2 : (a) turning."),
        (2, "A pump in accordance with claim 1 that is hollow."),
    ]
    assert [c.document for c in patent.citations] == ["US2379430A", "JP1234567", "Pumps, Vol. 2."]
    assert patent.abstract == "A pump is hollow." and not report.problems


def test_greenbook_design_without_numbers(load):
    design = (
        written.GREENBOOK.split("CLMS")[0]
        .replace("039302717", "D02450013")
        .replace("NCL  2", "NCL  1")
    )
    [patent], _ = load(design + "DCLM\nPAR  The ornamental design for a pump, as shown.\n", "x.txt")
    assert patent.number == "USD245001S"
    assert texts(patent) == [(1, "The ornamental design for a pump, as shown.")]


PLAIN = """<us-citation>
<patcit num="{0:05}">
<document-id>
<country>{1}</country>
<doc-number>{2}</doc-number>
<kind>{3}</kind>
<name>Pump &#xe9; {0}</name>
<date>19350600</date>
</document-id>
</patcit>
<category>cited by examiner</category>
<classification-national><country>US</country><main-classification> 2207</main-classification></classification-national>
</us-citation>
"""
OTHER = """<us-citation>
<nplcit num="00009">
<othercit>Pumps &amp; <i>shafts</i>.</othercit>
</nplcit>
<category>cited by applicant</category>
</us-citation>
"""


def test_citations_are_the_same_from_bytes_and_from_the_tree(load):
    """The usual form is read without a tree; whatever differs from it, with one."""
    rows = [("US", "5123456", "A"), ("US", "D0135321", "S"), ("DE", "10 2004 001 A1", "A1")]
    plain = [PLAIN.format(n, *row).replace("&#xe9;", "é") for n, row in enumerate(rows)]
    lists = [
        [*plain, OTHER], [OTHER, *plain], [plain[0], OTHER, *plain[1:]], [*plain, PLAIN.format(4, *rows[0])],
        [plain[0].replace("<kind>A</kind>\n", ""), *plain],
    ]  # fmt: skip
    before, _, rest = written.redbook().partition("<us-references-cited>")
    after = rest.partition("</us-references-cited>")[2]
    for entries in lists:
        found = []
        for text in ("".join(entries), "".join(entries).replace(">\n<", "> <")):
            block = f"<us-references-cited>\n{text}</us-references-cited>"
            [patent], _ = load(f"{before}{block}{after}")
            found.append(patent.citations)
        assert found[0] == found[1] and len(found[0]) == len(entries)

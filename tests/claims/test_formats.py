"""All formats but the USPTO's, each as one small document written here."""

import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import written

from phage.claims import ReadReport, read


def texts(patent):
    return [(claim.number, claim.text) for claim in patent.claims]


def test_epo_has_all_languages(load):
    [patent], report = load(written.epo())
    assert (patent.number, patent.application) == ("EP0166996B2", "EP85106915")
    assert (patent.language, patent.title) == ("en", "Hollow pump")
    assert patent.ipc == ("F04B 53/14", "F16K 1/02")
    assert list(patent.translations) == ["de", "fr"]
    assert patent.in_language("de").claims[1].text == "Pumpe nach Anspruch 1, die hohl ist."
    assert patent.citations[0].document == "EP0444678A1"
    assert not report.problems


def test_epo_language_without_claims_falls_back(load):
    [patent], _ = load(written.epo(lang="it"))
    assert patent.language == "en" and len(patent.claims) == 2


def test_epo_sets_for_different_states(load):
    """The first set is the patent's; a second one for other states is reported, not mixed in."""
    claim = '<claim id="c-en-02-000{0}" num="000{0}"><claim-text>Fan {0}.</claim-text></claim>'
    more = "".join(claim.format(n) for n in (1, 2, 3))
    text = written.epo().replace(
        '</claims><claims id="claims02"', more + '</claims><claims id="claims02"'
    )
    [patent], report = load(text)
    assert texts(patent) == [(1, "A pump."), (2, "A pump according to claim 1, which is hollow.")]
    assert report.partial == 1 and "1 after 2" in report.problems[0].reason


def test_epo_second_set_in_a_block_of_its_own(load):
    block = re.search(r'(?s)<claims id="claims01".*?</claims>', written.epo())[0]
    [patent], report = load(written.epo().replace(block, block + block.replace("A pump", "A fan")))
    assert patent.claims[0].text == "A pump." and len(patent.claims) == 2
    assert report.partial == 1 and "1 after 2" in report.problems[0].reason


def test_epo_labels_missing(load):
    [patent], report = load(re.sub(r' num="\d+"', ' num=""', written.epo()))
    assert [claim.number for claim in patent.claims] == [1, 2] and not report.problems


def test_marec_whole_set_in_one_claim_and_page_marks(load):
    [patent], _ = load(written.marec(claims=written.WHOLE_SET))
    assert patent.number == "EP1000000A1" and patent.family == "19768124"
    assert patent.ipc == ("F04B 53/14", "F16K 1/02")
    assert texts(patent) == [
        (1, "A pump with a rod."),
        (2, "The pump of claim 1, as in FIG. 3. A."),
        (3, "The pump of claim 2."),
    ]
    assert [(c.document, c.category) for c in patent.citations] == [("DE3546191A1", "X")]


def test_marec_kinds_are_merged(tmp_path):
    claims = '<claims lang="{}"><claim num="1"><claim-text>{}</claim-text></claim></claims>'
    folder = tmp_path / "EP" / "000001" / "00"
    folder.mkdir(parents=True)
    later = claims.format("EN", "A hollow pump.") + claims.format("DE", "Hohlpumpe.")
    for kind, date, text in [
        ("A1", "20000517", claims.format("EN", "A pump.")), ("A3", "20010101", ""), ("B1", "20030212", later),
    ]:  # fmt: skip
        (folder / f"EP-1000000-{kind}.xml").write_text(
            written.marec(kind, date, text, "A pump." if kind == "A1" else "")
        )
    report = ReadReport()
    [patent] = read(tmp_path, report=report)
    assert (patent.number, patent.claims[0].text) == ("EP1000000B1", "A hollow pump.")
    assert patent.abstract == "A pump." and set(patent.translations) == {"de"}
    assert (report.patents, report.merged, report.files) == (1, 2, 3)


def test_marec_unknown_language_without_claims(load):
    [patent], _ = load(written.marec(lang="XX"))
    assert patent.language == "en" and patent.claims == ()


@pytest.mark.parametrize(
    "claims",
    [
        "<claim-text>Claims\n1. A pump.\n2. The pump of claim 1.</claim-text>",
        "<claim-text>1. A pump.</claim-text><claim-text>2. The pump of claim 1.</claim-text>",
    ],
)
def test_ops(load, claims):
    [patent], report = load(written.OPS.replace("{claims}", claims))
    assert patent.number == "EP1000000A1" and report.formats == {"ops": 1}
    assert texts(patent) == [(1, "A pump."), (2, "The pump of claim 1.")]


def test_hupd(load):
    [patent], report = load(json.dumps(written.HUPD, indent=2), "13817165.json", descriptions=True)
    assert (patent.number, patent.application) == ("US20130296823A1", "US13817165")
    assert patent.ipc == ("A61M 5/172", "G06F 17/30", "F04B 53/14"), "all codes, not the main one"
    assert patent.cpc == ("A61M 5/1723",)
    assert texts(patent) == [
        (3, "A pump as in FIG. 4. A is it."),
        (4, "The pump of claim 3."),
        (5, "The pump of claim 3 or 4."),
    ]
    assert patent.cancelled == (1, 2) and patent.description == "It pumps."
    assert report.formats == {"hupd": 1}


def _google(patent):
    assert (patent.number, patent.application) == ("US20150340890A1", "US14718392")
    assert (patent.family, patent.kind, patent.language) == ("53199817", "A1", "en")
    assert patent.ipc == ("F04B 53/14", "F16K 1/02") and patent.cpc == ("F04B 53/144",)
    assert texts(patent) == [(1, "A pump."), (2, "The pump ofclaim 1 .")]
    assert [claim.text for claim in patent.translations["de"]] == [
        "Pumpe.",
        "Pumpe nach Anspruch 1.",
    ]
    assert [(c.document, c.kind) for c in patent.citations] == [
        ("US5123456A", "patent"),
        ("Pumps.", "other"),
    ]


def test_google_json(load):
    [patent], report = load(json.dumps(written.GOOGLE) + "\n", "export-000000000000.json")
    _google(patent)
    assert report.formats == {"google": 1}


def test_google_parquet(tmp_path):
    pq.write_table(pa.Table.from_pylist([written.GOOGLE]), tmp_path / "export.parquet")
    [patent] = read(tmp_path / "export.parquet")
    _google(patent)


def test_patentsview(load):
    [first, second], report = load(written.PATENTSVIEW, "g_claims_2018.tsv")
    assert (first.number, second.number) == ("US10000001", "USD345393")
    assert texts(first) == [(1, 'A "hollow" pump.'), (2, "The pump of claim 1.")]
    assert first.claims[1].references == (1,)
    assert not report.problems


def test_patentsview_rows_apart_are_named(load):
    rows = written.PATENTSVIEW + '"10000001"\t2\t"3. It."\t""\t"00003"\t0\n'
    patents, report = load(rows, "g_claims.tsv")
    assert len(patents) == 2 and "next to each other" in report.problems[0].reason


def test_ep_table(load):
    [first, second], _ = load(written.EP_ROWS, "ep.txt", descriptions=True)
    assert (first.number, first.language, first.title) == ("EP1000000B1", "en", "Hollow pump")
    assert texts(first) == [(1, "A pump."), (2, "The pump of claim 1 & more.")]
    assert set(first.translations) == {"de"} and first.description == "It pumps."
    assert (second.number, second.language) == ("EP1000001A1", "fr")


def test_small_schemas_of_other_collections(load):
    rows = [
        {"id": "CN108566071B", "lang": "zh", "claims": ["一种泵。", "根据权利要求1所述的泵。"], "date": "2017-12-15",
         "family_key": "pumps#0", "ipc": ["F04B53/14"], "citations": ["US2015340890A1"]},
        {"number": "US5497784", "kind": "grant", "language": "en", "claims": ["A pump."], "truncated": True,
         "cut_claim": "The pump of cla"},
        {"number": "KR1B1", "language": "ko", "claims": ["delete", "[Claim 2] A pump."]},
    ]  # fmt: skip
    patents, report = load("\n".join(map(json.dumps, rows)), "some.jsonl")
    chinese, cut, korean = patents
    assert (chinese.number, chinese.kind, chinese.family) == ("CN108566071B", "B", "pumps#0")
    assert (chinese.filing_date, chinese.citations[0].document) == ("2017-12-15", "US20150340890A1")
    assert texts(cut) == [(1, "A pump.")], "the claim the cut fell into is not a claim"
    assert texts(korean) == [(2, "A pump.")] and korean.cancelled == (1,)
    assert not report.problems


def test_a_claim_that_was_cut_is_no_claim(load):
    row = {
        "number": "US5485838",
        "claims": ["A pump compri"],
        "truncated": True,
        "cut_claim": "A pump compri",
    }
    [patent], _ = load(json.dumps(row), "cut.jsonl")
    assert patent.claims == ()


def test_word_counts_its_own_numbers(load):
    for numbered in (True, False):
        [patent], _ = load(written.docx(numbered), "draft.docx")
        assert (patent.number, patent.title) == ("draft", "Hollow pump")
        assert texts(patent) == [
            (1, "A pump comprising a shaft; and a housing."),
            (2, "The pump of claim 1."),
        ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_text_drafts(load, encoding):
    text = "Patentansprüche\r\n\r\n1. Pumpe für Öl.\r\n2. Pumpe nach Anspruch 1, die hohl ist.\r\n"
    [patent], _ = load(text.encode(encoding), "entwurf.txt")
    assert patent.language == "de"
    assert texts(patent) == [(1, "Pumpe für Öl."), (2, "Pumpe nach Anspruch 1, die hohl ist.")]
    assert all(text[c.span[0] : c.span[1]] == c.text for c in patent.claims)


def test_draft_without_claims_is_told_what_to_do(load):
    patents, report = load("Dear all,\nplease find enclosed nothing.\n", "mail.txt")
    assert not patents and "number them" in report.problems[0].reason


def test_every_format_is_recognised_by_content_alone(load):
    for name, data in written.everything().items():
        if not name.startswith("draft"):
            patents, report = load(data, "unnamed")
            assert patents and not report.problems, name

"""Documents of each format, written for the tests: one pump in every office's clothes."""

from __future__ import annotations

import io
import json
import zipfile

CLAIMS = [
    "A pump comprising: a housing; and a shaft of 0.5. The shaft turns as in FIG. 2. A seal is there.",
    "The pump of claim 1, wherein the shaft is hollow.",
    "The pump of claim 1 or 2, further comprising a valve.",
]


def redbook(number="08621662", kind="B2", claims=None, root="us-patent-grant", extra=""):
    """Write a Redbook document; claims as (num, markup, ids referred to)."""
    part = "grant" if root == "us-patent-grant" else "application"
    claims = claims or [
        ("00001", ("1. A pump comprising:<claim-text>a housing; and</claim-text>"
                  "<claim-text>a shaft of <b>5</b> mm H<sub>2</sub>O.</claim-text>"), ()),
        ("00002", ("2. The pump of <claim-ref idref=\"CLM-00001\">claim 1</claim-ref>, wherein "
                  "<i>it</i> is hollow."), ()),
        ("00003", ("3. The pump of <claim-ref idref=\"CLM-00001\">claim 1</claim-ref> or "
                  "<claim-ref idref=\"CLM-00002\">2</claim-ref>, with a valve."), ()),
    ]  # fmt: skip
    body = "\n".join(
        f'<claim id="CLM-{num}" num="{num}">\n<claim-text>{text}</claim-text>\n</claim>'
        for num, text, _ in claims
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE {root} SYSTEM "{root}-v44-2013-05-16.dtd" [ ]>
<{root} lang="EN" dtd-version="v4.4" file="US{number}-20140107.XML" country="US">
<us-bibliographic-data-{part}>
<publication-reference><document-id><country>US</country><doc-number>{number}</doc-number>
<kind>{kind}</kind><date>20140107</date></document-id></publication-reference>
<application-reference appl-type="utility"><document-id><country>US</country>
<doc-number>13175987</doc-number><date>20110705</date></document-id></application-reference>
<classifications-ipcr>
<classification-ipcr><section>F</section><class>16</class><subclass>K</subclass>
<main-group>1</main-group><subgroup>02</subgroup><symbol-position>L</symbol-position>
</classification-ipcr>
<classification-ipcr><section>F</section><class>04</class><subclass>B</subclass>
<main-group>53</main-group><subgroup>14</subgroup><symbol-position>F</symbol-position>
</classification-ipcr></classifications-ipcr>
<classifications-cpc><main-cpc><classification-cpc><section>F</section><class>04</class>
<subclass>B</subclass><main-group>53</main-group><subgroup>144</subgroup></classification-cpc>
</main-cpc></classifications-cpc>
<invention-title id="d2">A <i>hollow</i> pump</invention-title>
<us-references-cited>
<us-citation><patcit num="00001"><document-id><country>US</country><doc-number>2967305</doc-number>
<kind>A</kind><name>Smith</name></document-id></patcit><category>cited by examiner</category>
<classification-national><country>US</country></classification-national></us-citation>
<us-citation><patcit num="00002"><document-id><country>WO</country>
<doc-number>WO 2007/101938</doc-number></document-id></patcit>
<category>cited by applicant</category></us-citation>
<us-citation><nplcit num="00003"><othercit>Pumps, <i>Vol.</i> 2.</othercit></nplcit>
<category>cited by applicant</category></us-citation>
</us-references-cited>
<us-related-documents><division><relation><parent-doc><document-id><country>US</country>
<doc-number>12192097</doc-number></document-id></parent-doc></relation></division>
</us-related-documents>{extra}
</us-bibliographic-data-{part}>
<abstract id="abstract"><p>A pump is <b>hollow</b>.</p></abstract>
<description><p>It pumps.</p><p>It stops.</p></description>
<claims id="claims">
{body}
</claims>
</{root}>
"""


PAP = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE patent-application-publication SYSTEM "pap-v15-2001-01-31.dtd" [
<!ENTITY US20010000044A1-D00000.TIF SYSTEM "US20010000044A1-D00000.TIF" NDATA TIF>]>
<patent-application-publication>
<subdoc-bibliographic-information>
<document-id><doc-number>20010000044</doc-number><kind-code>A1</kind-code>
<document-date>20010315</document-date></document-id>
<domestic-filing-data><application-number><doc-number>09342866</doc-number></application-number>
<application-number-series-code>09</application-number-series-code>
<filing-date>19990629</filing-date></domestic-filing-data>
<technical-information><classification-ipc><classification-ipc-primary><ipc>F04B053/14</ipc>
</classification-ipc-primary><classification-ipc-secondary><ipc>F16K001/02</ipc>
</classification-ipc-secondary></classification-ipc>
<title-of-invention> Hollow pump </title-of-invention></technical-information>
<continuity-data><division-of><parent-child><child><document-id><doc-number>09342866</doc-number>
</document-id></child><parent><document-id><doc-number>08998863</doc-number>
<country-code>US</country-code></document-id></parent></parent-child></division-of></continuity-data>
</subdoc-bibliographic-information>
<subdoc-abstract><heading>Abstract</heading><paragraph>A &mgr;-pump &mdash; hollow.</paragraph>
</subdoc-abstract>
<subdoc-claims><heading>What is claimed is:</heading>
<claim id="CLM-00001"><claim-text><highlight><bold>1</bold></highlight>. A pump comprising:<claim-text>
a housing;</claim-text><claim-text>a shaft.</claim-text></claim-text></claim>
<claim id="CLM-00002"><claim-text><highlight><bold>2</bold></highlight>. The pump of
<dependent-claim-reference depends_on="CLM-00001"><claim-text>claim 1</claim-text>
</dependent-claim-reference>, wherein it is hollow.</claim-text></claim>
</subdoc-claims></patent-application-publication>
"""

SGML = """<!DOCTYPE PATDOC PUBLIC "-//USPTO//DTD ST.32 US PATENT GRANT V2.4 2000-09-20//EN" [
<!ENTITY US06336130-20020101-D00000.TIF SYSTEM "US06336130-20020101-D00000.TIF" NDATA TIF>]>
<PATDOC DTD="2.4" STATUS="BUILD 20010518">
<SDOBI>
<B100><B110><DNUM><PDAT>06336130</PDAT></DNUM></B110><B130><PDAT>B1</PDAT></B130>
<B140><DATE><PDAT>20020101</PDAT></DATE></B140><B190><PDAT>US</PDAT></B190></B100>
<B200><B210><DNUM><PDAT>09413215</PDAT></DNUM></B210><B220><DATE><PDAT>19991005</PDAT></DATE></B220></B200>
<B500><B510><B511><PDAT>F04B 5314</PDAT></B511><B512><PDAT>A47L  514</PDAT></B512></B510>
<B540><STEXT><PDAT>Hollow pump</PDAT></STEXT></B540>
<B560><B561><PCIT><DOC><DNUM><PDAT>5825759</PDAT></DNUM><KIND><PDAT>A</PDAT></KIND></DOC></PCIT>
<CITED-BY-EXAMINER></B561><B562><NCIT><STEXT><PDAT>Pumps&lsquo;.</PDAT></STEXT></NCIT><CITED-BY-OTHER></B562>
</B560><B570><B577><PDAT>2</PDAT></B577></B570><B590><B597US></B590></B500>
</SDOBI>
<SDOAB><BTEXT><PARA><PTEXT><PDAT>Hollow.</PDAT></PTEXT></PARA></BTEXT></SDOAB>
<SDOCL><H><STEXT><PDAT>What is claimed is:</PDAT></STEXT></H><CL>
<CLM ID="CLM-00001"><PARA><PTEXT><PDAT>1. A pump comprising:</PDAT></PTEXT></PARA>
<CLMSTEP LVL="2"><PTEXT><PDAT>a shaft of CO</PDAT><HIL><SB><PDAT>2</PDAT></SB></HIL><PDAT>.</PDAT></PTEXT></CLMSTEP></CLM>
<CLM ID="CLM-00002"><PARA><PTEXT><PDAT>2. The pump of </PDAT><CLREF ID="CLM-00001"><PDAT>claim 1</PDAT></CLREF><PDAT>, hollow.</PDAT></PTEXT></PARA></CLM>
</CL></SDOCL><SDODR><EMI ID="EMI-D00000" FILE="X.TIF"></SDODR></PATDOC>
"""

GREENBOOK = """PATN
WKU  039302717
SRC  5
APN  5328756
APT  1
APD  19741216
TTL  Hollow pump
ISD  19760106
NCL  2
CLAS
OCL    2161A
ICL  F04B 5314
ICL  A47L  514
UREF
PNO  2379430
ISD  19450700
FREF
PNO  1234567
CNT  JPX
OREF
PAL  Pumps, Vol. 2.
ABST
PAL  A pump is
      hollow.
BSUM
PAR  It pumps.
CLMS
STM  What I claim is:
NUM  1.
PAR  1. A pump comprising a housing at 20.degree. C. and a
      shaft of CO.sub.2 :
PA1  (a) turning.
NUM  2.
PAR  2. A pump in accordance with claim 1 that is hollow.
"""


def epo(claims=2, lang="en"):
    """Write an ST.36 grant with three claim sets."""
    words = {
        "en": ["A pump.", "A pump according to claim 1, which is hollow."],
        "de": ["Pumpe.", "Pumpe nach Anspruch 1, die hohl ist."],
        "fr": ["Pompe.", "Pompe selon la revendication 1, qui est creuse."],
    }
    sets = "".join(
        f'<claims id="claims0{i}" lang="{code}">'
        + "".join(
            f'<claim id="c-{code}-000{n}" num="000{n}"><claim-text>{text}</claim-text></claim>'
            for n, text in enumerate(texts[:claims], 1)
        )
        + "</claims>"
        for i, (code, texts) in enumerate(words.items(), 1)
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<ep-patent-document id="EP85106915B2" lang="{lang}" country="EP" doc-number="0166996" kind="B2" date-publ="19941221">
<SDOBI lang="{lang}"><B100><B110>0166996</B110></B100><B200><B210>85106915.3</B210><B220><date>19850604</date></B220></B200>
<B500><B510EP><classification-ipcr sequence="1"><text>F04B  53/14        20060101AFI20030117BHEP        </text></classification-ipcr></B510EP>
<B510><B511> 5F 16K   1/02   A</B511></B510>
<B540><B541>de</B541><B542>Hohlpumpe</B542><B541>en</B541><B542>Hollow pump</B542></B540>
<B560><B561><text>EP-A1- 0 444 678</text></B561><B562><text>Pumps.</text></B562></B560></B500></SDOBI>
{sets}</ep-patent-document>
"""


def marec(kind="A1", date="20000517", claims="", abstract="A pump.", lang="EN"):
    """Write a MAREC document."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE patent-document PUBLIC "-//MXW//DTD patent-document XML//EN" "http://nowhere/patent-document.dtd">
<patent-document ucid="EP-1000000-{kind}" country="EP" doc-number="1000000" kind="{kind}" lang="{lang}" family-id="19768124" date="{date}">
<bibliographic-data><application-reference ucid="EP-99203729-A"><document-id><country>EP</country><doc-number>99203729</doc-number><kind>A</kind><date>19991108</date></document-id></application-reference>
<technical-data><classification-ipc><main-classification>F04B  53/14</main-classification></classification-ipc>
<classifications-ipcr><classification-ipcr>F16K   1/02        20060101C I20051008RMEP        </classification-ipcr></classifications-ipcr>
<invention-title lang="DE">Pumpe</invention-title><invention-title lang="EN">Pump</invention-title></technical-data>
<citations><patent-citations><patcit ucid="DE-3546191-A1"><sources><source category="X"/></sources></patcit></patent-citations></citations>
</bibliographic-data>
<abstract lang="EN"><p>{abstract}</p></abstract>
{claims}
</patent-document>
"""


WHOLE_SET = """<claims load-source="ep" lang="EN"><claim num="1"><claim-text>1. A pump with a rod. EPO <DP n="4"/>2. The pump of claim 1, as in FIG. 3. A.
3. The pump of claim 2.</claim-text></claim></claims>"""

OPS = """<?xml version="1.0" encoding="UTF-8"?>
<ops:world-patent-data xmlns="http://www.epo.org/exchange" xmlns:ops="http://ops.epo.org" xmlns:ftxt="http://www.epo.org/fulltext">
<ftxt:fulltext-documents><ftxt:fulltext-document system="ops.epo.org"><bibliographic-data><publication-reference data-format="docdb">
<document-id><country>EP</country><doc-number>1000000</doc-number><kind>A1</kind></document-id></publication-reference></bibliographic-data>
<claims xmlns="http://www.epo.org/fulltext" lang="EN"><claim>{claims}</claim></claims></ftxt:fulltext-document></ftxt:fulltext-documents></ops:world-patent-data>
"""

HUPD = {
    "application_number": "13817165",
    "publication_number": "US20130296823A1-20131107",
    "title": "Hollow pump",
    "decision": "ACCEPTED",
    "date_published": "20131107",
    "main_cpc_label": "A61M51723",
    "cpc_labels": ["A61M51723"],
    "main_ipcr_label": "A61M5172",
    "ipcr_labels": ["A61M5172", "G06F1730", "F04B5314"],
    "patent_number": "None",
    "filing_date": "20130215",
    "abstract": "A pump.",
    "claims": "What is claimed is: 1-2. (canceled) 3. A pump as in FIG. 4. A is it. 4.The pump of claim 3. 5. The pump of claim 3 or 4.",
    "full_description": "It pumps.",
}

GOOGLE = {
    "publication_number": "US-2015340890-A1",
    "application_number": "US-201514718392-A",
    "country_code": "US",
    "kind_code": "A1",
    "family_id": "53199817",
    "title_localized": [{"text": "Hollow pump", "language": "en"}],
    "abstract_localized": [{"text": "A pump.", "language": "en"}],
    "claims_localized": [
        {"text": "What is claimed is: \n     \n       1 . A pump.  \n 2 . The pump ofclaim 1 . ", "language": "en"},
        {"text": "1. Pumpe. 2. Pumpe nach Anspruch 1.", "language": "de"},
    ],
    "publication_date": 20151126,
    "filing_date": 20150521,
    "ipc": [{"code": "F16K1/02", "first": False}, {"code": "F04B53/14", "first": True}],
    "cpc": [{"code": "F04B53/144", "inventive": True}],
    "citation": [
        {"publication_number": "US-5123456-A", "category": "SEA", "npl_text": ""},
        {"publication_number": "", "category": "", "npl_text": "Pumps."},
    ],
}  # fmt: skip

PATENTSVIEW = (
    '"patent_id"\t"claim_sequence"\t"claim_text"\t"dependent"\t"claim_number"\t"exemplary"\n'
    '"10000001"\t1\t"2. The pump\nof claim 1."\t"claim 1"\t"00002"\t0\n'
    '"10000001"\t0\t"1. A ""hollow"" pump."\t""\t"00001"\t1\n'
    '"D345393"\t0\t"The ornamental design for a pump."\t""\t"00001"\t1\n'
)

EP_ROWS = (
    "EP\t1000000\tB1\t2003-02-12\ten\tTITLE\tHollow pump\n"
    "EP\t1000000\tB1\t2003-02-12\tde\tTITLE\tHohlpumpe\n"
    'EP\t1000000\tB1\t2003-02-12\ten\tDESCR\t<p id="p0001">It pumps.</p>\n'
    'EP\t1000000\tB1\t2003-02-12\tde\tCLAIM\t<claim id="c-de-01-0001" num="0001"><claim-text>Pumpe.</claim-text></claim>\n'
    'EP\t1000000\tB1\t2003-02-12\ten\tCLAIM\t<claim id="c-en-01-0001" num="0001"><claim-text>A pump.</claim-text></claim>'
    '<claim id="c-en-01-0002" num="0002"><claim-text>The pump of claim 1 &amp; more.</claim-text></claim>\n'
    "EP\t1000001\tA1\t2000-05-17\txx\tTITLE\tFan\n"
    "EP\t1000001\tA1\t2000-05-17\tfr\tCLAIM\t<claim num=\"0001\"><claim-text>Ventilateur.</claim-text></claim>\n"
)  # fmt: skip

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def docx(numbered=True):
    """Write a Word file whose claims are a numbered list."""
    number = '<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>'
    deeper = number.replace('ilvl w:val="0"', 'ilvl w:val="1"')

    def line(text, properties=""):
        return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"

    first, second = ("", "") if numbered else ("1. ", "2. ")
    style = number if numbered else ""
    body = (
        line("Hollow pump") + line("It pumps in 3 ways.") + line("What is claimed is:")
        + line(f"{first}A pump comprising", style) + line("a shaft; and", deeper if numbered else "")
        + line("a housing.", deeper if numbered else "")
        + line(f"{second}The pump of claim 1.", style)
    )  # fmt: skip
    numbering = f"""<w:numbering {_W}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>"""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "word/document.xml", f"<w:document {_W}><w:body>{body}</w:body></w:document>"
        )
        archive.writestr("word/numbering.xml", numbering)
    return held.getvalue()


def everything() -> dict[str, bytes]:
    """Give one file of each format, by name."""
    texts = {
        "grant.xml": redbook(),
        "week.xml": redbook() + redbook("08621663") + redbook("D0697285", "S1", [("00001", "The ornamental design.", ())]),
        "application.xml": redbook("20150075015", "A2", root="us-patent-application"),
        "pap.xml": PAP,
        "patdoc.sgm": SGML,
        "greenbook.txt": GREENBOOK + GREENBOOK.replace("039302717", "039302725"),
        "ep.xml": epo(),
        "marec.xml": marec(claims=WHOLE_SET),
        "ops.xml": OPS.replace("{claims}", "<claim-text>Claims\n1. A pump.\n2. The pump of claim 1.</claim-text>"),
        "hupd.json": json.dumps(HUPD, indent=1),
        "google.jsonl": json.dumps(GOOGLE) + "\n" + json.dumps({**GOOGLE, "publication_number": "US-7650331-B1"}) + "\n",
        "claims.tsv": PATENTSVIEW,
        "ep.tsv": EP_ROWS,
        "draft.txt": "Hollow pump\n\nClaims\n1. A pump.\n2. The pump of claim 1.\n",
        "own.jsonl": json.dumps({"number": "KR100866101B1", "language": "ko", "claims": ["펌프.", "제1항에 있어서, 펌프."]}) + "\n",
    }  # fmt: skip
    return {**{name: text.encode() for name, text in texts.items()}, "draft.docx": docx()}

"""Documents of each format, written for the tests: one pump in every office's clothes."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

_HERE = Path(__file__).parent / "documents"
PAP = (_HERE / "pap.xml").read_text()
SGML = (_HERE / "patdoc.sgm").read_text()
GREENBOOK = (_HERE / "greenbook.txt").read_text()
OPS = (_HERE / "ops.xml").read_text()
PATENTSVIEW = (_HERE / "claims.tsv").read_text()
EP_ROWS = (_HERE / "ep.tsv").read_text()
HUPD = json.loads((_HERE / "hupd.json").read_text())
GOOGLE = json.loads((_HERE / "google.json").read_text())


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

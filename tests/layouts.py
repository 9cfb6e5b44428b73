"""Small files in the exact public layouts of HUPD, CLEF-IP 2011, USPTO-70k and DAPFAM.

Every set gets its own invented patents; the labels are dealt in turn, so that all parts have all."""

from __future__ import annotations

import csv
import functools
import io
import json
import tarfile
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from phage.claims import Patent
from phage.claims.text import claims_text
from phage.invented import invent

CLASSES = ("F04B 53/14", "H02M 7/493", "A61K 31/495")


@functools.cache
def pool() -> tuple[Patent, ...]:
    """Invented patents, one of each family, the same in every test."""
    families = {i.patent.family: i.patent for i in invent(240, seed=11)}
    patents = [replace(p, ipc=(CLASSES[n % 3],)) for n, p in enumerate(families.values())]
    assert len(patents) >= 210
    return tuple(patents[:210])


def hupd_row(n: int, patent: Patent, **changed: object) -> dict[str, object]:
    """One application of HUPD, all its keys."""
    label = patent.ipc[0].replace(" ", "").replace("/", "")
    row = {
        "application_number": str(14_000_000 + n), "publication_number": f"US2016{n:07}A1-20160107",
        "title": patent.title, "decision": "ACCEPTED", "date_produced": "20160101",
        "date_published": "20160107", "main_cpc_label": label, "cpc_labels": [label],
        "main_ipcr_label": label, "ipcr_labels": [label, "G06F1730"],
        "patent_number": str(9_000_000 + n) if n % 2 else "", "filing_date": f"{2013 + n % 5}0304",
        "patent_issue_date": "", "abandon_date": "", "uspc_class": "1", "uspc_subclass": "2",
        "examiner_id": "", "examiner_name_last": "", "examiner_name_first": "",
        "examiner_name_middle": "", "inventor_list": [], "abstract": patent.abstract,
        "claims": f"What is claimed is: {claims_text(patent.claims)}", "background": "",
        "summary": "", "full_description": "Long.",
    }  # fmt: skip
    return {**row, **changed}


def write_hupd(
    folder: Path, rows: list[dict[str, object]] | None = None
) -> list[dict[str, object]]:
    """One archive per filing year, one JSON file per application."""
    rows = rows or [hupd_row(n, patent) for n, patent in enumerate(pool()[:50])]
    folder.mkdir(parents=True, exist_ok=True)
    for year in range(2013, 2018):
        with tarfile.open(folder / f"{year}.tar.gz", "w:gz") as archive:
            for row in rows:
                if str(row["filing_date"]).startswith(str(year)):
                    data = json.dumps(row).encode()
                    member = tarfile.TarInfo(f"{year}/{row['application_number']}.json")
                    member.size = len(data)
                    archive.addfile(member, io.BytesIO(data))
    return rows


MAREC = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE patent-document PUBLIC "-//MXW//DTD patent-document XML//EN" "http://www.ir-facility.org/dtds/patents/v1.4/patent-document.dtd">
<patent-document ucid="EP-{number}-{kind}" country="EP" doc-number="{number}" kind="{kind}" lang="EN" family-id="{family}" status="new" date-produced="20090605" date="20010103">
<bibliographic-data><publication-reference ucid="EP-{number}-{kind}"><document-id><country>EP</country><doc-number>{number}</doc-number><kind>{kind}</kind><date>20010103</date></document-id></publication-reference>
<application-reference ucid="EP-{application}-A"><document-id><country>EP</country><doc-number>{application}</doc-number><kind>A</kind><date>19991112</date></document-id></application-reference>
<technical-data><classifications-ipcr><classification-ipcr>{ipc}        20060101C I20051008RMEP        </classification-ipcr></classifications-ipcr>
<invention-title lang="EN">{title}</invention-title></technical-data></bibliographic-data>
<abstract lang="EN"><p>{abstract}</p></abstract>
<claims load-source="ep" status="new" lang="EN">{claims}</claims>
</patent-document>
"""


def write_clefip(folder: Path) -> None:
    """The unpacked tree: a folder per patent, a file per kind."""
    for n, patent in enumerate(pool()[50:110]):
        number = f"1{n:06}"
        place = folder / "EP" / "000001" / number[1:3] / number[3:5] / number[5:7]
        place.mkdir(parents=True, exist_ok=True)
        claims = "".join(
            f'<claim num="{c.number}"><claim-text>{c.number}. {c.text}</claim-text></claim>'
            for c in patent.claims
        )
        for kind in ("A1", "B1") if n % 4 == 0 else ("A1",):
            filled = MAREC.format(
                number=number, kind=kind, family=500 + n, application=f"99{n:06}",
                ipc=patent.ipc[0].replace(" ", "   "), title=patent.title,
                abstract=patent.abstract, claims=claims,
            )  # fmt: skip
            (place / f"EP-{number}-{kind}.xml").write_text(filled, encoding="utf-8")
    (folder / "WO").mkdir(exist_ok=True)


USPTO_70K = ["patent_id", "title", "abstract", "claims", "brief-summary", "fig-desc",
             "detail-desc", "labels"]  # fmt: skip


def write_uspto70k(folder: Path) -> None:
    """Three CSV files; labels as Python lists."""
    folder.mkdir(parents=True, exist_ok=True)
    patents = list(pool()[110:160])
    for part, count in (("train", 30), ("dev", 8), ("test", 12)):
        with (folder / f"{part}.csv").open("w", newline="", encoding="utf-8") as stream:
            table = csv.writer(stream)
            table.writerow(USPTO_70K)
            for _ in range(count):
                patent = patents.pop(0)
                n = 50 - len(patents)
                labels = sorted({patent.ipc[0][:4], CLASSES[(n // 3) % 3][:4]})
                claims = claims_text(patent.claims).replace(". 2. ", ".\n2. ")
                table.writerow([7_650_000 + n, patent.title, patent.abstract, claims, "", "",
                                "Long.", repr(labels)])  # fmt: skip


def write_dapfam(folder: Path) -> None:
    """Corpus, queries and judgements as Parquet, with the columns of the hub."""
    folder.mkdir(parents=True, exist_ok=True)

    def fields(patent: Patent) -> dict[str, object]:
        return {
            "title_en": patent.title, "abstract_en": patent.abstract,
            "claims_text": claims_text(patent.claims), "description_en": "Long.",
            "classifications_ipcr_list_first_three_chars_list": [patent.ipc[0][:3]],
        }  # fmt: skip

    corpus = [{"relevant_id": f"{n:03}-55{n}", **fields(p)} for n, p in enumerate(pool()[160:200])]
    queries = [
        {"query_id": f"{n:03}-77{n}", **fields(p), "abstract_keywords": "a; b"}
        for n, p in enumerate(pool()[200:210])
    ]
    judged = [
        {
            "query_id": query["query_id"], "relevant_id": corpus[(4 * n + k) % 40]["relevant_id"],
            "relevance_score": float(k < 3), "domain_rel": ("IN", "IN", "OUT", "NC")[k],
        }
        for n, query in enumerate(queries)
        for k in range(4)
    ]  # fmt: skip
    for name, rows in (("corpus", corpus), ("queries", queries), ("qrels_all", judged)):
        pq.write_table(pa.Table.from_pylist(rows), folder / f"{name}.parquet")

"""Claim charts and diffs through the service: the same as in Python, as JSON and as files."""

from __future__ import annotations

import io
import zipfile

import numpy as np

from phage.claims.readers import draft
from phage.compare.chart import chart, vectors_by
from phage.compare.diff import diff

TEXT = "1. A pump comprising: a shaft of steel; and a housing.\n2. The pump of claim 1, being red."
OTHER = {
    "text": "1. A drive with a shaft, wherein the housing is of steel.\n2. The drive of claim 1."
}


def test_a_chart_is_what_the_library_makes(client, encoder):
    asked = {"patent": {"text": TEXT}, "other": OTHER, "claims": [1, 2]}
    said = client.post("/chart", json=asked).json()
    ours, theirs = draft.patent(TEXT), draft.patent(OTHER["text"])
    right = chart(ours, theirs, vectors_by(encoder), (1, 2)).to_json()
    assert said["claims"] == [1, 2]
    assert [row["element"] for row in said["rows"]] == [row["element"] for row in right["rows"]]
    for row, wanted in zip(said["rows"], right["rows"], strict=True):
        scores = [match["score"] for match in row["matches"]]
        np.testing.assert_allclose(scores, [m["score"] for m in wanted["matches"]], atol=2e-4)
        text = row["element"]["text"]
        for start, end in row["matches"][0]["missing"]:
            assert text[start:end]


def test_a_draft_against_an_indexed_patent_and_two_of_them(client):
    said = client.post(
        "/chart", json={"patent": {"text": TEXT}, "other": {"number": "US1000003"}}
    ).json()
    assert said["other"] == "US1000003B2"
    assert {row["element"]["claim"] for row in said["rows"]} == {1}
    said = client.post(
        "/chart", json={"patent": {"number": "US1000003"}, "other": {"number": "US1000004"}}
    ).json()
    assert (said["number"], said["other"]) == ("US1000003B2", "US1000004B2")


def test_files(client):
    asked = {"patent": {"text": TEXT}, "other": OTHER}
    page = client.post("/chart", json={**asked, "ending": ".html"})
    assert page.headers["content-type"].startswith("text/html")
    assert "1[pre]" in page.text
    for ending, part in ((".xlsx", "xl/workbook.xml"), (".docx", "word/document.xml")):
        data = client.post("/chart", json={**asked, "ending": ending}).content
        assert part in zipfile.ZipFile(io.BytesIO(data)).namelist()


def test_a_diff_is_what_the_library_makes(client):
    asked = {"patent": {"text": TEXT}, "other": {"text": TEXT.replace("red", "blue")}}
    made = diff(draft.patent(TEXT), draft.patent(asked["other"]["text"])).to_json()
    said = client.post("/diff", json=asked).json()
    assert said["counts"] == made["counts"] and said["counts"]["amended"] == 1
    assert said["claims"][1]["pieces"] == list(made["claims"][1]["pieces"])
    page = client.post("/diff", json={**asked, "ending": ".html"})
    assert "<del>red</del><ins>blue</ins>" in page.text
    word = client.post("/diff", json={**asked, "ending": ".docx"}).content
    assert "word/document.xml" in zipfile.ZipFile(io.BytesIO(word)).namelist()
    both = {"patent": {"number": "US1000003"}, "other": {"number": "US1000004"}}
    assert client.post("/diff", json=both).json()["after"] == "US1000004B2"
    assert client.post("/diff", json={**both, "other": {"number": "US7"}}).status_code == 404


def test_problems(client):
    for asked, status in (
        ({"patent": {"text": TEXT}}, 422),
        ({"patent": {}, "other": OTHER}, 422),
        ({"patent": {"text": "1. ;"}, "other": OTHER}, 422),
        ({"patent": {"text": TEXT}, "other": {"text": "1. ;"}}, 422),
        ({"patent": {"text": TEXT}, "other": OTHER, "claims": [7]}, 422),
        ({"patent": {"text": TEXT}, "other": OTHER, "ending": ".exe"}, 422),
        ({"patent": {"number": "US7"}, "other": OTHER}, 404),
    ):
        answer = client.post("/chart", json=asked)
        assert answer.status_code == status, answer.text
        assert answer.json()["detail"]

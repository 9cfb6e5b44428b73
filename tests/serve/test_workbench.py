"""The routes behind the workbench: checks, the legal layer, tables, JSON drafts."""

from __future__ import annotations

import csv
import io
import json
import zipfile

import pytest

from phage.checking import CheckSettings, Office, check
from phage.claims.readers import draft

TEXT = """1. A pump comprising a shaft; a rotor; and the cap.
2. The pump of claim 1, wherein the rotor is fixed to the shaft.
3. The pump of claim 9, wherein the rotor turns"""


@pytest.mark.parametrize("office", ["US", "EP"])
def test_a_check_is_what_the_library_finds(client, office):
    said = client.post("/check", json={"text": TEXT, "office": office}).json()
    report = check(draft.patent(TEXT), CheckSettings(Office(office))).to_json()
    assert said["report"] == report
    for finding in said["report"]["findings"]:
        text = said["claims"][finding["claim"] - 1]["text"]
        assert text[finding["start"] : finding["end"]] == finding["text"]


def test_claims_come_with_references_mentions_and_elements(client):
    first, second, third = client.post("/check", json={"text": TEXT}).json()["claims"]
    shaft = next(one for one in second["mentions"] if one["term"] == "shaft")
    place = shaft["antecedents"][0]
    assert place["claim"] == 1
    assert first["text"][place["start"] : place["end"]] == "a shaft"
    assert second["references"][0]["parents"] == [1]
    assert third["references"][0]["broken"] == [{"claim": 9, "reason": "missing"}]
    assert third["unchecked"] == "claim 9 does not exist"
    parts = [first["text"][one["start"] : one["end"]] for one in first["elements"]]
    assert parts == ["A pump comprising", "a shaft", "a rotor", "the cap."]


def test_a_check_of_claims_of_a_number_and_of_nothing(client):
    claims = [{"number": 1, "text": "A cup with the lid."}]
    said = client.post("/check", json={"claims": claims, "strict": True}).json()
    assert said["report"]["settings"]["strict"]
    assert said["report"]["findings"][0]["rule"] == "antecedent-missing"
    said = client.post("/check", json={"number": "US1000003"}).json()
    assert said["report"]["number"] == "US1000003B2"
    for body in ({}, {"text": " "}, {"text": TEXT, "office": "XX"}, {"text": TEXT, "extra": 1}):
        assert client.post("/check", json=body).status_code == 422
    assert client.post("/check", json={"number": "US7"}).status_code == 404


def test_the_graph_has_a_legal_layer_and_no_broken_claim_is_independent(client):
    said = client.post("/graph", json={"text": TEXT, "svg": False}).json()
    assert [(one["source"], one["target"]) for one in said["legal"]["edges"]] == [(1, 2)]
    assert said["legal"]["broken"] == {"3": "claim 9 does not exist"}
    assert [row["independent"] for row in said["rows"]] == [True, False, False]
    assert [row["broken"] for row in said["rows"]] == ["", "", "claim 9 does not exist"]


def test_hits_as_tables(client):
    hits = client.post("/search", json={"query": "a pump", "top": 3}).json()["hits"]
    assert all(hit["cosine"] is not None for hit in hits)
    assert any(hit["words"] for hit in hits)
    rows = [{**hit, "query": "=a pump", "rank": 7} for hit in hits]
    answer = client.post("/table", json={"ending": ".csv", "hits": rows})
    assert answer.headers["content-type"].startswith("text/csv")
    read = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert [row["number"] for row in read] == [hit["number"] for hit in hits]
    assert {row["query"] for row in read} == {"'=a pump"}  # no cell becomes a formula
    assert {row["rank"] for row in read} == {"7"}
    answer = client.post("/table", json={"ending": ".xlsx", "hits": rows})
    book = zipfile.ZipFile(io.BytesIO(answer.content))
    assert book.read("xl/worksheets/sheet1.xml").count(b"<row ") == 4
    odd = [{"score": "inf"}, {"cosine": "nan"}, {"rank": 10**60}, {"match": {"claim": 10**60}}]
    wrong = [{"hits": [{"number": "US1A", **values}], "ending": ".xlsx"} for values in odd]
    for body in (
        {"hits": []}, {"hits": rows, "ending": ".exe"}, {"hits": [{"title": "x"}]}, *wrong
    ):  # fmt: skip
        assert client.post("/table", json=body).status_code == 422


def test_a_patent_as_json(client):
    one = {"number": "US7A1", "title": "A cup", "claims": [{"number": 1, "text": "A cup."}]}
    for name, text in (
        ("a.json", json.dumps(one, indent=1)),
        ("a.jsonl", json.dumps(one) + "\n" + json.dumps(one)),
        ("A.JSON", json.dumps([one])),
    ):
        said = client.post("/read", files={"file": (name, text.encode())}).json()
        assert (said["number"], said["title"], len(said["claims"])) == ("US7A1", "A cup", 1)
    for text in ("", "{", "[]", "{}", '{"number": "US7"}', '{"number": "US7", "claims": 3}'):
        answer = client.post("/read", files={"file": ("a.json", text.encode())})
        assert answer.status_code == 422, text
        assert answer.json()["remedy"]


def test_a_repeated_and_a_cancelled_number_come_back_as_printed(client):
    text = b"1. A lid.\n2. The lid of claim 1.\n2. The lid of claim 1, being red.\n4. (canceled)"
    said = client.post("/read", files={"file": ("d.txt", text)}).json()
    assert [claim.get("printed") for claim in said["claims"]] == [None, None, 2]
    assert said["cancelled"] == [4]

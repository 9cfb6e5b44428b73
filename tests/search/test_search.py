"""Index, search, filters: on a tiny real model and patents written here."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from phage.claims import Claim, Patent
from phage.cli import app
from phage.encoder import Encoder
from phage.errors import PhageError
from phage.searching import (
    Index,
    Level,
    NotIndexed,
    Rank,
    Search,
    find,
    from_index,
    from_patent,
    from_text,
    parse,
)
from phage.searching.asking import from_file, understand
from phage.searching.queries import query_of
from phage.searching.ranking import combined, fused, rank

pytest.importorskip("lancedb")

KINDS = {
    "F04B 1/00": "a pump with a shaft",
    "H02M 7/49": "the housing of steel",
    "A61B 5/00": "claim 4 coupled to claim 5",
}


def patents(count: int = 12) -> list[Patent]:
    made = []
    for place in range(count):
        ipc, words = list(KINDS.items())[place % 3]
        claims = (Claim(1, words), Claim(2, f"the pump of claim 1 wherein {words} is {place % 5}"))
        made.append(
            Patent(
                f"US{1000000 + place}B2",
                claims,
                family=f"f{place // 2}",
                title=f"{words} {place}",
                ipc=(ipc,),
                publication_date=f"20{10 + place % 10}-01-07",
            )
        )
    return made


@pytest.fixture
def encoder(tiny):
    return Encoder.from_pretrained(tiny, device="cpu")


@pytest.fixture
def index(encoder, tmp_path):
    made = Index.create(tmp_path / "my.index", encoder)
    made.add(patents(), encoder)
    made.finish()
    return made


def test_ranking_is_the_exact_cosine(index, encoder):
    query = from_text("a pump with steel housing", encoder)
    hits = find(index, query, Search(top=12, rank=Rank.VECTOR))
    rows = [found.patent for found in encoder.read(patents())]
    truth = np.stack(rows) @ query.vector
    np.testing.assert_allclose([hit.score for hit in hits], -np.sort(-truth), atol=2e-4)


def test_the_matching_claims_are_the_most_alike_pair(index, encoder):
    draft = Patent("draft", (Claim(1, "steel"), Claim(2, "claim 4 coupled to claim 5")))
    hit = find(index, from_patent(draft, encoder), Search(top=1, filters=parse("ipc:A61B")[1]))[0]
    (mine,) = encoder.read([draft])
    row = index.get(hit.number)
    (theirs,) = encoder.read([next(p for p in patents() if p.number == hit.number)])
    likeness = mine.vectors @ theirs.vectors.T
    asked, found = np.unravel_index(likeness.argmax(), likeness.shape)
    assert (hit.match.query_claim, hit.match.claim) == (asked + 1, found + 1)
    assert hit.match.text == row["claims"][found]["text"]


def test_a_patent_is_not_its_own_hit_and_needs_no_kind_code(index):
    query = from_index(index, "US1000003")
    assert query.numbers == ("US1000003B2",)
    assert "US1000003B2" not in [hit.number for hit in find(index, query, Search(top=50))]
    with pytest.raises(NotIndexed, match="not in this index") as unknown:
        from_index(index, "US 7,654,321 B2")
    assert unknown.value.code == 1


def test_filters_hold_for_every_hit(index, encoder):
    words, filters = parse("a pump ipc:H02M date:2012..2018 office:US language:en")
    hits = find(index, from_text(words, encoder), Search(top=50, filters=filters))
    truth = [
        p for p in patents() if p.subclass == "H02M" and "2012" <= p.publication_date <= "2019"
    ]
    assert {hit.number for hit in hits} == {p.number for p in truth}


@pytest.mark.parametrize(
    "bad", ["ipc:'; DROP", "date:soon", "language:english", "office:U'", "ipc:Z99"]
)
def test_a_wrong_filter_is_named_with_the_right_form(bad):
    with pytest.raises(PhageError, match="write"):
        parse(f"pump {bad}")


@given(st.text(max_size=60))
def test_any_text_parses_or_is_refused_cleanly(words):
    try:
        _, filters = parse(words)
    except PhageError:
        return
    quotes = filters.condition.count("'")
    assert quotes % 2 == 0


def test_hybrid_and_families(index, encoder):
    hits = find(index, from_text("pump steel", encoder), Search(top=6, collapse=True))
    families = [hit.family for hit in hits]
    assert len(set(families)) == len(families)


def test_adding_again_changes_nothing_and_a_change_replaces(index, encoder):
    again = index.add(patents(), encoder)
    assert (again.added, again.unchanged) == (0, 12)
    changed = replace(patents()[0], title="steel")
    assert index.add([changed], encoder).added == 1
    assert (len(index), index.get(changed.number)["title"]) == (12, "steel")
    assert index.delete([changed.number, "US9"]) == 1
    assert len(index) == 11


def test_another_model_is_refused(index, tiny, tmp_path):
    import shutil

    other = tmp_path / "other"
    shutil.copytree(tiny, other)
    with pytest.raises(PhageError, match="made with the model"):
        Index.create(index.path, Encoder.from_pretrained(other, device="cpu"))


def test_a_patents_own_vector_may_be_of_its_title_and_abstract_too(encoder, tmp_path):
    told = [replace(p, abstract=f"abstract of {p.title}") for p in patents(4)]
    bare = replace(told[0], number="US1B2", title="", abstract="")
    index = Index.create(tmp_path / "tac.index", encoder, "tac")
    index.add([*told, bare], encoder)
    text = f"{told[0].title} {told[0].abstract} 1. {told[0].claims[0].text}"
    (vector,) = encoder.encode([f"{text} 2. {told[0].claims[1].text}"])
    row = Index.open(index.path).get(told[0].number)
    np.testing.assert_allclose(row["vector"], vector, atol=1e-6)
    np.testing.assert_allclose(  # with neither, the claims are all there is
        index.get("US1B2")["vector"], encoder.encode([bare])[0], atol=1e-6
    )
    # a draft is read as the index was, and finds itself
    query = from_patent(replace(told[0], number="draft"), encoder, index.settings.section)
    assert find(index, query, Search(top=1))[0].cosine == pytest.approx(1.0, abs=2e-4)
    assert find(index, query, Search(top=1))[0].match.score == pytest.approx(1.0, abs=2e-3)
    with pytest.raises(PhageError, match="from 'tac'") as refused:
        Index.create(index.path, encoder)
    assert "--section tac" in refused.value.remedy


def test_an_index_of_before_is_refused_with_the_command_that_rebuilds_it(index):
    settings = json.loads((index.path / "index.json").read_text())
    (index.path / "index.json").write_text(json.dumps({**settings, "format": 1}))
    with pytest.raises(PhageError, match="format 1") as refused:
        Index.open(index.path)
    assert f"phage index SOURCES -o {index.path}.new" in refused.value.remedy


def owned():
    """Patents of two owners."""
    names = [("Acme & Co., Inc.", "Jane Doe"), ("General Pumps GmbH", "Max Mustermann")]
    return [
        replace(p, assignees=(names[n % 2][0],), inventors=(names[n % 2][1],), cpc=("Y02E 10/20",),
                application=f"US1312345{n}")
        for n, p in enumerate(patents(4))
    ]  # fmt: skip


FIELDS = {
    "assignee:acme": {"US1000000B2", "US1000002B2"},
    'assignee:"general pumps"': {"US1000001B2", "US1000003B2"},
    "inventor:muster": {"US1000001B2", "US1000003B2"},
    "inventor:cme": set(),
    "cpc:Y02E": {f"US100000{n}B2" for n in range(4)},
    "ipc:Y02E": set(),
    "family:f1": {"US1000002B2", "US1000003B2"},
    "date:2011..2012-06": {"US1000001B2", "US1000002B2"},
    "language:de": set(),
    "cpc:Y02E10/20 inventor:doe office:us": {"US1000000B2", "US1000002B2"},
    '"a shaft" assignee:acme': {"US1000000B2"},
    "“a shaft” assignee:“Acme”": {"US1000000B2"},
    "cpc:Y02E 10/20 AND inventor:doe": {"US1000000B2", "US1000002B2"},
    "assignee:acme -inventor:doe": set(),
    "NOT assignee:acme AND inventor:muster": {"US1000001B2", "US1000003B2"},
    "NOT date:2011..2012-06": {"US1000000B2", "US1000003B2"},
}
MISREAD = {
    "ipc: F04D": "no value",
    "pump office:": "no value",
    "ipc:F04D OR ipc:H02M": "OR beside",
    "pump OR ipc:H02M": "OR beside",
    "date:20140615": "cannot be read",
    "date:2014-13": "cannot be read",
    "date:2016..2014": "cannot be read",
    "*": "no word",
    '""': "no word",
    "US8621662B2, EP 1 234 567": "several numbers",
    "US8621662 EP1234567": "several numbers",
}


@pytest.mark.parametrize("words", MISREAD)
def test_what_is_not_understood_is_not_searched_for(words):
    with pytest.raises(PhageError, match=MISREAD[words]) as refused:
        understand(words)
    assert refused.value.remedy


def test_words_in_the_filter_are_not_passed_over(index):
    for where in ("F04D", "ipc:F04D pump"):
        with pytest.raises(PhageError, match="words without a field"):
            understand("a pump", where)
    assert understand("a pump", '"a shaft" ipc:F04D').filters.phrases == ("a shaft",)
    words = ["search", str(index.path), "a pump", "--queries", "queries.jsonl"]
    assert "a query beside --queries" in str(CliRunner().invoke(app, words).exception)


def test_a_file_that_holds_no_claims_says_why(tmp_path):
    path = tmp_path / "draft.pdf"
    path.write_bytes(b"%PDF-1.7")
    with pytest.raises(PhageError, match="PDF files cannot be read"):
        from_file(path)


def test_fields(encoder, tmp_path):
    index = Index.create(tmp_path / "ix", encoder)
    index.add(owned(), encoder)
    index.finish()
    for fields, wanted in FIELDS.items():
        words, filters = parse(f"pump {fields}")
        for level in Level:
            hits = find(index, from_text(words, encoder), Search(filters=filters, level=level))
            assert {hit.number for hit in hits} == wanted, fields
        if '"a' not in fields:  # only fields: all that meet them, and no model is needed
            run = CliRunner().invoke(app, ["search", str(index.path), fields, "--json"])
            assert {hit["number"] for hit in json.loads(run.stdout)["hits"]} == wanted, fields
    assert index.get("13/123,452")["number"] == "US1000002B2"


def test_a_wrong_field_is_an_error_that_lists_the_fields():
    with pytest.raises(PhageError, match="unknown field 'owner:'") as wrong:
        parse("a pump owner:acme")
    for name in ("ipc", "cpc", "assignee", "inventor", "date", "office", "language", "family"):
        assert f"{name}:" in wrong.value.remedy
    assert parse('a pump "owner:acme"')[0] == "a pump owner:acme"
    long = "a pump comprising:a shaft " * 12
    assert parse(long)[0] == long.strip()


def test_words_and_vectors_are_fused_on_their_own_scales():
    both = fused({"a": 0.9, "b": 0.8, "c": 0.1}, {"a": 1.0, "b": 30.0, "c": 1.0})
    assert max(both, key=both.get) == "b"
    assert fused({"a": 0.5}, {}) == {"a": 0.0}


def test_words_alone_and_vectors_alone(index, encoder):
    query = from_text("steel housing", encoder)
    words = rank(index, query, Search(top=4, rank=Rank.WORDS))
    assert all("steel" in index.get(one.number)["text"] for one in words)
    assert all(one.cosine is None for one in words)
    vectors = rank(index, query, Search(top=4, rank=Rank.VECTOR))
    assert all(one.words is None for one in vectors)


def test_each_candidate_has_both_scores_exactly(index, encoder):
    query = from_text("steel housing", encoder)
    both = rank(index, query, Search(top=12))
    alone = {
        by: {one.number: one.score for one in rank(index, query, Search(top=12, rank=by))}
        for by in (Rank.VECTOR, Rank.WORDS)
    }
    assert len(both) == 12  # those without a word of the query, too
    assert {one.number: one.cosine for one in both} == pytest.approx(alone[Rank.VECTOR])
    found = {one.number: one.words for one in both if one.number in alone[Rank.WORDS]}
    order = [sorted(scores, key=lambda n: (-scores[n], n)) for scores in (found, alone[Rank.WORDS])]
    assert order[0] == order[1]
    assert {one.words for one in both if one.number not in found} == {0.0}


def test_fields_that_nothing_meets_find_nothing(index, encoder):
    query = from_text("steel housing", encoder)
    for level in Level:
        how = Search(filters=parse("office:EP")[1], level=level)
        assert rank(index, query, how) == []


def test_a_number_of_ones_own_files_is_a_number(encoder, tmp_path):
    made = Index.create(tmp_path / "my.index", encoder)
    made.add([replace(one, number=f"file-{n}") for n, one in enumerate(patents())], encoder)
    query = query_of(made, understand("file-3"), lambda: encoder)
    assert query.numbers == ("file-3",)
    assert query_of(made, understand("file-99"), lambda: encoder).numbers == ()


def test_claims_are_found_on_their_own(index, encoder):
    hits = find(index, from_text("claim 4 coupled to claim 5", encoder), Search(level=Level.CLAIM))
    assert index.claims.count_rows() == 24
    assert len(hits) == 12 and len({hit.number for hit in hits}) == 12
    best = hits[0]
    row = index.get(best.number)
    assert best.match.text == row["claims"][best.match.claim - 1]["text"]
    assert best.score == pytest.approx(best.match.score, abs=2e-3)
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert any("coupled" in hit.match.terms for hit in hits)


def test_near_some_and_away_from_others(index):
    liked, unliked = from_index(index, "US1000000"), from_index(index, "1000001")
    query = combined([liked], [unliked])
    assert query.numbers == ("US1000000B2", "US1000001B2")
    assert np.linalg.norm(query.vector) == pytest.approx(1.0, abs=1e-5)
    assert query.vector @ unliked.vector < liked.vector @ unliked.vector
    assert not {*query.numbers} & {hit.number for hit in find(index, query, Search(top=50))}
    with pytest.raises(PhageError, match="only patents to stay away from"):
        combined([], [unliked])


def test_commands(tiny, tmp_path):
    source = tmp_path / "p.jsonl"
    source.write_text("\n".join(json.dumps(p.to_json()) for p in patents()))
    run = CliRunner()
    made = run.invoke(
        app, ["index", str(source), "-o", str(tmp_path / "ix"), "--model", str(tiny), "--json"]
    )
    assert made.exit_code == 0, made.output
    assert json.loads(made.stdout)["patents"] == 12
    draft = tmp_path / "draft.txt"
    draft.write_text("What is claimed is:\n1. A pump with a shaft.\n2. The pump of claim 1.\n")
    pasted = draft.read_text().partition("\n")[2]
    for words in ("a pump ipc:F04B", "us 1,000,003", f"@{draft}", pasted):
        found = run.invoke(app, ["search", str(tmp_path / "ix"), words, "--top", "3", "--json"])
        assert found.exit_code == 0, found.output
        hits = json.loads(found.stdout)["hits"]
        assert len(hits) == 3
        assert hits[0]["match"]["claim"] in (1, 2)
    other = ["-o", str(tmp_path / "tac"), "--model", str(tiny), "--section", "tac"]
    assert run.invoke(app, ["index", str(source), *other]).exit_code == 0
    found = run.invoke(app, ["search", str(tmp_path / "tac"), f"@{source}", "--json"])
    assert json.loads(found.stdout)["hits"][0]["cosine"] == pytest.approx(1.0, abs=2e-4)
    piped = run.invoke(app, ["search", str(tmp_path / "ix"), "-", "--json"], input=pasted)
    assert json.loads(piped.stdout)["kind"] == "claims"
    some = ["--like", "US1000000", "--like", "1000003", "--unlike", "1000001", "--json"]
    liked = json.loads(run.invoke(app, ["search", str(tmp_path / "ix"), *some]).stdout)["hits"]
    assert len(liked) == 9
    unknown = run.invoke(app, ["search", str(tmp_path / "ix"), "US 9,999,999 B2"])
    assert isinstance(unknown.exception, NotIndexed)
    few = ["index", str(source), "-o", str(tmp_path / "few"), "--model", str(tiny), "--limit", "5"]
    assert run.invoke(app, few).exit_code == 0
    assert len(Index.open(tmp_path / "few")) == 5
    assert isinstance(run.invoke(app, ["index", str(source), *other[:-2]]).exception, PhageError)
    shown = run.invoke(app, ["search", str(tmp_path / "ix"), "a pump", "--top", "1"])
    assert "claim" in shown.output
    empty = run.invoke(app, ["search", str(tmp_path / "nothing"), "pump"])
    assert isinstance(empty.exception, PhageError)


@pytest.mark.slow
def test_killed_at_any_moment_it_opens_and_a_rerun_completes_it(tiny, tmp_path):
    """Kill -9 at ten moments while it writes: whole commits open, at the end all are there once."""
    source, folder = tmp_path / "p.jsonl", tmp_path / "ix"
    source.write_text("\n".join(json.dumps(p.to_json()) for p in patents(6000)))
    words = [sys.executable, "-m", "phage", "index", str(source), "-o", str(folder)]
    words += ["--model", str(tiny), "--json"]
    chance = random.Random(11)

    def commits() -> int:
        return len(list(folder.rglob("*.manifest")))

    states = [0]
    for _ in range(10):
        wanted = commits() + 1 + chance.randrange(2)
        run = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while commits() < wanted and run.poll() is None:
            time.sleep(0.02)
        time.sleep(chance.uniform(0, 0.5))
        assert run.poll() is None, "it ended before it could be killed"
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        rows = len(Index.open(folder))
        assert rows % 256 == 0
        assert rows >= states[-1]
        states.append(rows)
    assert len(set(states)) > 5, states
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    assert json.loads(done.stdout)["patents"] == 6000
    numbers = Index.open(folder).table.to_arrow()["number"].to_pylist()
    assert sorted(numbers) == sorted(p.number for p in patents(6000))

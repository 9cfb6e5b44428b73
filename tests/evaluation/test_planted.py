"""Copies of test patents among training patents: found, named, refused, for all three sets."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

import layouts
from phage.claims import Claim, Patent, read, write
from phage.claims.copies import Leak
from phage.cli import app
from phage.evaluation.datasets import clefip, dapfam, uspto70k
from phage.evaluation.leakage import find_leaks
from phage.evaluation.tasks import Split
from phage.training.data import TrainingSet

SETS = {"clef-ip": clefip, "uspto-70k": uspto70k, "dapfam": dapfam}
WRITTEN = {
    "clef-ip": layouts.write_clefip,
    "uspto-70k": layouts.write_uspto70k,
    "dapfam": layouts.write_dapfam,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("public")
    for name, written in WRITTEN.items():
        written(place / name)
    layouts.write_hupd(place / "hupd")
    return place


@pytest.fixture
def run(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


def parts_of(folder, name):
    return list(SETS[name].read(folder / name).patents(Split.TEST))


def reworded(patent):
    """The same claims, one word in thirty another, under a number of its own."""
    words = " ".join(claim.text for claim in patent.claims).split()
    words = ["another" if n % 30 == 29 else word for n, word in enumerate(words)]
    return (Claim(1, " ".join(words)),)


def other(n):
    """An unrelated invention."""
    return replace(layouts.pool()[n], number=f"US2013{n:07}A1", application="", family="")


def plant(patent: Patent) -> dict[Leak, Patent]:
    """One training patent for each thing that can give a test patent away."""
    planted = {
        Leak.PUBLICATION: replace(other(1), publications=(patent.number,)),
        Leak.NEAR_DUPLICATE: replace(other(2), claims=reworded(patent)),
    }
    if patent.application:
        planted[Leak.APPLICATION] = replace(other(3), application=patent.application)
        planted[Leak.CONTINUATION] = replace(other(4), related=(patent.application,))
    if patent.family:
        planted[Leak.FAMILY] = replace(other(5), family=patent.family)
    return planted


def test_the_sets_are_read_with_the_numbers_they_give(folder):
    european, american, family = (parts_of(folder, name)[0] for name in SETS)
    assert european.number.startswith("EP1") and european.application and european.family
    assert american.number.startswith("US765") and american.cpc and american.title
    assert family.family == family.number and family.abstract
    assert all(len(p.claims) > 1 for p in (european, american, family))


@pytest.mark.parametrize("name", SETS)
def test_clean_training_patents_raise_no_alarm(folder, name):
    report = find_leaks(read(folder / "hupd"), parts_of(folder, name))
    assert report.trained == 50 and report.evaluated and not report.leaked


@pytest.mark.parametrize("name", SETS)
def test_planted_copies_are_found_and_named(folder, name, tmp_path, run):
    patent = parts_of(folder, name)[3]
    planted = plant(patent)
    assert len(planted) == {"clef-ip": 5, "uspto-70k": 2, "dapfam": 3}[name]
    write([*read(folder / "hupd"), *planted.values()], tmp_path / "train.parquet")
    where = {"uspto-70k": "uspto-70k/test.csv"}.get(name, name)
    done = run("leakage", tmp_path / "train.parquet", folder / where, "--json")
    assert done.exit_code == 1
    found = {(row["leak"], row["trained"]) for row in json.loads(done.stdout)["findings"]}
    assert {(str(leak), p.number) for leak, p in planted.items()} <= found
    assert {row["evaluated"] for row in json.loads(done.stdout)["findings"]} == {patent.number}


def test_hupd_and_uspto_70k_meet_under_the_grant_s_number(folder, tmp_path):
    """The application's own publication is another document; its grant is the test patent."""
    grant = parts_of(folder, "uspto-70k")[0]
    row = layouts.hupd_row(7, layouts.pool()[7], patent_number=grant.number.removeprefix("US"))
    layouts.write_hupd(tmp_path / "hupd", [row])
    (application,) = read(tmp_path / "hupd")
    assert application.number == "US20160000007A1"
    assert application.publications == (grant.number,)
    write([application], tmp_path / "kept.parquet")  # and the number outlives a table
    (finding,) = find_leaks(read(tmp_path / "kept.parquet"), [grant]).findings
    assert (finding.evaluated, finding.trained) == (grant.number, application.number)
    assert finding.leak is Leak.PUBLICATION


def test_an_amended_claim_set_is_given_away_by_its_abstract(folder):
    patent = parts_of(folder, "dapfam")[0]
    amended = replace(other(8), abstract=patent.abstract)
    (finding,) = find_leaks([amended], [patent]).findings
    assert finding.leak is Leak.NEAR_DUPLICATE and "abstract" in finding.evidence


def test_nothing_is_hashed_where_nothing_is_held_out(monkeypatch):
    from phage.claims import copies, duplicates

    monkeypatch.setattr(duplicates, "shingles", lambda _: pytest.fail("it hashes the text"))
    assert list(copies.Copies().find(other(1))) == []
    assert list(duplicates.NearDuplicates().like("a pump " * 99)) == []


def test_training_leaves_them_out_before_it_begins(folder, tmp_path, run, tiny):
    """One planted patent per set and kind: none is in the training set, each is named."""
    planted = [p for name in SETS for p in plant(parts_of(folder, name)[2]).values()]
    planted = [replace(p, number=f"US2014{n:07}A1") for n, p in enumerate(planted)]
    clean = list(read(folder / "hupd"))
    write([*clean, *planted], tmp_path / "train.parquet")
    excluded = ["clef-ip", "uspto-70k/test.csv", "dapfam/corpus.parquet", "dapfam/queries.parquet"]
    words = ["train", "recipes/debug.toml", "--data", tmp_path / "train.parquet", "--json",
             "--cache", tmp_path / "set.safetensors", "--prepare-only",
             "--set", f"backbone.model={tiny}", "--set", "input.window=48"]  # fmt: skip
    for place in excluded:
        words += ["--exclude", folder / place]
    done = run(*words)
    assert done.exit_code == 0, (done.output, done.exception)
    told = json.loads(done.stdout)
    assert told["dropped"]["held_out"] == len(planted) == 10
    assert {row["trained"] for row in told["held_out"]} == {p.number for p in planted}
    kinds = {"publication", "application", "family", "continuation", "near-duplicate"}
    assert {row["leak"] for row in told["held_out"]} == kinds
    assert len(TrainingSet.load(tmp_path / "set.safetensors")) == len(clean)


@pytest.mark.parametrize("name", SETS)
def test_evaluation_refuses_before_it_encodes(folder, name, tmp_path, run, tiny, monkeypatch):
    from phage.evaluation.evaluate import Options

    patent = parts_of(folder, name)[1]
    write([plant(patent)[Leak.PUBLICATION]], tmp_path / "train.parquet")
    words = ["evaluate", tiny, "--data-set", name, "--path", folder / name, "--runs", 1,
             "-o", tmp_path / "results"]  # fmt: skip
    monkeypatch.setattr(Options, "embedder", lambda *_: pytest.fail("it loads a model"))
    done = run(*words, "--trained-on", tmp_path / "train.parquet")
    assert "were seen in training" in str(done.exception)
    assert patent.number in str(done.exception)


def test_what_could_not_be_checked_is_said(folder, tmp_path, run, tiny):
    words = ["evaluate", tiny, "--data-set", "uspto-70k", "--path", folder / "uspto-70k",
             "--runs", 1, "-o", tmp_path / "results", "--name", "tiny"]  # fmt: skip
    done = run(*words)
    assert done.exit_code == 0, done.exception
    assert "leakage was not checked" in done.output and "--trained-on" in done.output
    done = run(*words, "--trained-on", folder / "hupd")
    assert "leakage was not checked" not in done.output
    result = json.loads((tmp_path / "results/uspto-70k/tiny.json").read_text())
    assert result["leakage"]["checked"] and result["leakage"]["trained"] == 50


@pytest.mark.parametrize(
    "words", [("--trained-on", "nowhere"), ("--name", "a", "bm25"), ("nomodel",)]
)
def test_refusals_come_before_the_data_are_read(folder, run, tiny, monkeypatch, words):
    monkeypatch.setattr(clefip, "read", lambda *_: pytest.fail("it reads the data"))
    monkeypatch.setitem(
        __import__("phage.evaluation.datasets", fromlist=["DATA_SETS"]).DATA_SETS,
        "clef-ip",
        (clefip.SOURCE, lambda *_: pytest.fail("it reads the data")),
    )
    done = run("evaluate", tiny, *words, "--data-set", "clef-ip", "--path", folder / "clef-ip")
    assert done.exit_code and type(done.exception).__name__ == "PhageError", done.exception


def test_one_encoding_serves_several_models_and_files(folder, tmp_path, run, tiny, monkeypatch):
    """Names, kept vectors, and scores from the kept vectors: the same."""
    monkeypatch.chdir(tmp_path)
    words = ["--data-set", "dapfam", "--path", folder / "dapfam", "--runs", 1]
    done = run(
        "evaluate", tiny, "bm25", "--name", f"{tiny}=PHAGE", "--save-vectors", "kept", *words
    )
    assert done.exit_code == 0, done.exception
    assert "PHAGE" in done.output and "BM25" in done.output
    (kept,) = (tmp_path / "kept/dapfam").iterdir()
    done = run("evaluate", kept, *words, "--name", "again")
    assert done.exit_code == 0, done.exception
    one, other = (
        json.loads((tmp_path / f"results/dapfam/{name}.json").read_text())["tasks"]
        for name in ("PHAGE", "again")
    )
    assert one == other
    done = run("report", "results", "--table", "dapfam", "--json")
    (table,) = json.loads(done.stdout)
    assert all(all(row[1:-1]) and not row[-1] for row in table["rows"])
    done = run("evaluate", tiny, "bm25", "--save-vectors", "one.npz", *words)
    assert "cannot hold the vectors of several models" in str(done.exception)


def test_the_files_are_read_as_patents(folder, tmp_path, run):
    done = run("read", folder / "uspto-70k", folder / "dapfam/corpus.parquet", "-o",
               tmp_path / "all.parquet", "--json")  # fmt: skip
    row = json.loads(done.stdout)
    assert (row["formats"], row["skipped"]) == ({"uspto-70k": 50, "dapfam": 40}, 0)
    broken = tmp_path / "broken.csv"
    text = (folder / "uspto-70k/test.csv").read_text()
    broken.write_text(text.replace("['A61K'", "[A61K", 1).replace("7650039", "", 1))
    report = json.loads(run("read", broken, "-o", tmp_path / "b.parquet", "--json").stdout)
    assert report["skipped"] >= 1 and report["patents"] + report["skipped"] == 12
    assert any("labels are not a list" in p["reason"] or "patent_id" in p["reason"]
               for p in report["problems"])  # fmt: skip

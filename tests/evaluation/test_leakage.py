"""Planted leaks are found, unrelated patents raise no alarm."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from typer.testing import CliRunner

from phage.claims import Claim, Patent, write
from phage.claims.copies import Leak
from phage.claims.duplicates import NearDuplicates, overlap, shingles
from phage.cli import app
from phage.errors import PhageError
from phage.evaluation.leakage import find_leaks, later_than

VOCABULARY = [f"term{n}" for n in range(3000)]
WEEK = Path(__file__).parents[3] / "shared/data/uspto-grants-2014-01-07.xml.xz"


def claims(rng, words=200):
    return (Claim(1, "A device comprising " + " ".join(rng.choices(VOCABULARY, k=words)) + "."),)


def patents(prefix, count, seed, filed="2014-01-01"):
    rng = random.Random(seed)
    return [
        Patent(
            f"{prefix}{n}B2", claims(rng), application=f"{prefix}1{n:05}", family=f"{prefix}-{n}",
            filing_date=filed,
        )
        for n in range(count)
    ]  # fmt: skip


def changed(patent, rng, share):
    """The same claims with a share of the words replaced."""
    words = patent.claims[0].text.split()
    for place in rng.sample(range(len(words)), int(share * len(words))):
        words[place] = "other"
    return (Claim(1, " ".join(words)),)


def test_no_alarm_on_a_thousand_unrelated_pairs():
    report = find_leaks(patents("US", 1000, 1), patents("EP", 1000, 2, "2015-01-01"))
    assert (report.leaked, report.findings) == (0, ())
    assert (report.trained, report.evaluated, report.filed_before) == (1000, 1000, 0)
    report.refuse()


def test_planted_leaks_are_found_and_named():
    trained, evaluated = patents("US", 300, 1), patents("EP", 300, 2, "2013-06-01")
    rng = random.Random(3)
    plant = {
        Leak.PUBLICATION: trained[5],
        Leak.APPLICATION: Patent("US77B1", claims(rng), application="us 100,006"),
        Leak.FAMILY: Patent("EP88A1", claims(rng), family="US-7"),
        Leak.CONTINUATION: Patent("US99B2", claims(rng), application="US5", related=("US100008",)),
        Leak.NEAR_DUPLICATE: Patent("EP66A1", changed(trained[9], rng, 0.05)),
    }
    parent = Patent("US55B2", claims(rng), application="US4242")
    trained.append(Patent("US56B2", claims(rng), related=("US4242",)))
    report = find_leaks(trained, [*evaluated, *plant.values(), parent])
    found = {(finding.evaluated, finding.leak): finding.trained for finding in report.findings}
    for leak, patent in plant.items():
        assert (patent.number, leak) in found, leak
    assert found["US77B1", Leak.APPLICATION] == "US6B2"
    assert found["EP66A1", Leak.NEAR_DUPLICATE] == "US9B2"
    assert found["US99B2", Leak.CONTINUATION] == "US8B2"
    assert found["US55B2", Leak.CONTINUATION] == "US56B2"
    assert report.leaked == 6
    # Two publications of one application are one leak by application, not also a continuation.
    assert ("US77B1", Leak.CONTINUATION) not in found
    assert report.filed_before == 301  # the 300 of 2013, and the training patent planted among them
    with pytest.raises(PhageError, match=r"6 of 306 evaluation patents were seen in training"):
        report.refuse()


def test_a_temporal_split_keeps_the_clean_and_later():
    trained = patents("US", 5, 1, "2014-05-01")
    early, late = patents("EP", 3, 2, "2014-01-01"), patents("WO", 4, 3, "2015-01-01")
    evaluated = [*early, *late, trained[0]]
    report = find_leaks(trained, evaluated)
    assert [p.number for p in later_than(report, evaluated)] == [p.number for p in late]


def test_minhash_finds_what_exact_overlap_finds():
    """Against all pairs by brute force, at many degrees of change."""
    rng = random.Random(4)
    sources = patents("US", 60, 5)
    index = NearDuplicates()
    for patent in sources:
        index.add(patent.number, patent.claims[0].text)
    for patent in sources:
        for share in (0.0, 0.02, 0.05, 0.07, 0.2, 0.4):
            text = changed(patent, rng, share)[0].text
            exact = overlap(shingles(text), shingles(patent.claims[0].text)) >= 0.5
            found = patent.number in dict(index.like(text))
            assert found == exact


def test_short_design_claims_prove_nothing():
    claim = (Claim(1, "The ornamental design for a chair, as shown and described."),)
    one, other = Patent("USD1S1", claim), Patent("USD2S1", claim)
    assert find_leaks([one], [other]).leaked == 0


def test_the_command_and_its_exit_code(tmp_path):
    train, test = patents("US", 20, 1), patents("EP", 20, 2)
    write(train, tmp_path / "train.parquet")
    write(test, tmp_path / "clean.parquet")
    write([*test, train[3]], tmp_path / "leaking.jsonl")
    run = CliRunner().invoke
    done = run(app, ["leakage", str(tmp_path / "train.parquet"), str(tmp_path / "clean.parquet")])
    assert done.exit_code == 0, done.output
    done = run(
        app,
        ["leakage", str(tmp_path / "train.parquet"), str(tmp_path / "leaking.jsonl"), "--json"],
    )
    assert done.exit_code == 1
    row = json.loads(done.stdout)
    assert (row["leaked"], row["counts"]["application"], row["counts"]["near-duplicate"]) == (
        1,
        1,
        1,
    )


@pytest.mark.data
@pytest.mark.skipif(not WEEK.is_file(), reason="the real patents are not beside the checkout")
def test_no_alarm_among_real_patents_of_different_classes():
    from phage.claims import read

    week = [p for p in read(WEEK) if p.subclass]
    rng = random.Random(0)
    rng.shuffle(week)
    one = [p for p in week if p.subclass[0] in "ABC"][:500]
    other = [p for p in week if p.subclass[0] in "GH"][:500]
    report = find_leaks(one, other)
    # Continuations may cross sections; claims of nearly the same words do not.
    assert report.counts["near-duplicate"] == 0
    assert report.counts["application"] == 0

"""Readers of evaluation sets on small files of the exact layout, against plain computations."""

from __future__ import annotations

import csv
import json
import random

import numpy as np
import pytest

from phage.claims import Citation, Claim, Patent, write
from phage.errors import PhageError
from phage.evaluation import evaluate_vectors
from phage.evaluation.datasets import DATA_SETS, clefip, dapfam, field, hupd, pairs, uspto70k, week
from phage.evaluation.scoring import score_vectors
from phage.evaluation.split import hash_split, split_patents
from phage.evaluation.tasks import Domain, Part, Split, TaskData
from phage.invented import invent
from plain import WORDS, bag, plain_agreement, plain_f1, plain_split, words


def test_missing_files_are_explained(tmp_path):
    (tmp_path / "corpus.parquet").touch()
    with pytest.raises(PhageError) as caught:
        dapfam.read(tmp_path)
    assert "queries.parquet, qrels_all.parquet" in str(caught.value)
    assert "huggingface.co/datasets/datalyes/DAPFAM_patent" in caught.value.remedy
    assert "CC BY-NC-SA" in caught.value.remedy
    for name, (source, read) in DATA_SETS.items():
        with pytest.raises(PhageError) as caught:
            read(tmp_path / "nowhere")
        assert source.licence in caught.value.remedy, name
        assert source.size in caught.value.remedy


def test_pairs_of_one_applicant_are_neither_asked_for_nor_ranked(tmp_path):
    patents = [invention.patent for invention in invent(60, seed=4)]
    write(patents, tmp_path / "x-patents.jsonl")
    numbers = [patent.number for patent in patents]
    rows = [f"{a}\t{b}\t2\t{int(k % 2)}" for k, (a, b) in
            enumerate((a, b) for a in numbers for b in numbers if a < b)]  # fmt: skip
    (tmp_path / "x-pairs.tsv").write_text("\n".join(["a\tb\tshared\tsame_patentee", *rows]))
    whole = pairs.read(tmp_path / "x-patents.jsonl", "whole")
    data = pairs.read(tmp_path / "x-patents.jsonl").tasks
    # Read whole, patents are handed on: their claims take as many windows as they need.
    assert [patent.number for patent in whole.texts("test")] == list(data.ids["test"])
    data.save(tmp_path / "tasks.npz")
    (task,) = TaskData.load(tmp_path / "tasks.npz").choose(["test"]).tasks
    size = len(data.ids["test"])
    assert len(task.relevance) + len(task.closed) == size * (size - 1)
    # With all pairs of one applicant gone, every other document is relevant: any ranking is right.
    vectors = np.random.default_rng(0).normal(size=(size, 8)).astype(np.float32)
    (score,) = score_vectors({"test": vectors}, data.choose(["test"]), 1)
    assert score.runs["ndcg@100"] == (1.0,)


@pytest.fixture(scope="module")
def uspto70k_folder(tmp_path_factory):
    """The enriched CSV: list literals, quotes and line breaks in cells, a label only in test."""
    folder, rng = tmp_path_factory.mktemp("uspto70k"), random.Random(2)
    labels = ["A01B", "A01C", "G06F", "H04L", "H04W"]
    columns = ["patent_id", "title", "abstract", "claims", "brief-summary", "fig-desc",
               "detail-desc", "labels"]  # fmt: skip
    rows = {}
    for part, count in (("train", 160), ("dev", 40), ("test", 60)):
        rows[part] = []
        for n in range(count):
            own = sorted(rng.sample(labels, rng.choice([1, 2, 2, 3])))
            text = " ".join(f"{WORDS[labels.index(name)]} " * 6 for name in own)
            claims = f'1. A "device", {text}\n2. The device {words(rng, 5)}'
            if part == "test" and n == 0:
                own.append("Y10T")
            rows[part].append([f"{part}{n}", "t", "a", claims, "", "", "", repr(own)])
        with (folder / f"{part}.csv").open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream).writerows([columns, *rows[part]])
    return folder, rows


def test_uspto70k_equals_a_plain_implementation(uspto70k_folder):
    from sklearn.metrics import f1_score

    folder, rows = uspto70k_folder
    benchmark = uspto70k.read(folder)
    (task,) = benchmark.tasks.tasks
    assert task.classes.tolist() == ["A01B", "A01C", "G06F", "H04L", "H04W"]
    assert benchmark.tasks.notes["labels_only_in_test"] == 1
    assert benchmark.tasks.notes["parts"] == {"train": 160, "dev": 40, "test": 60}
    (score,) = score_vectors(bag(benchmark.texts("patents"))[:, :8], benchmark.tasks, runs=1)
    truth, predicted = score.samples["truth"], score.samples["predicted"][0]
    expected = [sorted(set(eval(row[-1])) - {"Y10T"}) for row in rows["test"]]
    assert [[task.classes[c] for c in np.flatnonzero(row)] for row in truth] == expected

    def plain_expanded(marks):
        """Sets of sections, classes and subclasses."""
        return [
            {
                name[:cut]
                for c in np.flatnonzero(row)
                for name in [task.classes[c]]
                for cut in (1, 3, 4)
            }
            for row in marks
        ]

    shared = wanted = given = 0
    for one, other in zip(plain_expanded(truth), plain_expanded(predicted), strict=True):
        shared, wanted, given = shared + len(one & other), wanted + len(one), given + len(other)
    assert score.runs["expanded_micro_f1"][0] == pytest.approx(2 * shared / (wanted + given))
    assert score.runs["macro_f1"][0] == pytest.approx(
        f1_score(truth, predicted, average="macro", zero_division=0)
    )
    assert score.runs["micro_f1"][0] > 0.9  # the labels are words of the text


def test_labels_are_never_evaluated(tmp_path):
    for cell in ("__import__('os').getcwd()", "['A01B'", "[1]", "{'a': 1}", "[" * 5000):
        with pytest.raises(PhageError, match="not a list of strings"):
            uspto70k.parse_labels(cell)


MAREC = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE patent-document PUBLIC "-//MXW//DTD patent-document XML//EN" "http://www.ir-facility.org/dtds/patents/v1.4/patent-document.dtd">
<patent-document ucid="EP-{number}-{kind}" country="EP" doc-number="{number}" kind="{kind}" lang="EN" family-id="{family}" status="new" date-produced="20090605" date="20010103">
<bibliographic-data><publication-reference ucid="EP-{number}-{kind}"><document-id><country>EP</country><doc-number>{number}</doc-number><kind>{kind}</kind><date>20010103</date></document-id></publication-reference>
<application-reference ucid="EP-{application}-A"><document-id><country>EP</country><doc-number>{application}</doc-number><kind>A</kind><date>19991112</date></document-id></application-reference>
<technical-data><classifications-ipcr><classification-ipcr>{ipc}   1/00        20060101C I20051008RMEP        </classification-ipcr></classifications-ipcr>
<invention-title lang="EN">Title of {number}</invention-title></technical-data></bibliographic-data>
<abstract lang="EN"><p>An abstract.</p></abstract>
<claims load-source="ep" status="new" lang="EN"><claim num="1"><claim-text>1. {text}</claim-text></claim></claims>
</patent-document>
"""


def test_clef_ip_tree(tmp_path):
    """Several kinds per patent are one; a German one is left out; families stay on one side."""
    subclasses = ["B28B", "H02M", "A61K"]
    rng = random.Random(3)
    expected = {}
    for n in range(90):
        number, ipc = f"1{n:06}", subclasses[n % 3]
        folder = tmp_path / "EP" / "000001" / number[1:3] / number[3:5] / number[5:7]
        folder.mkdir(parents=True, exist_ok=True)
        text = f"A device of {WORDS[n % 3]} {WORDS[n % 3]} {WORDS[n % 3]} " + words(rng, 50)
        for kind in ("A1", "B1") if n % 4 == 0 else ("A1",):
            filled = MAREC.format(
                number=number, kind=kind, family=500 + n // 2, application=f"99{n:06}", ipc=ipc,
                text=text,
            )  # fmt: skip
            if n == 7:
                filled = filled.replace('lang="EN"', 'lang="DE"')
            (folder / f"EP-{number}-{kind}.xml").write_text(filled, encoding="utf-8")
        if n != 7:
            expected[number] = ipc
    benchmark = clefip.read(tmp_path)
    assert benchmark.tasks.notes["patents"] == len(expected) == 89
    assert benchmark.tasks.notes["subclasses"] == 3
    patents = [p for part in Split if part >= 0 for p in benchmark.patents(part)]
    sides: dict[str, set[Split]] = {}
    for part in (Split.TRAIN, Split.VALIDATION, Split.TEST):
        for patent in benchmark.patents(part):
            sides.setdefault(patent.family, set()).add(part)
    assert len(patents) == 89
    assert all(len(parts) == 1 for parts in sides.values())
    scores = score_vectors(bag(benchmark.texts("patents"))[:, :8], benchmark.tasks.choose(), runs=2)
    probe, groups = sorted(scores, key=lambda score: score.task)
    assert (probe.task, groups.task) == ("classification", "clustering")
    assert groups.counts["clusters"] == 3
    assert min(probe.runs["micro_f1"]) > 0.8
    # The questions, from the files alone: who is in the test part and under which subclass.
    names = {f"EP1{n:06}{'A1' if n % 4 else 'B1'}": n for n in range(90) if n != 7}
    first = {n // 2: min(m for m in names if names[m] // 2 == n // 2) for n in names.values()}
    tested = [name for name, n in sorted(names.items()) if plain_split(first[n // 2]) == "test"]
    assert [p.number for p in benchmark.patents(Split.TEST)] == tested
    classes = sorted(subclasses)  # numbered in order of their names
    labels = [classes.index(expected[name[2:-2]]) for name in tested]
    assert probe.samples["truth"].tolist() == labels == groups.samples["truth"].tolist()
    for run in (0, 1):
        micro, macro = plain_f1(labels, probe.samples["predicted"][run].tolist())
        assert probe.runs["micro_f1"][run] == pytest.approx(micro)
        assert probe.runs["macro_f1"][run] == pytest.approx(macro)
        for name, value in plain_agreement(
            labels, groups.samples["clusters"][run].tolist()
        ).items():
            assert groups.runs[name][run] == pytest.approx(value), name


def patent(n, cited=(), ipc="H02M 7/493", **more):
    more.setdefault("claims", (Claim(1, f"A machine {n} with part {n * 3}."),))
    citations = tuple(Citation(document) for document in cited)
    return Patent(f"US{n}B2", citations=citations, ipc=(ipc,) if ipc else (), **more)


def test_coupling_by_hand():
    patents = [
        patent(1, ["US1A", "US2A", "US3A"]),
        patent(2, ["US1", "US2A"]),  # the kind code may be missing
        patent(3, ["US3A", "US2A"], ipc="A61K 1/00"),
        patent(4, ["US3A"]),
        patent(5, [], ipc=""),
    ]
    assert week.coupled(patents) == [(0, 1), (0, 2)]
    splits = {p.number: Split.TEST for p in patents[:2]}
    splits |= {p.number: Split.TRAIN for p in patents[2:]}
    test, every, validation = week.by_coupling(patents, splits)
    assert test.relevance.tolist() == [[0, 1], [0, 2], [1, 0]]
    assert every.relevance.tolist() == [[0, 1], [0, 2], [1, 0], [2, 0]]
    assert [Domain(d).name for d in every.domain] == ["IN", "OUT", "IN", "OUT"]
    assert len(validation.relevance) == 0
    other = patent(9, [])
    literature = tuple(Citation("Some paper, 2001.", kind="other") for _ in range(3))
    with_papers = [Patent(f"US{n}A", citations=literature) for n in (1, 2)]
    assert week.coupled([*with_papers, other]) == []


def test_inventions_stay_on_one_side():
    text = " ".join(f"part{n} coupled to element{n + 1}" for n in range(60))
    same = (Claim(1, f"A machine comprising {text}."),)
    near = (Claim(1, f"A machine comprising {text} and a lid."),)
    patents = [
        *[patent(n, application=f"US{n}") for n in range(100, 160)],
        patent(201, application="US901"),
        patent(207, application="US907", related=("US901",)),  # continues it
        patent(213, application="US913", related=("US901",)),  # so does its sister
        patent(301, family="F1"),
        patent(309, family="F1"),
        patent(401, claims=same),
        patent(408, claims=near),
    ]
    splits = split_patents(patents)
    for group in (
        ("US201B2", "US207B2", "US213B2"),
        ("US301B2", "US309B2"),
        ("US401B2", "US408B2"),
    ):
        assert {splits[number] for number in group} == {hash_split(min(group))}
    for n in range(100, 160):
        assert splits[f"US{n}B2"] is hash_split(f"US{n}B2")


def test_groups_of_one_field(monkeypatch):
    """Rare groups are not asked for; a title with its date joins; each part is thinned by hash."""
    monkeypatch.setattr(field, "LEAST", 3)
    monkeypatch.setattr(field, "MOST", {Split.TRAIN: 40, Split.VALIDATION: 5, Split.TEST: 10})
    words = ["pump", "valve", "piston", "sensor"]
    patents = [
        Patent(
            f"US{n}", (Claim(1, f"A {words[n % 4]} of kind {n}."),),
            ipc=("A61B 5/00" if n % 2 else "A61B 5/02",) if n else ("A61B 5/99",),
            title="Twin" if n in (7, 8) else f"Title {n}", filing_date="2001-01-01",
        )
        for n in range(120)
    ]  # fmt: skip
    found = field.from_patents(patents).tasks
    task = next(task for task in found.tasks if task.name == "classification")
    assert task.classes.tolist() == ["A61B 5/00", "A61B 5/02"]
    assert "US0" not in set(found.ids["patents"])
    assert found.notes["scored"] == {"train": 40, "validation": 5, "test": 10}
    splits = split_patents(patents, titles=True)
    assert splits["US7"] is splits["US8"] is hash_split("US7")
    few = field.thinned([p.number for p in patents], [True] * 120, splits)
    monkeypatch.setattr(field, "MOST", {Split.TRAIN: 50, Split.VALIDATION: 8, Split.TEST: 12})
    more = field.thinned([p.number for p in patents], [True] * 120, splits)
    assert set(few) < set(more)


def test_the_split_is_the_published_recipe():
    """Anyone can compute it: sha256, modulo 100."""
    for number in ("US8621662B2", "EP1000000B1", "US20050004437A1"):
        assert hash_split(number).name.lower() == plain_split(number)


def test_a_week_of_invented_patents_end_to_end():
    from phage.invented import invent

    patents = [invention.patent for invention in invent(300, seed=5)]
    benchmark = week.from_patents(patents)
    chosen = benchmark.tasks.choose()
    random_vectors = np.random.default_rng(0).normal(size=(len(patents), 16)).astype("f4")
    got = evaluate_vectors(random_vectors, chosen, runs=1)
    assert set(got) == {"classification", "clustering", "retrieval", "retrieval-all"}
    held = benchmark.tasks.choose([Part.VALIDATION])
    (probe,) = [task for task in held.tasks if task.name == "classification-validation"]
    (real,) = [task for task in chosen.tasks if task.name == "classification"]
    # What is scored on validation never touches the test part.
    assert not set(probe.rows(Split.TEST)) & set(real.rows(Split.TEST))
    np.testing.assert_array_equal(probe.rows(Split.TEST), real.rows(Split.VALIDATION))


def hupd_row(n, filed="20150304"):
    section = "ABCDEFGH"[n % 8]
    return {
        "application_number": str(14_000_000 + n), "publication_number": f"US2016{n:07}A1",
        "title": "A thing", "decision": "PENDING", "date_produced": "20160101",
        "date_published": "20160107", "main_cpc_label": "", "cpc_labels": [],
        "main_ipcr_label": f"{section}01B100", "ipcr_labels": [f"{section}01B100"],
        "patent_number": "", "filing_date": filed, "patent_issue_date": "", "abandon_date": "",
        "uspc_class": "1", "uspc_subclass": "2", "examiner_id": "", "examiner_name_last": "",
        "examiner_name_first": "", "examiner_name_middle": "", "inventor_list": [],
        "abstract": "It does.", "claims": f"1. A thing {n}. 2. The thing of claim 1, being red.",
        "background": "", "summary": "", "full_description": "Long.",
    }  # fmt: skip


def test_hupd_training_corpus_is_balanced_and_repeatable(tmp_path):
    folder = tmp_path / "2015"
    folder.mkdir()
    for n in range(80):
        row = hupd_row(n, "20120304" if n >= 72 else "20150304")
        (folder / f"{row['application_number']}.json").write_text(json.dumps(row))
    quotas = {"A": 3, "B": 3, "H": 1}
    first = list(hupd.read(tmp_path, quotas))
    assert {p.subclass[0] for p in first} == {"A", "B", "H"}
    assert [sum(p.subclass[0] == s for p in first) for s in "ABH"] == [3, 3, 1]
    everything = list(hupd.read(tmp_path, None))
    assert len(everything) == 72  # those of 2012 are too early
    again = hupd.balanced(sorted(everything, key=lambda p: p.title + p.number[::-1]), quotas)
    assert [p.number for p in again] == [p.number for p in first]
    assert sum(hupd.QUOTAS.values()) == 131_653

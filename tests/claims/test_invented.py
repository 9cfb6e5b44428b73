"""The invented corpus: deterministic, covering, learnable, and true to its own record."""

import hashlib
import json
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from itertools import combinations

import numpy as np
import pytest

from phage.claims.types import Patent
from phage.invented import invent
from phage.invented.fields import fields, shared

LEXICON = (
    "couple", "connect", "attach", "mount", "dispose", "position", "support", "engage", "receive",
    "extend", "interpose", "configure", "adapt",
)  # fmt: skip
STOPS = {
    "method", "process", "system", "device", "apparatus", "assembly", "composition", "article",
    "product", "machine", "medium", "kit", "use", "invention",
}  # fmt: skip


@pytest.fixture(scope="module")
def corpus():
    return [invention.to_json() for invention in invent(500, seed=7)]


def digest(count, seed):
    lines = "\n".join(json.dumps(i.to_json()) for i in invent(count, seed))
    return hashlib.sha256(lines.encode()).hexdigest()


def test_same_seed_same_corpus_in_another_process_with_another_hash_seed():
    program = (
        "import hashlib, json; from phage.invented import invent;"
        "lines = '\\n'.join(json.dumps(i.to_json()) for i in invent(40, 11));"
        "print(hashlib.sha256(lines.encode()).hexdigest())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": salt, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for salt in ("1", "2")
    }
    assert found == {digest(40, 11)}
    assert digest(40, 12) != digest(40, 11)


def test_a_longer_corpus_begins_with_the_shorter_one():
    short = [i.to_json() for i in invent(20, 5)]
    assert [i.to_json() for i in invent(60, 5)][:20] == short


def test_all_sections_and_many_subclasses(corpus):
    subclasses = {row["ipc"][0][:4] for row in corpus}
    assert {code[0] for code in subclasses} == set("ABCDEFGH")
    assert len(subclasses) >= 16
    assert all(re.fullmatch(r"[A-H]\d\d[A-Z] \d+/\d+", code) for r in corpus for code in r["ipc"])


def test_rows_are_patents_with_plausible_dates_and_earlier_citations(corpus):
    seen = {}
    for row in corpus:
        patent = Patent.from_json(row)
        assert {**row, **patent.to_json()} == row
        assert patent.filing_date < patent.publication_date
        assert all(c.document in seen for c in patent.citations)
        assert all(seen[c.document] <= patent.publication_date for c in patent.citations)
        seen[patent.number] = patent.publication_date
    assert len(seen) == len(corpus)


def test_families_have_several_members_that_differ_in_their_claims(corpus):
    families = defaultdict(list)
    for row in corpus:
        families[row["family"]].append(row)
    several = [rows for rows in families.values() if len(rows) > 1]
    assert several
    for rows in several:
        assert len({row["title"] for row in rows}) == 1
        assert all(row["related"] for row in rows[1:])
        assert len({row["claims"][0]["text"] for row in rows}) == len(rows)


def test_claim_sets_show_every_structure(corpus):
    kinds = Counter(e["kind"] for row in corpus for e in row["graph"]["edges"])
    relations = Counter(e["relation"] for row in corpus for e in row["graph"]["edges"])
    assert min(kinds[k] for k in ("dependent", "alternative", "cross-category")) > 50
    assert min(relations[r] for r in ("cite", "term", "func", "both")) > 100
    roots = Counter()
    for row in corpus:
        targets = {e["target"] for e in row["graph"]["edges"] if e["kind"] in DEPENDS}
        roots[len(row["claims"]) - len(targets)] += 1
    assert set(roots) == {1, 2, 3, 4}
    text = " ".join(claim["text"] for row in corpus for claim in row["claims"])
    for phrase in ("any one of claims", "any preceding claim", " or claim ", "An apparatus for"):
        assert phrase in text
    for verb in LEXICON:
        assert re.search(rf"\b{verb.rstrip('e')}(e|es|ed|ing|s)?\b", text), verb


DEPENDS = ("dependent", "alternative")


def test_true_graphs_are_acyclic_exclusive_and_outside_the_closure(corpus):
    for row in corpus:
        edges = row["graph"]["edges"]
        numbers = [claim["number"] for claim in row["claims"]]
        assert row["graph"]["claims"] == numbers == list(range(1, len(numbers) + 1))
        assert all(edge["source"] < edge["target"] for edge in edges)
        pairs = [(edge["source"], edge["target"]) for edge in edges]
        assert len(set(pairs)) == len(pairs)
        above = defaultdict(set)
        for edge in sorted(edges, key=lambda e: e["target"]):
            if edge["relation"] == "cite":
                above[edge["target"]] |= {edge["source"]} | above[edge["source"]]
        for edge in edges:
            implicit = edge["relation"] != "cite"
            assert implicit == (edge["kind"] is None)
            assert not (implicit and edge["source"] in above[edge["target"]])


def test_cited_numbers_stand_in_the_text(corpus):
    for row in corpus:
        texts = {claim["number"]: claim["text"] for claim in row["claims"]}
        cited = defaultdict(set)
        for edge in row["graph"]["edges"]:
            if edge["relation"] == "cite":
                cited[edge["target"]].add(edge["source"])
        for number, text in texts.items():
            found = re.search(r"\bclaims? ([\d, to\-rhughandcliem]+\d|\d+)", text)
            if number not in cited:
                assert "claim" not in text
            elif found:
                ends = {int(n) for n in re.findall(r"\d+", found[0])}
                assert ends <= cited[number]
                assert min(ends) == min(cited[number])
                assert max(ends) == max(cited[number])
            else:
                assert re.search("(preceding|foregoing) claim", text)
                assert cited[number] == set(range(1, number))


def test_every_mention_stands_in_its_claim(corpus):
    for row in corpus:
        for claim, record in zip(row["claims"], row["ingredients"], strict=True):
            text = re.sub(r" \(\d+\)", "", claim["text"])
            terms = {term for _, term in record["mentions"]}
            assert set(record["components"]) <= terms
            for kind, term in record["mentions"]:
                stem = term.removesuffix("y")
                assert stem in text, (claim, kind, term)


def test_bibliographic_coupling_gives_queries_of_one_topic(corpus):
    holders = defaultdict(list)
    for place, row in enumerate(corpus):
        for citation in row["citations"]:
            holders[citation["document"]].append(place)
    shared_documents = Counter(p for found in holders.values() for p in combinations(found, 2))
    pairs = [pair for pair, count in shared_documents.items() if count >= 2]
    assert len({place for pair in pairs for place in pair}) > 150
    same = [set(corpus[a]["ipc"]) & set(corpus[b]["ipc"]) != set() for a, b in pairs]
    assert np.mean(same) > 0.9


def test_subclass_is_learnable_but_not_at_a_glance(corpus):
    text = [" ".join(claim["text"] for claim in row["claims"]) for row in corpus]
    labels = np.array([row["ipc"][0][:4] for row in corpus])
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectors = TfidfVectorizer(sublinear_tf=True).fit_transform(text).toarray()
    names = sorted(set(labels))
    train = np.arange(len(labels)) % 2 == 0
    centres = np.stack([vectors[train & (labels == name)].mean(axis=0) for name in names])
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    guess = np.array(names)[(vectors[~train] @ centres.T).argmax(axis=1)]
    accuracy = (guess == labels[~train]).mean()
    assert 0.6 < accuracy < 0.96  # chance is about 0.05


def test_vocabulary_keeps_terms_apart_from_what_is_claimed_and_measured():
    """Equal words in two roles would make the truth a matter of taste."""
    lexicon = re.compile(r"\b(coupl|connect|attach|mount|dispos|position|support|engag|receiv|"
                         r"extend|interpos|configur|adapt)")  # fmt: skip
    topics = [(field, topic) for field in fields() for topic in field.topics]
    terms = set(shared().mechanical + shared().control + shared().chemistry)
    for _, topic in topics:
        templates = topic.settings + topic.purposes + topic.steps + topic.functions
        terms |= {word.lstrip("~") for word in topic.parts}
        terms |= {word for template in templates for word in re.findall(r"\[(.+?)\]", template)}
        for template in templates:
            assert "[" in template
            assert not lexicon.search(re.sub(r"\[.+?\]", "", template)), template
    assert not {term for term in terms if term.split()[-1] in STOPS}
    for field, topic in topics:
        assert not terms & {*topic.things, *topic.hosts}
        heads = {re.match(r"an? (.+?) (of|below|between)", q)[1] for q in topic.quantities}
        assert not terms & heads
        assert not lexicon.search(" ".join(field.relations))


def test_the_command_writes_what_read_can_read(tmp_path):
    from typer.testing import CliRunner

    from phage.claims import read
    from phage.cli import app

    out = tmp_path / "corpus.jsonl"
    done = CliRunner().invoke(
        app, ["demo-corpus", "-n", "12", "-o", str(out), "--seed", "3", "--json"]
    )
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["patents"] == 12
    assert list(read(out)) == [invention.patent for invention in invent(12, seed=3)]

"""Drawings: whole, escaped, legible in their geometry; exports that others can read."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from io import BytesIO
from itertools import pairwise

import networkx
import pytest
from lxml import etree
from typer.testing import CliRunner

from phage.claims.types import Claim, Patent
from phage.cli import app
from phage.errors import PhageError
from phage.graph.draw import draw
from phage.graph.drawing.layout import broken_claims, describe, lay_out
from phage.graph.drawing.outline import outline
from phage.graph.drawing.page import to_html
from phage.graph.drawing.scene import Words, compose
from phage.graph.drawing.svg import to_svg
from phage.graph.drawing.words import fit, measure
from phage.graph.export import to_dot, to_graphml, to_json, to_networkx
from phage.graph.types import ClaimGraph, Edge, Evidence, Relation
from phage.invented import invent
from phage.structure import CiteKind

NASTY = "</title><script>alert(\"1\")</script> & 'x' ]]> \x00\x0b\ud800 $y$ {z}"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def corpus():
    rows = [invention.to_json() for invention in invent(80, seed=9)]
    return [(ClaimGraph.from_json(row["graph"]), Patent.from_json(row)) for row in rows]


@pytest.fixture
def nasty():
    claims = (
        Claim(1, f"A {NASTY} pump."),
        Claim(2, f"The pump of claim 1, {NASTY}."),
        Claim(3, ""),
    )
    evidence = Evidence(2, 0, 8, NASTY, Relation.CITE)
    edges = (
        Edge(1, 2, Relation.CITE, (evidence,), CiteKind.DEPENDENT),
        Edge(2, 3, Relation.TERM, (Evidence(3, 0, 900, NASTY, Relation.TERM, NASTY, NASTY),)),
    )
    patent = Patent(f"ZZ{NASTY}", claims, title=NASTY, language="en")
    return ClaimGraph(f"ZZ{NASTY}", (1, 2, 3), edges), patent


def parse(svg):
    return etree.fromstring(svg.encode(), etree.XMLParser(resolve_entities=False))


def test_every_claim_and_edge_stands_in_the_svg(corpus):
    for graph, patent in corpus:
        root = parse(to_svg(compose(graph, patent)))
        claims = [int(n) for n in root.xpath("//*[@data-claim]/@data-claim")]
        assert sorted(claims) == list(graph.claims)
        edges = [
            (int(g.get("data-source")), int(g.get("data-target")), g.get("data-relation"))
            for g in root.xpath("//*[@data-source]")
        ]
        assert sorted(edges) == sorted((e.source, e.target, str(e.relation)) for e in graph.edges)
        assert all(g.find(f"{SVG}title").text for g in root.xpath("//*[@data-source]"))


def test_rows_are_a_forest_in_depth_first_order(corpus):
    for graph, patent in corpus:
        forest = lay_out(graph, patent)
        assert sorted(row.number for row in forest.rows) == list(graph.claims)
        place = {row.number: index for index, row in enumerate(forest.rows)}
        depth = {row.number: row.depth for row in forest.rows}
        for row in forest.rows:
            if row.parent is None:
                assert row.depth == 0
            else:
                assert row.depth == depth[row.parent] + 1
                assert place[row.parent] < place[row.number]
        parts = len(forest.branches) + len(forest.asides) + len(forest.implicit)
        assert parts == len(graph.edges)


def test_the_legend_counts_every_edge_once(corpus):
    for graph, patent in corpus:
        words = [part for part in compose(graph, patent).groups[0].parts if isinstance(part, Words)]
        counts = [int(n) for w in words if w.role == "legend" for n in re.findall(r"\d+", w.text)]
        assert sum(counts) == len(graph.edges)


def test_words_do_not_overlap_at_sixty_claims():
    inventions = (i for i in invent(3000, seed=7) if len(i.patent.claims) >= 60)
    invention = next(inventions)
    row = invention.to_json()
    scene = compose(ClaimGraph.from_json(row["graph"]), invention.patent)
    lines = [p for group in scene.groups for p in group.parts if isinstance(p, Words)]
    heights = sorted({round(p.y, 1) for p in lines if p.role in ("claim", "root", "broken")})
    assert len(heights) == len(invention.patent.claims)
    assert min(b - a for a, b in pairwise(heights)) >= 20
    for part in lines:
        end = part.x + measure(part.lead + part.text, 12.5, bold=part.role == "root")
        assert end <= scene.width or part.role == "title"


def test_hostile_text_stays_text(nasty):
    graph, patent = nasty
    root = parse(to_svg(compose(graph, patent), NASTY))
    assert not root.xpath("//*[local-name()='script']")
    assert "<script>" in "".join(root.itertext())
    page = to_html(graph, patent)
    tags = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: tags.append((tag, dict(attrs)))
    parser.feed(page)
    assert "script" not in {tag for tag, _ in tags}
    assert not [name for _, attrs in tags for name in attrs if name.startswith("on")]
    assert "default-src 'none'" in page
    parse(to_graphml(graph, patent))
    assert json.loads(to_json(graph, patent))["patent"] == graph.patent.replace("\ud800", "")
    assert to_dot(graph, patent).count("\n  1 -> 2 ") == 1
    assert list(outline(graph, patent))


def test_nothing_is_fetched(corpus):
    graph, patent = corpus[0]
    page = to_html(graph, patent)
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")
    assert "<script" not in page
    assert "<link" not in page


def test_exports_come_back_as_they_were(corpus):
    graph, patent = corpus[3]
    wanted = {(e.source, e.target): str(e.relation) for e in graph.edges}
    found = to_networkx(graph, patent)
    assert {(a, b): d["relation"] for a, b, d in found.edges(data=True)} == wanted
    assert networkx.is_directed_acyclic_graph(found)
    read = networkx.read_graphml(BytesIO(to_graphml(graph, patent).encode()))
    assert {(int(a), int(b)): d["relation"] for a, b, d in read.edges(data=True)} == wanted
    assert read.nodes["1"]["text"] == patent.claims[0].text
    assert ClaimGraph.from_json(json.loads(to_json(graph, patent))) == graph


def test_evidence_is_told_and_marked():
    claims = (Claim(1, "A cap."), Claim(2, "A pump with the cap."))
    evidence = Evidence(2, 12, 19, "the cap", Relation.TERM, "cap")
    graph = ClaimGraph("ZZ1A", (1, 2), (Edge(1, 2, Relation.TERM, (evidence,)),))
    assert "claim 2: “the cap” (cap)" in describe(graph.edges[0])
    page = to_html(graph, Patent("ZZ1A", claims))
    assert 'A pump with <mark class="term">the cap</mark>.' in page


def test_outline_lists_every_claim_once_and_keeps_to_the_width(corpus):
    for graph, patent in corpus[:20]:
        lines = [line.plain for line in outline(graph, patent, 60)]
        assert max(map(len, lines)) <= 60
        shown = [re.match(r"[│├└─ ●◎]*(\d+)\b", line) for line in lines[1:]]
        assert sorted(int(found[1]) for found in shown if found) == list(graph.claims)


def test_fit_never_grows():
    for text in ("", "word", "a " * 80, "請求項" * 40, "W" * 90):
        for room in (0, 10, 100, 400):
            assert measure(fit(text, room, 12), 12) <= max(room, 0) or not fit(text, room, 12)


@pytest.mark.parametrize("ending", ["svg", "html", "png", "pdf", "dot", "graphml", "json"])
def test_every_ending_is_written(corpus, tmp_path, ending):
    graph, patent = corpus[1]
    draw(graph, tmp_path / f"g.{ending}", patent, dark=ending == "png")
    draw(graph, tmp_path / f"bare.{ending}")
    assert (tmp_path / f"g.{ending}").stat().st_size > 200


def test_unknown_ending_names_the_known(corpus, tmp_path):
    with pytest.raises(PhageError, match=r"\.svg"):
        draw(corpus[0][0], tmp_path / "g.bmp")


def test_show_draws_or_prints(tmp_path):
    row = next(invent(1, seed=4)).to_json()
    source = tmp_path / "one.jsonl"
    source.write_text(json.dumps(row) + "\n")
    runner = CliRunner()
    shown = runner.invoke(app, ["show", str(source)])
    assert shown.exit_code == 0, shown.output
    assert row["number"] in shown.output
    drawn = runner.invoke(
        app, ["show", str(source), "--patent", row["number"], "-o", str(tmp_path / "g.svg")]
    )
    assert drawn.exit_code == 0, drawn.output
    assert parse((tmp_path / "g.svg").read_text()).tag == f"{SVG}svg"
    missing = runner.invoke(app, ["show", str(source), "--patent", "77"])
    assert isinstance(missing.exception, PhageError)
    assert "77" in str(missing.exception)


@pytest.fixture
def wrong(tmp_path):
    """A draft with broken references: claim 3 has no parent, claim 5 has one of two."""
    claims = (
        "1. A pump comprising a shaft and a housing.",
        "2. The pump of claim 1, wherein the rotor is fixed to the shaft.",
        "3. The pump of claim 9, wherein the housing is round.",
        "4. The pump of claim 3, further comprising a seal.",
        "5. The pump of claim 1 or 12, wherein the shaft is long.",
        "6. A method of using the pump of claim 1, comprising turning the shaft.",
    )
    path = tmp_path / "wrong.txt"
    path.write_text("\n".join(claims), "utf-8")
    return path


def show(*words):
    shown = CliRunner().invoke(app, ["show", *map(str, words)], catch_exceptions=False)
    assert shown.exit_code == 0
    return shown.output


def test_a_clause_too_dense_to_read_breaks_no_reference():
    from phage.graph import Diagnostic, Reason, build_graph

    claims = (Claim(1, "A pump comprising a shaft."), Claim(2, "The pump of claim 9."))
    graph = build_graph(Patent("XX1A", claims))
    dense = Diagnostic(1, 0, Reason.DENSE, 0, 6, "A pump")
    graph = replace(graph, diagnostics=(*graph.diagnostics, dense))
    assert broken_claims(graph) == {2}


def test_the_tree_shows_findings_and_no_broken_claim_as_independent(wrong):
    lines = show(wrong).splitlines()
    claims = {line.split("  ")[0].lstrip("├└│─ ") for line in lines if "! " not in line}
    assert {"● 1", "✗ 3", "◎ 6", "2", "4", "5"} <= claims
    at = next(n for n, line in enumerate(lines) if "rotor is fixed" in line)
    assert "! antecedent-missing  'the rotor' was not introduced before" in lines[at + 1]
    assert sum("! reference-missing" in line for line in lines) == 2


def test_every_drawing_marks_findings_and_broken_references(wrong, tmp_path):
    drawn = {end: tmp_path / f"wrong.{end}" for end in ("svg", "html", "png", "dot", "graphml")}
    for path in drawn.values():
        show(wrong, "-o", path)
    root = parse(drawn["svg"].read_text("utf-8"))
    discs = {g.get("data-claim"): g.find(f"{SVG}circle[last()]").get("class")
             for g in root.iter(f"{SVG}g") if g.get("data-claim")}  # fmt: skip
    (row,) = [text for text in root.iter(f"{SVG}text") if text.get("class") == "broken"]
    assert row[0].text == "The pump of claim 9, " and row[0].tail.startswith("wherein")
    assert {path.getparent().get("data-claim") for path in root.iter(f"{SVG}path")
            if path.get("class") == "line snapped"} == {"3"}  # fmt: skip
    bold = [text.getparent().get("data-claim") for text in root.iter(f"{SVG}text")
            if text.get("class") == "root"]  # fmt: skip
    assert bold == ["1"]
    assert discs["3"] == "broken" and discs["5"] == "dependent" and discs["1"] == "independent"
    marks = [text.text for text in root.iter(f"{SVG}text") if "mark" in text.get("class")]
    assert marks == ["antecedent-missing", "reference-missing", "reference-missing"]
    subtitle = next(
        text.text for text in root.iter(f"{SVG}text") if text.get("class") == "subtitle"
    )
    assert "1 independent" in subtitle and "1 with a broken reference" in subtitle
    page = drawn["html"].read_text("utf-8")
    assert page.count('class="i"') == 1 and '<b class="error">antecedent-missing</b>' in page
    assert 'style="rounded,dashed"' in drawn["dot"].read_text("utf-8")
    nodes = dict(networkx.read_graphml(drawn["graphml"]).nodes(data=True))
    assert nodes["3"]["broken"] and not nodes["3"]["independent"]

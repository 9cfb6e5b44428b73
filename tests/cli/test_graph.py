import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from phage.claims import Claim, Patent, write
from phage.cli import app
from phage.errors import PhageError
from phage.graph import GraphSettings, build_graph
from phage.graph.files import read_graphs

SRC = Path(__file__).parents[2] / "src"


def corpus(path, count=120):
    patents = [
        Patent(
            f"ZZ{n}A",
            (
                Claim(1, f"A pump comprising a rotor and {n} blades coupled to the rotor."),
                Claim(2, "The pump of claim 1, wherein the rotor is hollow."),
                Claim(3, "A boat comprising a hull and the pump of claim 1 or 2."),
                Claim(4, "A dock configured to receive the hull."),
            ),
        )
        for n in range(count)
    ]
    write(patents, path)
    return patents


def graph(*words):
    result = CliRunner().invoke(app, ["graph", *map(str, words)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result


def test_parquet_and_lines_hold_the_same_graphs_in_order(tmp_path):
    patents = corpus(tmp_path / "patents.parquet")
    for name, workers in (("graphs.parquet", 1), ("graphs.jsonl", 2)):
        graph(tmp_path / "patents.parquet", "-o", tmp_path / name, "--workers", workers)
        assert list(read_graphs(tmp_path / name)) == [build_graph(patent) for patent in patents]
    row = json.loads((tmp_path / "graphs.jsonl").read_text().splitlines()[0])
    assert row["patent"] == "ZZ0A"
    assert {"patent", "language", "claims", "edges", "diagnostics"} <= row.keys()
    assert row["edges"][0].keys() == {"source", "target", "relation", "kind", "evidence"}


def test_couplings_in_both_directions_are_a_switch(tmp_path):
    patents = corpus(tmp_path / "patents.jsonl", 3)
    graph(tmp_path / "patents.jsonl", "-o", tmp_path / "g.jsonl", "--functional", "both")
    want = [build_graph(patent, GraphSettings(functional="both")) for patent in patents]
    assert list(read_graphs(tmp_path / "g.jsonl")) == want


def test_json_says_what_was_done(tmp_path):
    corpus(tmp_path / "patents.jsonl", 7)
    result = graph(tmp_path / "patents.jsonl", "-o", tmp_path / "graphs.jsonl", "--json")
    told = json.loads(result.stdout)
    assert told["graphs"] == 7
    assert told["edges"]["cite"] == 21
    assert told["skipped"] == told["resumed"] == 0


def test_a_language_without_rules_is_left_out_and_named(tmp_path):
    claims = (Claim(1, "Una bomba."),)
    write([Patent("ZZ1A", claims, language="es"), Patent("ZZ2A", claims)], tmp_path / "p.jsonl")
    result = graph(tmp_path / "p.jsonl", "-o", tmp_path / "g.jsonl", "--json")
    assert json.loads(result.stdout)["skipped"] == 1
    assert [found.patent for found in read_graphs(tmp_path / "g.jsonl")] == ["ZZ2A"]
    with pytest.raises(PhageError, match="de \\(German\\)"):
        graph(tmp_path / "p.jsonl", "-o", tmp_path / "g.jsonl", "--strict")


def test_a_language_version_is_taken(tmp_path):
    german = (Claim(1, "Pumpe."), Claim(2, "Pumpe nach Anspruch 1."))
    patent = Patent("ZZ1A", (Claim(1, "A pump."),), translations={"de": german})
    write([patent], tmp_path / "p.jsonl")
    graph(tmp_path / "p.jsonl", "-o", tmp_path / "g.jsonl", "--language", "de")
    (found,) = read_graphs(tmp_path / "g.jsonl")
    assert (found.language, len(found.edges)) == ("de", 1)


def test_an_unknown_suffix_is_reported(tmp_path):
    corpus(tmp_path / "patents.jsonl", 1)
    with pytest.raises(PhageError, match=r"graphs\.parquet or graphs\.jsonl"):
        graph(tmp_path / "patents.jsonl", "-o", tmp_path / "graphs.csv")


KILLED = """
import os, signal, sys
from phage.cli import main
import phage.scale.run

run = sys.modules["phage.scale.run"]  # the package has a function of this name
keep, parts = run._keep, []

def keep_ten(*given):
    keep(*given)
    parts.append(given)
    if len(parts) == 10:
        os.kill(os.getpid(), signal.SIGKILL)

run._keep = keep_ten
sys.argv = ["phage", *sys.argv[1:]]
main()
"""
"""The command, which dies by itself half way: nobody has to be quick enough to kill it."""


@pytest.mark.parametrize(
    ("engine", "workers"),
    [("local", 1), ("local", 2), pytest.param("ray", 2, marks=pytest.mark.slow)],
)
def test_killed_half_way_the_parquet_has_the_same_bytes(tmp_path, engine, workers):
    corpus(tmp_path / "patents.parquet", 1000)
    undisturbed, out = tmp_path / "undisturbed.parquet", tmp_path / "graphs.parquet"
    graph(tmp_path / "patents.parquet", "-o", undisturbed)
    command = [sys.executable, "-m", "phage", "graph", str(tmp_path / "patents.parquet"),
               "-o", str(out), "--workers", str(workers), "--engine", engine, "--json"]  # fmt: skip
    env = {**os.environ, "PYTHONPATH": str(SRC)}
    killed = subprocess.run([sys.executable, "-c", KILLED, *command[3:]], env=env, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert not out.exists()
    again = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
    assert json.loads(again.stdout[again.stdout.index("{") :])["resumed"] >= 10 * 50
    assert out.read_bytes() == undisturbed.read_bytes()


@pytest.mark.parametrize("name", ["g.jsonl", "g.parquet"])
def test_a_corpus_without_a_graph_is_an_error(tmp_path, name):
    russian = "1. Насос, содержащий корпус и вал.\n\n2. Насос по п. 1, в котором вал полый.\n"
    (tmp_path / "ru.txt").write_text(russian, encoding="utf-8")
    words = ["graph", str(tmp_path / "ru.txt"), "-o", str(tmp_path / name)]
    done = CliRunner().invoke(app, words)
    assert isinstance(done.exception, PhageError) and "language 'ru'" in str(done.exception)
    assert "en, de, fr, zh, ja, ko" in done.exception.remedy
    assert not (tmp_path / name).exists()

"""What every command owes its reader: help at once, and an example."""

import json
import os
import re
import subprocess
import sys
from itertools import pairwise

import pytest
from typer.testing import CliRunner

from phage.cli import COMMANDS, app

HEAVY = ["torch", "transformers", "pyarrow", "lxml", "numpy", "spacy", "sklearn", "lancedb", "ray"]


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_shows_an_example_of_itself(name):
    done = CliRunner().invoke(app, [name, "--help"])
    assert done.exit_code == 0
    assert f"Example: phage {name}" in " ".join(done.output.split())


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["read", "--help"]])
def test_help_loads_nothing_heavy(words):
    code = f"""
import sys
sys.argv = ["phage", *{words!r}]
from phage.cli import main
try:
    main()
except SystemExit:
    pass
sys.exit(" ".join(set({HEAVY!r}) & set(sys.modules)) or 0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_fits_80_columns(name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    shown = CliRunner().invoke(app, [*([name] if name else []), "--help"]).output
    assert max(map(len, shown.splitlines())) <= 80
    assert not re.findall(r"[\w.]…", shown), "a word is cut"


@pytest.mark.parametrize("name", COMMANDS)
def test_help_breaks_lines_only_at_the_edge(name, monkeypatch):
    """No line ends early but the last of a paragraph; each example starts a line of its own."""
    monkeypatch.setenv("COLUMNS", "80")
    shown = CliRunner().invoke(app, [name, "--help"]).output.split("╭")[0].splitlines()
    for line, following in pairwise(one.strip() for one in shown):
        if line and following and not line.startswith("Usage:"):
            assert len(line) + 1 + len(following.split()[0]) > 76, (line, following)
        assert "Example:" not in line[1:]


@pytest.mark.parametrize(("typed", "meant"), [("grpah", "graph"), ("serach", "search")])
def test_a_mistyped_command_is_answered_with_the_right_one(typed, meant):
    done = CliRunner().invoke(app, [typed])
    assert f"did you mean 'phage {meant}'" in str(done.exception)
    assert "did you mean" not in str(CliRunner().invoke(app, ["xyzzy"]).exception)


WITHOUT_LIMIT = {
    "leakage": "a part of a corpus would say that nothing leaks",
    "evaluate": "a part of a data set is another data set",
    "ablate": "its plan names the data",
}
"""Commands over a corpus whose answer on a part of it would be wrong."""


@pytest.mark.parametrize(
    "name", ["read", "graph", "stats", "check", "teacher", "train", "encode", "index"]
)
def test_commands_over_a_corpus_take_a_limit(name):
    assert "--limit" in CliRunner().invoke(app, [name, "--help"]).output
    assert name not in WITHOUT_LIMIT


@pytest.mark.parametrize(
    ("shell", "given", "offered"),
    [
        ("complete_bash", {"COMP_WORDS": "phage gr", "COMP_CWORD": "1"}, "graph"),
        ("complete_zsh", {"_TYPER_COMPLETE_ARGS": "phage graph --wo"}, "--workers"),
        ("complete_fish", {"_TYPER_COMPLETE_ARGS": "phage ind", "_TYPER_COMPLETE_FISH_ACTION":
                           "get-args"}, "index"),
    ],
)  # fmt: skip
def test_shells_complete_commands_and_options(shell, given, offered):
    code = "import sys; sys.argv = ['phage']; from phage.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "_PHAGE_COMPLETE": shell, **given},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert offered in done.stdout, done.stderr


def test_a_limit_stops_early(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for words in (
        "demo-corpus -n 6 -o corpus.jsonl",
        "read corpus.jsonl -o patents.parquet --limit 4",
        "graph patents.parquet -o graphs.jsonl --limit 2",
        "check patents.parquet --json --fail-on never --limit 3",
        "stats graphs.jsonl --patents patents.parquet --limit 1 --json",
    ):
        done = CliRunner().invoke(app, words.split())
        assert done.exit_code == 0, (words, done.output, done.exception)
        if words.startswith("check"):
            assert done.stdout.count('"number"') == 3
    assert len((tmp_path / "graphs.jsonl").read_text().splitlines()) == 2
    assert json.loads(done.stdout)["corpus"]["patents"] == 1


def test_the_tour_takes_every_step(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):  # a second one goes over the first
        done = CliRunner().invoke(app, ["tour", "-n", "5"])
        assert done.exit_code == 0, (done.output, done.exception)
    for told in ("1 · Read", "'the spring' was not introduced", "claim 9, which does not exist",
                 "your claim", "Done in"):  # fmt: skip
        assert told in done.output
    assert (tmp_path / "phage-tour" / "graph.svg").is_file()


@pytest.mark.parametrize(
    ("words", "told", "known"),
    [
        ("check x --office DE", "there is no office 'DE'", "use US, EP, WO, CN, JP or KR"),
        ("index x -o y --section all", "no section 'all'", "use claims, ta, tac, full or whole"),
        ("encode x -o y --section all", "no section 'all'", "use claims, ta, tac, full or whole"),
        ("search x y --rank best", "there is no rank 'best'", "use hybrid, vector or words"),
        ("check x --fail-on never-ever", "no fail on 'never-ever'", "note or never"),
    ],
)
def test_a_word_outside_a_vocabulary_is_an_error_of_ours(phage, words, told, known):
    code, out, err = phage(*words.split())
    assert code == 2 and not out
    assert err.startswith("error: ") and told in err and known in err and "╭" not in err
    assert CliRunner().invoke(app, ["search", "x", "y", "--top", "0"]).exit_code == 2


def test_show_prints_the_graph_as_json(phage, tmp_path):
    (tmp_path / "one.txt").write_text("1. A pump with a shaft.\n\n2. The pump of claim 1.\n")
    code, out, _ = phage("show", tmp_path / "one.txt", "--json")
    assert code == 0 and json.loads(out)["edges"][0]["relation"] == "cite"

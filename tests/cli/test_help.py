"""What every command owes its reader: help at once, and an example."""

import subprocess
import sys

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

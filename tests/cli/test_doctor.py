"""``phage doctor`` tells what is here and how to get what is not."""

import importlib.util
import json

from typer.testing import CliRunner

from phage.cli import app
from phage.extras import install


def test_json_names_versions_devices_and_extras():
    done = CliRunner().invoke(app, ["doctor", "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["versions"]["torch"].startswith("2.")
    assert found["devices"][0]["name"].startswith("cpu")
    assert {e["extra"] for e in found["extras"]} >= {"train", "serve", "spacy", "cluster"}


def test_a_missing_extra_comes_with_its_command(monkeypatch):
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *a: None if name == "ray" else real(name, *a)
    )
    done = CliRunner().invoke(app, ["doctor", "--json"])
    extras = json.loads(done.stdout)["extras"]
    ray = next(e for e in extras if e["extra"] == "cluster")
    missing = [e["extra"] for e in extras if not e["here"]]
    assert (ray["here"], ray["install"]) == (False, install("cluster"))
    printed = CliRunner().invoke(app, ["doctor"]).output
    assert f"{len(missing)} optional parts are not installed" in printed
    assert install(",".join(missing)) in printed  # in one line, to be copied


def test_help_texts_keep_their_brackets():
    told = CliRunner().invoke(app, ["graph", "--help"], env={"COLUMNS": "140"}).output
    assert "phage[cluster]" in told

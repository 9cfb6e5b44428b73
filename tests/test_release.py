"""Container, workflows, lock file and the figures of docs/install.md are sound and agree."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from phage.cli import load

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MAKE = (ROOT / "Makefile").read_text(encoding="utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
INSTALL = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def instructions():
    """Give the Containerfile's instructions as (word, rest), lines joined."""
    lines = re.sub(r"^#.*\n", "", read("Containerfile"), flags=re.MULTILINE).replace("\\\n", " ")
    return [tuple(line.split(maxsplit=1)) for line in lines.splitlines() if line.strip()]


def test_the_container_serves_as_an_ordinary_user_and_stays_offline():
    found = instructions()
    last = max(place for place, (word, _) in enumerate(found) if word == "FROM")
    final = dict(found[last:])
    assert final["USER"].isdigit() and int(final["USER"]) > 0
    assert "HF_HUB_OFFLINE=1" in final["ENV"]
    assert json.loads(final["ENTRYPOINT"]) == ["phage"]
    after = [word for word, _ in found[last:]]
    assert after.index("USER") < after.index("CMD")
    assert not any(word == "ADD" for word, _ in found)
    load("serve").make_context("serve", json.loads(final["CMD"])[1:])


def test_what_the_container_copies_is_sent_to_its_builder():
    sent = {line[1:] for line in read(".dockerignore").splitlines() if line.startswith("!")}
    copied = {
        source
        for word, rest in instructions()
        if word == "COPY" and "--from" not in rest
        for source in rest.split()[:-1]
    }
    assert copied == sent
    assert all((ROOT / name).exists() for name in copied)


def test_compose_opens_the_port_to_this_machine_only():
    service = yaml.safe_load(read("compose.yaml"))["services"]["phage"]
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])
    assert service["read_only"] and service["cap_drop"] == ["ALL"]
    assert (ROOT / service["build"]["dockerfile"]).is_file()
    words = [re.sub(r"\$\{\w+:-(\w*)\}", r"\1", word) for word in service["command"]]
    settings = load("serve").make_context("serve", words[1:]).params
    assert settings["allow_host"] == ["localhost"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_is_pinned_and_asks_for_little(path):
    text = path.read_text(encoding="utf-8")
    found = yaml.safe_load(text)
    assert found["permissions"] == {"contents": "read"}
    for job in found["jobs"].values():
        assert job["timeout-minutes"] and job["steps"]
    for used in re.findall(r"uses: (.+)", text):
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v[\d.]+", used), used
    for targets in re.findall(r"run: make (.+)", text):
        for target in targets.split():
            assert re.search(rf"^{target}:", MAKE, re.MULTILINE), target


def test_workflows_and_metadata_name_the_same_pythons():
    named = [line.rsplit(" ", 1)[1] for line in PROJECT["classifiers"] if ":: 3." in line]
    for name, job in (("tests", "tests"), ("release", "try")):
        found = yaml.safe_load(read(f".github/workflows/{name}.yml"))
        assert found["jobs"][job]["strategy"]["matrix"]["python"] == named
    tried = {row["versions"]["python"].rsplit(".", 1)[0] for row in results()["tried"]}
    assert tried == set(named)


def test_the_lock_holds_every_pinned_tool_with_hashes_and_no_address():
    text = read("requirements.lock")
    assert "://" not in text
    locked = dict(re.findall(r"^([\w.-]+)==([\w.+]+)[ \\]", text, re.MULTILINE))
    assert "torch" not in locked and not [name for name in locked if name.startswith("nvidia")]
    for need in PROJECT["optional-dependencies"]["dev"]:
        if found := re.match(r"([\w.-]+)==([\w.]+)", need):
            assert locked[found[1].lower()] == found[2], need
    for entry in re.split(r"\n(?=\w)", text.split("make lock\n")[1]):
        assert "--hash=sha256:" in entry, entry
    core = {re.split(r"[\[<>=]", need)[0] for need in PROJECT["dependencies"]}
    assert core - {"torch"} <= set(locked)


def results():
    return json.loads(read("results/install.json"))


def test_the_page_shows_what_was_tried():
    for row in results()["tried"]:
        found, kind = row["versions"], "sdist" if row["package"].endswith("gz") else "wheel"
        cells = (found["python"], kind, found["torch"], f"{row['environment_gigabytes']} GB")
        assert f"| {' | '.join(cells)} |" in INSTALL
        assert row["tour"].startswith("Done") and all(row["remedy"].values())
    sizes = {row["versions"]["torch"].partition("+")[2]: row for row in results()["tried"]}
    for build, row in sizes.items():
        assert f"takes {row['environment_gigabytes']} GB" in INSTALL, build
    assert f"phage-{PROJECT['version']}-py3-none-any.whl" in INSTALL
    assert f"phage-{PROJECT['version']}-py3-none-any.whl" in results()["built"]

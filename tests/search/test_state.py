"""An index has one writer, each patent once, and no damaged index answers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from typer.testing import CliRunner

from phage.claims import Claim, Patent
from phage.cli import app
from phage.encoder import Encoder
from phage.errors import PhageError
from phage.searching import Index, Search, find, from_text, rows, state

pytest.importorskip("lancedb")

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}


def patents(count=12, words="a pump with a shaft"):
    made = []
    for place in range(count):
        claims = (Claim(1, f"{words} {place % 5}"), Claim(2, "the pump of claim 1 of steel"))
        made.append(Patent(f"US{1000 + place}B2", claims, title=f"pump {place}"))
    return made


def lines(count=12, **more):
    return "".join(json.dumps(p.to_json()) + "\n" for p in patents(count, **more))


@pytest.fixture
def encoder(tiny):
    return Encoder.from_pretrained(tiny, device="cpu")


@pytest.fixture(scope="module")
def made(tiny, tmp_path_factory):
    """A finished index."""
    folder = tmp_path_factory.mktemp("made") / "ix"
    encoder = Encoder.from_pretrained(tiny, device="cpu")
    index = Index.create(folder, encoder)
    index.add(patents(), encoder)
    index.finish()
    return folder


def numbers(folder):
    return sorted(Index.open(folder).table.to_arrow()["number"].to_pylist())


def test_two_at_once_one_works_and_one_says_why_not(tiny, tmp_path):
    source, folder = tmp_path / "p.jsonl", tmp_path / "ix"
    source.write_text(lines())
    words = [sys.executable, "-m", "phage", "index", "-o", str(folder), "--model", str(tiny)]
    first = subprocess.Popen(  # it reads what it is given here, and waits for more
        [*words, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env=ENVIRONMENT,
    )  # fmt: skip
    while not (folder / ".lock").exists():
        assert first.poll() is None, first.communicate()
    second = subprocess.run(
        [*words, str(source)], capture_output=True, text=True, check=False, env=ENVIRONMENT
    )
    assert second.returncode == 2, second.stderr
    assert "another run is writing" in second.stderr and "remedy: wait" in second.stderr
    printed, said = first.communicate(lines())
    assert first.returncode == 0, said
    assert "12 patents (12 added), " in printed
    assert numbers(folder) == sorted(p.number for p in patents())
    third = subprocess.run([*words, str(source), "--json"], check=True, capture_output=True,
                           text=True, env=ENVIRONMENT)  # fmt: skip
    counts = json.loads(third.stdout)
    assert (counts["patents"], counts["unchanged"]) == (12, 12)
    assert not (folder / ".lock").exists()


def test_two_handles_do_not_add_a_patent_twice(encoder, tmp_path):
    """The second was opened before the first wrote."""
    one = Index.create(tmp_path / "ix", encoder)
    two = Index.create(tmp_path / "ix", encoder)
    assert one.add(patents(), encoder).added == 12
    assert two.add(patents(), encoder).unchanged == 12
    assert len(numbers(tmp_path / "ix")) == 12


def test_columns_may_stand_in_another_order(encoder, tmp_path, monkeypatch):
    """An index made by another version is opened and added to."""
    with monkeypatch.context() as earlier:
        earlier.setattr(rows, "_PLAIN", rows._PLAIN[::-1])
        Index.create(tmp_path / "ix", encoder).add(patents(), encoder)
    index = Index.open(tmp_path / "ix")
    assert index.add(patents(13), encoder).added == 1
    held = [rows.patent_of(row) for row in index.table.to_arrow().to_pylist()]
    assert sorted(held, key=lambda one: one.number) == patents(13)


def files(folder, pattern):
    found = sorted(path for path in folder.glob(pattern) if path.is_file())
    assert found, pattern
    return found


def cut(pattern):
    return lambda folder: [os.truncate(path, 30) for path in files(folder, pattern)]


def turned(pattern):
    def damage(folder):
        for path in files(folder, pattern):
            found = bytearray(path.read_bytes())
            found[len(found) // 2] ^= 0x40
            path.write_bytes(found)

    return damage


def gone(pattern):
    return lambda folder: [path.unlink() for path in files(folder, pattern)]


def says(name, text):
    return lambda folder: (folder / name).write_text(text)


def setting(**values):
    def damage(folder):
        found = {**json.loads((folder / "index.json").read_text()), **values}
        (folder / "index.json").write_text(json.dumps(found))

    return damage


DAMAGED = {
    "data files that are cut": (cut("patents.lance/data/*"), "data/"),
    "data files with a turned bit": (turned("patents.lance/data/*"), "data/"),
    "data files that are gone": (gone("patents.lance/data/*"), "is missing"),
    "versions that are gone": (gone("patents.lance/_versions/*"), "_versions"),
    "versions with a turned bit": (turned("patents.lance/_versions/*.manifest"), "_versions"),
    "a full-text index with a turned bit": (turned("patents.lance/_indices/**/*"), "_indices"),
    "claims that are cut": (cut("claims.lance/data/*"), "data/"),
    "claims with a turned bit": (turned("claims.lance/data/*"), "data/"),
    "no claims": (lambda folder: shutil.rmtree(folder / "claims.lance"), "is missing"),
    "no table": (lambda folder: shutil.rmtree(folder / "patents.lance"), "is missing"),
    "index.json is empty": (says("index.json", ""), "index.json"),
    "index.json is a list": (says("index.json", "[]"), "index.json"),
    "index.json of another width": (setting(dimension=31), "columns"),
    "index.json with another key": (setting(colour="red"), "colour"),
    "index.json with another section": (setting(section="poems"), "poems"),
    "index.json with a model in numbers": (setting(model=7), "index.json"),
    "a format that is not known": (setting(format=99), "format 99"),
    "files.json is not JSON": (says("files.json", "{"), "files.json"),
    "files.json of nothing": (says("files.json", '{"patents.lance/x": 1}'), "is missing"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_index_answers_nothing(name, made, tiny, tmp_path):
    folder = tmp_path / "ix"
    shutil.copytree(made, folder)
    damage, part = DAMAGED[name]
    damage(folder)
    with pytest.raises(PhageError, match=part) as refused:
        Index.open(folder)
    assert "phage" in refused.value.remedy and refused.value.code == 2
    source = tmp_path / "p.jsonl"
    source.write_text(lines())
    for words in (
        ["search", str(folder), "a pump"],
        ["index", str(source), "-o", str(folder), "--model", str(tiny)],
        ["index", "US1000B2", "--delete", "-o", str(folder)],
    ):
        done = CliRunner().invoke(app, words)
        assert isinstance(done.exception, PhageError), done.output
        assert not done.stdout


@pytest.mark.parametrize("part", ["data/*", "_versions/*.manifest"])
def test_damage_without_hashes_is_told_too(part, made, encoder, tmp_path):
    """An index that an older version wrote, or that was left while patents were added."""
    folder = tmp_path / "ix"
    shutil.copytree(made, folder)
    (folder / "files.json").unlink()
    cut(f"patents.lance/{part}")(folder)
    with pytest.raises(PhageError, match="damaged"):
        find(Index.open(folder), from_text("a pump", encoder), Search())


def test_a_table_without_its_settings_is_not_added_to(made, encoder, tmp_path):
    folder = tmp_path / "ix"
    shutil.copytree(made, folder)
    (folder / "index.json").unlink()
    with pytest.raises(PhageError, match=r"lacks index\.json"):
        Index.create(folder, encoder)


def test_a_copied_folder_is_hashed_once(made, tmp_path, monkeypatch):
    folder = tmp_path / "ix"
    shutil.copytree(made, folder, copy_function=shutil.copy)  # with new times
    hashed = []
    whole = state.sha256
    monkeypatch.setattr(state, "sha256", lambda path: hashed.append(path) or whole(path))
    Index.open(folder)
    assert hashed
    hashed.clear()
    Index.open(folder)
    assert not hashed


def test_hashes_are_those_of_the_last_state(made, encoder, tmp_path):
    folder = tmp_path / "ix"
    shutil.copytree(made, folder)
    index = Index.open(folder)
    index.add(patents(14), encoder)
    assert not (folder / "files.json").exists()
    assert len(Index.open(folder)) == 14
    index.finish()
    assert (folder / "files.json").exists()
    assert len(Index.open(folder)) == 14


def test_other_weights_under_the_same_name_are_refused(tiny, tmp_path):
    model, source, folder = tmp_path / "model", tmp_path / "p.jsonl", tmp_path / "ix"
    shutil.copytree(tiny, model)
    source.write_text(lines())
    words = ["index", str(source), "-o", str(folder), "--model", str(model)]
    assert CliRunner().invoke(app, words).exit_code == 0
    torch.manual_seed(5)
    state = load_file(model / "model.safetensors")
    state = {n: torch.randn_like(v) if v.ndim > 1 else v for n, v in state.items()}
    save_file(state, model / "model.safetensors", {"format": "pt"})  # trained anew, say
    for again in (words, ["search", str(folder), "a pump"]):
        done = CliRunner().invoke(app, again)
        assert isinstance(done.exception, PhageError), done.output
        assert "is not the one that this index was made with" in str(done.exception)
    from phage.serve import create_app

    with pytest.raises(PhageError, match="not the one"):
        create_app(folder, None)


def test_half_weights_are_the_same_model(made, tiny):
    index = Index.open(made)
    index.settings.check(Encoder.from_pretrained(tiny, device="cpu", half=True), made)

"""What patents and file names hold never steers the terminal, on any command that prints."""

from __future__ import annotations

import json
import re
import sys

import pytest

from phage.terminal import messages, output, plain, progress, table

EVIL = (
    "\x1b]0;owned\x07\x1b[31mred\x1b[2J\rover\x08\x9b31m\u202egnp\u2066\x7f [bold]x[/nope] :smile:"
)
STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def patents(path, number="ZZ1A"):
    claims = [
        {"number": 1, "text": f"A pump {EVIL}."},
        {"number": 2, "text": "The pump of claim 1."},
    ]
    rows = [
        {
            "number": f"{number}{EVIL}",
            "title": EVIL,
            "ipc": ["F04D 29/10"],
            "claims": claims,
            "family": 3,
        },
        {"number": f"ZZ2A{EVIL}", "title": EVIL, "ipc": [EVIL], "claims": claims},
        {"number": f"ZZ3A{EVIL}", "claims": 5},
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return patents(tmp_path / "in\x1b[31m\x07[bold].jsonl")


def clean(text):
    found = STEERING.search(text)
    assert not found, (found, text[max(0, found.start() - 60) : found.end() + 20])
    return text


@pytest.mark.parametrize("as_json", [False, True])
def test_no_command_lets_control_characters_through(folder, phage, tiny, as_json):
    more = ["--json"] if as_json else []
    commands = [
        ["read", folder, "-o", "out.parquet", *more],
        ["read", folder, "-o", "out.parquet", "--strict", *more],
        ["graph", folder, "-o", "graphs.parquet", *more],
        ["encode", tiny, folder, "-o", "vectors", *more],
        ["index", folder, "--model", tiny, "-o", "in.index", *more],
        ["search", "in.index", "pump", *more],
        ["leakage", folder, folder, *more],
        ["check", folder, "--strict", *more],
    ]
    codes = []
    for words in commands:
        code, out, err = phage(*words)
        clean(out)
        clean(err)
        codes.append(code)
        if as_json and code in (0, 1) and words[0] != "read":
            assert json.loads(out) is not None
    assert codes == [0, 1, 0, 0, 0, 0, 1, 2]  # check: one row could not be read


def test_json_says_what_was_there(folder, phage):
    _, out, _ = phage("read", folder, "-o", "out.parquet", "--json")
    assert json.loads(out)["repairs"][0]["document"] == " ".join(f"ZZ1A{EVIL}".split())


def test_show_and_errors(folder, phage, tmp_path):
    code, out, err = phage("show", folder)
    assert code == 0 and "␛" in clean(out)
    code, out, err = phage("show", folder, "--patent", EVIL)
    assert code == 2 and "␛[31m" in clean(err)
    code, out, err = phage("read", f"missing{EVIL}", "-o", "out.parquet")
    assert code == 2 and "␛" in clean(err)


def test_a_name_that_is_not_unicode(phage, tmp_path):
    odd = tmp_path / "in\udcff.jsonl"
    patents(odd)
    code, out, err = phage("read", odd, "-o", tmp_path / "out.parquet", "--json")
    assert code == 0 and json.loads(out)["repairs"][0]["file"] == str(odd)
    code, out, err = phage("read", odd, "-o", tmp_path / "out.parquet")
    assert code == 0 and "in\ufffd.jsonl" in clean(err).replace("\n", "")


def test_tables_progress_and_consoles(capsys):
    table(EVIL, [EVIL, "n"], [[EVIL, 1]])
    output.print(EVIL, style="bold")
    messages.print(f"{EVIL}\ttab")
    with progress(EVIL, 2, EVIL) as advance:
        advance(1, EVIL)
    said = capsys.readouterr()
    clean(said.out)
    clean(said.err.replace("\t", ""))
    assert "[bold]x[/nope] :smile:" in said.out


def test_colours_of_our_own_still_reach_a_terminal(monkeypatch):
    import io

    from phage.terminal import _Plain

    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    console = _Plain()
    console.file = io.StringIO()
    console.print(EVIL, style="bold red", highlight=False)
    text = console.file.getvalue()
    assert "\x1b[1;31m" in text and "\x1b]0" not in text and "\x1b[2J" not in text


def test_plain_text_stays_as_it_is():
    for text in ("A pump, 5 µm → 7 µm", "請求項1に記載のポンプ", "two\nlines\tand a tab", ""):
        assert plain(text) == text


def test_a_notebook_gets_a_bar_of_html(monkeypatch):
    from types import SimpleNamespace

    from phage import terminal

    shown = []
    handle = SimpleNamespace(update=shown.append)
    fake = SimpleNamespace(HTML=str, display=lambda *_, **__: handle)
    monkeypatch.setitem(sys.modules, "IPython.display", fake)
    monkeypatch.setattr(terminal.messages, "is_jupyter", True)
    with terminal.progress("reading <b>", total=3, unit="patents") as advance:
        for _ in range(3):
            advance()
    assert "<progress" in shown[-1] and 'max="3"' in shown[-1] and "3 of 3" in shown[-1]
    assert "&lt;b&gt;" in shown[-1] and "<b>" not in shown[-1]

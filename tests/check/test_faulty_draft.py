"""A Word draft with twenty faults: every one found, every comment at its words."""

import importlib.util
import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import docx
import pytest
from lxml import etree
from typer.testing import CliRunner

from phage.claims import read
from phage.cli import app

EXAMPLE = Path(__file__).parents[2] / "examples" / "faulty_draft.py"
SOFFICE = shutil.which("soffice")


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("faulty_draft", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def checked(example, tmp_path_factory):
    """The draft, its commented copy and its findings."""
    folder = tmp_path_factory.mktemp("draft")
    example.write(str(folder / "draft.docx"))
    words = ["check", str(folder / "draft.docx"), "--docx", str(folder / "out.docx"), "--json"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1
    return folder, json.loads(done.stdout)["findings"]


def faults(example):
    return [(rule, re.search(r"\*(.+)\*", claim)[1]) for rule, claim in example.CLAIMS if rule]


def commented(path):
    """Give the words between the marks of each comment, and its text."""
    document = docx.Document(path)
    order = [comment.comment_id for comment in document.comments]
    open_, words = set(), dict.fromkeys(order, "")
    for element in document.element.iter():
        name = element.tag.rsplit("}", 1)[-1]
        if name in ("commentRangeStart", "commentRangeEnd"):
            number = int(next(v for k, v in element.attrib.items() if k.endswith("}id")))
            (open_.add if name.endswith("Start") else open_.remove)(number)
        elif name == "t":
            for number in open_:
                words[number] += element.text or ""
    assert not open_
    return [(words[one.comment_id], one.text) for one in document.comments]


def test_all_twenty_faults_are_found_where_they_are(example, checked):
    _, findings = checked
    expected = faults(example)
    assert len(expected) == 20
    assert [
        (f["rule"], f["text"]) for f in findings if (f["rule"], f["text"]) in expected
    ] == expected
    others = {f["rule"] for f in findings if (f["rule"], f["text"]) not in expected}
    assert others == {"independent-count", "fee-count"}


def test_every_comment_stands_at_its_words(checked):
    folder, findings = checked
    comments = commented(folder / "out.docx")
    assert [words for words, _ in comments] == [f["text"] for f in findings]
    for (_, text), finding in zip(comments, findings, strict=True):
        assert finding["message"] in text and finding["rule"] in text


def test_the_terminal_shows_the_same_findings(checked):
    folder, findings = checked
    done = CliRunner().invoke(app, ["check", str(folder / "draft.docx")])
    heads = re.findall(r"^  claim (.+): (\w+): ([\w-]+)$", done.output, re.MULTILINE)
    printed = {c.number: f"{c.printed} (again)" for c in read_one(folder) if c.printed}
    assert len(printed) == 1
    assert heads == [
        (printed.get(f["claim"], str(f["claim"])), f["severity"], f["rule"]) for f in findings
    ]


def read_one(folder):
    """Give the claims of the draft."""
    [patent] = read(folder / "draft.docx")
    return patent.claims


@pytest.mark.skipif(SOFFICE is None, reason="LibreOffice is not installed")
def test_libreoffice_opens_the_copy_with_every_comment_at_its_words(checked, tmp_path):
    folder, findings = checked
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    subprocess.run(
        [SOFFICE, profile, "--headless", "--convert-to", "odt", "--outdir", tmp_path,
         folder / "out.docx"],
        check=True, capture_output=True, timeout=300,
    )  # fmt: skip
    with zipfile.ZipFile(tmp_path / "out.odt") as packed:
        root = etree.fromstring(packed.read("content.xml"))
    assert odt_words(root) == [finding["text"] for finding in findings]


def odt_words(root):
    """Give the words between the marks of each comment as LibreOffice understood them."""
    words, open_ = {}, []
    body = next(root.iter("{urn:oasis:names:tc:opendocument:xmlns:office:1.0}text"))

    def walk(element):
        name = element.tag.rsplit("}", 1)[-1]
        mark = next((v for k, v in element.attrib.items() if k.endswith("}name")), "")
        if name == "annotation":
            words[mark] = ""
            open_.append(mark)
        elif name == "annotation-end":
            open_.remove(mark)
        else:
            say(element.text)
            for child in element:
                walk(child)
                say(child.tail)

    def say(text):
        for mark in open_:
            words[mark] += text or ""

    walk(body)
    assert not open_
    return list(words.values())

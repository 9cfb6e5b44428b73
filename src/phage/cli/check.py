"""Command ``phage check``: the claims of drafts and patents → findings.

In:   files of any format that ``phage read`` takes; ``-`` is standard input.
Out:  findings on stdout, as text, JSON or SARIF; an HTML page; the Word file with comments.
Why:  what an examiner will object to is cheaper to see before filing."""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phage.cli.options import Limit, apart
from phage.errors import PhageError

if TYPE_CHECKING:
    from phage.checking.types import CheckReport, CheckSettings, Finding, Office
    from phage.claims import Patent, ReadReport

Key = tuple[str, str, int, str]


class _Office(StrEnum):
    """As in ``phage.checking.types``; spelled here because commands start fast."""

    US = "US"
    EP = "EP"
    WO = "WO"
    CN = "CN"
    JP = "JP"
    KR = "KR"


class _Level(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"
    NEVER = "never"


def check(
    sources: Annotated[
        list[str] | None, typer.Argument(help="Drafts and patents of any known format; - is stdin.")
    ] = None,
    office: Annotated[
        _Office, typer.Option(case_sensitive=False, help="Office whose rules apply.")
    ] = _Office.US,
    select: Annotated[
        list[str] | None,
        typer.Option(
            "--select",
            "--rules",
            help="Apply only these rules; 'list' shows all and their languages.",
        ),
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option(help="Skip these rules.")] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="Also note mentions that were accepted without an exact match."
        ),
    ] = False,
    baseline: Annotated[
        Path | None, typer.Option(help="Hide findings that this earlier --json report contains.")
    ] = None,
    fail_on: Annotated[
        _Level,
        typer.Option("--fail-on", help="Exit with 1 on findings of this severity or higher."),
    ] = _Level.ERROR,
    limit: Limit = 0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON report per line.")] = False,
    as_sarif: Annotated[bool, typer.Option("--sarif", help="One SARIF 2.1.0 log.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write an HTML page with the findings.")] = None,
    docx: Annotated[
        Path | None, typer.Option(help="Write a copy of the .docx with comments at the words.")
    ] = None,
) -> None:
    """Check claims: antecedents, references, numbering, form and wording.

    Exit codes: 0, no finding of severity --fail-on or higher; 1, such findings; 2, a file could not
    be read or a patent not checked. This is a drafting aid, not legal advice. docs/check.md explains
    every rule.

    Example: phage check draft.docx --docx commented.docx --html report.html

    Example: phage check - --office EP --json < claims.txt

    Example: phage check --rules list --office EP
    """
    from phage.checking.types import DISCLAIMER, CheckSettings, Office
    from phage.claims import ReadReport
    from phage.storage import alone
    from phage.terminal import emit_json, output

    if _names(select) == ("list",):
        _list_rules(Office(office))
        return
    settings = CheckSettings(Office(office), _names(select), _names(ignore), strict)
    _apart((html, docx), *(sources or []), baseline)
    known = _known(baseline) if baseline else frozenset()
    read = ReadReport()
    with contextlib.ExitStack() as held:
        for written in filter(None, (html, docx)):
            held.enter_context(alone(written))
        paths = _paths(sources or [], Path(held.enter_context(tempfile.TemporaryDirectory())))
        _check_word(paths, docx)
        results: list[tuple[str, Patent, CheckReport, tuple[Finding, ...]]] = []
        worst = 0
        for source, patent, report in islice(_checked(paths, settings, read), limit or None):
            left, gone = _without(report, known)
            worst = max(worst, left.worst())
            if as_json:
                emit_json(left.to_json(), indent=None)
            elif not as_sarif:
                _show(patent, left)
            if as_sarif or html or docx:
                results.append((source, patent, left, gone))
        if read.patents and not (as_json or as_sarif):
            output.print(DISCLAIMER, style="bright_black")
        if docx is not None and results:
            _write_word(paths[0][1], docx, results)
        if as_sarif:
            _write_sarif(results)
        _write_page(html, results)
    _leave(read, worst, fail_on)


def _apart(outputs: tuple[Path | None, ...], *sources: Path | str | None) -> None:
    for output in outputs:
        apart(output, *sources)


def _names(given: list[str] | None) -> tuple[str, ...]:
    return tuple(name for part in given or () for name in part.split(",") if name)


def _list_rules(office: Office) -> None:
    """Print one row per rule: severity at an office, languages, what it reports."""
    from phage.checking.rulebook import EDITION, LANGUAGES, RULES
    from phage.terminal import output

    output.print(f"rules {EDITION}, office {office}", style="bold")
    for rule in RULES.values():
        state = str(rule.weighed(office)) if office in rule.offices else "off"
        read = "all" if rule.languages == LANGUAGES else " ".join(rule.languages)
        output.print(f"{rule.id:<25} {state:<8} {read:<15} {rule.about}", soft_wrap=True)


def _paths(sources: list[str], folder: Path) -> list[tuple[str, Path]]:
    """Return the files to read; standard input becomes one."""
    if not sources:
        raise PhageError("nothing to check", remedy="name a file, or - for standard input")
    paths: list[tuple[str, Path]] = []
    for source in sources:
        path = Path(source)
        if source == "-":
            path = folder / "stdin"
            with path.open("wb") as copy:
                shutil.copyfileobj(sys.stdin.buffer, copy)
        paths.append((source, path))
    return paths


def _check_word(paths: list[tuple[str, Path]], docx: Path | None) -> None:
    from phage.claims.readers.word import is_word

    if docx is not None and (len(paths) != 1 or not is_word(paths[0][1])):
        raise PhageError(
            "--docx writes comments into a copy of one Word file",
            place=", ".join(name for name, _ in paths),
            remedy="give one .docx, or use --html",
        )


def _checked(
    paths: list[tuple[str, Path]], settings: CheckSettings, report: ReadReport
) -> Iterator[tuple[str, Patent, CheckReport]]:
    from phage.checking.run import active_rules
    from phage.checking.run import check as check_patent
    from phage.claims import read
    from phage.claims.report import ReadProblem

    active_rules(settings)  # a wrong name is reported before anything is read
    for name, path in paths:
        for patent in read(path, report=report, descriptions=True):
            try:
                checked = check_patent(patent, settings)
            except PhageError as error:  # too many references, an unknown language
                report.note(ReadProblem(name, 0, error.message, patent.number))
            else:
                yield name, patent, checked
    if not report.patents:
        raise report.nothing(", ".join(name for name, _ in paths))


def _known(path: Path) -> frozenset[Key]:
    keys: set[Key] = set()
    try:
        for line in path.read_text("utf-8").strip().split("\n"):
            row = json.loads(line)
            keys |= {
                (row["number"], f["rule"], f["claim"], f["term"] or f["text"])
                for f in row["findings"]
            }
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise PhageError(
            f"not a report of phage check: {error}",
            place=str(path),
            remedy="write one with phage check FILE --json > baseline.jsonl",
        ) from None
    return frozenset(keys)


def _without(report: CheckReport, known: frozenset[Key]) -> tuple[CheckReport, tuple[Finding, ...]]:
    if not known:
        return report, ()
    gone = tuple(f for f in report.findings if (report.number, *f.key) in known)
    left = tuple(f for f in report.findings if (report.number, *f.key) not in known)
    return replace(report, findings=left, suppressed=len(gone)), gone


def _show(patent: Patent, report: CheckReport) -> None:
    from phage.checking.report.terminal import lines
    from phage.terminal import output

    for line in lines(patent, report, output.width):
        output.print(line)


def _write_sarif(results: list[tuple[str, Patent, CheckReport, tuple[Finding, ...]]]) -> None:
    from phage import __version__
    from phage.checking.report.sarif import log
    from phage.terminal import emit_json

    emit_json(log(((source, report, gone) for source, _, report, gone in results), __version__))


def _write_page(
    html: Path | None, results: list[tuple[str, Patent, CheckReport, tuple[Finding, ...]]]
) -> None:
    from phage.checking.report.page import page
    from phage.storage import write_text

    if html is not None:
        write_text(html, page((patent, report) for _, patent, report, _ in results))


def _write_word(
    source: Path, target: Path, results: list[tuple[str, Patent, CheckReport, tuple[Finding, ...]]]
) -> None:
    from phage.checking.report.word import MOST, commented
    from phage.storage import atomic
    from phage.terminal import messages

    [(_, patent, report, _)] = results
    with atomic(target) as partial:
        partial.write_bytes(commented(source.read_bytes(), patent, report))
    if len(report.findings) > MOST:
        said = f"{target} has the first {MOST:,} findings; --html shows all"
        messages.print(said, style="yellow")


def _leave(read: ReadReport, worst: int, fail_on: _Level) -> None:
    from phage.checking.types import Severity
    from phage.terminal import messages

    for line in read.lines(10):
        messages.print(line, style="yellow")
    if read.skipped:
        raise typer.Exit(2)
    if fail_on is not _Level.NEVER and worst >= Severity(fail_on).weight:
        raise typer.Exit(1)

"""What a reading run did, and what it could not read.

In:   patents and problems, as the readers give them.
Out:  counts, and each problem with its file, its place there and its reason.
Why:  one broken document among a million must neither stop the run nor vanish."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from phage.claims.normal import shortened
from phage.claims.types import Patent
from phage.errors import PhageError

if TYPE_CHECKING:
    from phage.claims.readers.columns import Columns


class Unread(PhageError):
    """A document that a strict run refuses to skip."""

    code = 1  # the command works; the input is not in order


@dataclass(frozen=True, slots=True)
class ReadProblem:
    """A document that was skipped, read only in part, or repaired."""

    file: str
    """Path; a member of an archive follows after ``!``."""
    offset: int
    """Where the document begins, in bytes of the file as unpacked; its row for tables."""
    reason: str
    document: str = ""
    """Its number, where that could be read."""
    partial: bool = False
    """The document was read all the same, but something in it is missing."""
    repaired: bool = False
    """The document was read in full, but a value in it had to be changed to the right type."""
    line: int = 0
    """Its line in the file, from 1; 0 where the file does not have lines."""
    row: int = 0
    """Its row in a table or its place in a list, from 1; 0 elsewhere."""

    @property
    def place(self) -> str:
        """Name the file and where in it.

        >>> ReadProblem("a.jsonl", 120, "no claims", line=3).place, ReadProblem("a.xml", 1200, "").place
        ('a.jsonl, line 3', 'a.xml, byte 1,200')
        >>> ReadProblem("draft.pdf", 0, "PDF files cannot be read").place
        'draft.pdf'
        """
        spots = {"row": self.row, "line": self.line, "byte": self.offset}
        spot = next((f", {word} {place:,}" for word, place in spots.items() if place), "")
        return f"{self.file}{spot}"

    @property
    def outcome(self) -> str:
        """Describe what became of the document."""
        if self.repaired:
            return "repaired"
        return "read in part" if self.partial else "skipped"

    def __str__(self) -> str:
        """Return one line for people."""
        return f"{self.outcome}: {self.place}: {self.document} {self.reason}"

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        row: dict[str, Any] = {"file": self.file, "offset": self.offset, "reason": self.reason}
        row |= {name: getattr(self, name) for name in ("document", "line", "row")}
        return {name: value for name, value in row.items() if value or name == "offset"}

    def error(self) -> PhageError:
        """Return the same as an error, for a strict run."""
        name = self.document or "a document"
        how = " as it is" if self.repaired else " in full" if self.partial else ""
        return Unread(
            f"{name} cannot be read{how}: {self.reason}",
            place=self.place,
            remedy="repair or remove it, or read without --strict to skip and count it",
        )


def instructed(reason: str) -> tuple[str, str]:
    """Take a reason and its instruction apart.

    >>> instructed("RTF files cannot be read: save it as .docx"), instructed("column 'a': is empty")
    (('RTF files cannot be read', 'save it as .docx'), ("column 'a': is empty", ''))
    """
    why, *rest = _INSTRUCTION.split(reason, maxsplit=1)
    return why, "".join(rest)


_INSTRUCTION = re.compile(r"[:;] (?=(?:name|number them|save|sort|write|delete|format) )")

SHOWN = 1000
"""Problems kept word for word; beyond that they are only counted, so memory stays flat."""


@dataclass(slots=True)
class ReadReport:
    """Counts of one run; filled while the patents stream by."""

    patents: int = 0
    claims: int = 0
    with_ipc: int = 0
    merged: int = 0
    """Documents that went into another kind of the same patent."""
    skipped: int = 0
    partial: int = 0
    repaired: int = 0
    files: int = 0
    bytes: int = 0
    """Read from disk, before any unpacking."""
    formats: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    problems: list[ReadProblem] = field(default_factory=list)
    columns: dict[str, Columns] = field(default_factory=dict)
    """File → which of its columns were taken for what, for tables with names of their own."""

    def add(self, patent: Patent, form: str) -> None:
        """Count a patent that was read."""
        self.patents += 1
        self.claims += len(patent.claims)
        self.with_ipc += bool(patent.ipc)
        self.formats[form] += 1
        self.languages[patent.language] += 1

    def note(self, problem: ReadProblem, strict: bool = False) -> None:
        """Count a problem; for a strict run it is an error. What a file says is not repeated at length."""
        number, reason = shortened(problem.document, 80), shortened(problem.reason, 2_000)
        problem = replace(problem, document=number, reason=reason)
        if problem.repaired:
            self.repaired += 1
        elif problem.partial:
            self.partial += 1
        else:
            self.skipped += 1
        self.reasons[problem.reason.split(":")[0]] += 1
        if len(self.problems) < SHOWN:
            self.problems.append(problem)
        if strict:
            raise problem.error()

    def lines(self, most: int = 100) -> Iterator[str]:
        """Name the problems for people, one in a line; beyond ``most`` only their number."""
        yield from map(str, self.problems[:most])
        more = self.skipped + self.partial + self.repaired - min(most, len(self.problems))
        if more:
            yield f"… and {more:,} more; phage read --json lists them"

    def guesses(self) -> Iterator[str]:
        """Name the columns that were guessed, one file in a line."""
        for file, columns in self.columns.items():
            if columns.guessed:
                yield f"{file}: {columns}"

    def remarks(self) -> Iterator[str]:
        """Summarise for a caller who passed no report: the guesses, and the first problem."""
        yield from self.guesses()
        if self.problems:
            count = self.skipped + self.partial + self.repaired
            more = f"; {count - 1:,} more: pass report=ReadReport()" * (count > 1)
            yield f"{self.problems[0]}{more}"

    def nothing(self, sources: str) -> PhageError:
        """Return the error of a run that read no patent at all: the first reason, and its place."""
        first = self.problems[0] if self.problems else None
        why, remedy = instructed(first.reason) if first else ("", "")
        return PhageError(
            f"no patent could be read{f': {why}' if why else ''}",
            place=first.place if first else sources,
            remedy=remedy or "phage read --help lists the formats",
        )

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form: counts, then the problems."""
        return {
            "patents": self.patents,
            "with_ipc": self.with_ipc,
            "claims": self.claims,
            "merged": self.merged,
            "skipped": self.skipped,
            "partial": self.partial,
            "repaired": self.repaired,
            "files": self.files,
            "bytes": self.bytes,
            "formats": dict(self.formats),
            "languages": dict(self.languages),
            "columns": {file: dict(columns.taken) for file, columns in self.columns.items()},
            "reasons": dict(self.reasons.most_common()),
            "problems": self._listed("skipped"),
            "notices": self._listed("read in part"),
            "repairs": self._listed("repaired"),
        }

    def _listed(self, outcome: str) -> list[dict[str, Any]]:
        return [problem.to_json() for problem in self.problems if problem.outcome == outcome]

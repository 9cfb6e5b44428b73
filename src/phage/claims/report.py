"""What a reading run did, and what it could not read.

In:   patents and problems, as the readers give them.
Out:  counts, and each problem with its file, byte offset and reason.
Why:  one broken document among a million must neither stop the run nor vanish."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from phage.claims.types import Patent
from phage.errors import PhageError


@dataclass(frozen=True, slots=True)
class Problem:
    """A document that was skipped, or read only in part."""

    file: str
    """Path; a member of an archive follows after ``!``."""
    offset: int
    """Where the document begins, in bytes of the file as unpacked; its row for tables."""
    reason: str
    document: str = ""
    """Its number, where that could be read."""
    partial: bool = False
    """The document was read all the same, but something in it is missing."""

    def to_json(self) -> dict[str, Any]:
        """Give the JSON form."""
        row: dict[str, Any] = {"file": self.file, "offset": self.offset, "reason": self.reason}
        if self.document:
            row["document"] = self.document
        return row

    def error(self) -> PhageError:
        """Give the same as an error, for a strict run."""
        name = self.document or "a document"
        return PhageError(
            f"{name} cannot be read{' in full' if self.partial else ''}: {self.reason}",
            place=f"{self.file}, byte {self.offset}",
            remedy="mend or remove it, or read without --strict to skip and count it",
        )


SHOWN = 1000
"""Problems kept word for word; beyond that they are only counted, so memory stays flat."""


@dataclass(slots=True)
class Report:
    """Counts of one run; filled while the patents stream by."""

    patents: int = 0
    claims: int = 0
    with_ipc: int = 0
    merged: int = 0
    """Documents that went into another kind of the same patent."""
    skipped: int = 0
    partial: int = 0
    files: int = 0
    bytes: int = 0
    """Read from disk, before any unpacking."""
    formats: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)

    def add(self, patent: Patent, form: str) -> None:
        """Count a patent that was read."""
        self.patents += 1
        self.claims += len(patent.claims)
        self.with_ipc += bool(patent.ipc)
        self.formats[form] += 1
        self.languages[patent.language] += 1

    def note(self, problem: Problem) -> None:
        """Count a problem."""
        if problem.partial:
            self.partial += 1
        else:
            self.skipped += 1
        self.reasons[problem.reason.split(":")[0]] += 1
        if len(self.problems) < SHOWN:
            self.problems.append(problem)

    def nothing(self, sources: str) -> PhageError:
        """Give the error of a run that read no patent at all: the first reason, and its place."""
        first = self.problems[0] if self.problems else None
        return PhageError(
            f"no patent could be read{f': {first.reason}' if first else ''}",
            place=f"{first.file}, byte {first.offset}" if first else sources,
            remedy="phage read --help lists the formats",
        )

    def to_json(self) -> dict[str, Any]:
        """Give the JSON form: counts, then the problems."""
        return {
            "patents": self.patents,
            "with_ipc": self.with_ipc,
            "claims": self.claims,
            "merged": self.merged,
            "skipped": self.skipped,
            "partial": self.partial,
            "files": self.files,
            "bytes": self.bytes,
            "formats": dict(self.formats),
            "languages": dict(self.languages),
            "reasons": dict(self.reasons.most_common()),
            "problems": [problem.to_json() for problem in self.problems if not problem.partial],
            "notices": [problem.to_json() for problem in self.problems if problem.partial],
        }

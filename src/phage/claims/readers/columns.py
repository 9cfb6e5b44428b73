"""Which column of a table holds which part of a patent.

In:   the names of a table's columns, and what the user said of them (``columns``).
Out:  field → column, and what was guessed; rows under the names of ``Patent``.
Why:  nobody's own table has our names. A guess saves the user a line, and is always reported."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from phage.claims.language import detect
from phage.claims.normal import shortened
from phage.claims.readers.cells import cell
from phage.claims.readers.documents import Malformed
from phage.claims.readers.records import claim_number, missing, shown
from phage.claims.types import Patent
from phage.errors import PhageError

CLAIM_NUMBER = "claim_number"
"""Beside the fields of ``Patent``: the claim's number, in a table with one row for each claim."""
FIELDS = (*(one.name for one in fields(Patent) if one.name != "translations"), CLAIM_NUMBER)
_NAMES = {
    "number": "publication_number publication_no pub_no pub_number patent_number patent_no "
    "patent_id document_number doc_number document_id publication_id ucid display_key "
    "publication patent document pn id",
    "claims": "claims_text claim_text claim_set claims_en claims_full full_claims all_claims claim",
    "application": "application_number application_no app_no app_number filing_number",
    "family": "family_id family_key family_number simple_family docdb_family_id inpadoc_family",
    "kind": "kind_code",
    "language": "lang publication_language",
    "title": "invention_title title_en patent_title title_text",
    "abstract": "abstract_text abstract_en",
    "description": "description_text description_en specification",
    "ipc": "ipcs ipcr ipc_codes ipc_code ipc_class ipc_classes ipc_classification "
    "ipc_classifications ipcr_classifications international_classification",
    "cpc": "cpcs cpc_codes cpc_code cpc_class cpc_classes cpc_classification cpc_classifications",
    "filing_date": "application_date date_filed date_of_filing filed filing date",
    "publication_date": "pub_date date_published date_of_publication published grant_date "
    "issue_date date_of_grant",
    "priority_date": "earliest_priority_date earliest_priority",
    "assignees": "assignee applicants applicant owners owner patentee assignee_name "
    "applicant_name company",
    "inventors": "inventor inventor_names inventor_name",
    "citations": "cited_patents cited_documents cites cites_patents backward_citations",
    "priorities": "priority_numbers priority_number priority_claims",
    CLAIM_NUMBER: "claim_no claim_num claim_sequence claim_index",
}
"""Field → names that it goes by in the exports people have, the surest first."""


@dataclass(frozen=True, slots=True)
class Columns:
    """What was taken from where."""

    taken: Mapping[str, str]
    """Field → the table's own name of the column."""
    guessed: tuple[str, ...] = ()
    """Fields that neither the user nor the column's own name decided."""
    unused: tuple[str, ...] = ()
    spare: str = ""
    """The next best column for claims."""
    otherwise: Columns | None = None
    """What to take where a "claim" beside a "text" is not a number: only its value shows what it is."""

    def __str__(self) -> str:
        """Return one line for people.

        >>> print(resolve(["Pub No", "Claims", "Status"]))
        number from 'Pub No', claims from 'Claims'; not used: 'Status'
        """
        found = ", ".join(f"{part} from '{name}'" for part, name in self.taken.items())
        if self.otherwise:
            found += f"; where '{self.taken[CLAIM_NUMBER]}' is not a number, {self.otherwise}"
            return found
        return found + f"; not used: {_quoted(self.unused)}" * bool(self.unused)

    def fitting(self, row: Mapping[str, Any]) -> Columns:
        """Return the columns for one row.

        >>> columns = resolve(["number", "claim", "text"])
        >>> columns.fitting({"number": "US1A", "claim": "A pump.", "text": "Pumps are old."}).taken
        {'number': 'number', 'claims': 'claim'}
        """
        if self.otherwise and not claim_number(row.get(self.taken[CLAIM_NUMBER])):
            return self.otherwise
        return self

    def row(self, row: Mapping[str, Any], losses: list[str]) -> dict[str, Any]:
        """Return a row under our names, with the lists inside cells unfolded.

        A cell that cannot be used is added to ``losses``; the number's and the claims' is an error.
        """
        found: dict[str, Any] = {}
        for part, name in self.taken.items():
            if absent(value := row.get(name)):
                continue
            try:
                found[part] = cell(part, value, f"column '{name}':")
            except Malformed as error:
                if part == "claims" and self.spare:
                    better = f"name their column: --columns claims='{self.spare}'"
                    raise Malformed(f"{error}; {better}") from None
                if part in ("number", "claims"):
                    raise
                losses.append(str(error))
        if "language" not in self.taken:
            found["language"] = detect(_sample(found.get("claims")))
        return found


def resolve(
    names: Iterable[str], given: Mapping[str, str] | None = None, counted: bool = True
) -> Columns:
    """Match columns with fields: as given, then by name; what is left open is an error.

    ``counted`` says that a "claim" beside a "text" is the claim's number.
    """
    names, given = list(names), dict(given or {})
    taken: dict[str, str] = {}
    for part, name in given.items():
        if part not in FIELDS:
            raise Malformed(f"columns: '{part}' is not a field; name one of {', '.join(FIELDS)}")
        if name not in names:
            raise Malformed(
                f"column '{name}' for {part} is not in the table: {_quoted(names)}; "
                f"{_near(name, names)}"
            )
        taken[part] = name
    known = {name: _plain(name) for name in names if name not in taken.values()}
    plain = _understood(known, counted)
    guessed = []
    spare = ""
    for part in FIELDS:
        ways = [part, *_NAMES.get(part, "").split()]
        fits = sorted((ways.index(way), name) for name, way in plain.items() if way in ways)
        if part in taken or not fits:
            continue
        taken[part] = fits[0][1]
        del plain[fits[0][1]]
        spare = fits[1][1] if part == "claims" and len(fits) > 1 else spare
        guessed += [part] if fits[0][1] != part else []
    twice = [name for name in taken.values() if names.count(name) > 1]
    if twice:
        raise Malformed(f"two columns are named '{twice[0]}'; name each differently")
    # A table of titles or abstracts alone is taken only if the user named its columns.
    bare = given and "claims" not in given and not taken.keys().isdisjoint(("title", "abstract"))
    for part in ("number",) if bare else ("number", "claims"):
        if part not in taken:
            raise Malformed(
                f"no column for the {part} among {_quoted(names)}; "
                f"name it: columns={{'{part}': …}}, or --columns {part}=…"
            )
    ordered = {part: taken[part] for part in FIELDS if part in taken}
    unsure = counted and known.get(taken.get(CLAIM_NUMBER, "")) == "claim"
    otherwise = resolve(names, given, counted=False) if unsure else None
    return Columns(ordered, tuple(guessed), tuple(plain), spare, otherwise)


def _understood(plain: dict[str, str], counted: bool) -> dict[str, str]:
    """Read a "claim" beside a "text" as the claim's number, as in our own frame of claims."""
    ways = set(plain.values())
    numbered = not ways.isdisjoint((CLAIM_NUMBER, *_NAMES[CLAIM_NUMBER].split()))
    if not numbered and (
        not counted or ways.isdisjoint(("text", "claim_text")) or "claim" not in ways
    ):
        return plain
    meant = {"text": "claim_text"} if numbered else {"text": "claim_text", "claim": CLAIM_NUMBER}
    return {name: meant.get(way, way) for name, way in plain.items()}


@dataclass(slots=True)
class Wanted:
    """What the user said of the columns, and what was taken in each file."""

    given: Mapping[str, str] = field(default_factory=dict)
    """Field → column."""
    found: dict[str, Columns] = field(default_factory=dict)
    """File → its columns, where they were not our own names throughout."""
    _known: dict[tuple[str, ...], Columns] = field(default_factory=dict)

    def of(self, file: str, names: Iterable[str]) -> Columns:
        """Resolve the columns of a file; of rows that are objects, later ones may lack some."""
        key = (file, *names)
        if key not in self._known:
            given = self.given
            if file in self.found:
                needed = {"number", "claims"}
                given = {n: c for n, c in given.items() if c in key[1:] or n in needed}
            self._known[key] = resolve(key[1:], given)
            self.found.setdefault(file, self._known[key])
        return self._known[key]


def named(columns: object) -> dict[str, str]:
    """Check what the caller said of the columns; a column's name may be a number.

    >>> named({"claims": 0})
    {'claims': '0'}
    """
    if not isinstance(columns, Mapping | None):
        raise PhageError(
            f"columns is {shown(columns)}, not a dictionary",
            remedy="write columns={'claims': 'Claims Text'}",
        )
    return {str(part): str(name) for part, name in (columns or {}).items()}


def parse(pairs: Sequence[str]) -> dict[str, str]:
    """Read ``--columns``.

    >>> parse(["claims=Claims Text", "number=Pub = No"])
    {'claims': 'Claims Text', 'number': 'Pub = No'}
    """
    found = {}
    for pair in pairs:
        part, sign, name = pair.partition("=")
        if not sign or part not in FIELDS:
            raise PhageError(
                f"--columns {shown(pair)} does not name a field and its column",
                remedy=f"write --columns claims='Claims Text'; fields: {', '.join(FIELDS)}",
            )
        found[part] = name
    return found


def _plain(name: object) -> str:
    return re.sub(r"[\W_]+", "_", str(name).lower()).strip("_")


def _quoted(names: Iterable[object], most: int = 30) -> str:
    listed = [f"'{shortened(str(name), 60)}'" for name in names]
    return ", ".join(listed[:most]) + f" and {len(listed) - most} more" * (len(listed) > most)


def _near(name: str, names: Sequence[str]) -> str:
    """Suggest the column that was probably meant.

    >>> _near("claims text", ["Number", "Claim Text"]), _near("x", ["Number"])
    ("name 'Claim Text'", 'name one of these')
    """
    ways = {one.lower(): one for one in names}
    found = difflib.get_close_matches(name.lower(), ways, 1)
    return f"name '{ways[found[0]]}'" if found else "name one of these"


def headed(row: str, error: Malformed) -> str:
    """Name the row that was taken as the header, and what to do if it is not."""
    return f"{row} is taken as the header: {error}, or delete the rows above the header"


def absent(value: Any) -> bool:  # noqa: ANN401  (whatever a cell holds)
    """Return whether a cell is empty; pandas has names of its own for that."""
    if isinstance(value, str):
        return not value.strip()
    return missing(value) or type(value).__name__ in ("NaTType", "NAType")


def _sample(claims: Any) -> str:  # noqa: ANN401
    if isinstance(claims, Mapping):
        claims = list(claims.values())
    if not isinstance(claims, (list, tuple)):
        return str(claims or "")
    texts = [one.get("text") if isinstance(one, Mapping) else one for one in claims[:20]]
    return " ".join(text for text in texts if isinstance(text, str))

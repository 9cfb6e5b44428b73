"""EPO publications: ST.36 documents, and the EP full-text table.

In:   one ``ep-patent-document``; or rows ``authority number kind date language type text``.
Out:  a patent with its claims in each language of the publication.
Why:  European grants carry three claim sets, and only one of them is the binding one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from lxml import etree

from phage.claims.language import detect
from phage.claims.normal import application, classifications, date, fold, language, publication
from phage.claims.numbering import Tagged, number_claims
from phage.claims.readers.documents import (
    Malformed,
    found,
    paragraphs,
    parse,
    raw_text,
    set_apart,
    text,
)  # fmt: skip
from phage.claims.readers.filings import Filing, lineage, names, surname_last
from phage.claims.readers.sources import Entry
from phage.claims.report import ReadProblem
from phage.claims.split import split_set
from phage.claims.types import Citation, Claim, Patent

BLOCKS = ("claim-text", "br", "p", "li", "dd", "dt", "entry", "row", "maths", "chemistry", "tables")
_CITED = re.compile(r"\s*([A-Z]{2})\s*-\s*([A-Z]\d?)\s*-?\s*(.+)")
_EDITION = re.compile(r"^\s*(?:\d\s*)?([A-H])\s*(\d\d)\s?([A-Z])")
"""Before 2006 the edition stands first: `` 5C 12N  15/28   A``."""

ClaimSet = tuple[tuple[Claim, ...], tuple[int, ...]]


def patent(root: etree._Element, descriptions: bool = False) -> Patent:
    """Read one ST.36 document."""
    bib = root.find("SDOBI")
    digits = root.get("doc-number") or found(bib, "B100/B110")
    office = root.get("country") or found(bib, "B100/B190") or "EP"
    if not digits:
        raise Malformed("no publication number")
    kind = root.get("kind") or found(bib, "B100/B130")
    own = language(root.get("lang") or found(bib, "B200/B260"))
    applied = Filing(application(office, found(bib, "B200/B210")), date(found(bib, "B200/B220")))
    sets = claim_sets(root.iterfind("claims"), own)
    own = own if own in sets or not sets else next(iter(sets))
    claims, gone = sets.pop(own, ((), ()))
    return Patent(
        number=publication(office, digits, kind),
        claims=claims,
        kind=kind,
        language=own,
        title=_in(own, _titles(bib)),
        abstract=_in(own, [(a.get("lang") or own, text(a)) for a in root.iterfind("abstract")]),
        description=paragraphs(root.find("description")) if descriptions else "",
        ipc=classifications(_ipc(bib)),
        cpc=classifications(_texts(bib, "B500/B520EP/classifications-cpc//text")),
        publication_date=date(root.get("date-publ") or found(bib, "B100/B140")),
        citations=tuple(_citations(bib)),
        assignees=names(_texts(bib, "B700/B730/B731/snm"), _texts(bib, "B700/B710/B711/snm")),
        inventors=names(surname_last(n, ",") for n in _texts(bib, "B700/B720/B721/snm")),
        cancelled=gone,
        **lineage(applied, _priorities(bib), _related(bib, office)),
        translations={code: others for code, (others, _) in sets.items()},
    )


def claim_sets(blocks: Iterable[etree._Element], default: str) -> dict[str, ClaimSet]:
    """Read each language's claims; of several sets for different states the first counts."""
    sets: dict[str, ClaimSet] = {}
    for block in blocks:
        said = (block.get("lang") or "").strip()
        found_set = tagged(block)
        known = not said or said.lower() == "xx" or language(said, "")
        code = language(said, default) if known else detect(text(block))
        if found_set[0] and code not in sets:
            sets[code] = found_set
    return sets


def tagged(block: etree._Element) -> ClaimSet:
    """Return the claims of one block their numbers; a whole set inside one ``claim`` is split."""
    set_apart(block, BLOCKS)
    claims = list(block.iter("claim"))
    items = [
        Tagged(
            text(claim),
            claim.get("num") or (claim.get("id") or "").rpartition("-")[2],
            claim.get("id") or "",
            tuple(
                one for ref in claim.iter("claim-ref") for one in (ref.get("idref") or "").split()
            ),
        )
        for claim in claims
    ]
    if len(items) == 1:
        parts = "\n".join(raw_text(p) for p in claims[0].iterchildren("claim-text"))
        inner = split_set(parts or items[0].text)
        if len(inner.claims) > 1 or inner.cancelled:
            return inner.claims, inner.cancelled
    return number_claims(_first_set([item for item in items if item.text]))


def _first_set(items: list[Tagged]) -> list[Tagged]:
    """Return the first of several sets in a row, which were granted for different states."""
    for place, item in enumerate(items):
        if place and item.label.lstrip("0") == "1":
            return items[:place]
    return items


def _titles(bib: etree._Element | None) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    code = ""
    for part in [] if bib is None else bib.iterfind("B500/B540/*"):
        if part.tag == "B541":
            code = text(part)
        elif part.tag == "B542":
            pairs.append((code, text(part)))
    return pairs


def _in(code: str, versions: Sequence[tuple[str, str]]) -> str:
    """Choose the version in a language, or the first there is."""
    matching = [words for lang, words in versions if language(lang, code) == code and words]
    return (matching or [words for _, words in versions] or [""])[0]


def _texts(bib: etree._Element | None, path: str) -> list[str]:
    return [] if bib is None else [raw_text(one) for one in bib.iterfind(path)]


def _ipc(bib: etree._Element | None) -> Iterator[str]:
    yield from _texts(bib, "B500/B510EP/classification-ipcr/text")
    for path in ("B500/B510/B511", "B500/B510/B512"):
        for symbol in _texts(bib, path):
            yield _EDITION.sub(r"\1\2\3", symbol)


def _citations(bib: etree._Element | None) -> Iterator[Citation]:
    for cited in _texts(bib, "B500/B560/B561/text"):
        parts = _CITED.match(fold(cited))
        yield Citation(publication(parts[1], parts[3], parts[2]) if parts else fold(cited))
    for cited in _texts(bib, "B500/B560/B562/text"):
        yield Citation(fold(cited), kind="other")


def _related(bib: etree._Element | None, office: str) -> Iterator[Filing]:
    for parent in [] if bib is None else bib.iterfind("B600/B620/parent/pdoc"):
        yield Filing(application(office, found(parent, "dnum/anum")), date(found(parent, "date")))


def _priorities(bib: etree._Element | None) -> Iterator[Filing]:
    columns = [_texts(bib, f"B300/{name}") for name in ("B330", "B310", "B320")]
    for office, number, filed in zip(*columns, strict=False):
        yield Filing(application(fold(office), number), date(filed))


# ---- the full-text table ----

TYPES = frozenset(["TITLE", "ABSTR", "DESCR", "CLAIM", "AMEND", "ACSTM", "SREPT", "PDFEP"])
_COLUMNS = 7
_KEY = re.compile(r"[A-Z]{2}[A-Z]{0,2}\d{1,12}[A-Z]\d?")


def is_row(line: str) -> bool:
    r"""Return whether a line is one of the full-text table.

    >>> is_row("EP\t1000000\tA1\t2000-05-17\ten\tTITLE\tPump")
    True
    """
    cells = line.split("\t")
    return len(cells) >= _COLUMNS and cells[5] in TYPES


def read_table(entry: Entry, descriptions: bool) -> Iterator[Patent | ReadProblem]:
    """Read the table; the rows of one publication stand together."""
    key: tuple[str, ...] = ()
    rows: list[list[str]] = []
    seen: set[tuple[str, ...]] = set()
    start: Callable[..., ReadProblem] = ReadProblem
    for line in entry.lines():
        cells = line.text.rstrip("\r\n").split("\t", _COLUMNS - 1)
        here = partial(ReadProblem, entry.name, line.offset, line=line.number)
        if len(cells) < _COLUMNS or cells[5] not in TYPES or not _KEY.fullmatch("".join(cells[:3])):
            yield here(reason=line.flaw or f"not a row of {_COLUMNS} columns")
            continue
        if tuple(cells[:3]) != key:
            if rows:
                yield from _publication(start, rows, descriptions)
            key, rows, start = tuple(cells[:3]), [], here
            if key in seen:
                yield here(reason="its rows are not next to each other", document="".join(key))
                key = ()
                continue
            seen.add(key)
        if descriptions or cells[5] in ("TITLE", "ABSTR", "CLAIM"):
            rows.append(cells)
            if line.flaw:
                yield here(reason=line.flaw, document=publication(*cells[:3]), partial=True)
    if rows:
        yield from _publication(start, rows, descriptions)


def _publication(
    here: Callable[..., ReadProblem], rows: list[list[str]], descriptions: bool
) -> Iterator[Patent | ReadProblem]:
    office, digits, kind, published = rows[0][:4]
    number = publication(office, digits, kind)
    parts: dict[str, list[tuple[str, str]]] = {}
    sets: dict[str, ClaimSet] = {}
    for cells in rows:
        flaws: list[str] = []
        fragment = _fragment(cells[6], flaws)
        for flaw in flaws:
            reason = f"{cells[5]} in {cells[4]}: {flaw}"
            yield here(reason=reason, document=number, partial=True)
        if fragment is None:
            continue
        if cells[5] == "CLAIM":
            code = language(cells[4])
            sets.setdefault(code, tagged(fragment) if len(fragment) else _plain(cells[6]))
        else:
            words = paragraphs(fragment) if cells[5] == "DESCR" else text(fragment)
            parts.setdefault(cells[5], []).append((cells[4], words))
    own = language((parts.get("DESCR") or [("", "")])[0][0], next(iter(sets), "en"))
    own = own if own in sets or not sets else next(iter(sets))
    claims, gone = sets.pop(own, ((), ()))
    yield Patent(
        number=number,
        claims=claims,
        kind=kind,
        language=own,
        title=_in(own, parts.get("TITLE", [])),
        abstract=_in(own, parts.get("ABSTR", [])),
        description=_in(own, parts.get("DESCR", [])) if descriptions else "",
        publication_date=date(published),
        cancelled=gone,
        translations={code: others for code, (others, _) in sets.items()},
    )


def _fragment(xml: str, flaws: list[str]) -> etree._Element | None:
    try:
        return parse(b"<part>" + xml.encode() + b"</part>", flaws)
    except Malformed as error:
        flaws.append(str(error))
        return None


def _plain(words: str) -> ClaimSet:
    inner = split_set(words)
    return inner.claims, inner.cancelled

"""MAREC and CLEF-IP documents, and OPS full texts, which look much alike.

In:   one ``patent-document`` (a kind of a patent), or one OPS answer.
Out:  a patent; ``kinds`` joins it with the other kinds of the same one.
Why:  one invention is a folder of A1, A2, B1 … here, and each lacks what another has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lxml import etree

from phage.claims.language import detect
from phage.claims.normal import application, classifications, date, language, parts, publication
from phage.claims.readers.documents import Malformed, found, paragraphs, raw_text, text
from phage.claims.readers.epo import claim_sets
from phage.claims.readers.filings import Filing, lineage, names, surname_last
from phage.claims.types import Citation, Patent


def patent(root: etree._Element, descriptions: bool = False) -> Patent:
    """Read one document."""
    office, digits, kind = parts(root.get("ucid") or "")
    office, digits = root.get("country") or office, root.get("doc-number") or digits
    kind = root.get("kind") or kind
    if not office or not digits:
        raise Malformed("no publication number")
    remove_page_marks(root)
    bib = root.find("bibliographic-data")
    applied = None if bib is None else bib.find("application-reference/document-id")
    titles = _versions([] if bib is None else bib.iter("invention-title"))
    abstracts = _versions(root.iterfind("abstract"))
    sets = claim_sets(root.iterfind("claims"), "")
    own = _own_language(root.get("lang") or "", list(sets), [*abstracts, *titles])
    sets = {code or own: found_set for code, found_set in sets.items()}
    claims, gone = sets.pop(own, ((), ()))
    return Patent(
        number=publication(office, digits, kind),
        claims=claims,
        kind=kind,
        language=own,
        title=titles.get(own) or next(iter(titles.values()), ""),
        abstract=abstracts.get(own) or next(iter(abstracts.values()), ""),
        description=paragraphs(_description(root, own)) if descriptions else "",
        ipc=classifications(_ipc(bib)),
        cpc=classifications(_symbols(bib, "classification-cpc")),
        publication_date=date(root.get("date") or ""),
        citations=tuple(_citations(bib)),
        assignees=names(_parties(bib, "assignees"), _parties(bib, "applicants")),
        inventors=names(surname_last(name, ",") for name in _parties(bib, "inventors")),
        cancelled=gone,
        **lineage(
            Filing("") if applied is None else _filing(applied),
            []
            if bib is None
            else map(_filing, bib.iterfind("priority-claims/priority-claim/document-id")),
            family=root.get("family-id") or "",
        ),
        translations={code: others for code, (others, _) in sets.items()},
    )


def remove_page_marks(root: etree._Element) -> None:
    """Remove the page marks that scanning left in the text: ``EPO <DP n="4"/>``.

    >>> root = etree.fromstring('<p>a shaft EPO <DP n="4"/>and a rod</p>')
    >>> remove_page_marks(root); text(root)
    'a shaft and a rod'
    """
    for mark in root.iter("DP"):
        before = mark.getprevious()
        holder = mark.getparent()
        if before is not None and before.tail:
            before.tail = _without_office(before.tail)
        elif before is None and holder is not None and holder.text:
            holder.text = _without_office(holder.text)
        mark.text = " "


def _without_office(words: str) -> str:
    bare = words.rstrip()
    return words[: len(bare) - 3] if bare.endswith("EPO") else words


def _own_language(said: str, with_claims: list[str], with_text: list[str]) -> str:
    """Settle on a language that the document has claims in, whatever its label says."""
    labelled = language(said, "")
    for code in [labelled, *with_claims, "en" if "en" in with_text else "", *with_text]:
        if code and (not with_claims or code in with_claims):
            return code
    return labelled or "en"


def _versions(elements: Iterable[etree._Element]) -> dict[str, str]:
    versions: dict[str, str] = {}
    for element in elements:
        words = text(element)
        if words:
            versions.setdefault(language(element.get("lang") or "", "") or detect(words), words)
    return versions


def _description(root: etree._Element, own: str) -> etree._Element | None:
    all_of_them = list(root.iterfind("description"))
    matching = [one for one in all_of_them if language(one.get("lang") or "", "") == own]
    return next(iter(matching or all_of_them), None)


def _application(applied: etree._Element) -> str:
    office, number = found(applied, "country"), found(applied, "doc-number")
    if found(applied, "kind") == "W":  # filed under the PCT, at the office named
        return f"PCT{office}{number}"
    return application(office, number)


def _filing(applied: etree._Element) -> Filing:
    return Filing(_application(applied), date(found(applied, "date")))


def _parties(bib: etree._Element | None, kind: str) -> list[str]:
    """Return the names of one kind of party, in the form nearest to print that the source has."""
    forms: dict[str, list[str]] = {}
    for party in [] if bib is None else bib.iterfind(f"parties/{kind}/*"):
        book = party.find("addressbook")
        name = found(book, "orgname") or found(book, "last-name") or found(book, "name")
        first = found(book, "first-name")
        forms.setdefault(party.get("format") or "original", []).append(f"{first} {name}".strip())
    return next((forms[f] for f in ("original", "intermediate", "epo") if f in forms), [])


def _ipc(bib: etree._Element | None) -> Iterator[str]:
    """Yield the main symbol first: the old main class, else the one marked as first."""
    if bib is None:
        return
    for older in bib.iter("main-classification"):
        if older.getparent() is not None and older.getparent().tag == "classification-ipc":  # type: ignore[union-attr]
            yield text(older)
    symbols = list(_symbols(bib, "classification-ipcr"))
    yield from (symbol for symbol in symbols if symbol[28:29] == "F")
    yield from symbols
    for holder in bib.iter("classification-ipc"):
        yield from map(text, holder.iter("further-classification"))


def _symbols(bib: etree._Element | None, name: str) -> Iterator[str]:
    if bib is not None:
        yield from (raw_text(one).lstrip("\n") for one in bib.iter(name))


def _citations(bib: etree._Element | None) -> Iterator[Citation]:
    for cited in [] if bib is None else bib.iter("patcit", "nplcit"):
        source = next(cited.iter("source"), None)
        category = "" if source is None else source.get("category") or ""
        if cited.tag == "nplcit":
            yield Citation(text(cited), category, "other")
            continue
        office, digits, kind = parts(cited.get("ucid") or "")
        document = cited.find("document-id")
        if not office and document is not None:
            office, digits = found(document, "country"), found(document, "doc-number")
            kind = found(document, "kind")
        if office and digits:
            yield Citation(publication(office, digits, kind), category)

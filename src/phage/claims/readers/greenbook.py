"""USPTO Greenbook text, grants of 1976 to 2001.

In:   lines of a three- or four-letter mark and a value; six blanks go on with the value above.
Out:  patents, with the office's spelled-out signs (``.degree.``) turned into signs.
Why:  a quarter century of full texts exists in no other form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from phage.claims.normal import application, classifications, date, fold, publication
from phage.claims.numbering import Tagged, number_claims
from phage.claims.readers.documents import Document, Malformed
from phage.claims.readers.filings import Filing, lineage, names, surname_last
from phage.claims.readers.unpack import BLOCK, Peek, Refused
from phage.claims.split import split_set
from phage.claims.types import Citation, Claim, Patent

LARGEST = 32 << 20
"""Bytes of one document; the format has no pictures and no sequence listings."""
START = re.compile(rb"(?:\A|(?<=\n))PATN[ \t]*\r?(?:\n|\Z)")
_LINE = re.compile(r"([A-Z][A-Z0-9]{1,3})(?:\s|\Z)\s?(.*)")
_KINDS = {"D": "S", "PP": "P", "RE": "E", "H": "H", "T": "I4"}
"""Kind codes by the letters of the number; grants before 2001 bear none of their own."""
_TEXT = {"PAR", "PA0", "PA1", "PA2", "PA3", "PA4", "PA5", "PAL", "PAC", "TBL", "EQU", "FNT", "STM"}


@dataclass(slots=True)
class TaggedSection:
    """A part of a document and its fields, in order."""

    name: str
    fields: list[tuple[str, str]] = field(default_factory=list)

    def get(self, mark: str) -> str:
        """Return the first value of a field."""
        return next((value for name, value in self.fields if name == mark), "")

    def continue_last(self, lines: list[str]) -> None:
        """Add lines to the last field, and empty the list."""
        if lines:
            mark, value = self.fields[-1]
            self.fields[-1] = (mark, "\n".join([value, *lines]))
            lines.clear()


def is_greenbook(head: bytes) -> bool:
    r"""Return whether a file is Greenbook text, also one that lost its begin.

    >>> is_greenbook(b"PATN\n\nWKU  039302717\n"), is_greenbook(b"1. A pump.")
    (True, False)
    """
    marked = re.compile(rb"(?m)^(?:PA[R0-5LC]|NUM|STM|NAM|CTY|PNO|ISD|OCL|XCL|APD|NCL)  \S")
    return START.search(head) is not None or len(marked.findall(head)) >= 3


def documents(stream: Peek) -> Iterator[Document]:
    """Cut a weekly file before each ``PATN`` line; the file's header goes with none."""
    held, offset = b"", 0
    while True:
        block = stream.read(BLOCK)
        held += block
        starts = [found.start() for found in START.finditer(held)]
        if block and starts and starts[-1] > len(held) - 8:
            starts.pop()  # its line may be cut
        ends = starts[1:] if block else [*starts[1:], len(held)]
        for begin, end in zip(starts, ends, strict=False):
            yield Document(held[begin:end], offset + begin)
        done = starts[-1] if starts and block else 0
        if not block:
            if not starts and held.strip():
                yield Document(held, offset)
            return
        held, offset = held[done:], offset + done
        if len(held) > LARGEST:
            raise Refused(f"a document larger than {LARGEST >> 20} MB")


def patent(document: bytes, descriptions: bool = False) -> tuple[Patent, int | None]:
    """Read one document; return the patent and the number of claims it says it has."""
    parts = list(_sections(document.decode("utf-8", "replace")))
    head = parts[0] if parts else TaggedSection("")
    weekly = head.get("WKU").replace(" ", "")
    found = re.fullmatch(r"([A-Z]{0,2})(\d{5,9})", weekly)
    if not found:
        raise Malformed("no publication number")
    letters, digits = found[1], found[2][:-1]  # the last digit is a check digit
    kind = _KINDS.get(letters, "A")
    claims, gone = _claims(parts)
    said = head.get("NCL").split(",")[0].strip()
    return Patent(
        number=publication("US", letters + digits.lstrip("0"), kind),
        claims=claims,
        kind=kind,
        title=_clean(head.get("TTL")),
        abstract=_words([part for part in parts if part.name == "ABST"]),
        description=_description(parts) if descriptions else "",
        ipc=classifications(
            value
            for part in parts
            if part.name == "CLAS"
            for mark, value in part.fields
            if mark == "ICL"
        ),
        publication_date=date(head.get("ISD")),
        citations=tuple(_citations(parts)),
        assignees=names(part.get("NAM") for part in parts if part.name == "ASSG"),
        inventors=names(surname_last(p.get("NAM")) for p in parts if p.name == "INVT"),
        cancelled=gone,
        **lineage(
            _filing(head),
            map(_priority, (part for part in parts if part.name == "PRIR")),
            map(_filing, (part for part in parts if part.name == "RLAP")),
        ),
    ), int(said) if said.isdecimal() and letters != "RE" else None


def _sections(document: str) -> Iterator[TaggedSection]:
    section = TaggedSection("PATN")
    more: list[str] = []  # lines that go on with the last field, joined once
    for line in document.splitlines():
        found = _LINE.match(line)
        if found and more:
            section.continue_last(more)
        if found and not found[2].strip() and len(found[1]) == 4:
            if section.fields or section.name != "PATN":
                yield section
            section = TaggedSection(found[1])
        elif found:
            section.fields.append((found[1], found[2]))
        elif line.strip() and section.fields:
            more.append(line.strip())
    section.continue_last(more)
    yield section


def _priority(part: TaggedSection) -> Filing:
    office = part.get("CNT").strip()[:2].replace("DT", "DE")
    return Filing(application(office, part.get("APN")), date(part.get("APD")))


def _filing(part: TaggedSection) -> Filing:
    return Filing(_application(part), date(part.get("APD")))


def _application(part: TaggedSection) -> str:
    number = re.sub(r"\D", "", part.get("APN"))[:6]
    series = part.get("SRC").strip()
    series = series.zfill(2) if series.isdigit() else series
    return application("US", series + number) if number else ""


def _claims(parts: list[TaggedSection]) -> tuple[tuple[Claim, ...], tuple[int, ...]]:
    for part in parts:
        if part.name in ("CLMS", "DCLM"):
            tagged: list[tuple[str, list[str]]] = []
            loose: list[str] = []
            for mark, value in part.fields:
                if mark == "NUM":
                    tagged.append((value.strip(" ."), []))
                elif mark in _TEXT and mark != "STM":
                    (tagged[-1][1] if tagged else loose).append(_clean(value))
            if tagged:
                return number_claims([Tagged(fold(" ".join(t)), n) for n, t in tagged if t])
            inner = split_set("\n".join(loose))
            return inner.claims, inner.cancelled
    return (), ()


def _words(parts: list[TaggedSection]) -> str:
    return " ".join(_clean(v) for part in parts for mark, v in part.fields if mark in _TEXT)


def _description(parts: list[TaggedSection]) -> str:
    names = {"PARN", "GOVT", "BSUM", "DRWD", "DETD"}
    return "\n".join(
        _clean(v) for p in parts if p.name in names for mark, v in p.fields if mark in _TEXT
    )


def _citations(parts: list[TaggedSection]) -> Iterator[Citation]:
    for part in parts:
        number = part.get("PNO").strip()
        if part.name == "UREF" and number:
            yield Citation(publication("US", number, _KINDS.get(re.sub(r"\d.*", "", number), "A")))
        elif part.name == "FREF" and number:
            country = part.get("CNT").strip()[:2].replace("DT", "DE")
            yield Citation(publication(country, number))
        elif part.name == "OREF":
            for mark, value in part.fields:
                if mark in _TEXT:
                    yield Citation(_clean(value), kind="other")


_SIGNS = {
    "degree": "°", "mu": "μ", "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ",
    "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ", "iota": "ι", "kappa": "κ",
    "lambda": "λ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ",
    "upsilon": "υ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "DELTA": "Δ",
    "GAMMA": "Γ", "LAMBDA": "Λ", "OMEGA": "Ω", "PHI": "Φ", "PI": "Π", "PSI": "Ψ",
    "SIGMA": "Σ", "THETA": "Θ", "ltoreq": "≤", "gtoreq": "≥", "noteq": "≠", "apprxeq": "≈",
    "about": "~", "times": "×", "div": "÷", "+-": "±", "infin": "∞", "multidot": "·",
    "fwdarw": "→", "rarw": "←", "sqroot": "√", "SQRT": "√", "angle": "∠", "perp": "⊥",
    "ANG": "Å", "RTM": "®", "TM": "™", "COPYRGT": "©", "sctn": "§", "para": "¶", "dbd": "=",
    "tbd": "≡", "ident": "≡", "varies": "∝", "differential": "∂", "intg": "∫", "prime": "′",
    "cent": "¢", "quadrature": "□", "dagger": "†", "sub": "", "sup": "", "Iadd": "",
    "Iaddend": "", "[": "[", "]": "]",
}  # fmt: skip
"""Spelled-out signs; ``.sub.`` and ``.sup.`` only lower and raise, ``.Iadd.`` marks a reissue."""
_SIGN = re.compile(
    r"\.(" + "|".join(map(re.escape, sorted(_SIGNS, key=len, reverse=True))) + r")\."
)


def _clean(value: str) -> str:
    r"""Turn spelled-out signs into signs, and fold.

    >>> _clean("CO.sub.2 at 20.degree. C.\n  and 3 .mu.m")
    'CO2 at 20° C. and 3 μm'
    """
    return fold(_SIGN.sub(lambda found: _SIGNS[found[1]], value))

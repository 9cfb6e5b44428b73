"""What differs between languages: one folder per language, with the same files."""

from __future__ import annotations

from collections import UserDict
from importlib import import_module

from phage.claims.language import NAMES
from phage.errors import PhageError
from phage.language.types import Language


def _language(code: str) -> Language:
    """Assemble a language from the modules of its folder."""
    citations, mentions, couplings = (
        import_module(f"{__name__}.{code}.{part}")
        for part in ("citations", "mentions", "couplings")
    )
    return Language(
        code=code,
        name=NAMES[code],
        references=citations.references,
        cross_category=citations.cross_category,
        subject=citations.subject,
        same=citations.same,
        mentions=mentions.mentions,
        components=couplings.components,
        abbreviations=getattr(mentions, "abbreviations", None),
    )


class _Late(UserDict[str, Language]):
    """Languages by code, each assembled on first use, because compiling patterns takes time."""

    def __getitem__(self, code: str) -> Language:
        if self.data[code] is None:
            self.data[code] = _language(code)
        return self.data[code]


LANGUAGES = _Late(dict.fromkeys(("en", "de", "fr", "zh", "ja", "ko")))  # type: ignore[arg-type]

__all__ = ["LANGUAGES", "Language", "language_of"]


def language_of(code: str, place: str = "") -> Language:
    """Look a language up.

    >>> language_of("de").name
    'German'
    """
    try:
        return LANGUAGES[code]
    except KeyError:
        known = ", ".join(f"{language.code} ({language.name})" for language in LANGUAGES.values())
        raise PhageError(
            f"claims in language '{code}' are not supported",
            place=place,
            remedy=f"use one of {known}",
        ) from None

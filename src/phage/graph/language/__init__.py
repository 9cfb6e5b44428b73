"""What differs between languages: one file of phrases and small functions each."""

from __future__ import annotations

from phage.errors import PhageError
from phage.graph.language.de import GERMAN
from phage.graph.language.en import ENGLISH
from phage.graph.language.fr import FRENCH
from phage.graph.language.ja import JAPANESE
from phage.graph.language.ko import KOREAN
from phage.graph.language.types import Language
from phage.graph.language.zh import CHINESE

LANGUAGES: dict[str, Language] = {
    language.code: language for language in (ENGLISH, GERMAN, FRENCH, CHINESE, JAPANESE, KOREAN)
}

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
            f"no claim graph for language '{code}'", place=place, remedy=f"known are {known}"
        ) from None

"""What the views in notebooks share: colours that follow the theme, and safe text.

In:   the name of a view and its colours; words of any origin.
Out:  CSS; words escaped, without signs that cannot be seen.
Why:  every kind of notebook marks its theme in its own way, and no view should know fewer of them."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

_DARK = ('[data-jp-theme-light="false"]', ".vscode-dark", ".theme-dark", '[theme="dark"]')
_LIGHT = ('[data-jp-theme-light="true"]', ".vscode-light", ".theme-light", '[theme="light"]')
"""How notebooks mark their theme: Jupyter, VS Code, others."""


def themed(view: str, light: str, dark: str, parts: Sequence[str] = ("",)) -> str:
    """Return the rules that colour a view by the notebook's theme or, without one, the reader's.

    ``parts`` are selectors inside the view that have the colours, too.

    >>> themed("view", "--ink:black", "--ink:white")[:77]
    '.view{--ink:black}@media(prefers-color-scheme:dark){.view{--ink:white}}[data-'
    """
    rules = [f".{view}{{{light}}}@media(prefers-color-scheme:dark){{.{view}{{{dark}}}}}"]
    for marks, colours in ((_DARK, dark), (_LIGHT, light)):
        places = [f"{mark} .{view}{part}" for mark in marks for part in parts]
        rules.append(f"{','.join(places)}{{{colours}}}")
    return "".join(rules)


def visible(words: str) -> str:
    r"""Escape words for a page, without control characters.

    >>> visible("a<b\x1b[31m\u202e")
    'a&lt;b[31m'
    """
    return escape("".join(sign for sign in words if sign.isprintable() or sign in "\n\t"))

"""The rules' data: severity, offices, source, edition.

In:   rules.toml beside this file.
Out:  RULES, one Rule per id, and EDITION.
Why:  law changes by edition, code does not; a reader must be able to check every source."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files

from phage.checking.types import Office, Severity

_DATA = tomllib.loads((files(__package__) / "rules.toml").read_text("utf-8"))


LANGUAGES = ("en", "de", "fr", "zh", "ja", "ko")


@dataclass(frozen=True, slots=True)
class Rule:
    """What is known of a rule besides how it is found."""

    id: str
    severity: Severity
    offices: tuple[Office, ...]
    """Where it is on unless it is selected by name."""
    source: str
    about: str
    severities: Mapping[Office, Severity] = field(default_factory=dict)
    """Where an office weighs it differently."""
    languages: tuple[str, ...] = LANGUAGES
    """Codes of the languages that it reads."""

    def weighed(self, office: Office) -> Severity:
        """Return the severity at an office."""
        return self.severities.get(office, self.severity)


EDITION: str = _DATA.pop("edition")
RULES: dict[str, Rule] = {
    name: Rule(
        name,
        Severity(row["severity"]),
        tuple(map(Office, row["offices"].split())),
        row["source"],
        row["about"],
        {Office(o): Severity(s) for o, s in row.get("severities", {}).items()},
        tuple(row["languages"].split()) if "languages" in row else LANGUAGES,
    )
    for name, row in _DATA.items()
}

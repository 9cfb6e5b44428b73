"""Check one patent: read it legally, ask every rule.

In:   a Patent and CheckSettings.
Out:  its CheckReport.
Why:  the only place that knows all rules, offices and severities."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from phage.checking.reading import LegalReading, read_legally
from phage.checking.rulebook import EDITION, RULES
from phage.checking.rules import FUNCTIONS, STRICT
from phage.checking.rules.types import Seen
from phage.checking.types import CheckReport, CheckSettings, Finding, Severity
from phage.claims.types import Patent
from phage.errors import GIVE, PhageError, given

_DEFAULT = CheckSettings()
_CLAIM = re.compile(
    r"(?<!\w)'.*?'(?!\w)|\b(?P<claims>claims? \d{1,9}\b(?:(?:, | and | to )\d{1,9}\b)*)", re.DOTALL
)
"""Words of a claim, which stay, or claims by number."""
_NUMBER = re.compile(r"\d+")


def check(patent: Patent, settings: CheckSettings = _DEFAULT) -> CheckReport:
    """Check the claims of one patent.

    >>> from phage.claims import Claim
    >>> patent = Patent("draft", (Claim(1, "A cup comprising the lid."),))
    >>> [(f.rule, f.claim, f.place.text) for f in check(patent).findings]
    [('antecedent-missing', 1, 'the lid')]
    """
    given(patent, Patent, GIVE)
    given(settings, CheckSettings, 'give settings: CheckSettings(office="EP"), from phage.checking')
    active = active_rules(settings)
    reading = read_legally(patent)
    again = {claim.number: claim.printed for claim in patent.claims if claim.printed}
    findings = sorted(
        _found(reading, settings, active, again),
        key=lambda finding: (finding.claim, finding.place.start, finding.place.end, finding.rule),
    )
    unchecked = {
        number: _as_printed(claim.unchecked, again)
        for number, claim in reading.claims.items()
        if claim.unchecked
    }
    return CheckReport(
        patent.number, reading.language, tuple(findings), settings, EDITION, unchecked, again=again
    )


def active_rules(settings: CheckSettings) -> frozenset[str]:
    """Name the rules that are on.

    >>> sorted(active_rules(CheckSettings(select=("no-full-stop", "omnibus"), ignore=("omnibus",))))
    ['no-full-stop']
    """
    for name in (*settings.select, *settings.ignore):
        if name not in RULES:
            raise PhageError(f"unknown rule '{name}'", remedy=f"use one of {', '.join(RULES)}")
    chosen = settings.select or tuple(
        rule.id for rule in RULES.values() if settings.office in rule.offices
    )
    return frozenset(chosen) - frozenset(settings.ignore)


def _found(
    reading: LegalReading, settings: CheckSettings, active: frozenset[str], again: dict[int, int]
) -> Iterable[Finding]:
    office = settings.office
    functions = [function for function, rules in FUNCTIONS if not active.isdisjoint(rules)]
    for function in (*functions, STRICT) if settings.strict else functions:
        for seen in _gathered(list(function(reading, office))):
            if seen.rule in active and (settings.strict or not seen.strict):
                rule = RULES[seen.rule]
                yield Finding(
                    seen.rule, seen.severity or rule.weighed(office), seen.place,
                    _as_printed(seen.message, again), _as_printed(seen.suggestion, again), seen.related, seen.match, seen.term, (str(office),),
                    rule.source,
                )  # fmt: skip


def _as_printed(message: str, again: dict[int, int]) -> str:
    """Name claims by their printed numbers, where a number that was taken stands for another.

    >>> _as_printed("claim 3 refers to claim 9, which does not exist", {3: 2})
    'claim 2 (again) refers to claim 9, which does not exist'
    >>> _as_printed("'the lid of claim 3' was not introduced; the same in claims 3, 5", {3: 2})
    "'the lid of claim 3' was not introduced; the same in claims 2 (again), 5"
    """
    if not again:
        return message

    def printed(found: re.Match[str]) -> str:
        number = int(found[0])
        return f"{again[number]} (again)" if number in again else found[0]

    return _CLAIM.sub(
        lambda found: _NUMBER.sub(printed, found[0]) if found["claims"] else found[0], message
    )


def _gathered(found: list[Seen]) -> list[Seen]:
    """Make one finding of one cause: a term that lacks its introduction in five claims."""
    if len(found) < 2 or not found[0].term:
        return found
    groups: dict[tuple[str, int], list[Seen]] = {}
    for seen in found:
        # What is light anyway stays where it is; it only must not be reported twice in one claim.
        apart = seen.place.claim if seen.severity is Severity.NOTE else 0
        groups.setdefault((seen.term, apart), []).append(seen)
    return [_joined(group) for group in groups.values()]


def _joined(group: list[Seen]) -> Seen:
    first, *others = group
    if not others:
        return first
    claims = sorted({seen.place.claim for seen in others} - {first.place.claim})
    more = f"; the same in claim{'s' * (len(claims) > 1)} {', '.join(map(str, claims))}"
    return replace(
        first,
        message=first.message + (more if claims else ""),
        related=(*first.related, *(seen.place for seen in others)),
    )

"""Findings as SARIF 2.1.0, which code hosts and editors read.

In:   reports with the files they came from.
Out:  one SARIF log.
Why:  a draft under version control can be checked like code."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from phage.checking.rulebook import EDITION, RULES
from phage.checking.types import DISCLAIMER, CheckReport, Finding, Place

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def log(
    reports: Iterable[tuple[str, CheckReport, tuple[Finding, ...]]], version: str
) -> dict[str, Any]:
    """Return the log of several reports: (file, report, findings that a baseline suppresses)."""
    results: list[dict[str, Any]] = []
    for file, report, known in reports:
        results += [_result(file, report.number, finding) for finding in report.findings]
        results += [
            {**_result(file, report.number, finding), "suppressions": [{"kind": "external"}]}
            for finding in known
        ]
    driver = {
        "name": "phage check",
        "version": version,
        "properties": {"rulesEdition": EDITION, "notice": DISCLAIMER},
        "rules": [
            {
                "id": rule.id,
                "shortDescription": {"text": rule.about},
                "help": {"text": rule.source},
                "defaultConfiguration": {"level": str(rule.severity)},
            }
            for rule in RULES.values()
        ],
    }
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(file: str, number: str, finding: Finding) -> dict[str, Any]:
    key = "|".join((number, *map(str, finding.key)))
    text = finding.message + (f". {finding.suggestion}" if finding.suggestion else "")
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "level": str(finding.severity),
        "message": {"text": text},
        "locations": [_location(file, number, finding.place)],
        "partialFingerprints": {"phage/v1": hashlib.sha256(key.encode()).hexdigest()[:32]},
    }
    if finding.related:
        result["relatedLocations"] = [
            {"id": place, **_location(file, number, related)}
            for place, related in enumerate(finding.related[:10], start=1)
        ]
    return result


def _location(file: str, number: str, place: Place) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": file},
            "region": {
                "startLine": 1,
                "snippet": {"text": place.text},
                "properties": {"claim": place.claim, "start": place.start, "end": place.end},
            },
        },
        "logicalLocations": [
            {
                "name": f"claim {place.claim}",
                "fullyQualifiedName": f"{number}/claim {place.claim}",
                "kind": "member",
            }
        ],
    }

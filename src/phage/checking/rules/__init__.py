"""The rules, one small function each: reading → what was seen."""

from __future__ import annotations

from phage.checking.rules import antecedents, form, references, wording
from phage.checking.rules.types import RuleFunction, Seen

FUNCTIONS: tuple[tuple[RuleFunction, tuple[str, ...]], ...] = (
    (antecedents.missing, ("antecedent-missing",)),
    (antecedents.ambiguous, ("antecedent-ambiguous",)),
    (antecedents.number, ("antecedent-number",)),
    (antecedents.introduced_twice, ("introduced-twice",)),
    (
        references.broken,
        ("reference-missing", "reference-later", "reference-self", "reference-cancelled"),
    ),
    (form.gap, ("number-gap",)),
    (form.duplicate, ("number-duplicate",)),
    (references.not_alternative, ("multiple-not-alternative",)),
    (references.on_multiple, ("multiple-on-multiple",)),
    (references.category, ("category-mismatch",)),
    (references.not_narrowing, ("dependent-not-narrowing",)),
    (form.full_stop, ("no-full-stop",)),
    (form.sentences, ("several-sentences",)),
    (wording.relative, ("relative-term",)),
    (wording.optional, ("optional-language",)),
    (wording.trademark, ("trademark",)),
    (wording.omnibus, ("omnibus",)),
    (wording.means, ("means-plus-function",)),
    (wording.signs, ("reference-sign",)),
    (wording.two_signs, ("reference-sign",)),
    (form.two_part, ("two-part-form",)),
    (form.independents, ("independent-count",)),
    (form.fees, ("fee-count",)),
)
"""Each function and the rules it may report, in the order of docs/check.md."""
STRICT: RuleFunction = antecedents.steps

__all__ = ["FUNCTIONS", "STRICT", "RuleFunction", "Seen"]

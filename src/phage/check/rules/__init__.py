"""The rules, one small function each: reading → findings."""

from __future__ import annotations

from phage.check.rules.antecedents import ambiguous, introduced_twice, missing, number
from phage.check.rules.types import RuleFunction

FUNCTIONS: tuple[RuleFunction, ...] = (missing, ambiguous, number, introduced_twice)
"""In the order of docs/check.md; the order of findings is by claim and place."""

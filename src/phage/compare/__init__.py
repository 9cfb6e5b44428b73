"""Step 8b: two patents side by side: claim charts and claim diffs.

What needs the model is loaded when first used: a diff needs none."""

from __future__ import annotations

from phage.compare.types import Change, Chart, ClaimChange, Diff, Match, Passage, Piece, Row

__all__ = ["Change", "Chart", "ClaimChange", "Diff", "Match", "Passage", "Piece", "Row"]

"""The paper's figures, Appendix "CDG Statistics".

Out:  its two tables and its boundary cases, in the types of ours.
Why:  a figure says something only beside another; the paper's is always printed beside ours."""

from __future__ import annotations

from phage.graph.statistics import Boundary, Share, Spread, Statistics

PAPER = Statistics(
    patents=131_653,
    basic={
        "claims": Spread(16.85, 8.60, 18, 1, 116),
        "edges": Spread(52.63, 71.00, 32, 0, 4907),
        "density": Spread(0.19, 0.13, 0.20, 0, 1.0),
        "path_length": Spread(2.01, 0.50, 1.93, float("nan"), float("nan")),
        "diameter": Spread(3.68, 1.41, 3.00, float("nan"), float("nan")),
    },
    relations={
        "cite": Share(2_025_334, 0.292, 15.38, 0.975),
        "term": Share(546_225, 0.079, 4.15, 0.658),
        "func": Share(4_179_022, 0.603, 31.74, 0.722),
        "both": Share(178_325, 0.026, 1.35, 0.377),
    },
    boundary=Boundary(
        no_edges=0.023,
        single_claim=0.019,
        several_claims_no_edges=0.004,
        only_cite=0.123,
        implicit=0.853,
    ),
    kinds={},
    sampled=10_000,
)

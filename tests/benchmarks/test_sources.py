"""Neighbours of another source: what is counted, on sets small enough to count by hand."""

import doctest
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np

from benchmarks import sources


def test_the_examples_hold():
    told = doctest.testmod(sources)
    assert told.attempted >= 4 and not told.failed


def test_a_model_is_compared_where_both_were_asked():
    one = np.array([1.0, 1.0, np.nan, 1.0] * 6)
    other = np.array([0.0, 0.5, np.nan, 0.0] * 6)
    told = sources.against(one, other)
    assert abs(told["difference"] - (1 - 0.5 / 3)) < 1e-12 and told["low"] > 0 and told["p"] < 0.05
    # Of the swaps of three queries a quarter turn none or all.
    assert abs(sources.against(one[:4], other[:4])["p"] - 1 / 4) < 0.02
    assert sources.against(one, one)["p"] == 1

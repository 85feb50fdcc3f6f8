"""Widths of intervals, in logarithms: of what has none, and of what is wider than any number."""

import numpy as np
import pytest

import treewright as tw
from treewright.tables.cuts.widths import log_widths


def widths(values, **bins):
    table = tw.read_table({"x": values, "label": ["a", "b"] * (len(values) // 2)})
    return log_widths(table, tw.read_table(table, bins=bins).schema)


def test_one_number_alone_counts_as_a_state():
    assert widths([3.25, 3.25], x=2).tolist() == [0.0, 0.0]


def test_widths_of_intervals():
    np.testing.assert_allclose(np.exp(widths([0.5, 1.5, 2.5, 6.5], x=[0, 2, 10])), [2, 2, 8, 8])


@pytest.mark.parametrize("way", ["uniform", "quantile"])
def test_spans_beyond_the_largest_number(way):
    values = [-1.7e308, -1.0e308, 1.0e308, 1.7e308]
    states = tw.read_table({"x": values}, bins={"x": (way, 2)}).schema["x"].states
    assert len(states) == 2
    assert states[0].startswith("[-1.7e+308, ")
    found = widths(values, x=(way, 1))
    np.testing.assert_allclose(found, np.log(1.7e308) + np.log(2))

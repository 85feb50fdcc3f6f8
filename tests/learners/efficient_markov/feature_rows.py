"""Rows for the learners of feature graphs, and graphs read back as nested shapes."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np

import treewright as tw


def names(n):
    return tuple("abcdefghijklmnop"[:n])


def table_of(codes, cardinalities=None, weights=None):
    """A table of columns a, b, ... from rows of codes."""
    codes = np.asarray(codes)
    cardinalities = cardinalities or [2] * codes.shape[1]
    return tw.Table.from_codes(codes, cardinalities, names(len(cardinalities)), weights=weights)


def random_rows(n, n_rows, seed, states=2):
    """Rows of a chain with two cases, so that there is something to condition on."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(states, size=(n_rows, n))
    for column in range(1, n):
        copied = rng.random(n_rows) < 0.7
        source = np.where(rows[:, 0] == 0, rows[:, column - 1], rows[:, column // 2])
        rows[:, column] = np.where(copied, source, rows[:, column])
    return rows


def counted(codes):
    return Counter(tuple(row) for row in np.asarray(codes).tolist())


def worked_example():
    """64 rows: with x0 = 0 copies and parity, with x0 = 1 one pair of opposites."""
    first = [(0, a, a, b, c, b ^ c) for a, b, c in product((0, 1), repeat=3)] * 4
    second = [(1, a, b, 1 - a, c, d) for a, b, c, d in product((0, 1), repeat=4)] * 2
    return np.array(first + second)


def every_row(schema):
    codes = np.array(list(product(*(range(r) for r in schema.cardinalities))), dtype=np.uint8)
    return tw.Table.from_codes(codes, schema)


def total_probability(graph):
    return float(np.exp(tw.FeatureNetwork(graph).log_probability(every_row(graph.schema))).sum())


def shape(graph, node=None):
    """Nested tuples of what a graph splits and joins, variables by index."""
    node = graph.root if node is None else node
    kind, children = graph.kind(node), graph.children(node)
    if kind == "and":
        return ("and", frozenset(shape(graph, child) for child in children))
    if kind == "split":
        variable, *states = graph.integers(node)
        below = zip(states, (shape(graph, child) for child in children), strict=True)
        return ("split", variable, tuple(below))
    if kind == "feature":
        return ("feature", tuple(graph.integers(node)), *(shape(graph, child) for child in children))
    return (kind, frozenset(graph.scope(node)))

"""Feature graphs, evaluated the obvious way: one row, one node, by recursion."""

from __future__ import annotations

import itertools
import math

import numpy as np

from treewright.graphs.feature_graph import NO_PARENT, FeatureGraph


def row_probability(graph: FeatureGraph, row: tuple[int, ...], node: int | None = None) -> float:
    """Probability of a complete row under a node (default: the root)."""
    node = graph.root if node is None else node
    kind, about, children = graph.kind(node), graph.integers(node), graph.children(node)
    p = np.exp(graph.numbers_of(node))
    cards = graph.schema.cardinalities
    if kind == "one":
        return 1.0
    if kind == "and":
        return math.prod(row_probability(graph, row, child) for child in children)
    if kind == "mix":
        return sum(w * row_probability(graph, row, c) for w, c in zip(p, children, strict=True))
    if kind == "split":
        if row[about[0]] not in about[1:]:
            return 0.0
        k = about[1:].index(row[about[0]])
        return p[k] * row_probability(graph, row, children[k])
    if kind == "feature":
        holds = all(row[v] == a for v, a in zip(about[::2], about[1::2], strict=True))
        return p[0 if holds else 1] * row_probability(graph, row, children[0 if holds else 1])
    if kind == "table":
        shape = [cards[v] for v in about]
        return float(p.reshape(shape)[tuple(row[v] for v in about)])
    if kind == "tree":
        return tree_probability(about, p, row, cards)
    if kind == "hidden":
        return hidden_probability(about, p, row, cards)
    return rows_probability(about, p, row, cards)


def tree_probability(about, p, row, cards):
    result, at, first, variables = 1.0, 1, 0, []
    for _ in range(about[0]):
        v, n = about[at], about[at + 1]
        family = [variables[i] for i in about[at + 2 : at + 2 + n]] + [v]
        shape = [cards[u] for u in family]
        size = math.prod(shape)
        result *= p[first : first + size].reshape(shape)[tuple(row[u] for u in family)]
        variables.append(v)
        at, first = at + 2 + n, first + size
    return float(result)


def hidden_probability(about, p, row, cards):
    """Sum over all hidden states of all variables."""
    states, ar, m = about[:3]
    sites, first = [], 0
    for i in range(m):
        v, parent = about[3 + 2 * i], about[4 + 2 * i]
        shape = (states,) if parent == NO_PARENT else (states, states)
        t = p[first : first + math.prod(shape)].reshape(shape)
        first += math.prod(shape)
        shape = (states, cards[v])
        if ar and parent != NO_PARENT:
            shape = (cards[sites[parent][0]], *shape)
        e = p[first : first + math.prod(shape)].reshape(shape)
        first += math.prod(shape)
        sites.append((v, parent, t, e))
    total = 0.0
    for z in itertools.product(range(states), repeat=m):
        one = 1.0
        for i, (v, parent, t, e) in enumerate(sites):
            root = parent == NO_PARENT
            one *= t[z[i]] if root else t[z[parent], z[i]]
            one *= e[row[sites[parent][0]], z[i], row[v]] if ar and not root else e[z[i], row[v]]
        total += one
    return float(total)


def rows_probability(about, p, row, cards):
    """Codes lie side by side in words of 32 bits, never across the end of a word."""
    m = about[0]
    scope, words = about[1 : 1 + m], about[1 + m :]
    places, word, used = [], 0, 0
    for v in scope:
        bits = max(1, (cards[v] - 1).bit_length())
        if used + bits > 32:
            word, used = word + 1, 0
        places.append((word, used, (1 << bits) - 1))
        used += bits
    n_words = word + 1
    for r, weight in enumerate(p):
        stored = words[r * n_words : (r + 1) * n_words]
        codes = [stored[w] >> shift & mask for w, shift, mask in places]
        if codes == [row[v] for v in scope]:
            return float(weight)
    return 0.0


def joint_table(graph: FeatureGraph) -> np.ndarray:
    """Every row's probability, one axis per variable."""
    shape = graph.schema.cardinalities
    rows = itertools.product(*map(range, shape))
    return np.array([row_probability(graph, row) for row in rows]).reshape(shape)

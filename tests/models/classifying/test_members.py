"""Members beside their definitions, and how rows are dealt."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.models.classifying.backoff import backed_off
from treewright.models.classifying.dealing import dealt, even_edges, sorted_rows
from treewright.models.classifying.members import NormalNaive, OneDependence
from treewright.models.classifying.pool import pool_weights, pooled
from treewright.models.model import align_evidence

SMOOTHING = 2.0


def plain_averaged(table, target, row):
    """The average of one-dependence networks by loops over completions: Webb, Boughton & Wang 2005, eq. 5."""
    counter, cards = tw.count(table), table.schema.cardinalities
    others = [u for u in range(len(cards)) if u != target]
    prior = backed_off(np.asarray(counter.counts((target,)), float), SMOOTHING)
    single = {u: backed_off(np.asarray(counter.counts((target, u)), float), SMOOTHING) for u in others}
    said = np.zeros(cards[target])
    for c, parent in product(range(cards[target]), others):
        states = range(cards[parent]) if row[parent] is None else [row[parent]]
        for s in states:
            p = prior[c] * single[parent][c, s]
            for u in others:
                if u != parent and row[u] is not None:
                    cells = np.asarray(counter.counts((target, parent, u)), float)[c]
                    below = backed_off(np.asarray(counter.counts((target, u)), float), SMOOTHING)[c, row[u]]
                    p *= (cells[s, row[u]] + SMOOTHING * below) / (cells[s].sum() + SMOOTHING)
            said[c] += p
    return said / said.sum()


def test_averaged_is_its_definition():
    rng = np.random.default_rng(0)
    states = {"a": 2, "y": 3, "b": 3, "c": 2}
    rows = tw.read_table({name: rng.integers(0, k, 40) for name, k in states.items()})
    member = OneDependence.of(tw.count(rows), 1, SMOOTHING)
    for cells in product((None, 0, 1), (None, 0, 2), (None, 1)):
        row = [cells[0], None, cells[1], cells[2]]
        if row == [None] * 4:
            continue
        shown = tw.read_table({n: [v] for n, v in zip("aybc", row, strict=True) if v is not None})
        said = np.exp(member.log_posterior(align_evidence(rows.schema, shown))[0])
        np.testing.assert_allclose(said, plain_averaged(rows, 1, row), rtol=1e-12)


def test_averaged_over_more_states_than_a_byte_counts():
    rng = np.random.default_rng(1)
    states = {"a": 150, "y": 2, "b": 140, "c": 2}
    rows = tw.read_table(
        tw.Table.from_codes([rng.integers(0, k, 300) for k in states.values()], [*states.values()], [*states])
    )
    member = OneDependence.of(tw.count(rows), 1, SMOOTHING)
    said = np.exp(member.log_posterior(align_evidence(rows.schema, rows)))
    for at in (0, 7, 250):
        row = [None if v == 1 else int(column[at]) for v, column in enumerate(rows.columns)]
        np.testing.assert_allclose(said[at], plain_averaged(rows, 1, row), rtol=1e-12)


def test_normal_numbers_are_their_definition():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 50)
    x = rng.normal(size=50) + 3 * y
    rows = tw.read_table({"x": x, "y": y})
    member = NormalNaive.of(rows, 1, 1e-9)
    said = np.exp(member.log_posterior(align_evidence(rows.schema, rows)))
    share = np.array([np.mean(y == c) for c in (0, 1)])
    means, spreads = np.array([[f(x[y == c]) for c in (0, 1)] for f in (np.mean, np.std)])
    dense = share * np.exp(-0.5 * ((x[:, None] - means) / spreads) ** 2) / spreads
    np.testing.assert_allclose(said, dense / dense.sum(axis=1, keepdims=True), rtol=1e-6)


def test_falling_back():
    rare = backed_off(np.array([[[8.0, 0.0], [0.0, 0.0]], [[0.0, 4.0], [0.0, 0.0]]]), 2.0)
    assert rare.sum(axis=-1) == pytest.approx(1.0)
    np.testing.assert_allclose(rare[0, 1], rare[1, 1])  # nothing was seen: what the axes behind say
    assert rare[0, 0, 0] > 0.9


def test_a_pool_is_a_product():
    one, two = np.log([[0.9, 0.1]]), np.log([[0.5, 0.5]])
    np.testing.assert_allclose(np.exp(pooled([one, two], np.array([1.0, 1.0]))), [[0.9, 0.1]])
    rng = np.random.default_rng(0)
    said = rng.dirichlet([1.0, 1.0], size=(2, 5_000))
    truth = (rng.random(5_000) > said[0, :, 0]).astype(int)  # as the first says; the second knows nothing
    found = pool_weights(list(np.log(said)), truth, np.ones(5_000))
    assert found == pytest.approx([1.0, 0.0], abs=0.06)


@given(st.lists(st.integers(0, 7), min_size=1, max_size=30), st.integers(2, 6))
def test_whole_weights_are_dealt_like_cards(weights, parts):
    cards = np.repeat(np.arange(len(weights)), weights)
    expected = np.zeros((parts, len(weights)))
    np.add.at(expected, (np.arange(len(cards)) % parts, cards), 1)
    assert (dealt(np.array(weights, dtype=float), parts) == expected).all()


@given(st.lists(st.floats(0.1, 3.0), min_size=1, max_size=30), st.integers(2, 6))
def test_nothing_is_lost_in_dealing(weights, parts):
    np.testing.assert_allclose(dealt(np.array(weights), parts).sum(axis=0), weights)


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(1, 3)), min_size=1, max_size=30), st.integers(1, 6))
def test_even_edges_of_weights_are_those_of_repeated_rows(rows, intervals):
    values, weights = np.array(rows, dtype=float).T
    again = np.repeat(values, weights.astype(int))
    assert (even_edges(values, weights, intervals) == even_edges(again, np.ones(len(again)), intervals)).all()


def test_sorted_rows_keep_what_they_weigh():
    rng = np.random.default_rng(0)
    rows = tw.read_table({"a": rng.integers(0, 3, 90), "y": rng.integers(0, 2, 90)})
    made = sorted_rows(rows, 1)
    assert (tw.count(made).counts((0, 1)) == tw.count(rows).counts((0, 1))).all()
    assert made.n_rows <= 6
    heavy = rows.with_weights(rng.random(90))
    assert math.isclose(np.sum(sorted_rows(heavy, 1).weights), np.sum(heavy.weights))

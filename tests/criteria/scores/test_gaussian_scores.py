from __future__ import annotations

import itertools
import math
import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.models import gaussian as slow

from treewright import Schema, _core
from treewright.criteria import GaussianBIC
from treewright.criteria.scores.score import LocalScore
from treewright.errors import SchemaError, UnknownNameError
from treewright.statistics import Moments

WORKED = np.array([(0, 0.1, 1), (1, 1.9, 0), (2, 4.2, 1), (3, 5.8, 0), (4, 8.1, 1)])


@dataclass(frozen=True)
class Graph:
    schema: Schema
    parent_sets: dict[int, tuple[int, ...]]

    def parents(self, vertex: int) -> tuple[int, ...]:
        return self.parent_sets.get(vertex, ())


def score_of(X, schema=None) -> GaussianBIC:
    X = np.asarray(X, dtype=float)
    return GaussianBIC(Moments.of_block(schema or slow.numbered(X.shape[1]), X))


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def mixed(rng):
    return rng.normal(size=(200, 6)) @ rng.normal(size=(6, 6)) + rng.normal(size=6) * 100


def test_worked_numbers():
    score = score_of(WORKED, slow.continuous("x0", "x1", "x2"))
    assert score.local("x1") == pytest.approx(-13.8844174942, abs=1e-9)
    assert score.local("x1", ("x0",)) == pytest.approx(0.1020613577, abs=1e-9)
    assert score.local("x1", ("x0", "x2")) == pytest.approx(5.0616054523, abs=1e-9)
    assert score.local(1, (2, 0)) == score.local("x1", ("x0", "x2"))


def test_it_is_a_local_score(mixed):
    assert isinstance(score_of(mixed), LocalScore)
    assert GaussianBIC.is_score_equivalent


def test_every_family_agrees_with_least_squares(mixed):
    score = score_of(mixed)
    families = [
        (child, parents)
        for child in range(6)
        for k in range(6)
        for parents in itertools.combinations([v for v in range(6) if v != child], k)
    ]
    expected = [slow.gaussian_bic(mixed, *family) for family in families]
    np.testing.assert_allclose(score.local_many(families), expected, rtol=1e-10)
    assert score.floored == ()


def test_batches_are_bit_by_bit_what_single_questions_give(mixed):
    score = score_of(mixed)
    for parents in [(), (3,), (5, 1), (4, 0, 3)]:
        rest = [v for v in range(6) if v != 2 and v not in parents]
        added = score.local_additions(2, parents, rest)
        assert added.tolist() == [score.local(2, (*parents, v)) for v in rest]
        assert added.tolist() == [score.local(2, (v, *reversed(parents))) for v in rest]
        left = score.local_deletions(2, parents)
        assert left.tolist() == [score.local(2, [p for p in parents if p != q]) for q in parents]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**31), st.integers(4, 500), st.booleans())
def test_covered_arcs_turn_at_no_cost_at_all(seed, rows, singular):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 5)) @ rng.normal(size=(5, 5)) * 10.0 ** rng.integers(-3, 4, size=5)
    if singular:
        X[:, rng.integers(5)] = X[:, rng.integers(5)] + X[:, rng.integers(5)]
    score = score_of(X)
    for size in range(4):
        u, v, *rest = rng.permutation(5).tolist()
        shared = tuple(rest[:size])
        forward = score.local(u, shared) + score.local(v, (*shared, u))
        assert forward == score.local(v, shared) + score.local(u, (*shared, v))
        gain = score.local(v, (*shared, u)) - score.local(v, shared)
        assert gain == score.local(u, (*shared, v)) - score.local(u, shared)


def test_equivalent_graphs_tie_and_colliders_do_not(mixed):
    score = score_of(mixed)
    schema = score.schema
    chain = Graph(schema, {1: (0,), 2: (1,)})
    fork = Graph(schema, {0: (1,), 2: (1,)})
    collider = Graph(schema, {1: (0, 2)})
    assert score.score(chain) == score.score(fork)
    assert score.score(chain) != score.score(collider)
    shuffled = schema.select([3, 1, 5, 0, 2, 4])
    again = Graph(shuffled, {shuffled.index("v001"): (shuffled.index("v000"),), shuffled.index("v002"): (1,)})
    assert score.score(again) == score.score(chain)


def test_columns_may_come_in_any_order(mixed, rng):
    order = rng.permutation(6).tolist()
    schema = slow.continuous("delta", "alpha", "echo", "bravo", "foxtrot", "charlie")
    a, b = score_of(mixed, schema), score_of(mixed[:, order], schema.select(order))
    for k in range(6):
        for family in itertools.permutations(schema.names, k + 1):
            if rng.random() < 0.1:
                assert a.local(family[0], family[1:]) == b.local(family[0], family[1:])


def test_shift_and_scale_move_scores_by_a_constant(mixed):
    factor, shift = np.array([2.0, 0.25, 1024, 1, 8, 0.5]), np.arange(6.0)
    a, b = score_of(mixed), score_of(mixed * factor + shift)
    for child, parents in [(0, ()), (1, (0, 2)), (2, (5, 4, 3))]:
        moved = b.local(child, parents) + len(mixed) * math.log(factor[child])
        assert moved == pytest.approx(a.local(child, parents), abs=1e-7)


def test_threads_change_no_bit(rng):
    X = rng.normal(size=(100, 30))
    families = [
        (c, tuple(p for p in rng.permutation(30).tolist() if p != c)[:k])
        for c in range(30)
        for k in range(12)
    ]
    families *= 20
    score = score_of(X)
    try:
        found = []
        for n in (1, 3):
            _core.set_threads(n)
            found.append(score.local_many(families))
    finally:
        _core.set_threads(0)
    assert np.array_equal(*found)


def test_scores_are_multiples_of_the_unit(mixed):
    score = score_of(mixed)
    values = score.local_many([(0, ()), (1, (0,)), (2, (0, 1, 3))])
    assert np.array_equal(values / score.unit, np.rint(values / score.unit))
    assert 0 < score.unit < 1e-10


def test_a_constant_column_helps_nobody(rng):
    X = rng.normal(size=(50, 3))
    X[:, 1] = 0.1
    score, price = score_of(X), 0.5 * math.log(50)
    assert score.local(0, (1,)) - score.local(0) == pytest.approx(-price, abs=1e-9)
    assert score.local(0, (1, 2)) - score.local(0, (2,)) == pytest.approx(-price, abs=1e-9)
    assert score.local(1, (0, 2)) - score.local(1) == pytest.approx(-2 * price, abs=1e-9)
    assert score.local(1) == pytest.approx(-25 * (math.log(2 * math.pi * 1e-12) + 1) - 2 * price)
    assert score.floored == ("v001",)


def test_equal_columns_meet_the_floor(rng):
    X = rng.normal(size=(50, 3))
    X[:, 2] = X[:, 0]
    score, price = score_of(X), 0.5 * math.log(50)
    assert score.local(0, (2,)) - score.local(0) == pytest.approx(-25 * math.log(1e-12) - price, rel=1e-12)
    assert score.floored == ("v000",)
    # the second copy tells nothing new about a third variable
    assert score.local(1, (0, 2)) - score.local(1, (0,)) == pytest.approx(-price, abs=1e-6)
    assert score.local_additions(2, (1,), (0,)).shape == (1,)
    assert score.floored == ("v000", "v002")


@pytest.mark.parametrize("rows", [1, 2, 3, 5])
def test_fewer_rows_than_parameters_are_legal(rng, rows):
    score = score_of(rng.normal(size=(rows, 8)))
    families = [(0, tuple(range(1, k))) for k in range(1, 9)]
    values = score.local_many(families)
    assert np.isfinite(values).all()
    assert values.tolist() == [score.local(c, p[::-1]) for c, p in families]
    assert "v000" in score.floored


def test_large_sets_do_not_underflow(rng):
    X = rng.normal(size=(300, 120))
    score = score_of(X)
    parents = tuple(range(1, 120))
    assert score.local(0, parents) == pytest.approx(slow.gaussian_bic(X, 0, parents), rel=1e-9)


def test_weights_count_rows(mixed, rng):
    weights = rng.integers(0, 4, size=len(mixed))
    schema = slow.numbered(6)
    a = GaussianBIC(Moments.of_block(schema, mixed, weights=weights))
    b = score_of(np.repeat(mixed, weights, axis=0))
    assert a.local(0, (1, 2)) == pytest.approx(b.local(0, (1, 2)), rel=1e-10)


def test_numpy_indices_are_indices(mixed):
    score = score_of(mixed)
    parents = np.array([1, 2])
    assert score.local(np.int64(0), parents) == score.local(0, (1, 2))
    assert score.local_many([]).shape == (0,)
    assert score.local_additions(0, (1,), []).shape == (0,)
    assert score.local_deletions(0, ()).shape == (0,)


def test_it_can_be_sent_to_another_process(mixed):
    score = score_of(mixed)
    assert pickle.loads(pickle.dumps(score)).local(0, (1, 2)) == score.local(0, (1, 2))


def test_refusals(mixed):
    score = score_of(mixed)
    with pytest.raises(SchemaError, match=r"^'v000' cannot be its own parent"):
        score.local(0, (1, 0))
    with pytest.raises(SchemaError, match=r"^a scope names each variable once; found twice: 'v001'$"):
        score.local(0, (1, 1))
    with pytest.raises(UnknownNameError, match=r"^there is no variable 'v00x'; .*did you mean 'v00"):
        score.local("v00x")
    with pytest.raises(UnknownNameError, match=r"^there is no variable number 6"):
        score.local_many([(0, ()), (1, (6,))])
    with pytest.raises(
        SchemaError, match=r"^a scope is a sequence of names; for one variable write \('v001',\)$"
    ):
        score.local("v000", "v001")
    with pytest.raises(SchemaError, match=r"^'v001' cannot be added to the parents of 'v000'"):
        score.local_additions(0, (1,), (2, 1))
    with pytest.raises(SchemaError, match=r"^a Gaussian BIC needs one row at least; found 0$"):
        score_of(np.empty((0, 2)))
    with pytest.raises(SchemaError, match=r"only one of them has 'v005', 'w'$"):
        score.score(Graph(slow.continuous("v000", "v001", "v002", "v003", "v004", "w"), {}))

from __future__ import annotations

import _thread
import itertools
import math
import pickle
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.models import gaussian as slow

from treewright import _core
from treewright.criteria import GaussianBIC, SigmoidBIC
from treewright.criteria.scores.score import LocalScore
from treewright.errors import MissingValuesError, SchemaError
from treewright.statistics import moments


def sigma(z):
    return 1 / (1 + np.exp(-z))


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.fixture
def switch(rng):
    """The child (column 0) switches on with 1 and off with 2; 3 is idle."""
    X = rng.normal(size=(400, 4)) * [1, 2, 0.5, 10] + [0, 3, -1, 50]
    X[:, 0] = 10 - 4 * sigma(1 - 1.5 * X[:, 1] + 3 * X[:, 2]) + 0.05 * rng.normal(size=400)
    return X


def log_likelihood(score, child, parents):
    n_parameters = len(parents) + 4 if parents else 2
    return score.local(child, parents) + 0.5 * math.log(score._n) * n_parameters


def test_it_is_a_local_score(switch):
    score = SigmoidBIC(slow.table(switch))
    assert isinstance(score, LocalScore)
    assert not score.is_score_equivalent


def test_no_parents_is_the_gaussian_model(switch):
    table = slow.table(switch)
    sigmoid, gaussian = SigmoidBIC(table), GaussianBIC(moments(table))
    for v in range(4):
        assert sigmoid.local(v) == pytest.approx(gaussian.local(v), rel=1e-12)
    fit = sigmoid.fit_family(3)
    assert (fit.child, fit.parents, fit.th1, fit.b, fit.w, fit.n_parameters) == ("v003", (), 0, 0, (), 2)
    assert fit.th0 == pytest.approx(switch[:, 3].mean())
    assert fit.s2 == pytest.approx(switch[:, 3].var())


def test_parameters_are_recovered(switch):
    score = SigmoidBIC(slow.table(switch))
    fit = score.fit_family("v000", ("v001", "v002"))
    sign = math.copysign(1, fit.w[1])  # (th, b, w) and its mirror image are one model
    assert sign * np.array([fit.b, *fit.w]) == pytest.approx([1, -1.5, 3], abs=0.1)
    assert fit.th1 == pytest.approx(-4 * sign, abs=0.1)
    assert fit.s2 == pytest.approx(0.05**2, rel=0.15)
    assert fit.n_parameters == 6
    residual = switch[:, 0] - fit.mean(switch[:, 1:3])
    assert np.mean(residual**2) == pytest.approx(fit.s2, rel=1e-9)
    assert fit.log_likelihood == pytest.approx(-200 * (math.log(2 * math.pi * fit.s2) + 1))
    assert score.local(0, (1, 2)) == pytest.approx(fit.log_likelihood - 3 * math.log(400))
    best = max(
        itertools.chain(*(itertools.combinations((1, 2, 3), k) for k in range(4))),
        key=lambda p: score.local(0, p),
    )
    assert best == (1, 2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_fits_are_as_good_as_a_general_optimiser_finds(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 4))
    slope = rng.normal(size=4) * 2
    X[:, 0] = 3 * sigma(slope[0] + X[:, 1:] @ slope[1:]) + 0.2 * rng.normal(size=60)
    score = SigmoidBIC(slow.table(X))
    for parents in [(1,), (2, 3), (1, 2, 3)]:
        mine = score.fit_family(0, parents).s2 * 60
        assert mine <= slow.sigmoid_square(X, 0, parents, starts=8) * (1 + 1e-4)


def test_never_below_the_constant_nor_the_linear_model(rng):
    X = rng.normal(size=(50, 6)).cumsum(axis=1)
    X[:, 5] = (X[:, 0] - 1) ** 2  # no monotone trend
    table = slow.table(X)
    score, linear = SigmoidBIC(table), GaussianBIC(moments(table))
    for child, (a, b) in itertools.product(range(6), itertools.permutations(range(6), 2)):
        if child in (a, b):
            continue
        for parents in [(a,), (a, b)]:
            found = log_likelihood(score, child, parents)
            assert found >= log_likelihood(score, child, ()) - 1e-9
            penalty = 0.5 * math.log(50) * (len(parents) + 2)
            assert found >= linear.local(child, parents) + penalty - 1e-6


def test_a_straight_line_is_reached(rng):
    x = rng.normal(size=300)
    X = np.column_stack([x, 3 * x + 0.01 * rng.normal(size=300)])
    table = slow.table(X)
    linear = GaussianBIC(moments(table)).local(1, (0,)) + 1.5 * math.log(300)
    assert log_likelihood(SigmoidBIC(table), 1, (0,)) >= linear - 0.01


def test_a_step_is_reached(rng):
    x = np.sort(rng.normal(size=200))
    y = np.where(x > 0.7, 5.0, 1.0) + 0.1 * rng.normal(size=200)
    fit = SigmoidBIC(slow.table(np.column_stack([x, y]))).fit_family(1, (0,))
    assert fit.s2 < 0.011
    assert -fit.b / fit.w[0] == pytest.approx(0.7, abs=0.1)


def test_a_fit_depends_on_its_family_only(switch, rng):
    table = slow.table(switch)
    fresh = SigmoidBIC(table).local(0, (3, 1, 2))
    asked_before = SigmoidBIC(table)
    asked_before.local_many([(0, (1,)), (0, (1, 3)), (0, (2,)), (1, (0,))])
    assert asked_before.local(0, (2, 3, 1)) == fresh
    order = rng.permutation(4).tolist()
    moved = SigmoidBIC(slow.table(switch[:, order], table.schema.select(order)))
    assert moved.local("v000", ("v003", "v001", "v002")) == fresh


def test_threads_change_no_bit(switch):
    families = [
        (c, p) for c in range(4) for k in range(4) for p in itertools.combinations(range(4), k) if c not in p
    ]
    try:
        found = []
        for n in (1, 3):
            _core.set_threads(n)
            found.append(SigmoidBIC(slow.table(switch)).local_many(families))
    finally:
        _core.set_threads(0)
    assert np.array_equal(*found)


def test_batches_are_bit_by_bit_what_single_questions_give(switch):
    score = SigmoidBIC(slow.table(switch))
    assert score.local_additions(0, (1,), (3, 2)).tolist() == [score.local(0, (1, 3)), score.local(0, (1, 2))]
    assert score.local_deletions(0, (3, 1)).tolist() == [score.local(0, (1,)), score.local(0, (3,))]


def test_the_screen_fits_the_linearly_promising(switch):
    table = slow.table(switch)
    full, screened = SigmoidBIC(table), SigmoidBIC(table, screen=1)
    for parents, candidates, kept in [((), (3, 1, 2), 1), ((1,), (3, 2), 1)]:
        a, b = full.local_additions(0, parents, candidates), screened.local_additions(0, parents, candidates)
        assert b[kept] == a[kept] == a.max()
        assert (np.delete(b, kept) <= np.delete(a, kept) + 1e-9).all()
        assert (np.delete(b, kept) < full.local(0, parents)).all()
    assert (
        SigmoidBIC(table, screen=9).local_additions(0, (), (1, 2)).tolist()
        == full.local_additions(0, (), (1, 2)).tolist()
    )


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**31), st.sampled_from([0.5, 2.0**-20, 2.0**20]))
def test_units_do_not_matter(seed, factor):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 2))
    X[:, 1] += sigma(3 * X[:, 0])
    a = SigmoidBIC(slow.table(X)).local(1, (0,))
    b = SigmoidBIC(slow.table(X * [factor, 1])).local(1, (0,))
    assert b == a
    c = SigmoidBIC(slow.table(X * [1, factor])).local(1, (0,))
    assert c + 40 * math.log(factor) == pytest.approx(a, rel=1e-12)


def test_a_shift_does_not_matter(switch):
    a = SigmoidBIC(slow.table(switch)).local(0, (1, 2))
    assert SigmoidBIC(slow.table(switch + 1e7)).local(0, (1, 2)) == pytest.approx(a, abs=1e-4)


def test_whole_weights_repeat_rows(switch, rng):
    weights = rng.integers(0, 4, size=len(switch))
    a = SigmoidBIC(slow.table(switch, weights=weights)).local(0, (1, 2))
    b = SigmoidBIC(slow.table(np.repeat(switch, weights, axis=0))).local(0, (1, 2))
    assert a == pytest.approx(b, rel=1e-6)


def test_degenerate_columns_are_legal(rng):
    X = rng.normal(size=(30, 4))
    X[:, 1] = 3  # constant
    X[:, 3] = X[:, 2]  # a copy
    score = SigmoidBIC(slow.table(X))
    price = 0.5 * math.log(30)
    assert score.local(1, (0, 2)) == pytest.approx(score.local(1) - 4 * price)
    assert score.local(0, (1,)) == pytest.approx(score.local(0) - 3 * price)
    assert score.fit_family(0, (1,)).w == (0.0,)
    assert log_likelihood(score, 0, (2, 3)) == pytest.approx(log_likelihood(score, 0, (2,)), abs=0.05)
    assert np.isfinite(score.local(3, (2,)))


@pytest.mark.parametrize("rows", [1, 2, 3, 5])
def test_fewer_rows_than_parameters_are_legal(rng, rows):
    score = SigmoidBIC(slow.table(rng.normal(size=(rows, 5))))
    assert np.isfinite(score.local_many([(0, tuple(range(1, k))) for k in range(1, 6)])).all()


def test_mean_does_not_overflow():
    fit = SigmoidBIC(slow.table([[0, 0], [1, 0.2], [2, 0.9], [3, 1.0]])).fit_family(1, (0,))
    low, high = sorted([fit.th0, fit.th0 + fit.th1])
    assert fit.mean([-1e6, 1e6]) == pytest.approx([low, high])


def test_it_can_be_sent_to_another_process(switch):
    score = SigmoidBIC(slow.table(switch), screen=1)
    again = pickle.loads(pickle.dumps(score))
    assert again.local(0, (1,)) == score.local(0, (1,))
    assert again.screen == 1


def test_a_long_batch_can_be_interrupted(rng):
    score = SigmoidBIC(slow.table(rng.normal(size=(20_000, 20)).cumsum(axis=1)))
    families = [(child, (parent,)) for child, parent in itertools.permutations(range(20), 2)]
    started = time.process_time()
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        score.local_many(families)
    timer.join()
    assert time.process_time() - started < 5


def test_refusals(switch):
    with pytest.raises(ValueError, match=r"^screen is a number of candidates, 1 at least, or None; found 0$"):
        SigmoidBIC(slow.table(switch), screen=0)
    with pytest.raises(SchemaError, match=r"^a sigmoid BIC needs one row at least; found 0$"):
        SigmoidBIC(slow.table(switch[:0]))
    with pytest.raises(MissingValuesError, match=r"found NaN in 'v001' \(1\)"):
        SigmoidBIC(slow.table([[0, np.nan]]))
    with pytest.raises(SchemaError, match=r"^'v000' cannot be its own parent"):
        SigmoidBIC(slow.table(switch)).local(0, (0,))
    with pytest.raises(SchemaError, match=r"too large to be squared in 'v000'"):
        SigmoidBIC(slow.table([[1e200, 1], [-1e200, 2]]))

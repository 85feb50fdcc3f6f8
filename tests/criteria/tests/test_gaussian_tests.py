from __future__ import annotations

import itertools
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.reference.models import gaussian as slow

from treewright import _core
from treewright.criteria import FisherZTest
from treewright.criteria.tests.independence import IndependenceTest
from treewright.errors import SchemaError, SingularError, UnknownNameError
from treewright.statistics import Moments

XYZ = slow.continuous("x", "y", "z")


def fisher(X, schema=None, **options) -> FisherZTest:
    X = np.asarray(X, dtype=float)
    return FisherZTest(Moments.of_block(schema or slow.numbered(X.shape[1]), X), **options)


def from_correlations(r, n=100, **options) -> FisherZTest:
    return FisherZTest(Moments(XYZ, n, np.zeros(3), r), **options)


@pytest.fixture
def rng():
    return np.random.default_rng(11)


@pytest.fixture
def mixed(rng):
    return rng.normal(size=(120, 6)) @ rng.normal(size=(6, 6)) + 50


def test_worked_numbers():
    chain = from_correlations([[1, 0.5, 0.25], [0.5, 1, 0.5], [0.25, 0.5, 1]])
    assert chain.partial_correlation("x", "z", ("y",)) == 0
    assert chain.test("x", "z", ("y",)).p_value == 1
    assert chain.independent("x", "z", ("y",))
    assert not chain.independent("x", "z")
    more = from_correlations([[1, 0.5, 0.4], [0.5, 1, 0.5], [0.4, 0.5, 1]])
    result = more.test("x", "z", ("y",))
    assert more.partial_correlation("x", "z", ("y",)) == pytest.approx(0.2, abs=1e-15)
    assert result.statistic == pytest.approx(1.986365, abs=5e-7)
    assert result.p_value == pytest.approx(0.0469928, abs=5e-8)
    assert (result.df, result.reliable) == (96, True)
    assert not more.independent("x", "z", ("y",))
    strict = from_correlations([[1, 0.5, 0.4], [0.5, 1, 0.5], [0.4, 0.5, 1]], alpha=0.04)
    assert strict.independent("x", "z", ("y",))


def test_it_is_an_independence_test(mixed):
    assert isinstance(fisher(mixed), IndependenceTest)


def questions_of(n):
    for x, y in itertools.permutations(range(n), 2):
        rest = [v for v in range(n) if v not in (x, y)]
        for k in range(len(rest) + 1):
            for given_ in itertools.combinations(rest, k):
                yield x, y, given_


def test_every_question_agrees_with_regression_residuals(mixed):
    test = fisher(mixed)
    questions = list(questions_of(5))
    results = test.test_many(questions)
    for question, result in zip(questions, results, strict=True):
        z, p = slow.fisher_z(mixed, *question)
        assert result.statistic == pytest.approx(z, rel=1e-8, abs=1e-10)
        assert result.p_value == pytest.approx(p, rel=1e-7, abs=1e-12)
        assert result.reliable
    decisions = test.independent_many(questions)
    assert decisions.tolist() == [result.p_value > 0.05 for result in results]
    assert 0 < decisions.sum() < len(questions)


def test_the_batch_a_question_is_asked_in_changes_no_bit(mixed):
    test = fisher(mixed)
    for x, y, given_ in questions_of(5):
        alone = test.test(x, y, given_)
        assert alone == test.test(y, x, given_[::-1])
        partners = [v for v in range(6) if v != x and v not in given_]
        assert test.test_partners(x, given_, partners)[partners.index(y)] == alone
        decided = test.independent_partners(x, given_, partners)
        assert decided[partners.index(y)] == test.independent(x, y, given_)


def test_columns_may_come_in_any_order(mixed, rng):
    order = rng.permutation(6).tolist()
    schema = slow.continuous("delta", "alpha", "echo", "bravo", "foxtrot", "charlie")
    a, b = fisher(mixed, schema), fisher(mixed[:, order], schema.select(order))
    for names in itertools.permutations(schema.names, 4):
        assert a.test(names[0], names[1], names[2:]) == b.test(names[0], names[1], names[2:])


def test_threads_change_no_bit(rng):
    test = fisher(rng.normal(size=(60, 30)))
    questions = [(x, y, ((x + y) % 27 + 1,)) for x in range(30) for y in range(30) if x != y]
    questions = [q for q in questions if q[2][0] not in q[:2]] * 20
    try:
        found = []
        for n in (1, 3):
            _core.set_threads(n)
            found.append(test.test_many(questions))
    finally:
        _core.set_threads(0)
    assert np.array_equal(found[0].statistic, found[1].statistic)
    assert np.array_equal(found[0].p_value, found[1].p_value)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31), st.floats(-1e3, 1e3), st.sampled_from([2.0, 0.125, -64.0]))
def test_shift_and_scale_change_nothing(seed, shift, factor):
    X = np.random.default_rng(seed).normal(size=(40, 4)).cumsum(axis=1)
    a, b = fisher(X), fisher(X * [1, factor, 1, 1] + shift)
    for given_ in [(), (2,), (2, 3)]:
        expected = a.test(0, 1, given_).statistic * math.copysign(1, factor)
        assert b.test(0, 1, given_).statistic == pytest.approx(expected, rel=1e-7, abs=1e-8)


def test_p_values_are_uniform_under_the_null(rng):
    p = []
    for _ in range(500):
        z = rng.normal(size=(40, 2))
        X = np.column_stack([z @ [1, 2] + rng.normal(size=40), z @ [-1, 1] + rng.normal(size=40), z])
        p.append(fisher(X).test(0, 1, (2, 3)).p_value)
    assert stats.kstest(p, "uniform").pvalue > 0.01


def test_too_few_rows_are_not_relied_on(rng):
    X = rng.normal(size=(6, 5))
    kind, strict = fisher(X), fisher(X, unreliable="dependent")
    assert kind.test(0, 1, (2, 3)).reliable
    for test, p in ((kind, 1.0), (strict, 0.0)):
        result = test.test(0, 1, (2, 3, 4))
        assert (result.df, result.p_value, result.reliable) == (0, p, False)
        assert math.isnan(result.statistic)
        assert math.isnan(test.partial_correlation(0, 1, (2, 3, 4)))
        assert test.independent(0, 1, (2, 3, 4)) == (p == 1)
        assert test.test_partners(0, (2, 3, 4), (1,))[0].p_value == p
    assert fisher(X[:1]).independent(0, 1)
    assert fisher(X[:0]).independent(0, 1)


def test_a_constant_column_is_independent_of_everything(rng):
    X = rng.normal(size=(30, 3))
    X[:, 1] = 4
    test = fisher(X)
    assert test.constant == ("v001",)
    assert test.test(0, 1).p_value == 1
    assert test.test(1, 2, (0,)).p_value == 1
    assert test.partial_correlation(0, 2, (1,)) == test.partial_correlation(0, 2)


def test_equal_columns_are_dependent(rng):
    X = rng.normal(size=(30, 3))
    X[:, 1] = X[:, 0]
    test = fisher(X)
    assert test.partial_correlation(0, 1) == pytest.approx(1, abs=2e-12)
    assert math.isfinite(test.test(0, 1, (2,)).statistic)
    assert not test.independent(0, 1, (2,))
    assert not test.independent(0, 1)


def test_a_linear_function_is_named(rng):
    X = rng.normal(size=(50, 6))
    X[:, 3] = 2 * X[:, 1] - X[:, 2] + 7
    schema = slow.continuous("a", "b", "c", "sum", "e", "f")
    test = fisher(X, schema)
    pattern = r"^cannot test 'a' and 'e' given \('b', 'c', 'f', 'sum'\): '(b|c|sum)' is a linear function of "
    with pytest.raises(SingularError, match=pattern) as caught:
        test.test("a", "e", ("b", "c", "sum", "f"))
    assert "'f'" not in str(caught.value).split("linear function of")[1]
    assert str(caught.value).endswith("; leave one of them out, or pass singular='independent'")
    with pytest.raises(
        SingularError, match=r"^cannot test 'sum' and 'a' given \('b', 'c'\): '(b|c|sum)' is a linear"
    ):
        test.independent("sum", "a", ("c", "b"))
    with pytest.raises(SingularError, match=r"^cannot test 'a' and 'sum' given"):
        test.test_partners("a", ("b", "c"), ("e", "sum"))
    assert not test.independent("sum", "b", ("c",))  # a perfect partial correlation is no trouble


def test_a_copy_is_named(rng):
    X = rng.normal(size=(50, 3))
    test = fisher(np.column_stack([X, X[:, 0]]), slow.continuous("a", "b", "c", "copy"))
    with pytest.raises(SingularError, match=r"'(a|copy)' is a linear function of '(a|copy)'; leave"):
        test.independent("a", "b", ("copy",))


def test_singular_questions_may_be_resolved(rng):
    X = rng.normal(size=(50, 5))
    X[:, 3] = X[:, 1] + X[:, 2]
    test = fisher(X, singular="independent")
    determined = test.test(3, 0, (1, 2))
    assert (determined.p_value, determined.reliable) == (1, False)
    redundant = test.test(0, 4, (1, 2, 3))
    assert redundant.reliable
    assert test.partial_correlation(0, 4, (1, 2, 3)) == test.partial_correlation(0, 4, (1, 2))
    assert test.independent_many([(3, 0, (1, 2)), (0, 3, (1, 2))]).tolist() == [True, True]


def test_names_and_indices_both(mixed):
    test = fisher(mixed)
    assert (
        test.test("v000", "v001", ("v003",)) == test.test(0, 1, (3,)) == test.test(0, "v001", np.array([3]))
    )
    assert list(test.test_partners("v000", ("v003",), ("v001", "v002"))) == list(
        test.test_partners(0, (3,), (1, 2))
    )
    assert test.test(0, 1, iter([3])) == test.test(0, 1, (3,))
    assert test.independent_many([]).shape == (0,)
    assert len(test.test_partners(0, ("v001",), ())) == 0


def test_it_can_be_sent_to_another_process(mixed):
    test = fisher(mixed[:5], alpha=0.2, unreliable="dependent", singular="independent")
    again = pickle.loads(pickle.dumps(test))
    assert again.alpha == 0.2
    assert again.test(0, 1) == test.test(0, 1)
    assert not again.independent(0, 1, (2, 3))


def test_refusals(mixed):
    test = fisher(mixed)
    with pytest.raises(SchemaError, match=r"^a test compares two variables; found 'v001' twice$"):
        test.independent(1, 1)
    with pytest.raises(SchemaError, match=r"^'v001' cannot be tested and conditioned on at once"):
        test.independent(0, 1, (1,))
    with pytest.raises(SchemaError, match=r"^'v001' cannot be tested and conditioned on at once"):
        test.test_partners(0, (1,), (2, 1))
    with pytest.raises(SchemaError, match=r"found twice: 'v002'$"):
        test.independent(0, 1, (2, 2))
    with pytest.raises(UnknownNameError, match=r"^there is no variable 'w'"):
        test.independent(0, "w")
    with pytest.raises(SchemaError, match=r"for one variable write \('v002',\)$"):
        test.independent(0, 1, "v002")
    moments = Moments(XYZ, 3, np.zeros(3), np.eye(3))
    with pytest.raises(ValueError, match=r"^alpha must lie between 0 and 1, both excluded; found 1.5$"):
        FisherZTest(moments, 1.5)
    with pytest.raises(
        ValueError, match=r"^unreliable must be one of 'independent', 'dependent'; found 'maybe'$"
    ):
        FisherZTest(moments, unreliable="maybe")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^singular must be one of 'error', 'independent'; found 'skip'$"):
        FisherZTest(moments, singular="skip")  # type: ignore[arg-type]

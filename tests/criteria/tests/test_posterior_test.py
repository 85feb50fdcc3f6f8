"""The Bayesian test: worked numbers, enumeration, laws, extremes, refusals."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.counting import criteria as slow
from tests.reference.counting.counting import SlowCounter, counter_of_rows, plain_schema, random_counter

from treewright.criteria import PosteriorTest
from treewright.criteria.tests.independence import IndependenceTest
from treewright.statistics import JointCounts
from treewright.statistics.families import FromTables, PosteriorSettings


@pytest.fixture(scope="module")
def hub():
    rows = []
    for row in itertools.product((0, 1), repeat=4):
        rows += ["".join(map(str, row))] * 3 ** sum(leaf == row[0] for leaf in row[1:])
    return counter_of_rows(rows)


@pytest.mark.parametrize(
    ("x", "y", "given_", "independent", "dependent"),
    [
        (0, 1, (), -15.333088384457826, -2.1924231122531536e-07),
        (1, 2, (), -2.9083686733327756, -0.05610979100774372),
        (1, 2, (0,), -0.26337315015575746, -1.4629814487418087),
        (1, 2, (3,), -0.9476056554275383, -0.49048086270143954),
        (1, 2, (0, 3), -0.3623924032817187, -1.1907578344662564),
        (0, 1, (2,), -8.586804560480648, -0.000186568652330569),
        (0, 1, (2, 3), -3.0103035316797166, -0.0505322361130817),
    ],
)
def test_hub(hub, x, y, given_, independent, dependent):
    assert hub.n_rows == 128
    found = PosteriorTest(hub).log_posterior(x, y, given_)
    assert found == pytest.approx((independent, dependent), abs=1e-9, rel=1e-9)
    assert PosteriorTest(hub).log_posterior(y, x, given_[::-1]) == found
    assert PosteriorTest(hub).independent(x, y, given_) == (independent > dependent)


MIXED = ["0000", "0100", "1200", "1200", "0010", "0010", "1110", "1210", "0101", "1101", "1001", "0001"]


@pytest.mark.parametrize(
    ("given_", "options", "independent", "dependent"),
    [
        ((), {}, -1.9298149265474491, -0.15685858428249785),
        ((2,), {}, -1.6080181981772612, -0.22349879503784534),
        ((2, 3), {}, -1.175962237533288, -0.3689238932362686),
        ((2, 3), {"slices": "observed"}, -1.5219642456081535, -0.24626211880737878),
        ((2, 3), {"prior": 0.9}, -0.19106883394043545, -1.7491352707397512),
    ],
)
def test_mixed_cardinalities_and_empty_slices(given_, options, independent, dependent):
    counter = counter_of_rows(MIXED, [2, 3, 2, 3])
    found = PosteriorTest(counter, **options).log_posterior(0, 1, given_)
    assert found == pytest.approx((independent, dependent), abs=1e-9)


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    cardinalities=st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 4)),
    n_rows=st.integers(0, 15),
    prior=st.sampled_from([0.1, 0.5, 0.9]),
)
def test_equal_to_the_enumeration_of_patterns(seed, cardinalities, n_rows, prior):
    counter = random_counter(seed, cardinalities, n_rows)
    independent, dependent = PosteriorTest(counter, prior).log_posterior(0, 1, (2,))
    expected = slow.posterior_by_patterns(counter, 0, 1, (2,), prior)
    assert math.exp(independent) == pytest.approx(expected, rel=1e-10)
    assert math.exp(independent) + math.exp(dependent) == pytest.approx(1, abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), n_rows=st.sampled_from([0, 3, 40, 400]))
def test_laws(seed, n_rows):
    counter = random_counter(seed, [2, 3, 2, 3, 1], n_rows, skew=0.6)
    rng = np.random.default_rng(seed)
    test = PosteriorTest(counter)
    found = test.log_posterior(0, 1, (2, 3))
    assert test.log_posterior(1, 0, (3, 2)) == found
    rows = rng.permutation(n_rows)
    relabelled = [rng.permutation(r)[c[rows]] for c, r in zip(counter.columns, (2, 3, 2, 3, 1), strict=True)]
    assert PosteriorTest(SlowCounter(counter.schema, relabelled)).log_posterior(0, 1, (2, 3)) == found
    assert test.log_posterior(0, 1, (2, 3, 4)) == found
    assert max(found) <= 0


def test_occupied_cells_are_enough(monkeypatch):
    counter = random_counter(2, [3, 4, 5, 2, 3], 300, skew=0.4)
    queries = [(0, 1, ()), (1, 0, (2, 3, 4)), (2, 4, (0, 1))]
    settings_ = PosteriorSettings(alpha=0.5, beta=2.0, gamma=0.7)
    dense = FromTables(counter).test_queries(settings_, queries)
    monkeypatch.setattr("treewright.statistics.families.DENSE_CELLS", 0)
    monkeypatch.setattr("math.ceil", lambda n: 0)
    assert (np.array(FromTables(counter).test_queries(settings_, queries)) == np.array(dense)).all()


def test_parameters_belong_to_their_variables():
    counter = random_counter(3, [2, 4], 30)
    one = PosteriorTest(counter, alpha=0.5, beta=3.0).log_posterior(0, 1)
    other = PosteriorTest(counter, alpha=3.0, beta=0.5).log_posterior(1, 0)
    assert one == pytest.approx(other, abs=1e-12)
    assert one != pytest.approx(PosteriorTest(counter, alpha=3.0, beta=0.5).log_posterior(0, 1), abs=1e-6)


def test_more_rows_decide():
    rng = np.random.default_rng(1)
    independent, dependent = [], []
    for n in (100, 1000, 10_000):
        x, y = rng.integers(0, 2, n), rng.integers(0, 2, n)
        noisy = np.where(rng.random(n) < 0.3, 1 - x, x)
        independent.append(PosteriorTest(SlowCounter(plain_schema([2, 2]), [x, y])).log_posterior(0, 1)[0])
        dependent.append(PosteriorTest(SlowCounter(plain_schema([2, 2]), [x, noisy])).log_posterior(0, 1)[0])
    assert math.exp(independent[-1]) > 0.5 > math.exp(dependent[0])
    assert dependent[2] / dependent[1] == pytest.approx(10, rel=0.3)


def test_extremes():
    empty = random_counter(0, [2, 3, 2], 0)
    for slices in ("all", "observed"):
        found = PosteriorTest(empty, 0.3, slices=slices).log_posterior(0, 1, (2,))
        assert found == pytest.approx((math.log(0.3), math.log(0.7)), abs=1e-12)
    constant = counter_of_rows(["000", "010", "001"] * 5, [1, 2, 2])
    assert PosteriorTest(constant).log_posterior(0, 1, (2,)) == pytest.approx((math.log(0.5),) * 2)
    wide = random_counter(5, [2] * 62, 100)
    independent, dependent = PosteriorTest(wide).log_posterior(0, 1, range(2, 62))
    assert math.exp(independent) + math.exp(dependent) == pytest.approx(1, abs=1e-12)
    assert independent == pytest.approx(math.log(0.5), abs=1e-9)
    many = random_counter(6, [256, 256], 2000)
    assert all(value <= 0 for value in PosteriorTest(many).log_posterior(0, 1))
    sure = PosteriorTest(random_counter(7, [2, 2], 5000), prior=1 - 1e-16).log_posterior(0, 1)
    assert sure[0] <= 0
    assert -math.inf < sure[1] < -30


def test_real_weights_equal_whole_ones():
    rng = np.random.default_rng(8)
    columns, weights = [rng.integers(0, 3, 50) for _ in range(3)], rng.integers(1, 4, 50)
    whole = SlowCounter(plain_schema([3] * 3), columns, weights)
    real = SlowCounter(plain_schema([3] * 3), columns, weights.astype(float))
    assert PosteriorTest(real).log_posterior(0, 1, (2,)) == pytest.approx(
        PosteriorTest(whole).log_posterior(0, 1, (2,)), abs=1e-10
    )


def test_batches(hub):
    test = PosteriorTest(hub)
    queries = [(0, 1, ()), (1, 2, (0,)), (2, 3, (0, 1))]
    results = test.test_many(queries)
    independent, dependent = test.log_posterior_many(queries)
    assert results.p_value == pytest.approx(np.exp(independent))
    assert results.statistic == pytest.approx(dependent - independent)
    assert results[1] == test.test(1, 2, (0,))
    assert (test.independent_many(queries) == (results.p_value > 0.5)).all()
    assert test.test_partners(1, (0,), [2, 3]).p_value[0] == results.p_value[1]
    assert test.independent_partners(1, (0,), [2, 3]).tolist() == [True, True]
    assert isinstance(test, IndependenceTest)


def test_refusals(hub):
    for prior in (0, 1, 1.5):
        words = f"the prior of independence must lie between 0 and 1, both excluded; found {prior}"
        with pytest.raises(ValueError, match=f"^{words}$"):
            PosteriorTest(hub, prior)
    with pytest.raises(ValueError, match=r"^prior= of PosteriorTest is a finite number; found nan$"):
        PosteriorTest(hub, math.nan)
    with pytest.raises(ValueError, match="gamma must be a finite number above 0; found 0"):
        PosteriorTest(hub, gamma=0)
    with pytest.raises(ValueError, match="slices must be one of 'all', 'observed'; found 'some'"):
        PosteriorTest(hub, slices="some")


def test_nothing_seen_and_even_odds_are_no_independence():
    """Independent is what is more probable than not."""
    nothing = JointCounts(plain_schema([2, 2]), [[0, 0], [0, 0]])
    independent, dependent = PosteriorTest(nothing, 0.5).log_posterior(0, 1)
    assert independent == dependent
    assert not PosteriorTest(nothing, 0.5).independent(0, 1)
    assert PosteriorTest(nothing, 0.51).independent(0, 1)

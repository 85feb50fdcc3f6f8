"""Independence tests: worked numbers, twins, calibration, rules, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.counting import criteria as slow
from tests.reference.counting.counting import SlowCounter, counter_of_rows, plain_schema, random_counter

from treewright import _core
from treewright.criteria import ChiSquareTest, GTest, PermutationTest
from treewright.criteria.tests.independence import IndependenceTest, as_partners, require_discrete
from treewright.errors import SchemaError, UnknownNameError, WeightError
from treewright.statistics.families import FromTables, TestSettings
from treewright.statistics.joint import JointCounts
from treewright.tables.schema import Schema, Variable


@pytest.fixture
def two_strata():
    schema = Schema([Variable(name, (0, 1)) for name in "zuv"])
    return JointCounts(schema, [[[20, 10], [10, 20]], [[30, 15], [5, 10]]])


@pytest.mark.parametrize(
    ("given", "df", "g2", "g2_p", "x2", "x2_p", "information"),
    [
        ((), 1, 12.757622, 0.000354561, 12.587413, 0.000388353, 0.053157),
        (("z",), 2, 11.917453, 0.0025832, 11.809524, 0.00272643, 0.049656),
    ],
)
def test_worked_numbers(two_strata, given, df, g2, g2_p, x2, x2_p, information):
    g = GTest(two_strata).test("u", "v", given)
    x = ChiSquareTest(two_strata).test("v", "u", given)
    assert (g.df, x.df, g.reliable) == (df, df, True)
    assert g.statistic == pytest.approx(g2, abs=1e-6)
    assert x.statistic == pytest.approx(x2, abs=1e-6)
    assert (g.p_value, x.p_value) == pytest.approx((g2_p, x2_p), rel=1e-5)
    assert g.statistic / 240 == pytest.approx(information, abs=1e-6)
    assert not GTest(two_strata, 0.01).independent("u", "v", given)
    assert GTest(two_strata, 0.0001).independent("u", "v", given)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    cardinalities=st.lists(st.integers(1, 5), min_size=4, max_size=5),
    n_rows=st.sampled_from([0, 1, 5, 60, 500]),
)
def test_equal_to_the_plain_formulas(seed, cardinalities, n_rows):
    counter = random_counter(seed, cardinalities, n_rows)
    queries = [
        (0, 1, ()),
        (2, 0, (1,)),
        (1, 3, (2, 0)),
        (3, 2, tuple({0, 1, 4} & set(range(len(cardinalities))))),
    ]
    g = FromTables(counter).test_queries(TestSettings("g2"), queries)
    x = FromTables(counter).test_queries(TestSettings("x2", "full"), queries)
    for i, (u, v, z) in enumerate(queries):
        statistic, df = slow.g_test(counter, u, v, z)
        assert g[0][i] == pytest.approx(statistic, abs=1e-8)
        assert g[1][i] == df
        assert x[0][i] == pytest.approx(slow.chi_square(counter, u, v, z), rel=1e-10, abs=1e-10)
        cards = counter.schema.cardinalities
        assert x[1][i] == (cards[u] - 1) * (cards[v] - 1) * math.prod(cards[w] for w in z)


@pytest.mark.parametrize("statistic", ["g2", "x2"])
def test_occupied_cells_are_enough(statistic, monkeypatch):
    counter = random_counter(2, [3, 4, 5, 2, 3], 300, skew=0.4)
    queries = [(0, 1, ()), (0, 1, (2, 3, 4)), (2, 4, (0, 1))]
    dense = FromTables(counter).test_queries(TestSettings(statistic), queries)
    monkeypatch.setattr("treewright.statistics.families.DENSE_CELLS", 0)
    monkeypatch.setattr("math.ceil", lambda n: 0)
    counter.asked.clear()
    monkeypatch.setattr(SlowCounter, "counts", None)
    sparse = FromTables(counter).test_queries(TestSettings(statistic), queries)
    assert (np.array(dense) == np.array(sparse)).all()


def test_real_weights():
    rng = np.random.default_rng(4)
    columns = [rng.integers(0, r, 80) for r in (2, 3, 2)]
    for weights in (rng.gamma(0.7, size=80), np.full(80, 1e-5)):
        counter = SlowCounter(plain_schema([2, 3, 2]), columns, weights)
        result = GTest(counter, reliability=0).test(0, 1, (2,))
        assert (result.statistic, result.df) == pytest.approx(slow.g_test(counter, 0, 1, (2,)), abs=1e-9)
        found = ChiSquareTest(counter).test(0, 1, (2,)).statistic
        assert found == pytest.approx(slow.chi_square(counter, 0, 1, (2,)))
    with pytest.raises(WeightError, match="a permutation test shuffles whole rows; found real weights"):
        PermutationTest(counter).test(0, 1)


def test_ten_million_rows_do_not_overflow(two_strata):
    schema = two_strata.schema
    counter = JointCounts(schema, two_strata.counts((0, 1, 2)) * 100_000)
    assert GTest(counter).test("u", "v", ["z"]).statistic == pytest.approx(11.917453e5, rel=1e-6)
    assert ChiSquareTest(counter).test("u", "v", ["z"]).statistic == pytest.approx(11.809524e5, rel=1e-6)
    assert ChiSquareTest(counter).test("u", "v", ["z"]).p_value == 0


@pytest.mark.parametrize("make", [GTest, ChiSquareTest, PermutationTest])
def test_sixty_conditioning_variables(make):
    counter = random_counter(5, [2] * 62, 100)
    result = make(counter).test(0, 1, range(2, 62))
    assert (result.statistic, result.df, result.p_value) == (0, 0, 1)
    assert make(counter).independent(0, 1, range(2, 62))


def test_full_degrees_of_sixty_variables():
    counter = random_counter(5, [2] * 62, 100)
    result = GTest(counter, degrees="full", unreliable="dependent").test(0, 1, range(2, 62))
    assert result.df == 2.0**60
    assert not result.reliable
    assert result.p_value == 0


def test_no_rows_and_constant_columns():
    empty = random_counter(0, [2, 3, 2], 0)
    for make in (GTest, ChiSquareTest, PermutationTest):
        assert make(empty).test(0, 1, (2,)).p_value == 1
        assert make(empty).independent(0, 1)
    constant = counter_of_rows(["000", "010", "001", "011"] * 20)
    assert GTest(constant).test(0, 1).df == 0
    assert GTest(constant).independent(0, 1, (2,))


def test_no_degree_of_freedom():
    # x0 is a function of x1: given x1 nothing can depend on it
    counter = counter_of_rows(["000", "001", "110", "111", "000", "111"] * 10)
    assert GTest(counter).independent(0, 2, (1,))
    skip = GTest(counter, df0="skip")
    assert not skip.independent(0, 2, (1,))
    result = skip.test(0, 2, (1,))
    assert (result.df, result.p_value, result.reliable) == (0, 0, False)
    alone = counter_of_rows(["00", "01"] * 10)
    assert GTest(alone, df0="skip").independent(0, 1)
    assert GTest(alone, df0="skip").test(0, 1).p_value == 1


def test_too_few_rows():
    rows = ["00", "11", "22", "33"] * 3  # 12 rows, 9 degrees of freedom
    counter = counter_of_rows(rows, [4, 4])
    for policy, decision in (("independent", True), ("dependent", False), ("permutation", False)):
        test = GTest(counter, unreliable=policy)
        assert test.independent(0, 1) is decision
        result = test.test(0, 1)
        assert not result.reliable
        assert (result.p_value > 0.05) is decision
    assert not GTest(counter, reliability=0).independent(0, 1)
    assert GTest(counter, reliability=0).test(0, 1).reliable


@pytest.mark.parametrize("make", [GTest, ChiSquareTest, PermutationTest])
def test_decisions_agree_with_p_values(make):
    counter = random_counter(6, [2, 3, 2, 4], 150, skew=3)
    test = make(counter, alpha=0.2)
    queries = [
        (x, y, z)
        for x in range(4)
        for y in range(4)
        for z in ((), (2,), (2, 3))
        if x != y and not {x, y} & set(z)
    ]
    decisions, results = test.independent_many(queries), test.test_many(queries)
    assert (decisions == (results.p_value > 0.2)).all()
    assert 0 < decisions.sum() <= len(queries)
    assert [test.independent(*query) for query in queries[:5]] == decisions[:5].tolist()
    partners = test.test_partners("x0", ["x2"], ["x3", "x1"])
    assert partners[1] == test.test(0, 1, (2,))
    assert len(list(partners)) == 2
    assert (test.independent_partners(0, (2,), [3, 1]) == (partners.p_value > 0.2)).all()
    assert isinstance(test, IndependenceTest)
    assert test.independent_many([]).shape == (0,)
    assert len(test.test_many([])) == 0


@pytest.mark.parametrize("make", [GTest, ChiSquareTest, PermutationTest])
def test_results_do_not_depend_on_columns_batches_or_threads(make):
    counter = random_counter(7, [2, 3, 2, 4], 90, skew=2)
    swapped = SlowCounter(
        plain_schema([4, 2, 2, 3], ["x3", "x0", "x2", "x1"]), [counter.columns[v] for v in (3, 0, 2, 1)]
    )
    queries = [("x0", "x1", ()), ("x1", "x0", ("x2",)), ("x3", "x0", ("x2", "x1")), ("x2", "x3", ())]
    expected = make(counter).test_many(queries).p_value
    for threads in (1, 2, 4):
        _core.set_threads(threads)
        assert (make(swapped).test_many(queries[::-1]).p_value == expected[::-1]).all()
    _core.set_threads(0)
    assert make(counter).test("x1", "x0").p_value == expected[0]


@pytest.mark.slow
def test_p_values_under_independence_are_uniform():
    rng = np.random.default_rng(11)
    for make, known in ((GTest, ()), (ChiSquareTest, ()), (GTest, (2,)), (ChiSquareTest, (2,))):
        found = []
        for _ in range(500):
            z = rng.integers(0, 2, 1000)
            x, y = (rng.random(1000) < 0.3 + 0.2 * z * bool(known)).astype(int), rng.integers(0, 3, 1000)
            found.append(make(SlowCounter(plain_schema([2, 3, 2]), [x, y, z])).test(0, 1, known).p_value)
        assert scipy.stats.kstest(found, "uniform").pvalue > 0.01


def test_permutation_p_values_under_independence_are_uniform():
    rng = np.random.default_rng(12)
    queries = [(0, 1, (2,))]
    found = []
    for _ in range(300):
        columns = [rng.integers(0, r, 60) for r in (3, 3, 2)]
        counter = SlowCounter(plain_schema([3, 3, 2]), columns)
        found.append(PermutationTest(counter, permutations=99).test_many(queries).p_value[0])
    # on a grid of 1/100; ties make it conservative, never the opposite
    assert scipy.stats.kstest(found, "uniform").pvalue > 0.01
    assert np.mean(np.array(found) <= 0.05) < 0.1


@pytest.mark.parametrize(
    "table",
    [[[8, 3], [2, 9]], [[5, 5], [5, 6]], [[60, 40], [45, 70]], [[1, 9], [30, 200]], [[300, 260], [250, 290]]],
)
def test_permutation_agrees_with_the_exact_distribution(table):
    counter = JointCounts(plain_schema([2, 2]), table)
    p = PermutationTest(counter, permutations=20_000, seed=3).test(0, 1).p_value
    exact = slow.exact_permutation_p(table)
    assert p == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 20_000) + 1e-4)


def test_permutation_agrees_with_shuffled_rows():
    rng = np.random.default_rng(13)
    z = rng.integers(0, 2, 120)
    x, y = rng.integers(0, 3, 120), rng.integers(0, 4, 120)
    x = np.where(rng.random(120) < 0.15, y % 3, x)
    counter = SlowCounter(plain_schema([3, 4, 2]), [x, y, z])
    p = PermutationTest(counter, permutations=5000).test(0, 1, (2,)).p_value
    observed, _ = slow.g_test(counter, 0, 1, (2,))
    at_least = 0
    for _ in range(600):
        shuffled = x.copy()
        for k in (0, 1):
            shuffled[z == k] = rng.permutation(x[z == k])
        at_least += (
            slow.g_test(SlowCounter(counter.schema, [shuffled, y, z]), 0, 1, (2,))[0] >= observed - 1e-9
        )
    assert p == pytest.approx(at_least / 600, abs=4 * math.sqrt(p * (1 - p) / 600) + 0.002)


def test_permutations_follow_the_seed(two_strata):
    first, again, other = (
        PermutationTest(two_strata, permutations=500, seed=seed).test_many(
            [("z", "u", ()), ("u", "z", ("v",))]
        )
        for seed in (1, 1, 2)
    )
    assert (first.p_value == again.p_value).all()
    assert (first.p_value != other.p_value).any()


@pytest.mark.parametrize("df", [1, 2, 3, 7, 19, 20, 33, 100, 1234, 50_000, 2e6, 3e7])
def test_chi_square_tail_and_critical_values(df):
    p = np.array([1e-200, 1e-60, 1e-12, 1e-4, 0.01, 0.05, 0.3, 0.5, 0.8, 0.99])
    x = scipy.stats.chi2.isf(p, df)
    assert _core.chi_square_sf(x, np.full(len(x), float(df))) == pytest.approx(p, rel=2e-10)
    critical = [_core.critical_values(level, np.array([float(df)]))[0] for level in p]
    assert critical == pytest.approx(x, rel=1e-10)


def test_chi_square_at_its_limits():
    x = np.array([0.0, -1.0, math.inf, 5.0, 1e6, 3.0, math.nan])
    df = np.array([3.0, 3.0, 3.0, 0.0, 1.0, math.inf, 1.0])
    assert _core.chi_square_sf(x, df)[:-1].tolist() == [1, 1, 0, 0, 0, 1]
    assert math.isnan(_core.chi_square_sf(x, df)[-1])
    assert _core.critical_values(0.05, np.array([0.0, math.inf])).tolist() == [0, math.inf]
    # far tail: e^{-x/2} for two degrees of freedom
    assert _core.chi_square_sf(np.array([1400.0]), np.array([2.0]))[0] == pytest.approx(
        math.exp(-700), rel=1e-12
    )


def test_refusals(two_strata):
    test = GTest(two_strata)
    with pytest.raises(UnknownNameError, match="there is no variable 'w'"):
        test.independent("u", "w")
    with pytest.raises(SchemaError, match="a test compares two variables; found 'u' twice"):
        test.independent("u", "u")
    with pytest.raises(
        SchemaError, match="'v' cannot be tested and conditioned on at once; given was 'z', 'v'"
    ):
        test.independent("u", "v", ["z", "v"])
    with pytest.raises(SchemaError, match="'z' cannot be tested and conditioned on at once"):
        test.test_partners("u", ["z"], ["v", "z"])
    for make in (GTest, ChiSquareTest, PermutationTest):
        for alpha in (0, 1, -0.1):
            words = f"alpha must lie between 0 and 1, both excluded; found {alpha}"
            with pytest.raises(ValueError, match=f"^{words}$"):
                make(two_strata, alpha)
        with pytest.raises(ValueError, match=f"^alpha= of {make.__name__} is a finite number; found nan$"):
            make(two_strata, math.nan)
    with pytest.raises(ValueError, match="degrees must be one of 'adjusted', 'full'; found 'fuller'"):
        GTest(two_strata, degrees="fuller")
    with pytest.raises(ValueError, match="df0 must be one of 'independent', 'skip'; found 'x'"):
        GTest(two_strata, df0="x")
    with pytest.raises(ValueError, match="unreliable must be one of"):
        GTest(two_strata, unreliable="x")
    with pytest.raises(ValueError, match="reliability must be a number of rows"):
        GTest(two_strata, reliability=-1)
    with pytest.raises(ValueError, match="a permutation test needs at least one permutation; found 0"):
        PermutationTest(two_strata, permutations=0)


def test_partners_are_asked_as_one_by_one():
    counter = random_counter(3, [2, 3, 2, 2, 3], 200)
    assert as_partners(counter.schema, "x4", ("x3", "x1"), ("x0", "x2")) == (4, (1, 3), [0, 2])
    for known, partners in ((("x1",), ("x0",)), (("x2",), ("x2",)), ((), ("x1",))):
        with pytest.raises(SchemaError, match=r"x1|x2"):
            as_partners(counter.schema, "x1", known, partners)
    assert as_partners(counter.schema, "x1", ("x2",), ())[2] == []


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("a", "'a' is continuous: read it with bins=, or leave it out"),
        ("ab", "'a', 'b' are continuous: read them with bins=, or leave them out"),
    ],
)
def test_continuous_columns_are_refused(names, message):
    class Mixed:
        n_rows = 3
        schema = Schema([*(Variable(name) for name in names), Variable("z", (0, 1))])

        def counts(self, scope):
            return np.zeros(2)

        def counts_many(self, scopes):
            return [np.zeros(2) for _ in scopes]

        def sparse_counts(self, scope):
            raise NotImplementedError

    with pytest.raises(SchemaError, match=f"GTest judges states; {message} with table.select"):
        require_discrete("GTest", Mixed())
    require_discrete("GTest", random_counter(1, [2, 2], 5))

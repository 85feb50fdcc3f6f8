"""The test of mixed tables: against regressions in every state, calibrated, and with the classes of PC."""

import itertools
import pickle

import numpy as np
import pytest
from scipy.stats import chi2

import treewright as tw
from treewright.criteria import FisherZTest, GTest, MixedTest
from treewright.errors import SchemaError
from treewright.statistics import mixed_moments


def sampled(n=400, seed=0, effect=1.0):
    """a -> z <- b, z -> w, a -> v: two states, three numbers."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(3, size=n), rng.integers(2, size=n)
    z = effect * a - effect * b + rng.normal(size=n) * (1 + 0.5 * a)
    w = effect * z + rng.normal(size=n)
    v = -effect * a + rng.normal(size=n)
    return tw.read_table({"a": ["xyz"[k] for k in a], "b": ["pq"[k] for k in b], "z": z, "w": w, "v": v})


def slow_fit(y, given):
    """Twice the log-likelihood of a line, but for constants."""
    design = np.column_stack([np.ones(len(y)), *given])
    left = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    return -len(y) * np.log(left @ left / len(y))


def slow_state_and_number(table, x, y, states, numbers):
    """The likelihood ratio, regression by regression, where all joint states have enough rows."""
    codes = {name: np.asarray(table.column(name)) for name in table.schema.names}
    statistic = df = 0
    for joint in itertools.product(*(range(table.schema[s].cardinality) for s in states)):
        here = np.ones(table.n_rows, dtype=bool)
        for name, code in zip(states, joint, strict=True):
            here &= codes[name] == code
        parts = [here & (codes[x] == k) for k in range(table.schema[x].cardinality)]
        apart = sum(slow_fit(codes[y][rows], [codes[c][rows] for c in numbers]) for rows in parts)
        statistic += apart - slow_fit(codes[y][here], [codes[c][here] for c in numbers])
        df += (len(parts) - 1) * (len(numbers) + 2)
    return statistic, df


@pytest.mark.parametrize(
    ("x", "y", "given"),
    [("a", "z", ()), ("a", "z", ("b",)), ("b", "w", ("z",)), ("a", "w", ("b", "z", "v")), ("v", "b", ("a",))],
)
def test_states_and_numbers_equal_regressions(x, y, given):
    table = sampled(2_000)
    test = MixedTest(mixed_moments(table))
    if not table.schema[x].is_discrete:
        x, y = y, x
    states = [name for name in given if table.schema[name].is_discrete]
    numbers = [name for name in given if not table.schema[name].is_discrete]
    statistic, df = slow_state_and_number(table, x, y, states, numbers)
    for found in (test.test(x, y, given), test.test(y, x, given)):
        assert found.statistic == pytest.approx(max(statistic, 0), rel=1e-8, abs=1e-8)
        assert found.df == df
        assert found.p_value == pytest.approx(chi2.sf(statistic, df), rel=1e-6, abs=1e-12)


def test_numbers_equal_partial_correlations():
    table = sampled(1_000)
    numbers = table.select(["v", "w", "z"])
    fisher = FisherZTest(tw.moments(numbers))
    r = fisher.partial_correlation("w", "v", ["z"])
    found = MixedTest(mixed_moments(table)).test("w", "v", ["z"])
    assert found.statistic == pytest.approx(-(1_000 - 3) * np.log1p(-(r**2)))
    assert found.df == 1
    in_each = MixedTest(mixed_moments(table)).test("w", "v", ["a", "z"])
    assert in_each.df == 3


def test_states_are_left_to_the_g_test():
    table = sampled()
    test, plain = MixedTest(mixed_moments(table)), GTest(tw.count(table.select(["a", "b"])))
    assert test.test("a", "b") == plain.test("a", "b")
    assert not test.independent("a", "b", ["z"])  # states are separated by states


def test_few_rows_say_nothing():
    test = MixedTest(mixed_moments(sampled(20)))
    found = test.test("a", "z", ["b", "w", "v"])
    assert (found.p_value, found.reliable) == (1.0, False)


@pytest.mark.parametrize("given", [(), ("b",), ("v",), ("b", "v")])
def test_where_nothing_depends_the_level_is_kept(given):
    p_values = []
    for seed in range(300):
        test = MixedTest(mixed_moments(sampled(300, seed, effect=0.0).select(["a", "b", "v", "w"])))
        p_values += [test.test("a", "w", given).p_value, test.test("w", "v", tuple({*given} - {"v"})).p_value]
    assert 0.03 < np.mean(np.array(p_values) < 0.05) < 0.08


def test_shards_orders_and_pickles_do_not_show():
    table = sampled(600)
    queries = [("a", "z", ("b",)), ("w", "v", ("a", "z")), ("b", "v", ())]
    one = MixedTest(mixed_moments(table), alpha=0.01)
    other = MixedTest(mixed_moments(table.select(["w", "v", "b", "z", "a"]).shards(3)), alpha=0.01)
    assert other.test_many(queries).statistic == pytest.approx(one.test_many(queries).statistic, rel=1e-9)
    again = pickle.loads(pickle.dumps(one))
    assert again.test_many(queries).p_value.tolist() == one.test_many(queries).p_value.tolist()
    assert repr(one) == "MixedTest(2 discrete and 3 continuous, 600 rows, alpha=0.01)"
    with pytest.raises(SchemaError, match="twice"):
        one.test("a", "a")


def test_pc_finds_the_class_under_the_rule():
    learned = tw.learn_pc(MixedTest(mixed_moments(sampled(4_000)), alpha=0.001))
    assert sorted(learned.dag.edges()) == [("a", "v"), ("a", "z"), ("b", "z"), ("z", "w")]
    assert learned.structure.undirected_edges() == []  # the rule directs what leads to numbers
    model = tw.fit(learned.dag, mixed_moments(sampled(4_000)))
    assert abs(model.query("z", given={"a": "x", "b": "p"}).mean) < 0.2


def test_a_scaled_copy_of_a_number_depends_on_it():
    rows = sampled(200).to_dict()
    rows["copy"] = [3 * z for z in rows["z"]]
    test = MixedTest(mixed_moments(tw.read_table(rows)))
    assert test.test("z", "copy").p_value == 0
    assert np.isfinite(test.test("a", "z", ["copy"]).statistic)

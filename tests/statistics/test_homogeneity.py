"""Comparing tables: every statistic against scipy or its formula, written out again."""

import math

import numpy as np
import pytest
import scipy.stats

import treewright as tw
from treewright.errors import SettingError
from treewright.statistics.several.homogeneity import check_homogeneity, chi_square_of, holm


def samples(seed, sizes, n_columns=1):
    rng = np.random.default_rng(seed)
    return [rng.normal(rng.normal(), 1 + rng.random(), (n, n_columns)) for n in sizes]


def found_in(parts, names="xy"):
    tables = [{name: part[:, i] for i, name in enumerate(names[: part.shape[1]])} for part in parts]
    tests = check_homogeneity(tw.read_databases(tables)).tests
    return {(test.columns, test.about): test for test in tests}


@pytest.mark.parametrize("seed", range(3))
def test_two_means_are_compared_as_by_welch(seed):
    parts = samples(seed, [9, 40])
    found = found_in(parts)[("x",), "mean"]
    t, p = scipy.stats.ttest_ind(*(part[:, 0] for part in parts), equal_var=False)
    assert found.statistic == pytest.approx(t**2, rel=1e-9)
    assert found.p_value == pytest.approx(p, rel=1e-9)


def test_several_means_weigh_by_their_own_variance():
    parts = [part[:, 0] for part in samples(5, [6, 15, 40, 11])]
    found = found_in([part[:, None] for part in parts])[("x",), "mean"]
    weights = [len(part) / part.var(ddof=1) for part in parts]
    total = sum(weights)
    centre = sum(w * part.mean() for w, part in zip(weights, parts, strict=True)) / total
    between = sum(w * (part.mean() - centre) ** 2 for w, part in zip(weights, parts, strict=True)) / 3
    spread = sum((1 - w / total) ** 2 / (len(part) - 1) for w, part in zip(weights, parts, strict=True))
    statistic = between / (1 + 2 * 2 / 15 * spread)  # k = 4: 2 (k - 2) / (k^2 - 1)
    assert found.statistic == pytest.approx(statistic, rel=1e-9)
    assert found.p_value == pytest.approx(scipy.stats.f.sf(statistic, 3, 15 / (3 * spread)), rel=1e-9)


@pytest.mark.parametrize("sizes", [[8, 30], [5, 20, 11], [6, 6, 7, 40]])
def test_variances_are_compared_as_by_bartlett(sizes):
    parts = samples(len(sizes), sizes)
    found = found_in(parts)[("x",), "variance"]
    statistic, p = scipy.stats.bartlett(*(part[:, 0] for part in parts))
    assert found.statistic == pytest.approx(statistic, rel=1e-9)
    assert found.p_value == pytest.approx(p, rel=1e-9)


@pytest.mark.parametrize("sizes", [[8, 30], [5, 20, 11]])
def test_correlations_weigh_by_their_rows_less_three(sizes):
    parts = samples(7, sizes, n_columns=2)
    found = found_in(parts)[("x", "y"), "correlation"]
    z = [math.atanh(np.corrcoef(part.T)[0, 1]) for part in parts]
    centre = sum((n - 3) * one for n, one in zip(sizes, z, strict=True)) / sum(n - 3 for n in sizes)
    statistic = sum((n - 3) * (one - centre) ** 2 for n, one in zip(sizes, z, strict=True))
    assert found.statistic == pytest.approx(statistic, rel=1e-9)
    assert found.p_value == pytest.approx(scipy.stats.chi2.sf(statistic, len(sizes) - 1), rel=1e-9)


def test_tables_of_three_rows_and_constant_columns_say_nothing():
    rng = np.random.default_rng(0)
    assert found_in([rng.normal(size=(3, 1)), rng.normal(size=(9, 1))]) == {}
    assert found_in([rng.normal(size=(4, 1)), rng.normal(size=(9, 1))]).keys() == {
        (("x",), "mean"),
        (("x",), "variance"),
    }
    real = tw.Schema([tw.Variable("x")])
    still = [tw.read_table({"x": x}, schema=real) for x in (np.ones(9), rng.normal(size=9))]
    assert check_homogeneity(tw.read_databases(still)).tests == ()


@pytest.mark.parametrize("seed", range(4))
def test_counts_are_compared_as_by_pearson(seed):
    cells = np.random.default_rng(seed).integers(20, 60, (3, 4)).astype(float)
    statistic, _, degrees, _ = scipy.stats.chi2_contingency(cells, correction=False)
    assert chi_square_of(cells) == (pytest.approx(statistic, rel=1e-12), degrees)
    assert chi_square_of(cells[::-1, ::-1])[0] == pytest.approx(statistic, rel=1e-12)


def test_rare_states_are_judged_together():
    cells = np.array([[40.0, 60.0, 4.0, 5.0], [50.0, 50.0, 4.0, 1.0]])
    together = np.column_stack([cells[:, :2], cells[:, 2:].sum(axis=1)])
    statistic, _, degrees, _ = scipy.stats.chi2_contingency(together, correction=False)
    assert chi_square_of(cells) == (pytest.approx(statistic), degrees)
    few = np.array([[40.0, 60.0, 1.0], [50.0, 50.0, 2.0]])  # still too few: to the smallest of the others
    joined = np.column_stack([few[:, 0] + few[:, 2], few[:, 1]])
    statistic, _, degrees, _ = scipy.stats.chi2_contingency(joined, correction=False)
    assert chi_square_of(few) == (pytest.approx(statistic), degrees)
    shared = few + np.array([[0, 0, 2], [0, 0, 1]])  # six rows, but not five in each table
    joined = np.column_stack([shared[:, 0] + shared[:, 2], shared[:, 1]])
    assert chi_square_of(shared)[0] == pytest.approx(
        scipy.stats.chi2_contingency(joined, correction=False).statistic
    )
    five = np.array([[40.0, 60.0, 5.0], [40.0, 60.0, 5.0]])  # five rows expected are enough
    assert chi_square_of(five)[1] == 2.0


def test_nothing_to_compare():
    assert chi_square_of(np.array([[5.0, 6.0], [0.0, 0.0]])) == (0.0, 0.0)
    assert chi_square_of(np.zeros((2, 3))) == (0.0, 0.0)
    assert chi_square_of(np.array([[9.0], [9.0]])) == (0.0, 0.0)


def test_pairs_are_compared_where_two_tables_have_both():
    rng = np.random.default_rng(3)
    rows = [{name: rng.integers(0, 2, 80).tolist() for name in names} for names in ("ab", "abc", "c")]
    tests = check_homogeneity(tw.read_databases(rows)).tests
    assert {(t.columns, t.tables) for t in tests} == {
        (("a",), ("table 1", "table 2")),
        (("b",), ("table 1", "table 2")),
        (("c",), ("table 2", "table 3")),
        (("a", "b"), ("table 1", "table 2")),
    }
    assert [t.p_value for t in tests] == sorted(t.p_value for t in tests)
    assert [t.corrected for t in tests] == pytest.approx(holm([t.p_value for t in tests]).tolist())


def test_equal_p_values_come_by_name():
    rows = {name: [0, 1] * 40 for name in "cab"}
    tests = check_homogeneity(tw.read_databases([rows, rows])).tests
    assert [t.columns for t in tests] == sorted(t.columns for t in tests)
    assert {t.p_value for t in tests} == {1.0}


def test_holm_is_monotone_and_ends_at_one():
    assert holm([0.5, 0.01, 0.02, 0.02]).tolist() == pytest.approx([0.5, 0.04, 0.06, 0.06])
    assert holm([0.6, 0.7]).tolist() == [1.0, 1.0]
    assert holm([]).tolist() == []


def test_the_level_itself_is_rejected():
    rows = [{"x": [0, 1] * 50}, {"x": [0, 1, 1, 1, 1] * 20}]
    p = check_homogeneity(tw.read_databases(rows)).tests[0].corrected
    assert not check_homogeneity(tw.read_databases(rows), alpha=p).is_homogeneous
    assert check_homogeneity(tw.read_databases(rows), alpha=p * 0.999).is_homogeneous


@pytest.mark.parametrize(
    ("alpha", "words"),
    [
        (0, "alpha must lie between 0 and 1, both excluded; found 0"),
        (1, "alpha must lie between 0 and 1, both excluded; found 1"),
        (-0.5, "alpha must lie between 0 and 1, both excluded; found -0.5"),
        (math.nan, "alpha= of check_homogeneity is a finite number; found nan"),
    ],
)
def test_refusals(alpha, words):
    databases = tw.read_databases([{"x": [0, 1]}, {"x": [0, 1]}])
    with pytest.raises(SettingError) as refusal:
        check_homogeneity(databases, alpha=alpha)
    assert str(refusal.value) == words

"""Counts of the rows that show a scope: beside rows that are looked at one by one."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.statistics import AvailableCounter

NAMES = ("a", "b", "c", "d")


def table_with_gaps(seed, n=60, share=0.25):
    rng = np.random.default_rng(seed)
    columns = {name: [f"s{code}" for code in rng.integers(0, 3, n)] for name in NAMES}
    columns["b"] = [a if rng.random() < 0.7 else b for a, b in zip(columns["a"], columns["b"], strict=True)]
    for name in NAMES[:3]:  # d is whole
        columns[name] = [None if rng.random() < share else cell for cell in columns[name]]
    return tw.read_table(columns, missing="em"), columns


def showing(columns, scope):
    """The rows that show a scope, as a table of all their columns with d."""
    kept = [i for i in range(len(columns["d"])) if all(columns[name][i] is not None for name in scope)]
    return {name: [columns[name][i] for i in kept] for name in scope}


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_every_scope_is_counted_in_the_rows_that_show_it(seed):
    table, columns = table_with_gaps(seed)
    counter, states = AvailableCounter(table), {v.name: v.states for v in table.schema}
    scopes = [scope for size in (1, 2, 3) for scope in combinations(NAMES, size)]
    for scope, counts in zip(scopes, counter.counts_many(scopes), strict=True):
        twin = np.zeros_like(counts)
        for row in zip(*showing(columns, scope).values(), strict=True):
            twin[tuple(states[name].index(cell) for name, cell in zip(scope, row, strict=True))] += 1
        assert counts.tolist() == twin.tolist()
        sparse = counter.sparse_counts(scope)
        dense = np.zeros(twin.size)
        dense[sparse.codes] = sparse.counts
        assert dense.reshape(twin.shape).tolist() == twin.tolist()
        assert counter.covers(scope) == bool(twin.any())


@pytest.mark.parametrize("score", [tw.BIC, tw.BDeu, tw.QNML])
def test_a_parent_is_judged_in_the_rows_that_show_it(score):
    table, columns = table_with_gaps(3)
    judge, schema = score(AvailableCounter(table)), table.schema
    whole = tw.read_table(showing(columns, "ab"), schema=schema.select(tuple("ab")))
    alone = tw.read_table(showing(columns, "b"), schema=schema.select(tuple("b")))
    among = score(tw.count(whole))
    expected = score(tw.count(alone)).local("b") + among.local("b", ["a"]) - among.local("b")
    assert judge.local("b", ["a"]) == pytest.approx(expected, rel=1e-12)


def test_without_gaps_scores_are_the_usual_ones():
    table = tw.load_network("asia").sample(300, rng=np.random.default_rng(1))
    families = [("dysp", ["bronc", "either"]), ("lung", []), ("xray", ["either"])]
    usual = tw.BIC(tw.count(table)).local_many(families)
    assert tw.BIC(AvailableCounter(table)).local_many(families) == pytest.approx(usual, rel=1e-12)


def test_tests_judge_the_rows_that_show_their_columns():
    table, columns = table_with_gaps(5)
    usual = tw.GTest(
        tw.count(tw.read_table(showing(columns, "abc"), schema=table.schema.select(tuple("abc"))))
    )
    found = tw.GTest(AvailableCounter(table)).test("a", "b", ["c"])
    assert found.p_value == pytest.approx(usual.test("a", "b", ["c"]).p_value, rel=1e-12)


def test_parents_join_by_how_many_rows_show_them():
    """The child alone; the parent that misses least beside nothing; then the next beside both."""
    table, columns = table_with_gaps(7)
    judge = tw.BIC(AvailableCounter(table))
    n_missing = {name: sum(cell is None for cell in columns[name]) for name in "abc"}
    first, _ = sorted("ac", key=lambda name: (n_missing[name], name))

    def among(*scope):
        rows = tw.read_table(showing(columns, "".join(scope)), schema=table.schema.select(scope))
        return tw.BIC(tw.count(rows))

    expected = among("d").local("d")
    expected += among(first, "d").local("d", [first]) - among(first, "d").local("d")
    both = among("a", "c", "d")
    expected += both.local("d", ["a", "c"]) - both.local("d", [first])
    assert judge.local("d", ["a", "c"]) == pytest.approx(expected, rel=1e-12)


def test_parents_that_miss_as_much_join_by_name():
    rng = np.random.default_rng(0)
    columns = {name: rng.integers(0, 2, 40).tolist() for name in "abd"}
    for i in range(6):
        columns["a"][i] = columns["b"][i + 6] = None
    schema = tw.read_table(columns, missing="em").schema
    orders = [columns, {name: columns[name] for name in "bda"}]
    found = [
        tw.BIC(AvailableCounter(tw.read_table(one, missing="em"))).local("d", ["a", "b"]) for one in orders
    ]
    assert found[0] == found[1]
    shown = [i for i in range(40) if columns["a"][i] is not None]
    alone = tw.read_table(
        {name: [columns[name][i] for i in shown] for name in "ad"}, schema=schema.select(["a", "d"])
    )
    rest = [i for i in shown if columns["b"][i] is not None]
    both = tw.read_table({name: [columns[name][i] for i in rest] for name in "abd"}, schema=schema)
    whole = tw.BIC(tw.count(tw.read_table({"d": columns["d"]}))).local("d")
    a, ab = tw.BIC(tw.count(alone)), tw.BIC(tw.count(both))
    expected = whole + a.local("d", ["a"]) - a.local("d") + ab.local("d", ["a", "b"]) - ab.local("d", ["a"])
    assert found[0] == pytest.approx(expected, rel=1e-12)


def test_gains_of_pairs_are_those_of_single_parents():
    table, _ = table_with_gaps(2)
    score = tw.BIC(AvailableCounter(table))
    gains = score.pair_gains()
    for p, c in ((0, 1), (1, 0), (2, 3), (3, 2)):
        assert gains[p, c] == pytest.approx(score.local(c, [p]) - score.local(c), rel=1e-9)


def test_scopes_that_no_row_shows_are_not_covered():
    counter = AvailableCounter(
        tw.read_table({"a": [0, 1, None, None], "b": [None, None, 0, 1]}, missing="em")
    )
    assert counter.covers(["a"])
    assert not counter.covers(["a", "b"])

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

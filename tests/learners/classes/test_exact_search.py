"""Exact search: all networks of few variables, laws, refusals."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw


def all_dags(names):
    """Every DAG over a few names, as lists of arcs."""
    pairs = list(combinations(names, 2))
    for marks in product((None, 1, -1), repeat=len(pairs)):
        arcs = [p if m == 1 else p[::-1] for p, m in zip(pairs, marks, strict=True) if m]
        left = set(names)
        while sinks := {v for v in left if not any(t == v and h in left for t, h in arcs)}:
            left -= sinks
        if not left:
            yield arcs


def random_table(seed, n, rows=60, states=3):
    rng = np.random.default_rng(seed)
    columns = [rng.integers(states, size=rows)]
    for _ in range(n - 1):
        copied = columns[rng.integers(len(columns))]
        columns.append(np.where(rng.random(rows) < 0.6, copied, rng.integers(states, size=rows)))
    return tw.read_table({f"v{i}": column.tolist() for i, column in enumerate(columns)})


SCORES = [tw.BIC, tw.AIC, tw.BDeu, tw.K2, tw.QNML, tw.SparseQNML]


@pytest.mark.slow
@settings(max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from(SCORES))
def test_no_network_of_four_variables_is_better(seed, kind):
    score = kind(tw.count(random_table(seed, 4)))
    schema = score.schema
    best = max(score.score(tw.Dag(schema, arcs)) for arcs in all_dags(schema.names))
    learned = tw.learners.learn_exact(score)
    assert learned.score == pytest.approx(best, abs=1e-9)
    assert learned.score == score.score(learned.structure)
    assert learned.cpdag == tw.Cpdag.of(learned.structure)


@pytest.mark.slow
@settings(max_examples=15)
@given(st.integers(0, 10**6))
def test_the_best_obedient_network(seed):
    score = tw.K2(tw.count(random_table(seed, 4)))
    knowledge = tw.Knowledge(required=[("v1", "v0")], forbidden=[("v2", "v3"), ("v3", "v2")])
    obeyed = [
        arcs for arcs in all_dags(score.schema.names)
        if ("v1", "v0") in arcs and not {("v2", "v3"), ("v3", "v2")} & set(arcs)
    ]  # fmt: skip
    best = max(score.score(tw.Dag(score.schema, arcs)) for arcs in obeyed)
    assert tw.learners.learn_exact(score, knowledge=knowledge).score == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("most", [0, 1, 2])
def test_few_parents(most):
    score = tw.LogLikelihood(tw.count(random_table(3, 4)))
    few = [a for a in all_dags(score.schema.names) if all(sum(h == v for _, h in a) <= most for _, v in a)]
    best = max(score.score(tw.Dag(score.schema, arcs)) for arcs in few)
    learned = tw.learners.learn_exact(score, max_parents=most)
    assert learned.score == pytest.approx(best, abs=1e-9)
    assert max((len(learned.structure.parents(v)) for v in range(4)), default=0) <= most


@settings(max_examples=10)
@given(st.integers(0, 10**6))
def test_the_order_of_columns_does_not_matter(seed):
    table = random_table(seed, 6, rows=40, states=2)
    shuffled = table.reordered(np.random.default_rng(seed).permutation(table.schema.names).tolist())
    first, second = (tw.learners.learn_exact(tw.BIC(tw.count(one))) for one in (table, shuffled))
    assert first.cpdag == second.cpdag
    assert first.structure.edges() == second.structure.edges()


def test_a_search_is_never_better():
    for seed in range(8):
        score = tw.SparseQNML(tw.count(random_table(seed, 9, rows=200)))
        assert tw.learners.learn_exact(score).score >= tw.learners.class_search(score).score - 1e-9


def test_continuous_columns():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 300))
    table = tw.read_table({"a": a, "b": b, "c": a + b + 0.1 * rng.normal(size=300)})
    learned = tw.learners.learn_exact(tw.GaussianBIC(tw.moments(table)))
    assert learned.cpdag.directed_edges() == [("a", "c"), ("b", "c")]


def test_a_score_of_sets_is_asked_once_for_each_set():
    counter = tw.count(random_table(0, 5))
    assert tw.learners.learn_exact(tw.BIC(counter)).trace.total("scores") == 2**5 - 1
    assert tw.learners.learn_exact(tw.K2(counter)).trace.total("scores") == 5 * 2**4


def test_one_variable_and_copies():
    one = tw.learners.learn_exact(tw.BIC(tw.count(tw.read_table({"a": [0, 1, 1]}))))
    assert one.structure.edges() == []
    copies = tw.read_table({"b": [0, 1] * 20, "a": [0, 1] * 20, "c": [5] * 40})
    assert tw.learners.learn_exact(tw.BIC(tw.count(copies))).cpdag.undirected_edges() == [("a", "b")]


def test_refusals():
    score = tw.BIC(tw.count(random_table(0, 5)))
    with pytest.raises(tw.errors.SettingError) as refused:
        tw.learners.learn_exact(score, max_variables=4)
    assert str(refused.value) == (
        "an exact search looks at all 2^5 sets of 5 variables; at most 4 are allowed: raise max_variables, "
        "or use learn_hill_climbing, which needs no such bound"
    )
    with pytest.raises(tw.errors.SettingError, match="max_variables must be from 1 to 25; found 26"):
        tw.learners.learn_exact(score, max_variables=26)
    with pytest.raises(tw.errors.SettingError, match="max_parents must be 0 or more, or None for no limit"):
        tw.learners.learn_exact(score, max_parents=-1)
    tw.set_memory_limit(500)
    try:
        with pytest.raises(tw.errors.TableTooLarge) as large:
            tw.learners.learn_exact(score)
    finally:
        tw.set_memory_limit(None)
    assert str(large.value) == (
        "an exact search over 5 variables takes 960 bytes; the limit is 500 bytes: use fewer variables, or "
        "raise it with set_memory_limit"
    )

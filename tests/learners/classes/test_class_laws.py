"""The search over equivalence classes: what it may not depend on, and what more effort never costs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.learners.classes.class_examples import SCORES, member_at_random, sampled_table, trapped
from tests.reference.graphs.directed import dags

import treewright as tw
from treewright import _core


def test_more_effort_never_scores_less():
    score = tw.BIC(tw.count(tw.load_network("alarm").sample(500, rng=np.random.default_rng(1))))
    first = tw.learners.class_search(score, effort=0)
    scores = [first.score]
    scores += [
        tw.learners.class_search(score, effort=effort, start=first.cpdag).score for effort in (1, 2, 3)
    ]
    assert scores == sorted(scores)
    assert scores[-1] > scores[0]


@pytest.mark.parametrize("copies", [False, True])
def test_columns_rows_labels_and_threads_do_not_matter(copies):
    table = tw.load_network("alarm").sample(1_000, rng=np.random.default_rng(11))
    names = list(table.schema.names)
    columns = dict(zip(names, table.columns, strict=True))
    if copies:
        columns["copy"] = (columns["HR"] + 1) % 3
        names.append("copy")
    rng = np.random.default_rng(2)

    def learn(order, rows, relabel):
        data = {
            name: [f"{relabel}{c if relabel == 's' else 9 - c}" for c in columns[name][rows]]
            for name in order
        }
        return tw.learners.class_search(tw.BIC(tw.count(tw.read_table(data))))

    everything = np.arange(table.n_rows)
    expected = learn(names, everything, "s")
    for relabel in "st":
        other = learn(list(rng.permutation(names)), rng.permutation(everything), relabel)
        assert (other.cpdag, other.score, other.copies) == (expected.cpdag, expected.score, expected.copies)
        assert other.structure == expected.structure
    before = _core.threads()
    try:
        _core.set_threads(2)
        assert learn(names, everything, "s").cpdag == expected.cpdag
    finally:
        _core.set_threads(before)
    assert bool(expected.copies) == copies


@pytest.mark.parametrize("effort", [2, 3])
@pytest.mark.parametrize("kind", [tw.BIC, tw.SparseQNML])
def test_second_starts_depend_on_nothing_else_either(kind, effort):
    table = trapped()
    columns = dict(zip(table.schema.names, table.columns, strict=True))
    columns["copy"] = (columns[table.schema.names[0]] + 1) % 4
    rng = np.random.default_rng(3)

    def learn(order, rows, shift):
        data = {name: [f"s{(c + shift) % 4}" for c in columns[name][rows]] for name in order}
        return tw.learners.class_search(kind(tw.count(tw.read_table(data))), effort=effort)

    expected = learn(list(columns), np.arange(table.n_rows), 0)
    assert expected.trace.total("improved") > 0
    assert len(expected.copies) == 1
    for shift in (1, 3):
        other = learn(list(rng.permutation(list(columns))), rng.permutation(table.n_rows), shift)
        assert (other.cpdag, other.score, other.copies) == (expected.cpdag, expected.score, expected.copies)


@settings(max_examples=20)
@given(dag=dags(min_size=5, max_size=5), seed=st.integers(0, 50))
def test_covered_reversals_leave_the_score_as_it_is(dag, seed):
    table = sampled_table(seed)
    names = dict(zip(dag.schema.names, table.schema.names, strict=True))
    arcs = [(names[u], names[v]) for u, v in dag.edges()]
    for kind in [*SCORES, tw.LogLikelihood]:
        score = kind(tw.count(table))
        graph = tw.Dag(table.schema, arcs)
        turned = member_at_random(graph, np.random.default_rng(seed))
        assert score.score(graph) == score.score(turned)

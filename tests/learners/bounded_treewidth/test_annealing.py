"""Annealing of covers, where the bound is two: that it takes part, and what holds whatever it does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.learners.bounded_treewidth.helpers import dependent_table
from tests.learners.interrupts import needs_a_timer, seconds_to_stop
from tests.reference.learners import bounded as slow

from treewright import (
    BIC,
    K2,
    BDeu,
    GaussianBIC,
    Schema,
    Table,
    _core,
    count,
    learn_bounded_treewidth,
    moments,
    read_table,
)
from treewright.graphs import bind_knowledge
from treewright.learners.bounded_treewidth.default_search import draw_seeds, search_from
from treewright.learners.bounded_treewidth.search import BoundedSettings


def checked(score, seeds, effort):
    """Learned with everything counted anew after every change, with a proof that the slow checker accepts."""
    known = bind_knowledge(None, score.schema)
    learned = search_from(None, BoundedSettings(score, known, 2, None, checks=True), seeds, effort=effort)
    tree = learned.certificate
    assert not slow.certificate_violations(learned.structure, tree.clusters, tree.edges, 2)
    assert learned.score == pytest.approx(score.score(learned.structure), abs=1e-6)
    return learned


def without_annealing(score, *, treewidth, effort):
    """The same search with annealing switched off."""
    known = bind_knowledge(None, score.schema)
    settings = BoundedSettings(score, known, treewidth, None, anneals=False)
    return search_from(None, settings, draw_seeds(None, 1), effort=effort)


def test_it_takes_part_in_the_kicks():
    """It draws thousands of changes, so that it asks for far more families than the other kicks."""
    score = BIC(count(dependent_table(1, 30, 1500)))
    asked = [
        learn(score, treewidth=2, effort=2).trace.total("scores")
        - learn(score, treewidth=2, effort=0).trace.total("scores")
        for learn in (learn_bounded_treewidth, without_annealing)
    ]
    assert asked[0] > 1.5 * asked[1]


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(0, 14),
    kind=st.sampled_from([BIC, BDeu, K2]),
    n_searches=st.integers(1, 2),
    constant=st.booleans(),
)
def test_columns_rows_and_threads_do_not_matter(seed, n, kind, n_searches, constant):
    table, rng = dependent_table(seed, n, 300), np.random.default_rng(seed)
    columns = [np.asarray(column) for column in table.columns]
    if constant and n:
        columns[0] = np.zeros_like(columns[0])
    turn, rows = rng.permutation(n), rng.permutation(300)
    shuffled = Table(Schema([table.schema[int(i)] for i in turn]), [columns[i][rows] for i in turn])
    before, found = _core.threads(), []
    try:
        for threads, rows_of in ((1, Table(table.schema, columns)), (2, shuffled)):
            _core.set_threads(threads)
            found.append(checked(kind(count(rows_of)), list(range(n_searches)), effort=9))
    finally:
        _core.set_threads(before)
    assert sorted(found[0].structure.edges()) == sorted(found[1].structure.edges())
    assert found[0].score == pytest.approx(found[1].score)


def test_continuous_variables_of_which_some_are_constant_or_equal():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(300, 16))
    for i in range(1, 16):
        values[:, i] += values[:, rng.integers(0, i, 4)] @ rng.normal(size=4)
    values[:, 2], values[:, 9] = 1, values[:, 8]
    checked(GaussianBIC(moments(read_table({f"x{i}": values[:, i] for i in range(16)}))), [1], effort=6)


@pytest.mark.slow
@needs_a_timer
def test_an_interrupt_stops_it():
    score = BIC(count(dependent_table(1, 60, 2000)))
    assert seconds_to_stop(lambda: learn_bounded_treewidth(score, treewidth=2, effort=1e6)) < 0.5

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.graphs import directed as slow
from tests.reference.graphs.directed import dags, marks, random_dag, schema_of, shuffled

from treewright.graphs import Cpdag, Pdag, apply_meek_rules, close_under_meek, find_consistent_extension


@pytest.mark.parametrize(
    ("arcs", "lines", "forced"),
    [
        (["ca"], ["ab"], "ab"),
        (["ac", "cb"], ["ab"], "ab"),
        (["cb", "db"], ["ab", "ac", "ad"], "ab"),
        (["dc", "cb"], ["ab", "ad", "ac"], "ab"),
    ],
    ids=["R1", "R2", "R3", "R4"],
)
def test_each_rule_alone(arcs, lines, forced):
    closed = close_under_meek(Pdag(schema_of("dbca"), map(tuple, arcs), map(tuple, lines)))
    assert tuple(forced) in closed.directed_edges()
    assert len(closed.directed_edges()) == len(arcs) + 1


def test_without_their_premises_the_rules_are_silent():
    shielded = Pdag(schema_of("abc"), [("c", "a")], [("a", "b"), ("b", "c")])
    assert close_under_meek(shielded) == shielded


@pytest.mark.slow
@settings(deadline=None)
@given(dags(max_size=6, max_arcs=10))
def test_from_v_structures_the_closure_is_the_class(dag):
    arcs = {arc for u, w, v in dag.v_structures() for arc in ((u, w), (v, w))}
    lines = slow.skeleton(dag.index_edges()) - slow.skeleton(arcs)
    closed = close_under_meek(Pdag(dag.schema, arcs, lines))
    members = slow.equivalent_dags(len(dag.schema), dag.index_edges())
    assert closed == Pdag(dag.schema, *slow.marks_of_class(members))
    assert closed == Cpdag.of(dag)


@pytest.mark.slow
@settings(deadline=None)
@given(dags(max_size=6, max_arcs=10), st.data())
def test_with_background_knowledge_the_closure_is_what_all_members_that_agree_share(dag, data):
    """R1 to R4 are complete with knowledge (Meek 1995)."""
    cpdag = Cpdag.of(dag)
    known = {arc for arc in dag.index_edges() if data.draw(st.booleans())}
    arcs = known | set(cpdag.index_directed_edges())
    start = Pdag(dag.schema, arcs, slow.skeleton(dag.index_edges()) - slow.skeleton(arcs))
    closure = apply_meek_rules(start)
    members = [m for m in slow.equivalent_dags(len(dag.schema), dag.index_edges()) if known <= m]
    assert closure.graph == Pdag(dag.schema, *slow.marks_of_class(members))
    assert closure.skipped == ()
    assert (set(start.index_directed_edges()), set(start.index_undirected_edges())) == (
        arcs,
        slow.skeleton(dag.index_edges()) - slow.skeleton(arcs),
    )
    twin = slow.meek(len(dag.schema), arcs, set(start.index_undirected_edges()))
    assert twin == (set(closure.graph.index_directed_edges()), set(closure.graph.index_undirected_edges()))


@pytest.mark.slow
@settings(deadline=None)
@given(marks(), st.randoms(use_true_random=False))
def test_any_marks_close_once_and_for_all_without_a_new_cycle(given_marks, random):
    n, arcs, lines = given_marks
    schema = schema_of(random.sample([f"v{i}" for i in range(n)], n))
    closure = apply_meek_rules(Pdag(schema, arcs, lines))
    closed = closure.graph
    assert apply_meek_rules(closed).graph == closed
    assert closed.skeleton() == Pdag(schema, arcs, lines).skeleton()
    assert arcs <= set(closed.index_directed_edges())
    if slow.is_acyclic(n, arcs):
        assert slow.is_acyclic(n, closed.index_directed_edges())
    if slow.consistent_extensions(n, arcs, lines):
        assert closure.skipped == ()
    order = random.sample(range(n), n)
    other = shuffled(schema, _Fixed(order))
    graph = Pdag(schema, arcs, lines)
    assert apply_meek_rules(Pdag(other, graph.directed_edges(), graph.undirected_edges())) == closure


class _Fixed:
    def __init__(self, order):
        self.order = order

    def permutation(self, n):
        return self.order


def test_wide_rows():
    """More than 64 variables, so that rules look across words."""
    rng = np.random.default_rng(19)
    for density in (0.02, 0.05, 0.1):
        dag = random_dag(150, density, rng)
        arcs = {arc for u, w, v in dag.v_structures() for arc in ((u, w), (v, w))}
        lines = slow.skeleton(dag.index_edges()) - slow.skeleton(arcs)
        closed = close_under_meek(Pdag(dag.schema, arcs, lines))
        assert closed == Cpdag.of(dag)
        assert find_consistent_extension(closed) == Cpdag.of(dag).to_dag()


@pytest.mark.slow
def test_a_complete_undirected_graph_stays_so():
    schema = schema_of(f"v{i}" for i in range(80))
    complete = Pdag(schema, [], combinations(range(80), 2))
    assert close_under_meek(complete) == complete

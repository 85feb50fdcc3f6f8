import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.graphs import directed as slow
from tests.reference.graphs.directed import marks, schema_of

from treewright.errors import CycleError
from treewright.graphs import Pdag, find_consistent_extension, find_nearest_extension


@pytest.mark.slow
@settings(deadline=None)
@given(marks(max_size=5), st.randoms(use_true_random=False))
def test_twin(given_marks, random):
    n, arcs, lines = given_marks
    schema = schema_of(random.sample([f"v{i}" for i in range(n)], n))
    graph = Pdag(schema, arcs, lines)
    found = find_consistent_extension(graph)
    extensions = slow.consistent_extensions(n, arcs, lines)
    rank = {v: schema.names[v] for v in range(n)}
    expected = slow.dor_tarsi(n, arcs, lines, rank)
    if found is None:
        assert not extensions
        assert expected is None
    else:
        assert frozenset(found.index_edges()) in extensions
        assert set(found.index_edges()) == expected
        assert find_nearest_extension(graph) == found


@settings(deadline=None)
@given(marks(max_size=6))
def test_the_nearest_extension_keeps_arrows_and_skeleton(given_marks):
    n, arcs, lines = given_marks
    graph = Pdag(schema_of(f"v{i}" for i in range(n)), arcs, lines)
    if slow.is_acyclic(n, arcs):
        dag = find_nearest_extension(graph)
        assert arcs <= set(dag.index_edges())
        assert dag.skeleton() == graph.skeleton()
    else:
        with pytest.raises(CycleError, match=r"^the arrows close a directed cycle: v\d -> "):
            find_nearest_extension(graph)


def test_a_chordless_cycle_needs_one_v_structure():
    square = Pdag(schema_of("abcd"), [], [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")])
    assert find_consistent_extension(square) is None
    assert len(find_nearest_extension(square).v_structures()) == 1

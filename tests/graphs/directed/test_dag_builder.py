import numpy as np
import pytest
from tests.reference.graphs import directed as slow
from tests.reference.graphs.directed import schema_of

from treewright.errors import CycleError, GraphError
from treewright.graphs import Dag, DagBuilder


@pytest.mark.slow
def test_random_moves_agree_with_a_check_from_scratch():
    rng = np.random.default_rng(3)
    n = 66  # more than one word per row
    builder, arcs = DagBuilder(schema_of(f"v{i}" for i in range(n))), set()
    for _ in range(300):
        u, v = (int(i) for i in rng.integers(0, n, 2))
        legal = u != v and (v, u) not in arcs and (u, v) not in arcs and slow.is_acyclic(n, arcs | {(u, v)})
        assert builder.can_add(u, v) == legal
        if legal and rng.random() < 0.6:
            builder.add(u, v)
            arcs.add((u, v))
        elif arcs:
            u, v = sorted(arcs)[int(rng.integers(len(arcs)))]
            turned = (arcs - {(u, v)}) | {(v, u)}
            assert builder.can_reverse(u, v) == slow.is_acyclic(n, turned)
            if builder.can_reverse(u, v) and rng.random() < 0.5:
                builder.reverse(u, v)
                arcs = turned
            else:
                builder.remove(u, v)
                arcs.remove((u, v))
    assert set(builder.index_edges()) == arcs
    assert builder.n_edges == len(arcs)
    dag = builder.freeze()
    assert dag == Dag(builder.schema, arcs)
    assert all(builder.is_ancestor(u, v) == dag.reachable(u, v) for u in range(n) for v in range(n))
    assert all(builder.parents(v) == dag.parents(v) for v in range(n))


def test_a_copy_goes_its_own_way():
    builder = DagBuilder.of(Dag(schema_of("abc"), [("a", "b")]))
    twin = builder.copy()
    twin.add("b", "c")
    assert builder.freeze().edges() == [("a", "b")]
    assert twin.freeze().edges() == [("a", "b"), ("b", "c")]


def test_illegal_moves_are_refused_by_name_and_change_nothing():
    builder = DagBuilder(schema_of("abc"), [("a", "b"), ("b", "c"), ("a", "c")])
    before = builder.index_edges()
    with pytest.raises(CycleError, match=r"^cannot add c -> a: it would close c -> a -> c$"):
        builder.add("c", "a")
    with pytest.raises(CycleError, match=r"^cannot reverse a -> c: it would close c -> a -> b -> c$"):
        builder.reverse("a", "c")
    with pytest.raises(GraphError, match=r"^cannot add a -> b: it is there already$"):
        builder.add("a", "b")
    with pytest.raises(GraphError, match=r"^cannot add a -> a: an arc joins two variables$"):
        builder.add("a", "a")
    with pytest.raises(GraphError, match=r"^cannot remove b -> a: there is no such arc$"):
        builder.remove("b", "a")
    with pytest.raises(GraphError, match=r"^cannot reverse b -> a: there is no such arc$"):
        builder.reverse("b", "a")
    assert builder.index_edges() == before
    assert builder.can_reverse("a", "b")

"""Members of classes: counts and possible parents, against all graphs."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from tests.reference.graphs.directed import all_dags

import treewright as tw
from treewright.errors import GraphError
from treewright.graphs import Pdag, count_members, find_possible_parents
from treewright.graphs.directed.orientation import add_directions


def classes(n):
    """All members of every class."""
    schema = tw.Schema([tw.Variable(name) for name in "abcdefgh"[:n]])
    found = defaultdict(list)
    for arcs in all_dags(n):
        dag = tw.Dag(schema, arcs)
        found[tw.Cpdag.of(dag)].append(dag)
    return found


def check(pattern, members, names=None):
    assert count_members(pattern) == len(members)
    for name in names or pattern.schema.names:
        expected = Counter(tuple(sorted(dag.parents(name))) for dag in members)
        found = find_possible_parents(pattern, name)
        assert found == expected
        assert list(found) == sorted(found, key=lambda one: (len(one), one))


@pytest.mark.parametrize("n", [2, 3, 4])
def test_every_class(n):
    for pattern, members in classes(n).items():
        check(pattern, members)


@pytest.mark.slow
def test_every_class_of_five():
    for pattern, members in classes(5).items():
        check(pattern, members, "a")  # the others by their names


def test_knowledge_leaves_fewer_members():
    rng = np.random.default_rng(3)
    for pattern, members in classes(4).items():
        for arc in map(tuple, rng.permutation(pattern.index_undirected_edges()).tolist()[:2]):
            known = add_directions(pattern, [arc])
            check(known, [dag for dag in members if dag.has_arc(*arc)])


def test_large_cliques_and_trees_are_counted_at_once():
    schema = tw.Schema([tw.Variable(f"v{i:02}") for i in range(40)])
    path = Pdag(schema, [], [(i, i + 1) for i in range(39)])
    assert count_members(path) == 40
    clique = Pdag(schema, [], [(i, j) for i in range(12) for j in range(i)])
    assert count_members(clique) == 479_001_600


def test_a_class_without_members_is_refused():
    schema = tw.Schema([tw.Variable(name) for name in "abcd"])
    square = Pdag(schema, [], [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")])
    with pytest.raises(GraphError, match="the class has no member"):
        find_possible_parents(square, "a")

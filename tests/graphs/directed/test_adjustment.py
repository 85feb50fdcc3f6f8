"""Adjustment sets, against their definitions on every small graph."""

from itertools import permutations

import pytest
from tests.reference.graphs.adjustment import is_back_door, is_front_door, subsets
from tests.reference.graphs.directed import all_dags

import treewright as tw
from treewright.errors import GraphError, SettingError, UnknownNameError
from treewright.graphs import adjustment_sets, is_back_door_set


def schema(n):
    return tw.Schema([tw.Variable(name) for name in "xyabcdef"[:n]])


def in_order(sets):
    """Minimal ones first, each part by size, then names."""
    return sorted(sets, key=lambda one: (any(set(other) < set(one) for other in sets), len(one), one))


def by_definition(arcs, n, hidden, judge):
    names = schema(n).names
    passing = [one for one in subsets(range(2, n)) if not set(one) & set(hidden) and judge(arcs, 0, 1, one)]
    return in_order([tuple(names[v] for v in one) for one in passing])


def check(n, hidden=(), graphs=None):
    for arcs in graphs or all_dags(n):
        found = tw.adjustment_sets(
            tw.Dag(schema(n), arcs), "x", "y", hidden=[schema(n).names[v] for v in hidden]
        )
        assert list(found.back_door) == by_definition(arcs, n, hidden, is_back_door), arcs
        assert list(found.front_door) == by_definition(arcs, n, hidden, is_front_door), arcs
        assert found.is_complete
        smaller = [any(set(b) < set(a) for b in found.back_door) for a in found.back_door]
        assert list(found.minimal) == [
            one for one, has in zip(found.back_door, smaller, strict=True) if not has
        ]


@pytest.mark.parametrize("n", [2, 3, 4])
def test_sets_are_those_of_the_definition_on_every_graph(n):
    check(n)


def test_hidden_variables_are_in_no_set():
    check(4, hidden=(2,))


@pytest.mark.slow
def test_sets_are_those_of_the_definition_on_every_graph_of_five():
    """One of those that differ in the names of the other three only."""
    turns = [(0, 1, *rest) for rest in permutations((2, 3, 4))]

    def is_first(arcs):
        return all(sorted(arcs) <= sorted((turn[u], turn[v]) for u, v in arcs) for turn in turns)

    graphs = list(filter(is_first, all_dags(5)))
    assert len(graphs) == 5160
    check(5, graphs=graphs)


def test_names_not_columns_decide_the_order():
    asia = tw.load_network("asia").dag
    turned = tw.Dag(asia.schema.select(asia.schema.names[::-1]), asia.edges())
    for limit in (2, 5, 100):
        assert tw.adjustment_sets(asia, "bronc", "dysp", limit=limit) == tw.adjustment_sets(
            turned, "bronc", "dysp", limit=limit
        )


def test_a_large_network_is_answered_up_to_the_limit():
    alarm = tw.load_network("alarm").dag
    found = tw.adjustment_sets(alarm, "VENTLUNG", "BP", limit=7)
    assert len(found.back_door) == 7
    assert not found.is_complete
    assert found.minimal == (("INTUBATION",),) == found.back_door[:1]
    assert all(is_back_door_set(alarm, "VENTLUNG", "BP", one) for one in found.back_door)


def test_a_direct_cause_has_no_back_door_set():
    dag = tw.Dag(schema(3), [("y", "x"), ("a", "x")])
    assert tw.adjustment_sets(dag, "x", "y").back_door == ()


@pytest.mark.parametrize(
    ("arguments", "settings", "error", "told"),
    [
        (("x", "x"), {}, GraphError, "an effect is that of one variable on another; found 'x' twice"),
        (
            ("x", "y"),
            {"limit": 0},
            SettingError,
            "limit= of adjustment_sets is a whole number from 1 on; found 0",
        ),
        (("x", "z"), {}, UnknownNameError, "there is no variable 'z'"),
        (("x", "y"), {"hidden": ["q"]}, UnknownNameError, "there is no variable 'q'"),
    ],
)
def test_refusals(arguments, settings, error, told):
    with pytest.raises(error, match=told.replace("(", r"\(")):
        tw.adjustment_sets(tw.Dag(schema(3), [("x", "y")]), *arguments, **settings)


def graph(arcs, more=()):
    names = sorted({name for arc in arcs for name in arc} | set(more))
    return tw.Dag(tw.Schema(tw.Variable(name) for name in names), arcs)


def test_sets_without_a_part_that_passes_come_first():
    arcs = [("u", "x"), ("u", "y"), ("x", "c"), ("x", "d"), ("c", "a"), ("d", "a"), ("a", "y")]
    found = adjustment_sets(graph(arcs), "x", "y", hidden=["u"])
    assert found.front_door == (("a",), ("c", "d"), ("a", "c"), ("a", "d"), ("a", "c", "d"))
    assert found.is_complete


def test_a_limit_that_front_doors_reach_is_told():
    arcs = [("u", "x"), ("u", "y"), ("x", "c"), ("c", "a"), ("a", "y")]
    whole, some = (adjustment_sets(graph(arcs), "x", "y", hidden=["u"], limit=limit) for limit in (3, 2))
    assert (whole.front_door, whole.is_complete) == ((("a",), ("c",), ("a", "c")), True)
    assert (some.front_door, some.is_complete) == ((("a",), ("c",)), False)


def test_more_sets_than_are_shown_are_counted():
    found = adjustment_sets(graph([("x", "y")], "abcd"), "x", "y")
    assert len(found.back_door) == 16
    assert "and 8 more" in repr(found)
    assert repr(adjustment_sets(graph([("x", "y")], "abc"), "x", "y")).count("{") == 8
    assert "more\n" not in repr(adjustment_sets(graph([("x", "y")], "abc"), "x", "y"))


def test_all_sets_of_fourteen_variables_are_tried():
    names = [f"v{i:02}" for i in range(14)]
    found = adjustment_sets(graph([("x", "y")], names), "x", "y", limit=2**14)
    assert (len(found.back_door), found.is_complete) == (2**14, True)
    assert not adjustment_sets(graph([("x", "y")], [*names, "w"]), "x", "y", limit=2**14).is_complete

import time
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.graphs import directed as slow
from tests.reference.graphs.directed import dags, random_dag, schema_of

from treewright.errors import SchemaError, UnknownNameError
from treewright.graphs import Dag, d_separated_from_all, d_separated_many
from treewright.graphs.directed.d_separation import as_query

EXAMPLE = Dag(schema_of("1234567"), [tuple(arc) for arc in ("12", "13", "15", "24", "34", "47", "56", "67")])


def test_worked_separations():
    """Example 1 of Xie, Geng & Zhao (2006)."""
    assert EXAMPLE.is_d_separated("2", "5", given=["1"])
    assert EXAMPLE.is_d_separated(["2", "3"], ["5", "6", "7"], given=["1", "4"])
    assert EXAMPLE.is_d_separated(["1"], ["4", "6", "7"], given=["2", "3", "5"])
    assert not EXAMPLE.is_d_separated(["2", "3"], ["5", "6"], given=["1", "7"])


@pytest.mark.slow
@settings(deadline=None)
@given(dags(min_size=2, max_size=6), st.data())
def test_twin(dag, data):
    n, arcs = len(dag.schema), dag.index_edges()
    x, y = data.draw(st.lists(st.integers(0, n - 1), min_size=2, max_size=2, unique=True))
    others = [v for v in range(n) if v not in (x, y)]
    z = tuple(v for v in others if data.draw(st.booleans()))
    expected = slow.separated(arcs, x, y, z)
    assert dag.is_d_separated(x, y, z) == expected
    assert dag.native.separated(x, y, z) == expected
    assert d_separated_many(dag, [(y, x, z)]).tolist() == [expected]
    everyone = d_separated_from_all(dag, x, z)
    assert everyone[y] == expected
    assert not everyone[x]
    assert everyone[list(z)].all()


def test_a_batch_answers_like_single_questions():
    rng = np.random.default_rng(5)
    dag = random_dag(12, 0.25, rng)
    queries = [
        (x, y, tuple(v for v in range(12) if v not in (x, y) and rng.random() < 0.3))
        for x, y in combinations(range(12), 2)
        for _ in range(20)
    ]
    answers = d_separated_many(dag, queries)
    assert answers.dtype == np.bool_
    assert answers.tolist() == [slow.separated(dag.index_edges(), *query) for query in queries]
    named = [(dag.schema.names[x], dag.schema.names[y], dag.schema.names_of(z)) for x, y, z in queries]
    assert d_separated_many(dag, named).tolist() == answers.tolist()
    assert d_separated_many(dag, iter(queries)).tolist() == answers.tolist()
    assert d_separated_many(dag, []).tolist() == []


def test_refusals():
    with pytest.raises(SchemaError, match=r"no variable in common; found '2' in x and in given$"):
        EXAMPLE.is_d_separated("2", "5", given=["2"])
    with pytest.raises(SchemaError, match="found '2' in x and in y"):
        EXAMPLE.is_d_separated("2", ["2", "3"])
    with pytest.raises(SchemaError, match="found '5' in y and in given"):
        d_separated_many(EXAMPLE, [(0, 1, ()), (1, 4, (4,))])
    with pytest.raises(UnknownNameError, match="there is no variable number 7"):
        d_separated_many(EXAMPLE, [(0, 7, ())])
    with pytest.raises(UnknownNameError, match="there is no variable '8'"):
        d_separated_from_all(EXAMPLE, "8")
    with pytest.raises(SchemaError, match=r"write \('34',\)"):
        d_separated_many(EXAMPLE, [("1", "2", "34")])


def test_many_questions_about_a_large_graph_are_fast():
    rng = np.random.default_rng(7)
    n = 1_000
    arcs = [(u, v) for u, v in rng.integers(0, n, (2 * n, 2)).tolist() if u < v]
    dag = Dag(schema_of(f"v{i}" for i in range(n)), arcs)
    queries = [(u, v, (w,)) for u, v, w in rng.integers(0, n, (20_000, 3)).tolist() if len({u, v, w}) == 3]
    start = time.process_time()
    d_separated_many(dag, queries)
    assert time.process_time() - start < 3


@pytest.mark.parametrize(
    ("x", "y", "given", "found"),
    [
        ("1", "1", (), "'1' in x and in y"),
        ("1", "2", ("1",), "'1' in x and in given"),
        ("1", "2", ("3", "2"), "'2' in y and in given"),
        (("1", "3"), ("2", "3", "1"), (), "'1' in x and in y"),
        (("4", "3"), ("2",), ("3", "4", "5"), "'3' in x and in given"),
    ],
)
def test_a_variable_stands_in_one_place(x, y, given, found):
    with pytest.raises(SchemaError, match=f"x, y and given have no variable in common; found {found}"):
        EXAMPLE.is_d_separated(x, y, given=given)
    if isinstance(x, str):
        with pytest.raises(SchemaError, match="have no variable in common"):
            as_query(EXAMPLE.schema, x, y, given)


def test_questions_by_name():
    assert as_query(EXAMPLE.schema, "2", 5, ("7", 0)) == (1, 5, (6, 0))
    with pytest.raises(SchemaError, match="in x and in given"):
        d_separated_from_all(EXAMPLE, "1", given=["1"])


def test_of_several_variables_in_common_the_first_by_name_is_told():
    dag = Dag(schema_of("zya"), [])
    with pytest.raises(SchemaError, match="found 'a' in x and in given"):
        dag.is_d_separated(["z", "a"], ["y"], given=["z", "a"])

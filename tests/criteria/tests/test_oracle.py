from itertools import combinations

import numpy as np
import pytest
from tests.reference.graphs.directed import random_dag, schema_of

from treewright.criteria import AuditedTest, DSeparationOracle, IndependenceTest, TestResult, sort_query
from treewright.errors import SchemaError, UnknownNameError
from treewright.graphs import Dag


@pytest.fixture
def chain():
    return DSeparationOracle(Dag(schema_of("xzy"), [("x", "z"), ("z", "y")]))


def test_names_and_indices(chain):
    assert isinstance(chain, IndependenceTest)
    assert not chain.independent("x", "y")
    assert chain.independent("x", "y", given=("z",))
    assert chain.independent(0, 2, (1,))
    assert chain.independent_many([("x", "y", ()), (0, 2, (1,)), ("y", 0, ["z"])]).tolist() == [
        False,
        True,
        True,
    ]
    assert isinstance(chain.independent("x", "y"), bool)


def test_an_oracle_knows_every_local_independence():
    rng = np.random.default_rng(61)
    dag = random_dag(10, 0.3, rng)
    oracle = DSeparationOracle(dag)
    for u, v in combinations(dag.topological_order, 2):
        if not dag.adjacent(u, v):
            assert oracle.independent(u, v, dag.parents(v))


def test_refusals(chain):
    with pytest.raises(SchemaError, match="found 'x' in x and in given"):
        chain.independent("x", "y", given=("x",))
    with pytest.raises(SchemaError, match="found 'x' in x and in y"):
        chain.independent_many([("x", "x", ())])
    with pytest.raises(UnknownNameError, match="there is no variable 'w'"):
        chain.independent("x", "w")


class Recorder:
    """An oracle that keeps what it was asked."""

    def __init__(self, test):
        self.test, self.asked = test, []

    @property
    def schema(self):
        return self.test.schema

    def independent(self, x, y, given=()):
        self.asked.append([(x, y, given)])
        return self.test.independent(x, y, given)

    def independent_many(self, queries):
        self.asked.append(list(queries))
        return self.test.independent_many(queries)


def test_an_audited_test_evaluates_each_question_once(chain):
    recorder = Recorder(chain)
    audited = AuditedTest(recorder)
    assert isinstance(audited, IndependenceTest)
    assert audited.schema is chain.schema
    assert audited.independent("x", "y", ("z",))
    answers = audited.independent_many([("y", "x", ("z",)), ("x", "y", ()), ("y", "x", ()), ("z", "x", ())])
    assert answers.tolist() == [True, False, False, False]
    assert answers.dtype == np.bool_
    assert recorder.asked == [[(0, 2, (1,))], [(0, 2, ()), (0, 1, ())]]
    assert audited.tallies == {"tests_asked": 5, "tests_evaluated": 3}
    assert (audited.n_asked, audited.n_evaluated) == (5, 3)
    assert audited.independent_many([(0, 2, ())]).tolist() == [False]
    assert audited.independent_many([]).tolist() == []
    assert len(recorder.asked) == 2


def test_a_refused_question_is_not_counted(chain):
    audited = AuditedTest(chain)
    with pytest.raises(SchemaError):
        audited.independent("x", "x")
    assert audited.tallies == {"tests_asked": 0, "tests_evaluated": 0}


def test_canonical_query_and_result():
    assert sort_query(schema_of("abcd"), "d", "b", ["c", "a"]) == (1, 3, (0, 2))
    result = TestResult(statistic=1.0, df=2, p_value=0.5)
    assert result.reliable
    with pytest.raises(AttributeError):
        result.p_value = 0.1

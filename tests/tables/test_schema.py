import pickle

import numpy as np
import pytest

from treewright.errors import SchemaError, UnknownNameError
from treewright.tables import Schema, Variable


def test_codes_follow_the_states():
    level = Variable("level", ("low", "normal", "high"), ordered=True)
    assert [level.code(state) for state in level.states] == [0, 1, 2]


def test_text_and_number_are_different_states():
    both = Variable("x", (1, "1"))
    assert both.code(1) == 0
    assert both.code("1") == 1


def test_unknown_state_is_listed_as_it_would_be_typed():
    with pytest.raises(
        UnknownNameError, match=r"x='1' is not a state of x; states are 1, 2; did you mean 1\?"
    ):
        Variable("x", (1, 2)).code("1")


def test_state_of_a_continuous_variable():
    with pytest.raises(UnknownNameError, match="t is continuous and has no states"):
        Variable("t").code("high")
    with pytest.raises(SchemaError, match="pass bins= to make some"):
        _ = Variable("t").cardinality


@pytest.mark.parametrize(
    ("states", "message"),
    [
        ((), "needs at least one state"),
        (("a", "b", "a"), "state 'a' of 'x' is listed twice"),
        ((1, 2, True), "state True of 'x' is listed twice"),
        ((0.5, float("nan")), "state nan of 'x' is not a text"),
        (("a", None), "state None of 'x' is not a text"),
    ],
)
def test_refused_states(states, message):
    with pytest.raises(SchemaError, match=message):
        Variable("x", states)


@pytest.mark.parametrize("name", ["", 3, None])
def test_refused_names(name):
    with pytest.raises(SchemaError, match="a variable needs a name"):
        Variable(name, ("a",))


def test_refused_schemas():
    with pytest.raises(SchemaError, match="found more than once: 'a', 'b'"):
        Schema([Variable(name) for name in "abcba"])
    with pytest.raises(SchemaError, match="made of Variable objects"):
        Schema(["a"])
    schema = Schema([Variable("a"), Variable("b")])
    with pytest.raises(UnknownNameError, match="there is no variable 'c'"):
        schema.index("c")
    with pytest.raises(UnknownNameError, match="there is no variable number 2; there are 2"):
        schema.index(2)
    with pytest.raises(UnknownNameError, match=r"by name or by position; found 1\.5"):
        schema.index(1.5)
    with pytest.raises(SchemaError, match=r"for one variable write \('a',\)"):
        schema.scope("a")
    with pytest.raises(SchemaError, match="found twice: 'a'"):
        schema.scope(["a", 0])


def test_numpy_positions():
    assert Schema([Variable("a"), Variable("b")]).index(np.int64(1)) == 1


def test_pickles():
    schema = Schema([Variable("a", ("no", "yes")), Variable("b")])
    schema["a"].code("yes")
    copy = pickle.loads(pickle.dumps(schema))
    assert copy == schema
    assert hash(copy) == hash(schema)
    assert copy["a"].code("yes") == 1


@pytest.mark.slow
def test_a_million_states():
    states = tuple(f"user {i}" for i in range(1_000_000))
    assert Variable("id", states).code("user 999999") == 999_999
    with pytest.raises(UnknownNameError, match="and 999980 more"):
        Variable("id", states).code("nobody")

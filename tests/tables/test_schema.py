import pickle

import numpy as np
import pytest

from treewright.errors import SchemaError, UnknownNameError
from treewright.tables import Schema, Variable
from treewright.tables.raw_form import RawForm
from treewright.tables.schema import states_near


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


def test_a_name_does_not_end_in_the_middle():
    with pytest.raises(SchemaError) as refusal:
        Variable("a\0b", ("no", "yes"))
    assert str(refusal.value) == (
        "a name of a variable has no NUL character, at which other programs stop reading; found 'a\\x00b'"
    )


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


def test_variables_as_somebody_speaks_of_them():
    schema = Schema([Variable("c"), Variable("b", (0, 1)), Variable("a", (0, 1, 2))])
    assert schema.cardinalities == (0, 2, 3)
    assert schema.by_name([0, 2, 1]) == (2, 1, 0)
    assert schema.said_like(1, [0, 2]) == (0, 2)
    assert schema.said_like("b", [0, 2]) == ("c", "a")
    assert schema.said_like(["b", "c"], [0, 2]) == ("c", "a")
    assert schema.said_like(["b", 0], [0, 2]) == (0, 2)
    assert schema.said_like(np.int64(1), [0, 2]) == (0, 2)
    assert schema.said_like([], [0, 2]) == (0, 2)


def test_variables_that_a_source_has_or_that_are_made_of_its_columns():
    made = Variable("year", (2020, 2021), raw=RawForm(column="when", part="year"))
    schema = Schema([Variable("a", (0, 1)), made, Variable("b", (0, 1), raw=RawForm(decimal=","))])
    assert schema.found_in({"a", "when"}) == ["a", "year"]
    assert schema.found_in({"year"}) == ["year"]
    assert schema.found_in({"b", "month"}) == ["b"]
    assert schema.found_in({""}) == []


def test_states_are_shown_up_to_a_number():
    assert states_near("?", list(range(3)), shown=3) == "0, 1, 2"
    assert states_near("?", list(range(4)), shown=3) == "0, 1, 2 and 1 more"

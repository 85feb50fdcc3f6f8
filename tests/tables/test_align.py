import pytest

from treewright.errors import SchemaError
from treewright.tables import Schema, Variable, align_schemas


def united(*variables):
    return align_schemas(Schema([v]) for v in variables).variables[0]


def test_columns_by_name_first_seen_first():
    a = Schema([Variable("x", ("a",)), Variable("y")])
    b = Schema([Variable("z", (1,)), Variable("y")])
    assert align_schemas([a, b]).names == ("x", "y", "z")


def test_sorted_states_stay_sorted_whoever_comes_first():
    a, b = Variable("x", ("b", "d")), Variable("x", ("a", "c"))
    assert united(a, b) == united(b, a) == Variable("x", ("a", "b", "c", "d"))
    assert united(Variable("x", (10, 20)), Variable("x", (9,))).states == (9, 10, 20)


def test_declared_order_comes_first():
    assert united(Variable("x", ("low", "high")), Variable("x", ("high", "top"))).states == (
        "low",
        "high",
        "top",
    )


def test_ordered_states():
    levels = Variable("x", ("low", "normal", "high"), ordered=True)
    part = Variable("x", ("low", "high"), ordered=True)
    assert united(part, levels) == united(levels, part) == levels
    assert united(levels, Variable("x", ("high", "low"))) == levels
    with pytest.raises(SchemaError, match="the ordered states of 'x' cannot be united"):
        united(levels, Variable("x", ("high", "low"), ordered=True))
    with pytest.raises(SchemaError, match="the ordered states of 'x' cannot be united"):
        united(levels, Variable("x", ("low", "top")))


@pytest.mark.parametrize(
    ("one", "other", "kinds"),
    [
        (("a",), None, "continuous, texts"),
        (("1",), (1,), "numbers, texts"),
        ((False, True), (0, 1), "numbers, truth values"),
    ],
)
def test_types_that_clash(one, other, kinds):
    with pytest.raises(SchemaError, match=f"column 'x' is of different types in different tables: {kinds}"):
        united(Variable("x", one), Variable("x", other))


def test_the_state_of_missing_cells_is_a_text_everywhere():
    assert united(Variable("x", (1, 2, "missing")), Variable("x", (3,))).states == (1, 2, "missing", 3)


def test_nothing_to_align():
    with pytest.raises(SchemaError, match="there are no columns to align"):
        align_schemas([])

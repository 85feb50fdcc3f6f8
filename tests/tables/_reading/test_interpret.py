import enum

import numpy as np
import pytest

from treewright.errors import MissingValuesError, SchemaError
from treewright.tables import Variable, read_table
from treewright.tables._reading.interpret import is_few


def only(values, **options):
    table = read_table({"x": values}, **options)
    return table.schema["x"], table.report["x"]


def test_states_are_sorted():
    assert only(["b", "a", "é", "B", "e\u0301"])[0].states == ("B", "a", "b", "e\u0301", "é")
    assert only([10, 9, -1])[0].states == (-1, 9, 10)
    assert only([True, True])[0].states == (False, True)


def test_labels_keep_their_type():
    assert [type(s) for s in only([2, 1])[0].states] == [int, int]
    assert [type(s) for s in only([True, False])[0].states] == [bool, bool]
    assert [type(s) for s in only(np.array(["a", "b"]))[0].states] == [str, str]
    assert [type(s) for s in only([np.int8(1), np.int8(2)])[0].states] == [int, int]


def test_few_whole_numbers_are_states():
    assert is_few(20, 20)
    assert not is_few(21, 1049)
    assert is_few(21, 1050)
    assert is_few(64, 3200)
    assert not is_few(65, 10**9)


def test_many_whole_numbers_are_continuous():
    variable, report = only(list(range(30)))
    assert not variable.is_discrete
    assert report.reason == "30 distinct whole numbers: too many for states"
    assert report.is_identifier
    assert only([i % 30 for i in range(3000)])[0].cardinality == 30


def test_reals_are_continuous():
    variable, report = only([0.5, 1.0, 1.0])
    assert not variable.is_discrete
    assert report.reason == "real numbers"
    assert not only([0.0, 1e300])[0].is_discrete  # no whole number that anybody could tell from the next


@pytest.mark.parametrize("values", [[0.0, 2.0, 1.0], np.array([1.0, 2.0, 0.0], dtype=np.float32)])
def test_whole_reals_are_states_like_whole_numbers(values):
    variable, report = only(values)
    assert variable == Variable("x", (0, 1, 2))
    assert all(type(state) is int for state in variable.states)
    assert report.reason == "3 distinct whole numbers, stored as reals"
    many, report = only([float(i) for i in range(30)])
    assert not many.is_discrete
    assert report.reason == "30 distinct whole numbers, stored as reals: too many for states"


def test_whole_numbers_stored_as_reals_because_cells_are_missing():
    variable, report = only(np.array([0, 1, np.nan]), missing="drop")
    assert variable == Variable("x", (0, 1))
    assert report.reason == "2 distinct whole numbers, stored as reals"
    assert report.n_missing == 1
    many, report = only(np.array([*range(100), np.nan]), missing="em")
    assert not many.is_discrete


def test_integers_beyond_64_bits_are_labels():
    assert only([2**70, 5])[0].states == (5, 2**70)
    assert only([2**63, 5])[0].states == (5, 2**63)


def test_rounding_of_large_integers_is_reported():
    report = only([2**60 + i for i in range(100)])[1]
    assert "some values are beyond 2**53 and were rounded" in report.notes


def test_enums_are_their_values():
    class Level(enum.IntEnum):
        LOW = 1
        HIGH = 2

    class Colour(enum.StrEnum):
        RED = "red"

    assert [type(s) for s in only([Level.LOW, Level.HIGH])[0].states] == [int, int]
    assert only([Colour.RED])[0].states == ("red",)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, "1"], "column 'x' mixes texts such as '1' and whole numbers such as 1"),
        (["a", 0.5, None], "column 'x' mixes texts such as 'a' and real numbers such as 0.5"),
        ([True, 2], "column 'x' mixes truth values such as True and whole numbers such as 2"),
        ([b"a"], "column 'x' holds values of type bytes; columns hold texts, truth values or numbers"),
        ([object()], "values of type object"),
        (np.array([1], dtype="timedelta64[D]"), r"values of type timedelta64\[D\]"),
        (np.array([1j]), "values of type complex128"),
        (np.array([b"a"]), r"values of type \|S1"),
    ],
)
def test_refused_values(values, message):
    with pytest.raises(SchemaError, match=message):
        only(values)


def test_missing_among_objects():
    assert only(["a", None, float("nan")], missing="state")[0].states == ("a", "missing")
    assert only([True, None], missing="state")[0].states == (False, True, "missing")
    assert only([1, 2.5, None], missing="em")[0].is_discrete is False
    assert only([1, float("nan"), 2], missing="drop")[0].states == (1, 2)


def test_identifiers_are_reported():
    report = only([f"user {i}" for i in range(1000)])[1]
    assert report.is_identifier
    assert "looks like an identifier" in str(report)
    assert not only(["a", "b"])[1].is_identifier


@pytest.mark.slow
def test_a_million_labels():
    table = read_table({"x": [f"user {i}" for i in range(1_000_000)]})
    assert table.column("x").dtype == np.uint32
    assert table.labels("x")[123_456] == "user 123456"


def test_holding_nothing():
    with pytest.raises(
        SchemaError, match="column 'x' has no rows, so what it can hold is unknown; declare it"
    ):
        only([])
    with pytest.raises(SchemaError, match="column 'x' holds no value, so what it can hold is unknown"):
        only([None, None], missing="em")
    with pytest.raises(SchemaError, match="column 'x' holds no value"):
        only(np.array([np.nan]), missing="em")
    with pytest.raises(MissingValuesError, match=r"missing cells in 'x' \(2\)"):
        only([None, None])
    assert only([None, None], missing="state")[0].states == ("missing",)
    assert only(np.array([], dtype=float))[0] == Variable("x")
    assert only(np.array([], dtype=bool))[0].states == (False, True)


def test_infinity_is_refused_by_name():
    rows = {"a": [0.5, np.inf, 2.5], "b": [-np.inf, np.inf, 0.5], "c": [0.5, 1.5, 2.5]}
    with pytest.raises(SchemaError, match=r"infinite values in 'a' \(1\), 'b' \(2\); replace them"):
        read_table(rows)
    assert read_table(rows, missing_values=(np.inf, -np.inf), missing="em").has_missing


def test_a_real_number_that_is_always_the_same_is_no_state_among_real_numbers():
    rows = {"x": [0.5, 1.25, 3.0], "one": [1.0, 1.0, 1.0]}
    assert not read_table(rows).schema["one"].is_discrete
    assert read_table({**rows, "label": ["a", "b", "a"]}).schema["one"].states == (1,)
    assert read_table({"one": [1.0, 1.0]}).schema["one"].states == (1,)

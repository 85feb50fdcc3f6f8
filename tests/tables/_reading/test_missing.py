import numpy as np
import pytest

from treewright.errors import MissingValuesError, SchemaError
from treewright.tables import Schema, Variable, read_table

ROWS = {"a": ["x", None, "y", "x"], "k": [1, 2, None, 1], "t": [0.5, 1.5, float("nan"), 2.5]}


def test_error_names_columns_counts_and_ways_out():
    with pytest.raises(
        MissingValuesError,
        match=r"missing cells in 'a' \(1\), 'k' \(1\), 't' \(1\); pass missing='drop'.*'state'.*'em'",
    ):
        read_table(ROWS)


def test_drop_leaves_out_rows_and_their_weights():
    table = read_table(ROWS, missing="drop", weights=[1, 2, 3, 4])
    assert table.to_dict() == {"a": ["x", "x"], "k": [1, 1], "t": [0.5, 2.5]}
    assert table.weights.tolist() == [1, 4]
    assert table.report.n_dropped == 2
    assert "2 of 4 rows kept, 2 dropped" in str(table.report)
    assert table.schema["a"].states == ("x",)


def test_drop_does_not_look_at_ignored_columns():
    assert read_table(ROWS, missing="drop", columns=["a"]).n_rows == 3


def test_drop_that_leaves_nothing():
    with pytest.raises(MissingValuesError, match="'b' misses every cell, leave it out with columns="):
        read_table({"a": ["x"], "b": [None]}, missing="drop")
    with pytest.raises(
        MissingValuesError, match=r"every row misses a cell, so missing='drop' leaves nothing$"
    ):
        read_table({"a": ["x", None], "b": [None, "y"]}, missing="drop")


def test_state_is_added_last():
    table = read_table({"a": ROWS["a"], "k": ROWS["k"]}, missing="state")
    assert table.schema["a"].states == ("x", "y", "missing")
    assert table.schema["k"].states == (1, 2, "missing")
    assert not table.has_missing
    assert "missing cells are the state 'missing'" in table.report["a"].notes
    assert table.to_dict()["k"] == [1, 2, "missing", 1]


def test_state_gets_a_label_of_its_own():
    table = read_table({"a": ["missing", None, "missing 2"]}, missing="state")
    assert table.schema["a"].states == ("missing", "missing 2", "missing 3")


def test_state_only_where_something_is_missing():
    assert read_table({"a": ["x"]}, missing="state").schema["a"].states == ("x",)


def test_state_cannot_be_added_to_numbers():
    with pytest.raises(MissingValuesError, match=r"'t' is continuous and misses 1 cells.*bins=\{'t': 4\}"):
        read_table({"t": [0.5, None]}, missing="state")


def test_em_keeps_a_mask():
    table = read_table(ROWS, missing="em")
    assert {table.schema.names[v]: mask.tolist() for v, mask in table.missing.items()} == {
        "a": [False, True, False, False],
        "k": [False, False, True, False],
        "t": [False, False, True, False],
    }
    assert np.isnan(table.column("t")[2])


def test_other_marks():
    rows = {"a": ["x", "NA", "?"], "k": [1, -999, 2], "t": [0.5, -999.0, 1.5]}
    assert read_table(rows).schema["a"].states == ("?", "NA", "x")
    table = read_table(rows, missing_values=("NA", "?", -999), missing="em")
    assert table.to_dict() == {"a": ["x", None, None], "k": [1, None, 2], "t": [0.5, None, 1.5]}
    assert read_table(rows, missing_values="NA", missing="em", columns=["a"]).schema["a"].states == ("?", "x")


def test_one_mark_needs_no_list():
    assert read_table({"k": [1, -999]}, missing_values=-999, missing="em").to_dict() == {"k": [1, None]}


def test_marks_among_declared_categories():
    schema = Schema([Variable("a", ("NA", "x", "y"))])
    table = read_table(read_table({"a": ["y", "NA"]}, schema=schema), missing_values=("NA",), missing="em")
    assert table.schema["a"].states == ("x", "y")
    assert table.labels("a").tolist() == ["y", None]


def test_unknown_policy():
    with pytest.raises(
        SchemaError, match="missing is one of 'error', 'drop', 'state', 'em'; did you mean 'drop'"
    ):
        read_table(ROWS, missing="drops")

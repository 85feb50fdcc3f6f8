import numpy as np
import pytest

from treewright.errors import SchemaError, UnknownNameError, WeightError
from treewright.tables import ShardedTable, read_table


def test_arrays_of_every_kind():
    assert read_table(np.array([[0, 1], [1, 1]])).to_dict() == {"x0": [0, 1], "x1": [1, 1]}
    assert read_table(np.array([["a", "b"], ["c", "b"]])).to_dict() == {"x0": ["a", "c"], "x1": ["b", "b"]}
    assert read_table(np.array([[0.5], [1.5]])).schema["x0"].states is None
    assert read_table(np.array([[True]])).schema["x0"].states == (False, True)
    assert read_table(np.array([["a", 1], ["b", 2]], dtype=object)).to_dict() == {
        "x0": ["a", "b"],
        "x1": [1, 2],
    }
    assert read_table(np.array([[1, 2]]), names=["a", "b"]).schema.names == ("a", "b")


def test_structured_arrays():
    array = np.array([("x", 1, 0.5), ("y", 2, 1.5)], dtype=[("s", "U3"), ("i", "i4"), ("f", "f4")])
    assert read_table(array).to_dict() == {"s": ["x", "y"], "i": [1, 2], "f": [0.5, 1.5]}


def test_masked_arrays():
    array = np.ma.array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]])
    assert read_table(array, missing="em").to_dict() == {"x0": [1, 3], "x1": [None, 4]}
    texts = np.ma.array([["a"], ["b"]], mask=[[0], [1]])
    assert read_table(texts, missing="em").to_dict() == {"x0": ["a", None]}


def test_arrays_are_copied():
    array = np.array([[0.5], [1.5]])
    table = read_table(array)
    array[:] = 0
    assert table.column("x0").tolist() == [0.5, 1.5]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (np.array([1, 2]), r"two dimensions, rows by columns; found 1. For one column, use array.reshape"),
        (np.empty((2, 0)), "there are no columns to read"),
        ({}, "there are no columns to read"),
        ({"a": [1, 2], "b": [1]}, "columns need the same number of rows; 'a' has 2, 'b' has 1"),
        ({"a": 1}, "column 'a' needs a list of values; found int 1"),
        ({"a": "abc"}, "column 'a' needs a list of values; found str 'abc'"),
        ({"a": {"x", "y"}}, "column 'a' needs a list of values; found set"),
        ({"a": np.zeros((2, 2))}, "column 'a' needs one dimension; found 2"),
        ({"a": [1], 1: [1], "1": [2]}, "column names must differ; found more than once: '1'"),
        (
            [["x", 1]],
            "a list cannot be read as a table; sources are paths .*; for rows in a list, use a dictionary",
        ),
        ([], "a list cannot be read as a table"),
        (None, "a NoneType cannot be read as a table"),
        (42, "a int cannot be read as a table"),
    ],
)
def test_refused_sources(source, message):
    with pytest.raises(SchemaError, match=message):
        read_table(source)


def test_refused_options():
    with pytest.raises(SchemaError, match="schema= is a Schema; found list"):
        read_table({"a": [1]}, schema=["a"])
    with pytest.raises(SchemaError, match="3 names were given for 2 columns"):
        read_table(np.zeros((1, 2), dtype=int), names=["a", "b", "c"])
    with pytest.raises(SchemaError, match="a dict has names of its own"):
        read_table({"a": [1]}, names=["b"])
    with pytest.raises(SchemaError, match=r"columns= is a list of names; for one column write \['a'\]"):
        read_table({"a": [1]}, columns="a")
    with pytest.raises(SchemaError, match="no columns are left to read"):
        read_table({"a": [1]}, columns=[])
    with pytest.raises(SchemaError, match="no columns are left to read"):
        read_table({"a": [1]}, weights="a")
    with pytest.raises(UnknownNameError, match="there is no column 'n'"):
        read_table({"a": [1]}, weights="n")


def test_refused_weights():
    rows = {"a": ["x", "y"], "n": [1, -1], "s": ["1", "2"], "m": [1, None]}
    with pytest.raises(WeightError, match="1 of 2 weights are negative; the first is -1 in row 1"):
        read_table(rows, columns=["a"], weights="n")
    with pytest.raises(WeightError, match="column 's' holds labels such as '1'"):
        read_table(rows, columns=["a"], weights="s")
    with pytest.raises(WeightError, match="1 weights in column 'm' are missing"):
        read_table(rows, columns=["a"], weights="m")
    with pytest.raises(WeightError, match="one weight for each of 2 rows"):
        read_table(rows, columns=["a"], weights=[1])


def test_one_row():
    table = read_table({"a": ["x"], "t": [0.5]})
    assert table.n_rows == 1
    assert table.report.constant == ("a", "t")


def test_columns_of_other_libraries_in_a_dictionary():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    table = read_table(
        {"a": pd.Series(["x", "y"]), "b": pl.Series([1, 2]), "c": range(2), "d": (c for c in "uv")}
    )
    assert table.to_dict() == {"a": ["x", "y"], "b": [1, 2], "c": [0, 1], "d": ["u", "v"]}


def test_a_table_is_read_again():
    table = read_table({"a": ["x", None], "t": [0.5, 1.5]}, missing="em", weights=[2, 3])
    assert read_table(table, missing="em") == table
    dropped = read_table(table, missing="drop", bins={"t": [0, 1, 2]})
    assert dropped.weights.tolist() == [2]
    assert dropped.labels("t").tolist() == ["[0, 1)"]
    assert read_table(ShardedTable(table.shards(2)), missing="em") == table


def test_any_label():
    labels = ["", " ", "\n", "\0", "\u202e", "é", "e\u0301", "\U0001f600", "NA", "nan", "None"]
    table = read_table({"x": labels})
    assert table.labels("x").tolist() == labels
    assert table.schema["x"].states == tuple(sorted(labels))

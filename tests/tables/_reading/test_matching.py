import numpy as np
import pytest

from treewright.errors import MissingValuesError, SchemaError, UnknownNameError
from treewright.tables import Schema, Variable, read_table

SCHEMA = Schema(
    [Variable("level", ("low", "normal", "high"), ordered=True), Variable("k", (0, 1)), Variable("t")]
)
ROWS = {"extra": [1, 2], "t": [1, 2], "k": [1, 1], "level": ["high", "low"]}


def test_columns_by_name_states_in_their_order():
    table = read_table(ROWS, schema=SCHEMA)
    assert table.schema == SCHEMA
    assert table.column("level").tolist() == [2, 0]
    assert table.column("t").tolist() == [1.0, 2.0]
    assert table.report.ignored == (("extra", "not in the schema"),)
    assert table.report["k"].is_constant


def test_some_columns_of_a_schema():
    table = read_table(ROWS, schema=SCHEMA, columns=["t", "level"])
    assert table.schema.names == ("level", "t")


@pytest.mark.parametrize(
    ("states", "values", "codes"),
    [
        (("0", "1"), [1, 0], [1, 0]),
        ((0, 1), ["1", "0"], [1, 0]),
        ((False, True), ["true", "FALSE"], [1, 0]),
        (("TRUE", "FALSE"), [True, False], [0, 1]),
        ((0, 1), [1.0, 0.0], [1, 0]),
        (("1", "0"), [1.0, 0.0], [0, 1]),
        ((0.5, 1.5), [1.5, 0.5], [1, 0]),
        ((0, 1), [True, False], [1, 0]),
    ],
)
def test_a_label_finds_the_state_that_is_written_like_it(states, values, codes):
    table = read_table({"x": values}, schema=Schema([Variable("x", states)]))
    assert table.column("x").tolist() == codes


def test_the_same_label_comes_before_the_same_writing():
    schema = Schema([Variable("x", (1, "1"))])
    assert read_table({"x": ["1"]}, schema=schema).column("x").tolist() == [1]
    assert read_table({"x": [1]}, schema=schema).column("x").tolist() == [0]
    assert read_table({"x": [1]}, schema=schema).report["x"].notes == ()


def test_reading_by_writing_is_reported():
    table = read_table({"x": [1, 0]}, schema=Schema([Variable("x", ("0", "1"))]))
    assert table.report["x"].notes == ("read 0 as '0', 1 as '1'",)


def test_unknown_labels_are_refused():
    with pytest.raises(
        UnknownNameError,
        match=r"column 'level' holds 'hihg', 'medium', which the schema does not know; "
        r"states are 'low', 'normal', 'high'; did you mean 'high'\?",
    ):
        read_table(ROWS | {"level": ["hihg", "medium"]}, schema=SCHEMA)


def test_declared_but_unobserved_labels_need_no_state():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"x": pd.Categorical(["a"], categories=["a", "never"])})
    assert read_table(frame, schema=Schema([Variable("x", ("a", "b"))])).schema["x"].states == ("a", "b")


def test_columns_that_are_not_there():
    with pytest.raises(
        SchemaError, match="the schema has columns that the source has not: 'level'; the source has"
    ):
        read_table({"levle": ["low"], "k": [0], "t": [0.5]}, schema=SCHEMA)


def test_texts_are_not_continuous():
    with pytest.raises(SchemaError, match="says that 't' is continuous, but it holds labels such as 'x'"):
        read_table(ROWS | {"t": ["x", "y"]}, schema=SCHEMA)


def test_missing_cells():
    rows = {"level": ["low", None], "k": [0, None], "t": [0.5, None]}
    table = read_table(rows, schema=SCHEMA, missing="em")
    assert sorted(table.missing) == [0, 1, 2]
    assert table.schema == SCHEMA
    with pytest.raises(
        MissingValuesError, match="'level' misses 1 cells, and the schema has no state 'missing'"
    ):
        read_table(rows, schema=SCHEMA, missing="state")
    trained = read_table({"k": [0, 1, None]}, missing="state")
    assert read_table({"k": [None, 1, 1]}, schema=trained.schema, missing="state").to_dict() == {
        "k": ["missing", 1, 1]
    }


def test_missing_state_beside_bins():
    trained = read_table({"t": [0.5, None, 1.5]}, bins=2, missing="state")
    again = read_table({"t": [0.5, None, 1.5]}, schema=trained.schema, missing="state")
    assert again == trained


def test_all_missing_and_no_rows_fit_a_schema():
    table = read_table({"level": [None], "k": [None], "t": [None]}, schema=SCHEMA, missing="em")
    assert table.schema == SCHEMA
    assert np.isnan(table.column("t")).all()
    assert read_table({"level": [], "k": [], "t": []}, schema=SCHEMA).n_rows == 0

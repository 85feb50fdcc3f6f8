import datetime

import numpy as np
import pytest

from treewright.errors import SchemaError
from treewright.tables import Variable, read_table

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")


def arrow_dictionary(labels, categories, ordered=False):
    codes = pa.array([None if x is None else categories.index(x) for x in labels], pa.int8())
    return pa.table({"x": pa.DictionaryArray.from_arrays(codes, pa.array(categories), ordered=ordered)})


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("categories", [["low", "high", "never"], [3, 1, 2]])
def test_declared_categories_are_kept(categories, ordered):
    labels = [categories[1], None, categories[0]]
    frame = pd.DataFrame({"x": pd.Categorical(labels, categories=categories, ordered=ordered)})
    for source in (frame, arrow_dictionary(labels, categories, ordered)):
        table = read_table(source, missing="em")
        assert table.schema["x"] == Variable("x", tuple(categories), ordered=ordered)
        assert table.labels("x").tolist() == labels
        assert table.report["x"].reason == "declared categories"


def test_polars_enum_and_categorical():
    series = pl.Series(["b", None, "a"], dtype=pl.Enum(["z", "b", "a"]))
    table = read_table(pl.DataFrame({"x": series}), missing="em")
    assert table.schema["x"].states == ("z", "b", "a")
    assert table.labels("x").tolist() == ["b", None, "a"]
    others = pl.Series(["unrelated"], dtype=pl.Categorical)
    table = read_table(pl.DataFrame({"x": pl.Series(["b", "a", None], dtype=pl.Categorical)}), missing="em")
    assert table.schema["x"].states == ("a", "b")
    assert len(others) == 1


def test_intervals_and_dates_as_categories_are_written_out():
    frame = pd.DataFrame({"x": pd.cut([0.5, 1.5], [0, 1, 2])})
    table = read_table(frame)
    assert table.schema["x"] == Variable("x", ("(0, 1]", "(1, 2]"), ordered=True)
    assert "categories are written as texts" in table.report["x"].notes


def test_chunks_with_different_dictionaries():
    chunked = pa.chunked_array(
        [pa.array(["a", "b"]).dictionary_encode(), pa.array(["c", "a"]).dictionary_encode()]
    )
    assert read_table(pa.table({"x": chunked})).labels("x").tolist() == ["a", "b", "c", "a"]
    assert read_table(pa.table({"x": pa.chunked_array([["a"], [], ["b"]])})).n_rows == 2


def test_nullable_types():
    expected = {"i": [1, None], "b": [True, None], "s": ["x", None], "f": [0.5, None]}
    frames = [
        pd.DataFrame(
            {
                "i": pd.array([1, None], dtype="Int64"),
                "b": pd.array([True, None], dtype="boolean"),
                "s": pd.array(["x", None], dtype="string"),
                "f": [0.5, np.nan],
            }
        ),
        pd.DataFrame(
            {
                "i": [1, np.nan],
                "b": pd.Series([True, None], dtype=object),
                "s": pd.Series(["x", np.nan], dtype=object),
                "f": pd.array([0.5, None], dtype="Float32"),
            }
        ),
        pl.DataFrame(expected),
        pl.DataFrame(expected).lazy(),
        pa.table(expected),
        pd.DataFrame(expected),
    ]
    for frame in frames:
        assert read_table(frame, missing="em").to_dict() == expected


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_texts_of_every_arrow_type(kind):
    frame = pa.table({"x": pa.array(["b", None, "a"], kind)})
    assert read_table(frame, missing="em").to_dict() == {"x": ["b", None, "a"]}


def test_arrow_texts_inside_pandas():
    frame = pd.DataFrame({"x": pd.Series(["b", None, "a"], dtype=pd.ArrowDtype(pa.string()))})
    assert read_table(frame, missing="em").to_dict() == {"x": ["b", None, "a"]}


def test_an_arrow_dictionary_inside_pandas():
    series = arrow_dictionary(["b", None], ["z", "b"])["x"]
    frame = pd.DataFrame({"x": pd.Series(series, dtype=pd.ArrowDtype(series.type))})
    assert read_table(frame, missing="em").schema["x"].states == ("z", "b")


def test_a_column_outside_its_frame_keeps_its_categories():
    series = pd.Series(pd.Categorical(["a"], categories=["b", "a"]))
    assert read_table({"x": series}).schema["x"].states == ("b", "a")


def test_not_a_number_is_missing_in_polars_and_arrow():
    for frame in (pl.DataFrame({"t": [0.5, float("nan")]}), pa.table({"t": [0.5, float("nan")]})):
        assert read_table(frame, missing="em").missing[0].tolist() == [False, True]


def test_all_missing():
    for frame in (
        pd.DataFrame({"x": [None, None]}),
        pd.DataFrame({"x": [np.nan, np.nan]}),
        pl.DataFrame({"x": [None, None]}),
        pl.DataFrame({"x": pl.Series([None, None], dtype=pl.String)}),
        pa.table({"x": pa.nulls(2)}),
    ):
        assert read_table(frame, missing="state").schema["x"].states == ("missing",)
        with pytest.raises(SchemaError, match="column 'x' holds no value"):
            read_table(frame, missing="em")


def test_column_names_that_are_numbers():
    table = read_table(pd.DataFrame(np.array([[0, 1], [1, 1]])))
    assert table.schema.names == ("0", "1")
    assert table.report.notes == ("2 column names that were not texts are written as texts",)


def test_names_that_repeat():
    match = "column names must differ; found more than once: 'a'"
    with pytest.raises(SchemaError, match=match):
        read_table(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(SchemaError, match=match):
        read_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]))


@pytest.mark.parametrize(
    "frame",
    [
        pa.table({"when": [datetime.timedelta(1)]}),
        pl.DataFrame({"when": [[1, 2]]}),
        pl.DataFrame({"when": [{"a": 1}]}),
    ],
)
def test_types_that_are_refused(frame):
    with pytest.raises(SchemaError, match=r"column 'when' holds values of type .*leave it out with columns="):
        read_table(frame)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_dates_are_read_as_texts_and_taken_apart(make):
    days = [datetime.date(2020, 1, 31), None, datetime.date(2021, 12, 1)]
    times = [datetime.datetime(2020, 1, 31, 10, 30), datetime.datetime(2020, 1, 31), None]
    table = read_table(make({"day": days, "time": times}), missing="em")
    assert table.schema["day"].states == ("2020-01-31", "2021-12-01")
    assert table.schema["time"].states == ("2020-01-31T00:00:00", "2020-01-31T10:30:00")
    assert [finding.kind for finding in table.report.findings] == ["dates"]
    parts = read_table(make({"day": days, "time": times}), missing="em", dates={"day": ("year", "month")})
    assert parts.schema.names == ("day.year", "day.month", "time")
    assert parts.to_dict()["day.year"] == [2020, None, 2021]


def test_times_with_a_zone_are_read_as_they_show():
    frame = pd.DataFrame({"time": pd.to_datetime(["2020-01-31 10:30"], utc=True)})
    assert read_table(frame).schema["time"].states == ("2020-01-31T10:30:00",)


def test_mixed_types():
    with pytest.raises(SchemaError, match="mixes texts such as '1' and whole numbers such as 1"):
        read_table(pd.DataFrame({"x": pd.Series([1, "1"], dtype=object)}))


def test_no_columns_and_no_rows():
    for empty in (pd.DataFrame(), pl.DataFrame(), pa.table({})):
        with pytest.raises(SchemaError, match="there are no columns to read"):
            read_table(empty)
    declared = pd.DataFrame({"x": pd.Categorical([], categories=["a", "b"])})
    assert read_table(declared).schema["x"].states == ("a", "b")
    assert read_table(arrow_dictionary([], ["a", "b"])).schema["x"].states == ("a", "b")
    with pytest.raises(SchemaError, match="column 'x' has no rows"):
        read_table(pl.DataFrame({"x": []}, schema={"x": pl.String}))


def test_the_frame_may_change_afterwards():
    frame = pd.DataFrame({"t": [0.5, 1.5]})
    table = read_table(frame)
    frame.loc[0, "t"] = 99.0
    assert table.column("t")[0] == 0.5


def test_decimals_and_large_integers():
    table = read_table(
        pa.table({"d": pa.array([1, 2], pa.decimal128(5, 2)), "u": pa.array([2**63, 1], pa.uint64())})
    )
    assert table.to_dict() == {"d": [1.0, 2.0], "u": [2**63, 1]}


def test_round_trip_through_pandas():
    table = read_table(
        {"a": ["x", None, "y"], "k": [1, 2, 2], "b": [True, False, True], "t": [0.5, 1.5, 2.5]}, missing="em"
    )
    assert read_table(table.to_pandas(), missing="em") == table
    with_missing = read_table({"k": [1, None]}, missing="state")
    assert read_table(with_missing.to_pandas()) == with_missing

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright.errors import SchemaError, UnknownNameError, WeightError
from treewright.tables import Feature, Schema, Table, Variable


@pytest.fixture
def schema():
    return Schema([Variable("a", ("no", "yes")), Variable("b", (1, 2, 3)), Variable("t")])


@pytest.fixture
def table(schema):
    return Table(
        schema,
        [[0, 1, 1, 0], [2, 0, 1, 1], [0.5, 1.5, np.nan, 2.5]],
        weights=[1, 0, 2, 3],
        missing={"b": [False, True, False, False]},
    )


def test_columns_have_the_smallest_type():
    sizes = (1, 256, 257, 65536, 65537)
    table = Table.from_codes([[size - 1] for size in sizes], sizes)
    assert [column.dtype for column in table.columns] == [np.uint8, np.uint8, np.uint16, np.uint16, np.uint32]
    assert Table.estimate_nbytes(table.schema, 1) == table.nbytes == 10


def test_what_is_missing(table):
    assert table.has_missing
    assert sorted(table.missing) == [1, 2]
    assert table.missing.get(0) is None
    assert table.missing[2].tolist() == [False, False, True, False]
    assert table.column("b").tolist() == [2, 0, 1, 1]
    assert table.labels("b").tolist() == [3, None, 2, 2]
    assert table.to_dict() == {
        "a": ["no", "yes", "yes", "no"],
        "b": [3, None, 2, 2],
        "t": [0.5, 1.5, None, 2.5],
    }


def test_nothing_can_be_written(table):
    arrays = [*table.columns, table.weights, *table.missing.values(), *table.take(slice(1, 3)).columns]
    for array in arrays:
        assert array.flags.c_contiguous
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(TypeError):
        table.missing[0] = None
    with pytest.raises(AttributeError):
        table.schema = None


def test_the_callers_array_stays_the_callers():
    codes = np.array([0, 1], dtype=np.uint8)
    table = Table.from_codes([codes], [2])
    codes[0] = 1
    assert table.column(0).tolist() == [0, 1]
    view = codes.view()
    view.flags.writeable = False  # read-only, but its owner is not
    table = Table.from_codes([view], [2])
    codes[:] = 0
    assert table.column(0).tolist() == [1, 1]


def test_shards_share_memory(table):
    first, second = table.shards(2)
    assert np.shares_memory(first.column("a"), table.column("a"))
    assert first.n_rows + second.n_rows == 4
    assert second.weights.tolist() == [2, 3]
    assert not first.missing.get(2)
    assert sum(shard.n_rows for shard in table.shards(9)) == 4


def test_select_take_reordered(table):
    assert table.select(["t", "a"]).schema.names == ("t", "a")
    assert sorted(table.select(["t", "a"]).missing) == [0]
    assert table.reordered(["b", "t", "a"]).reordered(["a", "b", "t"]) == table
    assert table.take([3, 3, 0]).labels("a").tolist() == ["no", "no", "no"]
    assert table.take([3, 3, 0]).weights.tolist() == [3, 3, 1]
    assert table.take(np.array([True, False, False, True])).n_rows == 2
    assert table.take([]).n_rows == 0
    assert table.select([]).n_rows == 4
    assert table.where(Feature({"a": "yes"})).n_rows == 2
    assert len(table.head(2)) == 2


def test_refused_selections(table):
    with pytest.raises(SchemaError, match=r"left out: 't'\. To keep some columns only, use select"):
        table.reordered(["a", "b"])
    with pytest.raises(SchemaError, match="a mask over 4 rows was needed; found one over 2"):
        table.take([True, False])
    with pytest.raises(SchemaError, match="a slice, a mask or whole numbers; found float64"):
        table.take([0.5])
    with pytest.raises(UnknownNameError, match="there is no variable 'c'"):
        table.column("c")
    with pytest.raises(SchemaError, match="at least one shard; found 0"):
        table.shards(0)
    with pytest.raises(SchemaError, match="numbers that add up to one; found"):
        table.split([0.5, 0.6], np.random.default_rng(0))


@settings(deadline=None)
@given(n_rows=st.integers(0, 50), n_parts=st.integers(1, 7), seed=st.integers(0, 5))
def test_split_deals_out_every_row_once(n_rows, n_parts, seed):
    table = Table.from_codes([np.arange(n_rows)], [max(1, n_rows)])
    parts = table.split(n_parts, np.random.default_rng(seed))
    assert sorted(np.concatenate([part.column(0) for part in parts])) == list(range(n_rows))
    assert max(p.n_rows for p in parts) - min(p.n_rows for p in parts) <= 1


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -1, -2, 1], "2 of 4 weights are negative; the first is -1 in row 1"),
        ([1, 1, np.nan, 1], "1 of 4 weights are not finite; the first is nan in row 2"),
        ([np.inf, 1, 1, 1], "1 of 4 weights are not finite; the first is inf in row 0"),
        ([1, 1], "one weight for each of 4 rows"),
        (["a", "b", "c", "d"], "weights are numbers"),
        (np.array([0, 0, 0, 2**63], dtype=np.uint64), "above the largest 64-bit integer"),
    ],
)
def test_refused_weights(table, weights, message):
    with pytest.raises(WeightError, match=message):
        table.with_weights(weights)


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.uint64, np.int32, np.int64])
def test_whole_weights_are_int64(table, dtype):
    assert table.with_weights(np.array([0, 1, 1, 0], dtype=dtype)).weights.dtype == np.int64


def test_real_weights_are_float64(table):
    assert table.with_weights(np.ones(4, dtype=np.float32)).weights.dtype == np.float64
    assert table.with_weights(None).weights is None


def test_refused_columns(schema):
    one, numbers = Schema([Variable("a", ("no", "yes"))]), Schema([Variable("t")])
    with pytest.raises(SchemaError, match="the schema has 3 variables, but 1 columns were given"):
        Table(schema, [[0]])
    with pytest.raises(SchemaError, match="'a' has 1, 'b' has 2"):
        Table(schema, [[0], [0, 1], [0.0]])
    with pytest.raises(SchemaError, match="codes go from 0 to 1; found 2 others, the first is 2 in row 1"):
        Table(one, [[0, 2, -1]])
    with pytest.raises(SchemaError, match="needs codes, whole numbers from 0; found float64"):
        Table(one, [[0.0, 1.0]])
    with pytest.raises(SchemaError, match="needs one dimension; found 2"):
        Table(one, [[[0, 1]]])
    with pytest.raises(SchemaError, match="holds 2 infinite values"):
        Table(numbers, [[np.inf, 0, -np.inf]])
    with pytest.raises(SchemaError, match="continuous column 't' needs numbers"):
        Table(numbers, [["x"]])
    with pytest.raises(SchemaError, match=r"missing cells of 'a' has shape \(1,\)"):
        Table(one, [[0, 1]], missing={"a": [True]})


def test_a_missing_cell_may_hold_any_code():
    table = Table(Schema([Variable("a", ("no", "yes"))]), [[-1, 1]], missing={0: [True, False]})
    assert table.column(0).tolist() == [0, 1]


def test_from_codes():
    matrix = np.array([[0, 1], [1, 2]])
    table = Table.from_codes(matrix, [2, 3])
    assert table.schema.names == ("x0", "x1")
    assert table == Table.from_codes([matrix[:, 0], matrix[:, 1]], table.schema)
    with pytest.raises(SchemaError, match="1 names were given for 2 cardinalities"):
        Table.from_codes(matrix, [2, 3], ["a"])
    with pytest.raises(SchemaError, match="a schema has its own names"):
        Table.from_codes(matrix, table.schema, ["a", "b"])
    with pytest.raises(SchemaError, match="two dimensions"):
        Table.from_codes(np.array([0, 1]), [2])


def test_equality(table):
    assert table == pickle.loads(pickle.dumps(table))
    assert table == table.take(slice(None))
    assert table != table.with_weights(None)
    assert table != table.select(["a", "b"])
    assert table != "table"
    with pytest.raises(TypeError, match="unhashable"):
        hash(table)


def test_no_rows_and_no_columns():
    assert Table(Schema([Variable("a", ("x",))]), [[]]).n_rows == 0
    assert Table(Schema([]), []).n_rows == 0


def test_pandas_gets_every_state(table):
    frame = table.to_pandas()
    assert frame["b"].cat.categories.tolist() == [1, 2, 3]
    assert frame["b"].isna().tolist() == [False, True, False, False]
    assert frame["t"].isna().sum() == 1

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright.errors import SchemaError
from treewright.tables import Schema, ShardedTable, Table, Variable, read_table

ROWS = st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 3), st.booleans()), min_size=1, max_size=20)


@settings(deadline=None)
@given(ROWS, st.integers(1, 5))
def test_shards_join_to_the_whole(rows, n):
    whole = read_table(dict(zip("xyz", zip(*rows, strict=True), strict=True)), weights=np.arange(len(rows)))
    sharded = ShardedTable(whole.shards(n))
    assert sharded.n_rows == whole.n_rows
    assert len(sharded) == n
    assert sharded.nbytes == whole.nbytes
    assert sharded.joined() == whole


@pytest.mark.slow
@settings(deadline=None)
@given(ROWS, st.integers(1, 19))
def test_parts_read_apart_align_to_the_whole(rows, cut):
    whole = read_table(dict(zip("xyz", zip(*rows, strict=True), strict=True)))
    parts = [part for part in (rows[:cut], rows[cut:]) if part]
    tables = [read_table(dict(zip("xyz", zip(*part, strict=True), strict=True))) for part in parts]
    assert ShardedTable.aligned(tables).joined() == whole


def test_missing_cells_and_weights():
    one = read_table({"x": ["a", None]}, missing="em")
    other = read_table({"x": ["b"]}, weights=[0.5])
    sharded = ShardedTable.aligned([one, other])
    assert sharded.has_missing
    assert sharded.joined().to_dict() == {"x": ["a", None, "b"]}
    assert sharded.joined().weights.tolist() == [1.0, 1.0, 0.5]
    assert ShardedTable([one]) == ShardedTable([one])
    assert list(sharded) == list(sharded.tables)


def test_columns_in_another_order():
    a = read_table({"x": ["a"], "t": [0.5]})
    b = read_table({"t": [1.5], "x": ["b"]})
    assert ShardedTable.aligned([a, b]).joined().to_dict() == {"x": ["a", "b"], "t": [0.5, 1.5]}


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        (Variable("x", ("a", "c")), "'x' has states 'a', 'b' and states 'a', 'c'"),
        (Variable("x"), r"'x' has states 'a', 'b' and no states \(continuous\)"),
        (Variable("x", ("a", "b"), ordered=True), "whether the states of 'x' are ordered"),
        (Variable("y", ("a", "b")), "columns 'x', 'y' are not in both"),
    ],
)
def test_different_schemas_are_refused(other, difference):
    one = Table(Schema([Variable("x", ("a", "b"))]), [[0]])
    with pytest.raises(
        SchemaError, match=f"shard 1 differs from shard 0: {difference}. ShardedTable.aligned"
    ):
        ShardedTable([one, Table(Schema([other]), [[0]])])


def test_refusals():
    with pytest.raises(SchemaError, match="at least one table; found none"):
        ShardedTable([])
    with pytest.raises(SchemaError, match="there are no columns to align"):
        ShardedTable.aligned([])
    with pytest.raises(SchemaError, match="table 1 has no 'y'"):
        ShardedTable.aligned([read_table({"x": [1], "y": [1]}), read_table({"x": [1]})])
    a = read_table({"x": [1], "y": [1]})
    with pytest.raises(SchemaError, match="the order of the columns"):
        ShardedTable([a, a.reordered(["y", "x"])])

"""Memory limits: sizes, texts, refusals."""

from __future__ import annotations

import pytest
from tests.reference.counting.counting import plain_schema

from treewright.errors import SchemaError, TableTooLarge
from treewright.limits import (
    check_table,
    format_bytes,
    memory_limit,
    parse_bytes,
    set_memory_limit,
    table_cells,
)
from treewright.tables.schema import Schema, Variable


@pytest.fixture(autouse=True)
def _back_to_default():
    yield
    set_memory_limit(None)


def test_the_limit_comes_from_the_call_or_the_environment(monkeypatch):
    monkeypatch.delenv("TREEWRIGHT_MEMORY", raising=False)
    assert memory_limit() == 4 * 2**30
    monkeypatch.setenv("TREEWRIGHT_MEMORY", "512MiB")
    assert memory_limit() == 2**29
    set_memory_limit("2KB")
    assert memory_limit() == 2000
    set_memory_limit(None)
    assert memory_limit() == 2**29


@pytest.mark.parametrize(
    ("text", "size"),
    [("4GiB", 2**32), ("1 tb", 10**12), ("8k", 8192), ("1.5MiB", 3 * 2**19), (10, 10), ("7b", 7)],
)
def test_texts(text, size):
    assert parse_bytes(text) == size


@pytest.mark.parametrize("text", ["", "GiB", "-4GiB", "4XiB", 0, "0", "1e9", "9" * 400])
def test_texts_that_are_no_sizes(text):
    with pytest.raises(ValueError, match="a memory limit is a number of bytes above 0 such as '4GiB'; found"):
        parse_bytes(text)


def test_a_large_table_is_refused_with_names_bytes_and_a_way_out():
    schema = plain_schema([100] * 12, [f"v{i}" for i in range(12)])
    assert table_cells(schema, range(12)) == 100**12  # beyond 64 bits
    with pytest.raises(TableTooLarge) as caught:
        check_table(schema, range(12))
    assert str(caught.value) == (
        "a table over v0 (100 states), v1 (100 states), v2 (100 states), v3 (100 states), v4 (100 states), "
        "v5 (100 states), v6 (100 states), v7 (100 states) and 4 more would take about 10^24 bytes, more "
        "than the limit of 4.0 GiB; use fewer variables or states, or raise the limit with set_memory_limit "
        "or TREEWRIGHT_MEMORY"
    )
    assert isinstance(caught.value, MemoryError)
    assert check_table(schema, (0, 1), itemsize=4) == 40_000
    assert check_table(schema, ()) == 8


def test_a_continuous_variable_has_no_table():
    with pytest.raises(SchemaError, match="'t' is continuous and has no states"):
        check_table(Schema([Variable("t")]), (0,))


def test_sizes_are_said_briefly():
    assert [format_bytes(n) for n in (0, 1023, 1024, 1536, 2**40)] == [
        "0 bytes",
        "1023 bytes",
        "1.0 KiB",
        "1.5 KiB",
        "1.0 TiB",
    ]

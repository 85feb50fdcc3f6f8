"""The same rows behind every kind of counter, by name.

Each entry takes a :class:`Place` and returns a counter; one more kind of source is one more function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb
import numpy as np
import pandas

import treewright as tw
from treewright.limits import set_memory_limit
from treewright.statistics import KeptCounter
from treewright.tables import SqlTable, packing
from treewright.tables.mapped_table import MappedTable

FIRST, SECOND = "x0", "x1"
TOO_LITTLE = "8KiB"  # of memory, for the few rows that are here


@dataclass(frozen=True)
class Place:
    """Rows as cells, a folder to put them into, and what starts a server, or a cluster and tells where."""

    frame: pandas.DataFrame
    folder: Path
    server: Callable[[], Any]
    cluster: Callable[[], str]

    @cached_property
    def table(self) -> tw.Table:
        return read(self.frame)

    def parquet(self) -> Path:
        self.frame.to_parquet(self.folder / "rows.parquet")
        return self.folder / "rows.parquet"

    def csv(self) -> Path:
        self.frame.to_csv(self.folder / "rows.csv", index=False)
        return self.folder / "rows.csv"

    def database(self) -> SqlTable:
        path = self.folder / "rows.duckdb"
        with duckdb.connect(str(path)) as file:
            file.register("here", self.frame)
            file.execute('CREATE OR REPLACE TABLE "the rows" AS SELECT * FROM here')
        return SqlTable(path, "the rows")

    def remote(self) -> SqlTable:
        server, name = self.server(), f"rows in {self.folder.name}"
        server.put(name, {key: list(column) for key, column in self.frame.items()})
        return SqlTable(server.url(), name)


def read(source: Any) -> tw.Table:
    """Rows in memory, with their gaps."""
    return tw.read_table(source, missing="em")


class Silent:
    """A counter that knows its columns and rows, and is never to be asked."""

    def __init__(self, counter: Any) -> None:
        self.schema, self.n_rows = counter.schema, counter.n_rows
        self.digest = tw.statistics.rows.digest_of_counter(counter)

    def counts_many(self, scopes: Any) -> Any:
        raise AssertionError(f"asked for {scopes}, which a checkpoint should have")

    counts = sparse_counts = sparse_counts_many = counts_many


def beyond_memory(source: Any, place: Place) -> Any:
    """Rows that memory has no room for: they go to a packed file in the cache."""
    set_memory_limit(TOO_LITTLE)
    try:
        return mapped(source, place)
    finally:
        set_memory_limit(None)


def taken_for_large(source: Any, place: Place) -> Any:
    """The same where reading texts itself takes more than so few rows: they are called large."""
    with patch.object(packing, "is_large", lambda _: True):
        return mapped(source, place)


def mapped(source: Any, place: Place) -> Any:
    found = tw.open_source(source, cache=place.folder / "cache")
    assert isinstance(found.table, MappedTable)
    assert Path(found.table.file.path).parent == place.folder / "cache"
    return found


def shards(place: Place) -> Any:
    return tw.ShardedCounter(tw.count(shard) for shard in place.table.shards(3))


def checkpoint(place: Place) -> Any:
    return KeptCounter(tw.count(place.table), place.folder / "cold.twc")


def workers(place: Place) -> Any:
    for i, shard in enumerate(place.table.shards(3)):
        tw.pack(shard, place.folder / f"piece-{i}.twp")
    return tw.open_source(str(place.folder / "piece-*.twp"), client=place.cluster())


# where rows are read from, of any kind
FILES: dict[str, Callable[[Place], Any]] = {
    "memory": lambda place: place.table,
    "Parquet": Place.parquet,
    "CSV": Place.csv,
    "DuckDB file": Place.database,
    "PostgreSQL": Place.remote,
}
SOURCES: dict[str, Callable[[Place], Any]] = {
    "packed file": lambda place: tw.count(tw.pack(place.table, place.folder / "rows.twp")),
    "Parquet": lambda place: tw.open_source(place.parquet()),
    "CSV": lambda place: tw.open_source(place.csv()),
    "DuckDB file": lambda place: tw.open_source(place.database()),
    "DuckDB counts": lambda place: tw.open_source(place.database(), mode="counts"),
    "PostgreSQL rows": lambda place: tw.open_source(place.remote(), mode="rows"),
    "PostgreSQL counts": lambda place: tw.open_source(place.remote(), mode="counts"),
    "Parquet beyond memory": lambda place: beyond_memory(place.parquet(), place),
    "CSV beyond memory": lambda place: taken_for_large(place.csv(), place),
    "DuckDB beyond memory": lambda place: beyond_memory(place.database(), place),
    "PostgreSQL beyond memory": lambda place: taken_for_large(place.remote(), place),
    "three shards": shards,
    "checkpoint, cold": checkpoint,
    "Dask": workers,
}
ONLY_COUNTS = {"DuckDB counts", "PostgreSQL counts"}


def sample(n_rows: int = 700) -> pandas.DataFrame:
    """Rows with labels that are texts, so that every source gives the same states."""
    model = tw.random_network(9, 3, states=(2, 4), rng=np.random.default_rng(11))
    return model.sample(n_rows, rng=np.random.default_rng(12)).to_pandas().astype(str)


def with_settings() -> pandas.DataFrame:
    """Rows in which the first column was set, and what was set in each."""
    frame = sample()
    frame["set"] = np.where(frame[SECOND] == "s0", FIRST, "none")
    return frame


def with_numbers() -> pandas.DataFrame:
    """Five of the columns, and three of numbers that lean on them and on each other."""
    frame, rng = sample()[[f"x{v}" for v in range(5)]], np.random.default_rng(13)
    states = [frame[f"x{v}"].str[1:].astype(float) for v in range(3)]
    frame["y0"] = states[0] + rng.normal(size=len(frame))
    frame["y1"] = 2 / (1 + np.exp(-frame["y0"])) + 0.3 * rng.normal(size=len(frame))
    frame["y2"] = states[1] - 0.5 * frame["y1"] + rng.normal(size=len(frame))
    return frame


def with_gaps() -> pandas.DataFrame:
    """Rows of which a tenth of the cells of three columns are missing."""
    frame, rng = sample()[[f"x{v}" for v in range(6)]].astype(object), np.random.default_rng(14)
    for name in (FIRST, SECOND, "x4"):
        frame.loc[rng.random(len(frame)) < 0.1, name] = None
    return frame


KINDS = {"labels": sample, "settings": with_settings, "numbers": with_numbers, "gaps": with_gaps}

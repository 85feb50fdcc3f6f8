"""The same rows behind every kind of counter, by name.

Each entry takes a :class:`Place` and returns a counter; one more kind of source is one more function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

import treewright as tw
from treewright.statistics import KeptCounter
from treewright.tables import SqlTable


@dataclass(frozen=True)
class Place:
    """The rows, a folder to put them into, and what starts a server, or a cluster and tells where."""

    table: tw.Table
    folder: Path
    server: Callable[[], Any]
    cluster: Callable[[], str]

    def database(self) -> SqlTable:
        path = self.folder / "rows.duckdb"
        with duckdb.connect(str(path)) as file:
            file.register("here", self.table.to_pandas().astype(str))
            file.execute('CREATE OR REPLACE TABLE "the rows" AS SELECT * FROM here')
        return SqlTable(path, "the rows")

    def remote(self, name: str) -> SqlTable:
        server = self.server()
        server.put(name, self.table.to_dict())
        return SqlTable(server.url(), name)


class Silent:
    """A counter that knows its columns and rows, and is never to be asked."""

    def __init__(self, counter: Any) -> None:
        self.schema, self.n_rows = counter.schema, counter.n_rows
        self.digest = tw.statistics.rows.digest_of_counter(counter)

    def counts_many(self, scopes: Any) -> Any:
        raise AssertionError(f"asked for {scopes}, which a checkpoint should have")

    counts = sparse_counts = sparse_counts_many = counts_many


def parquet(place: Place) -> Any:
    place.table.to_pandas().astype(str).to_parquet(place.folder / "rows.parquet")
    return tw.open_source(place.folder / "rows.parquet")


def csv(place: Place) -> Any:
    place.table.to_pandas().to_csv(place.folder / "rows.csv", index=False)
    return tw.open_source(place.folder / "rows.csv")


def shards(place: Place) -> Any:
    return tw.ShardedCounter(tw.count(shard) for shard in place.table.shards(3))


def checkpoint(place: Place) -> Any:
    return KeptCounter(tw.count(place.table), place.folder / "cold.twc")


def workers(place: Place) -> Any:
    for i, shard in enumerate(place.table.shards(3)):
        tw.pack(shard, place.folder / f"piece-{i}.twp")
    return tw.open_source(str(place.folder / "piece-*.twp"), client=place.cluster())


SOURCES: dict[str, Callable[[Place], Any]] = {
    "packed file": lambda place: tw.count(tw.pack(place.table, place.folder / "rows.twp")),
    "Parquet": parquet,
    "CSV": csv,
    "DuckDB file": lambda place: tw.open_source(place.database()),
    "DuckDB counts": lambda place: tw.open_source(place.database(), mode="counts"),
    "PostgreSQL rows": lambda place: tw.open_source(place.remote("rows of a matrix"), mode="rows"),
    "PostgreSQL counts": lambda place: tw.open_source(place.remote("counts of a matrix"), mode="counts"),
    "three shards": shards,
    "checkpoint, cold": checkpoint,
    "Dask": workers,
}
ONLY_COUNTS = {"DuckDB counts", "PostgreSQL counts"}


def sample() -> tw.Table:
    """Rows with labels that are texts, so that every source gives the same states."""
    model = tw.random_network(9, 3, states=(2, 4), rng=np.random.default_rng(11))
    return tw.read_table(model.sample(700, rng=np.random.default_rng(12)).to_pandas().astype(str))

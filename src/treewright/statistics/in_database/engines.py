"""What a database is asked when it counts: one GROUP BY over raw columns, whose groups it then numbers.

Labels never become a part of names. Each column has keys, the texts in which the database writes its values;
a group comes back as numbers of keys.
"""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, cast

import numpy as np
import numpy.typing as npt

from treewright.tables._reading.duck_files import SqlSource
from treewright.tables._reading.duck_types import MOST_LABELS, kind_of_type
from treewright.tables._reading.paths import ReadOptions
from treewright.tables.postgres import BY_GROUPS, Server
from treewright.tables.sql import SqlTable

Groups = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]  # keys (a line for each column), counts
UNKNOWN, GAP = -1, -2


class Engine(ABC):
    """A database that counts."""

    raw: ClassVar[dict[str, str]]  # a value as it is grouped, by what a column is
    key: ClassVar[str]  # the text that stands for it
    names: list[str]
    kinds: list[str]
    place: str
    n_statements: int
    seconds: float

    @abstractmethod
    def connect(self) -> None:
        """Begin anew."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the database."""

    @abstractmethod
    def ask(self, query: str) -> list[tuple[Any, ...]]:
        """All rows of an answer."""

    @abstractmethod
    def groups(self, positions: Sequence[int], keys: Sequence[Sequence[str]], where: str) -> Groups:
        """How often each combination of keys occurs; `GAP` for a gap, `UNKNOWN` for no key at all."""

    def count(self, where: str = "") -> int:
        return int(self.ask(f"SELECT count(*) FROM {self.place}{where}")[0][0])

    def present(self, positions: Sequence[int]) -> list[int]:
        """Rows, and of each column the cells that are there."""
        counts = ", ".join(f"count({self._raw(i)})" for i in positions)
        return list(map(int, self.ask(f"SELECT count(*), {counts} FROM {self.place}")[0]))

    def keys(self, position: int, where: str, most: int) -> list[tuple[str | None, int]]:
        """The keys of one column with how often they occur, None for gaps; at most so many."""
        grouped = self._grouped([position], where)
        return cast(
            "list[tuple[str | None, int]]",
            self.ask(f"SELECT {self.key.format('g0')}, n FROM ({grouped}) AS s LIMIT {most}"),
        )

    def complete(self, positions: Sequence[int]) -> str:
        """What rows without a gap have in common."""
        return " WHERE " + " AND ".join(f"{self._raw(i)} IS NOT NULL" for i in positions)

    def _raw(self, position: int) -> str:
        return self.raw[self.kinds[position]].format(f"c{position}")

    def _grouped(self, positions: Sequence[int], where: str) -> str:
        wanted = ", ".join(f"{self._raw(i)} AS g{at}" for at, i in enumerate(positions))
        by = ", ".join(str(at + 1) for at in range(len(positions)))
        return f"SELECT {wanted}, count(*) AS n FROM {self.place}{where} GROUP BY {by}"


class PostgresEngine(Engine):
    """A PostgreSQL server."""

    raw: ClassVar[dict[str, str]] = {
        "text": '{}::text COLLATE "C"',
        "truth": "{}",
        "whole": "{}",
        "real": "NULLIF({}::float8 + 0::float8, 'NaN'::float8)",
    }
    key: ClassVar[str] = "{}::text"

    def __init__(self, source: SqlTable) -> None:
        self._server = Server(source, **BY_GROUPS)
        self.names, self.kinds = self._server.columns()
        self.place = self._server.text(self._server.place(len(self.names)))

    @property
    def n_statements(self) -> int:  # type: ignore[override]
        return self._server.n_statements

    @property
    def seconds(self) -> float:  # type: ignore[override]
        return self._server.seconds

    def connect(self) -> None:
        self._server.connect()

    def close(self) -> None:
        self._server.close()

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        return self._server.execute(query)

    def groups(self, positions: Sequence[int], keys: Sequence[Sequence[str]], where: str) -> Groups:
        cells = ", ".join(self._number(at, known) for at, known in enumerate(keys))
        query = f"SELECT {cells}, n::int8 FROM ({self._grouped(positions, where)}) AS s"
        found = b"".join(self._server.copy(f"COPY ({query}) TO STDOUT (FORMAT binary)"))
        # a head of 19 bytes; then for each row the number of fields and each field behind its length; a tail
        fields = [("n_fields", ">i2")]
        fields += [(name, ">i4") for at in range(len(keys)) for name in (f"length{at}", f"key{at}")]
        rows = np.frombuffer(found[19:-2], dtype=np.dtype([*fields, ("length", ">i4"), ("count", ">i8")]))
        lines = np.array([rows[f"key{at}"] for at in range(len(keys))], dtype=np.int64)
        return lines, rows["count"].astype(np.int64)

    def _number(self, at: int, keys: Sequence[str]) -> str:
        """The number of a key: by comparing a few, or in a jsonb object, which is searched in a few steps."""
        said, literal = self.key.format(f"g{at}"), self._server.literal
        if len(keys) <= MOST_LABELS:
            known = " ".join(f"WHEN {literal(key)} THEN {number}" for number, key in enumerate(keys))
            found = f"CASE {said} {known} ELSE {UNKNOWN} END" if keys else str(UNKNOWN)
        else:
            known = literal(json.dumps({key: number for number, key in enumerate(keys)}))
            found = f"coalesce(({known}::jsonb ->> {said})::int4, {UNKNOWN})"
        return f"CASE WHEN g{at} IS NULL THEN {GAP} ELSE {found} END"


class DuckEngine(Engine):
    """A DuckDB file, which is read in this process."""

    raw: ClassVar[dict[str, str]] = {
        "text": "{}::VARCHAR",
        "truth": "{}",
        "whole": "{}",
        "large": "{}",
        "real": "CASE WHEN isnan({0}::DOUBLE) THEN NULL ELSE {0}::DOUBLE + 0.0 END",
    }
    key: ClassVar[str] = "{}::VARCHAR"

    def __init__(self, source: SqlTable) -> None:
        self._source = source
        self._opened: SqlSource | None = None
        self.n_statements, self.seconds = 0, 0.0
        self.connect()

    def close(self) -> None:
        self._opened = None

    def connect(self) -> None:
        opened = self._opened = SqlSource(self._source, ReadOptions())
        self.names, self.kinds = opened.names, list(map(kind_of_type, opened.types))
        self.place = opened.scan

    def ask(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return cast("list[tuple[Any, ...]]", self._timed(query, values).fetchall())

    def groups(self, positions: Sequence[int], keys: Sequence[Sequence[str]], where: str) -> Groups:
        said = [self.key.format(f"g{at}") for at in range(len(keys))]
        cells = ", ".join(
            f"CASE WHEN g{at} IS NULL THEN {GAP} ELSE coalesce(list_position(?, {key}), 0) - 1 END AS k{at}"
            for at, key in enumerate(said)
        )
        query = f"SELECT {cells}, n FROM ({self._grouped(positions, where)}) AS s"
        found = self._timed(query, [list(known) for known in keys]).fetchnumpy()
        lines = np.array([np.asarray(found[f"k{at}"]) for at in range(len(keys))], dtype=np.int64)
        return lines, np.asarray(found["n"], dtype=np.int64)

    def _timed(self, query: str, values: Sequence[Any]) -> Any:
        self.n_statements += 1
        started = time.perf_counter()
        try:
            if self._opened is None:
                self.connect()
            assert self._opened is not None
            return self._opened.ask(query, values)
        finally:
            self.seconds += time.perf_counter() - started


def engine_of(source: SqlTable) -> Engine:
    return PostgresEngine(source) if source.is_remote else DuckEngine(source)

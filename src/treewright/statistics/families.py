"""From counts to judgements, in batches: the questions that searches ask.

A search wants the scores of many families or the tests of many pairs at once. A counter that can answer these
natively (counting and judging in one pass over its rows) offers the methods of :class:`FamilyStatistics`
itself; for every other counter :class:`FromTables` asks for the tables and judges them in the core.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal, Protocol, cast, runtime_checkable

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.errors import TableTooLarge, WeightError
from treewright.limits import check_table, format_bytes, memory_limit, table_cells
from treewright.statistics.counter import Counter, Counts, SparseCounts
from treewright.statistics.memory import memory_of, sparse_counts_many
from treewright.tables.schema import Schema
from treewright.types import Floats, Scope

Family = tuple[int, Scope]
Query = tuple[int, int, Scope]

ScoreKind = Literal["log_likelihood", "aic", "bic", "bdeu", "k2", "qnml"]

# Tables are judged while at most this many cells are held at once.
CELLS_PER_CALL = 1 << 22
# Occupied cells are asked for once a table has more cells than this and than four for each row.
DENSE_CELLS = 4096


@dataclass(frozen=True)
class ScoreSettings:
    """Which decomposable score; `ess` is the equivalent sample size of BDeu."""

    kind: ScoreKind
    ess: float = 1.0


@dataclass(frozen=True)
class TestSettings:
    """Which statistic, and whether states that do not occur in a stratum are free."""

    __test__: ClassVar[bool] = False
    statistic: Literal["g2", "x2"] = "g2"
    degrees: Literal["adjusted", "full"] = "adjusted"


@dataclass(frozen=True)
class PosteriorSettings:
    """Prior of independence, Dirichlet parameters of x, of y, of both; which slices count."""

    prior: float = 0.5
    alpha: float = 1.0
    beta: float = 1.0
    gamma: float = 1.0
    slices: Literal["all", "observed"] = "all"

    @property
    def native(self) -> tuple[float, float, float, float, bool]:
        """As the core takes them."""
        return self.prior, self.alpha, self.beta, self.gamma, self.slices == "all"


TestKind = TestSettings | PosteriorSettings
# Statistic and degrees of freedom by the first; log P(independent) and log P(dependent) by the second.
Judged = tuple[Floats, Floats]


@dataclass(frozen=True)
class PermutationSettings:
    """How many permutations; with `stop_early` only until the decision at `alpha` is certain."""

    permutations: int = 200
    alpha: float = 0.05
    seed: int = 0
    stop_early: bool = True


@runtime_checkable
class FamilyStatistics(Protocol):
    """Batches of judgements about discrete variables; all variables are indices."""

    def score_families(self, settings: ScoreSettings, families: Sequence[Family]) -> Floats:
        """Local scores of (child, parents), in the order asked."""
        ...

    def score_additions(
        self, settings: ScoreSettings, child: int, parents: Scope, candidates: Sequence[int]
    ) -> Floats:
        """Local scores of the child with each candidate added to its parents."""
        ...

    def score_deletions(self, settings: ScoreSettings, child: int, parents: Scope) -> Floats:
        """Local scores of the child with each of its parents taken away, in the order of `parents`."""
        ...

    def score_pairs(self, settings: ScoreSettings) -> Floats:
        """What each variable, as only parent, adds to the score of each other: a matrix [parent, child]."""
        ...

    def test_queries(self, settings: TestKind, queries: Sequence[Query]) -> Judged:
        """Judge (x, y, given), in the order asked."""
        ...

    def test_partners(self, settings: TestKind, x: int, given: Scope, partners: Sequence[int]) -> Judged:
        """Judge x against each partner given one set."""
        ...


def as_family_statistics(counter: Counter) -> FamilyStatistics:
    """The counter itself when it judges natively, else an adaptor that judges its tables."""
    if isinstance(counter, FamilyStatistics):
        return counter
    wrapped = getattr(counter, "native_statistics", None)  # a wrapper may know a native counter inside
    return (wrapped() if wrapped else None) or FromTables(counter)


# What a native call raises for names instead of indices, or for something that has to be refused by name.
NOT_INDICES = (TypeError, ValueError, IndexError)


def is_native(statistics: FamilyStatistics) -> bool:
    """Whether judgements are made in the core, which checks the indices it is given."""
    return not isinstance(statistics, FromTables)


@dataclass
class _Batch:
    """Tables that are judged in one native call; no codes when they are dense."""

    positions: list[int]
    codes: list[npt.NDArray[np.int64]]
    counts: list[Any]  # all int64 or all float64


class FromTables:
    """Judge the tables of any counter: dense ones, or occupied cells where a table would be nearly empty.

    Examples
    --------
    >>> from treewright.statistics.joint import JointCounts
    >>> from treewright.tables.schema import Variable
    >>> schema = Schema([Variable("treated", ("no", "yes")), Variable("well", ("no", "yes"))])
    >>> counter = JointCounts(schema, [[20, 10], [5, 25]])
    >>> FromTables(counter).score_families(ScoreSettings("bic"), [(1, (0,))]).round(4).tolist()
    [-36.7066]
    """

    def __init__(self, counter: Counter) -> None:
        self.counter = counter

    @property
    def schema(self) -> Schema:
        return self.counter.schema

    def score_families(self, settings: ScoreSettings, families: Sequence[Family]) -> Floats:
        return self.score_families_by([settings], families)[0]

    def score_families_by(self, many: Sequence[ScoreSettings], families: Sequence[Family]) -> list[Floats]:
        """Local scores of the same families by several scores: every table is counted once."""
        scopes = [(*sorted(parents), child) for child, parents in families]
        return self._judge(many, families, self._batches(scopes))

    def _judge(
        self, many: Sequence[ScoreSettings], families: Sequence[Family], batches: Iterable[_Batch]
    ) -> list[Floats]:
        cards = self.schema.cardinalities
        r = np.array([cards[child] for child, _ in families], dtype=np.int64)
        q = np.array([_configurations(cards, parents) for _, parents in families], dtype=np.float64)
        local = np.empty((len(many), len(families)))
        scores = [(settings.kind, settings.ess) for settings in many]
        n_rows = float(self.counter.n_rows)
        for batch in batches:
            at = batch.positions
            tables = (batch.codes, batch.counts, r[at], q[at])
            local[:, at] = _core.score_tables(scores, n_rows, *tables)
        return list(local)

    def score_additions(
        self, settings: ScoreSettings, child: int, parents: Scope, candidates: Sequence[int]
    ) -> Floats:
        return self.score_families(settings, [(child, (*parents, candidate)) for candidate in candidates])

    def score_deletions(self, settings: ScoreSettings, child: int, parents: Scope) -> Floats:
        families = [(child, (*parents[:i], *parents[i + 1 :])) for i in range(len(parents))]
        if not parents or table_cells(self.schema, (*parents, child)) > self._few:
            return self.score_families(settings, families)
        # every smaller table is in the table of the whole family
        check_table(self.schema, (*parents, child))
        whole = self._tables([(*parents, child)])[0]
        tables = [np.asarray(whole.sum(axis=i)) for i in range(len(parents))]
        batch = _Batch(list(range(len(parents))), [], _one_kind(tables))
        return self._judge([settings], families, [batch])[0]

    def score_pairs(self, settings: ScoreSettings) -> Floats:
        n = len(self.schema)
        own = self.score_families(settings, [(child, ()) for child in range(n)])
        pairs = [(child, (parent,)) for parent in range(n) for child in range(n) if child != parent]
        gains = np.zeros((n, n))
        gains[~np.eye(n, dtype=bool)] = self.score_families(settings, pairs)
        return np.where(np.eye(n, dtype=bool), 0.0, gains - own)

    def test_queries(self, settings: TestKind, queries: Sequence[Query]) -> Judged:
        native: Callable[..., Judged]
        if isinstance(settings, TestSettings):
            native = partial(_core.test_tables, settings.statistic, settings.degrees)
            queries = [self._canonical(query) for query in queries]
        else:
            native = partial(_core.posterior_tables, *settings.native)
        first, second = np.empty(len(queries)), np.empty(len(queries))
        n_rows = float(self.counter.n_rows)
        for batch, states, slices in self._test_batches(queries):
            at = batch.positions
            first[at], second[at] = native(n_rows, batch.codes, batch.counts, states, slices)
        return first, second

    def test_partners(self, settings: TestKind, x: int, given: Scope, partners: Sequence[int]) -> Judged:
        return self.test_queries(settings, [(x, partner, given) for partner in partners])

    def permutation_queries(self, settings: PermutationSettings, queries: Sequence[Query]) -> Floats:
        """Permutation p-values of (x, y, given).

        The draws of a test follow from the seed and the names in it: the answer does not depend on the order
        of columns, on the batch or on the number of threads.
        """
        queries = [self._canonical(query) for query in queries]
        keys = np.array([self._key(settings.seed, query) for query in queries], dtype=np.uint64)
        p = np.empty(len(queries))
        for batch, states, slices in self._test_batches(queries):
            if batch.counts[0].dtype.kind == "f":
                raise WeightError(
                    "a permutation test shuffles whole rows; found real weights: use GTest instead"
                )
            p[batch.positions] = _core.permutation_tables(
                settings.permutations, settings.alpha, settings.stop_early,
                batch.codes, batch.counts, states, slices, keys[batch.positions],
            )  # fmt: skip
        return p

    def _test_batches(
        self, queries: Sequence[Query]
    ) -> Iterator[tuple[_Batch, npt.NDArray[np.int64], Floats]]:
        cards = self.schema.cardinalities
        scopes = [(*self.schema.by_name(given), x, y) for x, y, given in queries]
        states = np.array([(cards[x], cards[y]) for x, y, _ in queries], dtype=np.int64).reshape(-1, 2)
        slices = np.array([_configurations(cards, given) for *_, given in queries], dtype=np.float64)
        for batch in self._batches(scopes):
            yield batch, states[batch.positions], slices[batch.positions]

    def _batches(self, scopes: Sequence[Scope]) -> Iterator[_Batch]:
        """Cut the scopes into groups of bounded size and count each."""
        few, limit = self._few, memory_limit()
        sizes = [table_cells(self.schema, scope) for scope in scopes]
        for position, size in enumerate(sizes):
            if limit < 8 * size <= 8 * few:
                check_table(self.schema, scopes[position])
        for chunk in _chunks((i, size) for i, size in enumerate(sizes) if size <= few):
            tables = self._tables([scopes[i] for i, _ in chunk])
            yield _Batch([i for i, _ in chunk], [], _one_kind(tables))
        n_rows = math.ceil(self.counter.n_rows)  # no table has more occupied cells
        large = ((i, min(size, n_rows)) for i, size in enumerate(sizes) if size > few)
        for chunk in _chunks(large):
            positions = [i for i, _ in chunk]
            found = self._occupied([scopes[i] for i in positions], [sizes[i] for i in positions])
            codes = [np.ascontiguousarray(cells.codes, dtype=np.int64) for cells in found]
            yield _Batch(positions, codes, _one_kind([cells.counts for cells in found]))

    def _tables(self, scopes: Sequence[Scope]) -> Sequence[Counts]:
        """From the tables that are known of a counter that only counts, else from the counter itself."""
        memory = None if hasattr(self.counter, "packed") else memory_of(self.counter)
        found = self.counter.counts_many(scopes) if memory is None else memory.counts(scopes)
        return cast("Sequence[Counts]", found)

    def _occupied(self, scopes: Sequence[Scope], sizes: Sequence[int]) -> Sequence[SparseCounts]:
        for scope, size in zip(scopes, sizes, strict=True):
            if size >= 2**63:
                raise TableTooLarge(
                    f"a table over {', '.join(self.schema.names_of(scope))} has {format_bytes(size * 8)} of "
                    "cells, more than 64-bit positions can number; use fewer variables"
                )
        return sparse_counts_many(self.counter, scopes)

    @property
    def _few(self) -> int:
        """Cells up to which a table is asked for whole."""
        return max(DENSE_CELLS, 4 * math.ceil(self.counter.n_rows))

    def _canonical(self, query: Query) -> Query:
        """The same question whatever the column order: the smaller name first."""
        x, y, given = query
        names = self.schema.names
        return (x, y, given) if names[x] < names[y] else (y, x, given)

    def _key(self, seed: int, query: Query) -> int:
        from hashlib import blake2b  # here, since few need it and it loads a library of its own

        x, y, given = query
        names = self.schema.names_of((x, y, *self.schema.by_name(given)))
        text = "\0".join([str(seed), *names])
        return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


def _chunks(found: Iterable[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    """Runs of (position, cells, ...) that hold no more cells than are judged at once."""
    chunk: list[tuple[Any, ...]] = []
    held = 0
    for one in found:
        if chunk and held + one[1] > CELLS_PER_CALL:
            yield chunk
            chunk, held = [], 0
        chunk.append(one)
        held += one[1]
    if chunk:
        yield chunk


def _configurations(cardinalities: tuple[int, ...], scope: Scope) -> float:
    """Product of cardinalities; beyond the doubles it is infinite."""
    try:
        return float(math.prod(cardinalities[v] for v in scope))
    except OverflowError:
        return math.inf


def _one_kind(tables: Sequence[Counts]) -> list[Any]:
    """Contiguous tables of one type: int64, or float64 as soon as one has real weights."""
    dtype = np.float64 if any(table.dtype.kind == "f" for table in tables) else np.int64
    return [np.ascontiguousarray(table, dtype=dtype) for table in tables]

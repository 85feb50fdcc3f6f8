"""How sure is an edge? Learn again from resampled rows, and count.

Drawing n rows with replacement is the same as giving every row a whole-number weight, so no data are copied:
each repetition sees the table's own columns with other weights. An edge that nearly every repetition finds is
there for a reason; one that half of them find hangs on a few rows (Friedman, Goldszmidt & Wyner 1999).
Repetitions run in threads, and each draws from a seed of its own, so that their number changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from tempfile import gettempdir
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from treewright.errors import FormatError, GraphError, SchemaError, SettingError, WeightError
from treewright.graphs import Cpdag, Dag, DagBuilder, Pdag, UndirectedGraph
from treewright.learners.classes.dag_climbing import require_some
from treewright.learners.classes.threads import each_of
from treewright.learners.learned import Learned
from treewright.limits import memory_limit
from treewright.ranges import in_range
from treewright.statistics import ClusterCounter, Counter, ShardedCounter, count
from treewright.statistics.cluster import as_pool, each_on
from treewright.statistics.rows import row_blocks_of
from treewright.tables._reading.room import Room
from treewright.tables.databases import Databases
from treewright.tables.mapped_table import MappedTable
from treewright.tables.packed_file import BLOCK_ROWS
from treewright.tables.schema import NameOrIndex, Schema
from treewright.tables.table import Table
from treewright.types import Pictured


@dataclass(frozen=True, eq=False, repr=False)
class EdgeConfidence(Pictured):
    """How many repetitions found each arc.

    Parameters
    ----------
    schema
        The variables.
    repetitions
        How often a structure was learned.
    counts
        `counts[u, v]`: the repetitions with u -> v, an edge without direction counting half each way.

    Examples
    --------
    >>> from treewright.tables import Variable
    >>> schema = Schema([Variable(name) for name in "abc"])
    >>> confidence = EdgeConfidence(schema, 10, np.array([[0, 6.0, 0], [2, 0, 1], [0, 0, 0]]))
    >>> confidence.strength("a", "b"), confidence.direction("a", "b")
    (0.8, 0.75)
    >>> confidence.averaged_network(threshold=0.5).edges()
    [('a', 'b')]
    """

    schema: Schema
    repetitions: int
    counts: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        self.counts.flags.writeable = False

    def __repr__(self) -> str:
        n, found = len(self.schema), len(self.edges())
        return f"EdgeConfidence({n} variables, {found} edges in {self.repetitions} repetitions)"

    def strength(self, u: NameOrIndex, v: NameOrIndex) -> float:
        """Share of the repetitions in which the two are joined."""
        a, b = self.schema.index(u), self.schema.index(v)
        return float(self.counts[a, b] + self.counts[b, a]) / self.repetitions

    def direction(self, tail: NameOrIndex, head: NameOrIndex) -> float:
        """Share of tail -> head among the repetitions that join the two; a half when there are none."""
        u, v = self.schema.index(tail), self.schema.index(head)
        both = float(self.counts[u, v] + self.counts[v, u])
        return float(self.counts[u, v]) / both if both else 0.5

    def edges(self) -> list[tuple[str, str, float, float]]:
        """Pairs that were ever joined, as (from, to, strength, direction), the strongest first.

        The likelier direction is given; of two equally likely ones, that from the smaller name.
        """
        found = []
        for u, v in combinations(sorted(self.schema.names), 2):
            strength = self.strength(u, v)
            if strength > 0:
                forth = self.direction(u, v)
                found.append((u, v, strength, forth) if forth >= 0.5 else (v, u, strength, 1 - forth))
        return sorted(found, key=lambda edge: (-edge[2], edge[0], edge[1]))

    def to_frame(self) -> Any:
        """A pandas frame of :meth:`edges`: from, to, strength, direction."""
        try:
            import pandas as pd  # type: ignore[import-untyped,unused-ignore]
        except ImportError:
            raise ImportError("to_frame() needs pandas; install it, or use edges()") from None
        return pd.DataFrame(self.edges(), columns=["from", "to", "strength", "direction"])

    def to_dict(self) -> dict[str, Any]:
        """What JSON can say of it: repetitions, and [a, b, found as a -> b, found as b -> a] of each pair.

        Examples
        --------
        >>> from treewright.tables import Variable
        >>> schema = Schema([Variable(name) for name in "ab"])
        >>> plain = EdgeConfidence(schema, 10, np.array([[0, 6.0], [2, 0]])).to_dict()
        >>> plain, EdgeConfidence.from_dict(schema, plain).strength("a", "b")
        ({'repetitions': 10, 'edges': [['a', 'b', 6.0, 2.0]]}, 0.8)
        """
        index, counts = self.schema.index, self.counts.tolist()
        pairs = [
            [u, v, counts[index(u)][index(v)], counts[index(v)][index(u)]]
            for u, v in combinations(sorted(self.schema.names), 2)
        ]
        return {"repetitions": self.repetitions, "edges": [pair for pair in pairs if any(pair[2:])]}

    @staticmethod
    def from_dict(schema: Schema, plain: Mapping[str, Any]) -> EdgeConfidence:
        """What :meth:`to_dict` said, about these variables."""
        counts = np.zeros((len(schema), len(schema)))
        try:
            repetitions = int(plain["repetitions"])
            for u, v, forth, back in plain["edges"]:
                a, b = schema.index(u), schema.index(v)
                counts[a, b], counts[b, a] = forth, back
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError(f"how sure edges are cannot be read: {error}") from None
        if repetitions < 1 or not ((counts >= 0) & (counts + counts.T <= repetitions)).all():
            raise FormatError("how sure edges are cannot be read: an edge is found 0 to `repetitions` times")
        return EdgeConfidence(schema, repetitions, counts)

    def optimal_threshold(self) -> float:
        """The least strength that is not noise, by the rule of Scutari & Nagarajan (2013).

        If every edge were certain, strengths would be 0 or 1. Of all such distributions, the one nearest in
        total (L1) distance to the distribution of the strengths says which share of the pairs is noise. That
        nearest one is found at a median, the share of pairs with a strength of at most one half; so what
        counts is an edge that more than half of the repetitions found. (An edge found by exactly half of them
        leaves two distributions equally near; the stricter one is taken.)
        """
        return (self.repetitions // 2 + 1) / self.repetitions

    @in_range
    def averaged_network(self, threshold: float | None = None) -> Dag:
        """The graph of the edges at least as strong as a threshold, in their likelier direction.

        Parameters
        ----------
        threshold
            From 0 to 1; by default :meth:`optimal_threshold`.

        Notes
        -----
        Edges are drawn from the strongest on, then by name. One that would close a cycle is turned round: its
        presence is surer than its direction.
        """
        least = self._least(threshold)
        builder = DagBuilder(self.schema)
        for tail, head, strength, _ in self.edges():
            if strength >= least:
                builder.add(*((tail, head) if builder.can_add(tail, head) else (head, tail)))
        return builder.freeze()

    @in_range
    def averaged_graph(self, threshold: float | None = None) -> UndirectedGraph:
        """The edges at least as strong as a threshold, without directions: for learners of undirected graphs.

        Examples
        --------
        >>> from treewright.tables import Variable
        >>> schema = Schema([Variable(name) for name in "abc"])
        >>> confidence = EdgeConfidence(schema, 10, np.array([[0, 4.0, 1], [4.0, 0, 0], [1.0, 0, 0]]))
        >>> confidence.averaged_graph().edges()
        [('a', 'b')]
        """
        least = self._least(threshold)
        pairs = [(u, v) for u, v, strength, _ in self.edges() if strength >= least]
        return UndirectedGraph(self.schema, pairs)

    def _least(self, threshold: float | None) -> float:
        if threshold is not None and not 0 <= threshold <= 1:
            raise SettingError(f"a threshold is a share from 0 to 1; found {threshold!r}")
        return self.optimal_threshold() if threshold is None else threshold


Structure = Dag | Pdag | UndirectedGraph
Rows = TypeVar("Rows", Table, Databases)
Marks = npt.NDArray[np.float64]


@in_range
def edge_confidence(
    table: Table | Databases | ClusterCounter,
    learn: Callable[[Any], Learned[Any] | Structure],
    *,
    repetitions: int = 100,
    rng: np.random.Generator,
    threads: int | None = None,
    by_class: bool = True,
    client: Any = None,
) -> EdgeConfidence:
    """Learn from resampled rows many times, and tell how often each edge was found, and which way.

    Parameters
    ----------
    table
        The rows, of one table or of several with overlapping columns, each of which is resampled by itself.
        Whole-number weights say how often a row was seen; real weights cannot be resampled. With a `client`
        a packed file (:func:`~treewright.open_table`) that its workers see, or what
        :func:`~treewright.open_source` made with one: tasks name files and take no rows along.
    learn
        From a table (or several) to a structure, or to what a learner returns; from a counter where
        `open_source` made one of workers. It is called from several threads at once, or by workers, which
        get it pickled.
    repetitions
        How often to learn.
    rng
        Gives one seed to every repetition.
    threads
        Repetitions that run at the same time; by default as many as native calls may use. While they run,
        native calls keep to one thread each.
    client
        Have workers learn: a ``distributed.Client``, the address of a Dask scheduler, or a pool.
    by_class
        Whether a DAG stands for its equivalence class: its reversible arcs then speak for both directions
        equally. Turn it off where knowledge gives directions a meaning.

    Returns
    -------
    EdgeConfidence
        The same for any number of threads and workers.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> table = tw.load_network("asia").sample(1_000, rng=np.random.default_rng(0))
    >>> def learn(rows):
    ...     return tw.learners.learn_dag_climbing(tw.BIC(tw.count(rows)))
    >>> confidence = tw.edge_confidence(table, learn, repetitions=20, rng=np.random.default_rng(1))
    >>> confidence.strength("bronc", "dysp")
    1.0
    >>> confidence.averaged_network().has_arc("bronc", "dysp")
    True
    """
    require_some(repetitions=repetitions, threads=1 if threads is None else threads)
    pool = table.pool if isinstance(table, ClusterCounter) else None
    if pool is None and client is not None:
        pool = as_pool(client)
    for part in _tables_of(table):
        if pool is not None and not isinstance(part, MappedTable):
            raise SettingError(
                "tasks for workers name files, and this table is in memory; tw.pack(table, path) writes one, "
                "tw.open_table(path) opens it"
            )
        if part.weights is not None and part.weights.dtype.kind == "f":
            raise WeightError(
                "rows with real weights cannot be resampled; give whole numbers, or none, with "
                "table.with_weights"
            )
    seeds = np.random.SeedSequence(int(rng.integers(2**63))).spawn(repetitions)
    schema = table.schema
    marks = np.zeros((len(schema), len(schema)))
    found = (
        each_of(lambda seed: replica(table, learn, seed, by_class), seeds, threads)
        if pool is None
        else each_on(pool, replica, [(table, learn, seed, by_class) for seed in seeds])
    )
    for one in found:  # halves and ones add up exactly in any order
        marks += one
    return EdgeConfidence(schema, repetitions, marks)


def replica(rows: Any, learn: Callable[[Any], Any], seed: np.random.SeedSequence, by_class: bool) -> Marks:
    """The edges that are found in rows drawn anew, by whoever is asked; on a worker a counter has rows."""
    rng = np.random.default_rng(seed)
    draw: Callable[..., Any] = resampled if isinstance(rows, Table | Databases) else resampled_counter
    found = learn(draw(rows, rng))
    return marks_of(rows.schema, found.structure if isinstance(found, Learned) else found, by_class)


def _tables_of(rows: Table | Databases | ClusterCounter) -> Sequence[Table]:
    if isinstance(rows, ClusterCounter):
        return ()
    return rows.tables if isinstance(rows, Databases) else (rows,)


def resampled_counter(counter: Counter, rng: np.random.Generator) -> Counter:
    """Pieces with other weights: of all of them together as many draws as there are rows."""
    tables = [block.table for block in row_blocks_of(counter)]
    total = sum(table.n_rows for table in tables)
    weights = None
    if any(table.weights is not None for table in tables):
        weights = np.concatenate(
            [np.ones(t.n_rows, dtype=np.int64) if t.weights is None else t.weights for t in tables]
        )
    cuts = np.cumsum([table.n_rows for table in tables])[:-1]
    drawn = np.split(_drawn(total, weights, rng), cuts)
    return ShardedCounter(count(t.with_weights(own)) for t, own in zip(tables, drawn, strict=True))


def resampled(rows: Rows, rng: np.random.Generator) -> Rows:
    """The same rows with other weights: of each table as many draws as it has rows."""
    if isinstance(rows, Databases):
        return Databases([resampled(table, rng) for table in rows.tables], names=rows.names)
    return rows.with_weights(resampled_weights(rows, rng))


def resampled_weights(table: Table, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """How often each row was drawn: as many draws as rows were seen, each row as likely as its weight."""
    return _drawn(table.n_rows, table.weights, rng)


def _drawn(n: int, weights: npt.NDArray[Any] | None, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    if weights is None:
        return _times_drawn(n, rng)
    total = int(weights.sum())
    shares = weights / total if total else weights.astype(np.float64)
    return rng.multinomial(total, shares).astype(np.int64) if total else weights.astype(np.int64)


def _times_drawn(n: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """How often each of n rows is among n draws; those of many rows are kept in a temporary file.

    Blocks take the same numbers from the generator as one call would.
    """
    if n <= BLOCK_ROWS:
        drawn = rng.integers(n, size=n) if n else np.zeros(0, dtype=np.int64)
        return np.bincount(drawn, minlength=n).astype(np.int64)
    times = np.zeros(n, dtype=np.uint32)
    blocks = [slice(begin, min(begin + BLOCK_ROWS, n)) for begin in range(0, n, BLOCK_ROWS)]
    for block in blocks:
        np.add.at(times, rng.integers(n, size=block.stop - block.start), 1)
    if 8 * n <= memory_limit() // 8:
        return times.astype(np.int64)
    room = Room(gettempdir())
    kept = room.place((times[block].astype(np.int64) for block in blocks), np.dtype(np.int64))
    room.close()
    return kept


def marks_of(schema: Schema, structure: Structure, by_class: bool) -> Marks:
    """[from, to] is 1 for a directed edge; one without direction counts half each way."""
    if not isinstance(structure, Dag | Pdag | UndirectedGraph):
        raise GraphError(f"a learner gives a graph, or a Learned one; found {structure!r}")
    if set(structure.schema.names) != set(schema.names):
        raise SchemaError("the learned graph and the table must have the same variables")
    if isinstance(structure, Dag) and by_class:
        structure = Cpdag.of(structure)
    marks = np.zeros((len(schema), len(schema)))
    for u, v in structure.edges():
        marks[schema.index(u), schema.index(v)] = 1
    if not isinstance(structure, Dag):
        lines = structure.undirected_edges() if isinstance(structure, Pdag) else structure.edges()
        for u, v in lines:
            marks[schema.index(u), schema.index(v)] = marks[schema.index(v), schema.index(u)] = 0.5
    return marks

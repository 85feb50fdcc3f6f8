"""How sure is an edge? Learn again from resampled rows, and count.

Drawing n rows with replacement is the same as giving every row a whole-number weight, so no data are copied:
each repetition sees the table's own columns with other weights. An edge that nearly every repetition finds is
there for a reason; one that half of them find hangs on a few rows (Friedman, Goldszmidt & Wyner 1999).
Repetitions run in threads, and each draws from a seed of its own, so that their number changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.errors import GraphError, SchemaError, SettingError, WeightError
from treewright.graphs import Cpdag, Dag, Pdag, UndirectedGraph
from treewright.learners.classes.edge_confidence import EdgeConfidence
from treewright.learners.learned import Learned
from treewright.tables.databases import Databases
from treewright.tables.schema import Schema
from treewright.tables.table import Table

Structure = Dag | Pdag | UndirectedGraph
Rows = TypeVar("Rows", Table, Databases)
Marks = npt.NDArray[np.float64]


def edge_confidence(
    table: Rows,
    learn: Callable[[Rows], Learned[Any] | Structure],
    *,
    repetitions: int = 100,
    rng: np.random.Generator,
    threads: int | None = None,
    by_class: bool = True,
) -> EdgeConfidence:
    """Learn from resampled rows many times, and tell how often each edge was found, and which way.

    Parameters
    ----------
    table
        The rows, of one table or of several with overlapping columns, each of which is resampled by itself.
        Whole-number weights say how often a row was seen; real weights cannot be resampled.
    learn
        From a table (or several) to a structure, or to what a learner returns. It is called from several
        threads at once.
    repetitions
        How often to learn.
    rng
        Gives one seed to every repetition.
    threads
        Repetitions that run at the same time; by default as many as native calls may use. While they run,
        native calls keep to one thread each.
    by_class
        Whether a DAG stands for its equivalence class: its reversible arcs then speak for both directions
        equally. Turn it off where knowledge gives directions a meaning.

    Returns
    -------
    EdgeConfidence
        The same for any number of threads.

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
    if repetitions < 1:
        raise SettingError(f"repetitions must be 1 or more; found {repetitions!r}")
    if threads is not None and threads < 1:
        raise SettingError(f"threads must be 1 or more; found {threads!r}")
    for part in table.tables if isinstance(table, Databases) else (table,):
        check_resampled(part)
    seeds = np.random.SeedSequence(int(rng.integers(2**63))).spawn(repetitions)
    schema = table.schema

    def once(seed: np.random.SeedSequence) -> Marks:
        found = learn(resampled(table, np.random.default_rng(seed)))
        return marks_of(schema, found.structure if isinstance(found, Learned) else found, by_class)

    marks = np.zeros((len(schema), len(schema)))
    with one_native_thread() as available:
        pool = ThreadPoolExecutor(max_workers=threads or available)
        try:
            for found in pool.map(once, seeds):  # halves and ones add up exactly in any order
                marks += found
        finally:
            pool.shutdown(cancel_futures=True)
    return EdgeConfidence(schema, repetitions, marks)


def check_resampled(table: Table) -> None:
    if table.weights is not None and table.weights.dtype.kind == "f":
        raise WeightError(
            "rows with real weights cannot be resampled; give whole numbers, or none, with table.with_weights"
        )


def resampled(rows: Rows, rng: np.random.Generator) -> Rows:
    """The same rows with other weights: of each table as many draws as it has rows."""
    if isinstance(rows, Databases):
        return Databases([resampled(table, rng) for table in rows.tables], names=rows.names)
    return rows.with_weights(resampled_weights(rows, rng))


def resampled_weights(table: Table, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """How often each row was drawn: as many draws as rows were seen, each row as likely as its weight."""
    if table.weights is None:
        drawn = rng.integers(table.n_rows, size=table.n_rows) if table.n_rows else np.zeros(0, dtype=np.int64)
        return np.bincount(drawn, minlength=table.n_rows).astype(np.int64)
    total = int(table.weights.sum())
    shares = table.weights / total if total else table.weights.astype(np.float64)
    return rng.multinomial(total, shares).astype(np.int64) if total else table.weights.astype(np.int64)


def marks_of(schema: Schema, structure: Structure, by_class: bool) -> Marks:
    """[from, to] is 1 for a directed edge; one without direction counts half each way."""
    if not isinstance(structure, Dag | Pdag | UndirectedGraph):
        raise GraphError(f"a learner gives a graph, or a Learned one; found {structure!r}")
    if set(structure.schema.names) != set(schema.names):
        raise SchemaError("the learned graph and the table must have the same variables")
    if isinstance(structure, Dag) and by_class:
        structure = Cpdag.of(structure)
    marks = np.zeros((len(schema), len(schema)))
    arrows = structure.edges() if isinstance(structure, Dag) else []
    lines = structure.edges() if isinstance(structure, UndirectedGraph) else []
    if isinstance(structure, Pdag):
        arrows, lines = structure.directed_edges(), structure.undirected_edges()
    for u, v in arrows:
        marks[schema.index(u), schema.index(v)] = 1
    for u, v in lines:
        marks[schema.index(u), schema.index(v)] = marks[schema.index(v), schema.index(u)] = 0.5
    return marks


@contextmanager
def one_native_thread() -> Iterator[int]:
    """Native calls on one thread each for a while; gives the number there was."""
    before = _core.threads()
    _core.set_threads(1)
    try:
        yield before
    finally:
        _core.set_threads(before)

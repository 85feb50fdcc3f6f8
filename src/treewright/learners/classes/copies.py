"""Columns that are relabellings of each other.

No data can tell which of two copies owns an edge: a search that keeps both spreads edges over them at chance.
One of them, the original, takes part in the search; each of the others is hung on it by a single edge.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from treewright.criteria.scores.cached_score import CachedScore
from treewright.criteria.scores.edge_prior import EdgePrior
from treewright.criteria.scores.score import LocalScore
from treewright.graphs import Cpdag, Dag
from treewright.statistics.families import family_statistics
from treewright.statistics.whole import WholeCounter
from treewright.tables.schema import Schema
from treewright.types import Matrix

Copy = tuple[int, int]  # the original, the copy


@dataclass(frozen=True)
class Copies:
    """The copies of a table that a search leaves out."""

    pairs: tuple[Copy, ...]

    def named(self, schema: Schema) -> tuple[tuple[str, str], ...]:
        return tuple((schema.names[a], schema.names[b]) for a, b in self.pairs)

    def without_copies(self, allowed: Matrix) -> Matrix:
        """Pairs of originals only."""
        kept = allowed.copy()
        for _, copy in self.pairs:
            kept[copy, :] = kept[:, copy] = False
        return kept

    def taken_from(self, start: Cpdag | Dag, schema: Schema) -> Cpdag | Dag:
        """A start without the edges at which copies hang: they are hung again at the end."""
        copies = {schema.names[copy] for _, copy in self.pairs}
        if not any(copies.intersection(edge) for edge in start.edges()):
            return start
        dag = start.to_dag() if isinstance(start, Cpdag) else start
        return Dag(dag.schema, [edge for edge in dag.edges() if not copies.intersection(edge)])

    def with_partners_of_copies(self, pairs: Matrix) -> Matrix:
        """Each original joined with the partners of its copies as well."""
        joined = pairs.copy()
        for original, copy in self.pairs:
            joined[original, :] |= joined[copy, :]
            joined[:, original] |= joined[:, copy]
        np.fill_diagonal(joined, False)
        return joined


def remarks_on_copies(pairs: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """What is worth saying about columns that are copies, one sentence each.

    Examples
    --------
    >>> remarks_on_copies([("city", "code")])
    ('the rows cannot tell city from code: edges of city could as well be edges of code',)
    """
    return tuple(
        f"the rows cannot tell {a} from {b}: edges of {a} could as well be edges of {b}" for a, b in pairs
    )


def merge_copies(
    score: LocalScore,
    allowed: Matrix,
    start: Cpdag | Dag | None = None,
    mentions: npt.NDArray[np.intp] | None = None,
) -> Copies:
    """Which columns a search may leave out.

    The original of a group is the column that the knowledge mentions, then the one with most allowed
    partners, then fewest declared states, then first name. A column that may not be joined with it, or has
    other edges in the start, is no copy here.
    """
    counter = _table_behind(score)
    if counter is None:
        return Copies(())
    names, states = counter.schema.names, counter.schema.cardinalities
    partners = allowed.sum(axis=1)
    known = np.zeros(len(names), dtype=np.intp) if mentions is None else mentions
    found: list[Copy] = []
    for group in counter.copies:
        original, *others = sorted(group, key=lambda v: (-known[v], -partners[v], states[v], names[v]))
        found += [
            (original, copy)
            for copy in others
            if allowed[original, copy] and _hangs_on(start, names[original], names[copy])
        ]
    return Copies(tuple(sorted(found, key=lambda pair: (names[pair[0]], names[pair[1]]))))


def _hangs_on(start: Cpdag | Dag | None, original: str, copy: str) -> bool:
    """Whether the copy has no edge in the start but the one to its original."""
    if start is None:
        return True
    return all({u, v} <= {original, copy} for u, v in start.edges() if copy in (u, v))


def _table_behind(score: LocalScore) -> WholeCounter | None:
    """The table in memory that a score judges, its wrappers seen through."""
    inner = score
    while isinstance(inner, CachedScore | EdgePrior):
        inner = inner.inner
    counter = getattr(inner, "counter", None)
    if counter is None:
        return None
    statistics = family_statistics(counter)
    return statistics if isinstance(statistics, WholeCounter) else None

"""Which pairs of variables a search over classes may join, and when it lets them in."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from treewright.criteria.scores.edge_prior import EdgePrior
from treewright.criteria.scores.score import CachedScore, LocalScore
from treewright.errors import SchemaError, SettingError
from treewright.graphs import Cpdag, Dag, UndirectedGraph
from treewright.statistics.families import as_family_statistics
from treewright.statistics.whole import WholeCounter
from treewright.tables.schema import Schema
from treewright.types import Matrix

Copy = tuple[int, int]  # the original, the copy


@dataclass(frozen=True)
class Copies:
    """The columns that are relabellings of others, which a search leaves out.

    No data can tell which of two copies owns an edge: a search that keeps both spreads edges over them at
    chance. The original takes part in the search; each of the others is hung on it by a single edge.
    """

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


def innermost(score: LocalScore) -> object:
    """The score inside all its wrappers."""
    inner: object = score
    while hasattr(inner, "inner"):
        inner = inner.inner
    return inner


def _table_behind(score: LocalScore) -> WholeCounter | None:
    """The table in memory that a score judges, its wrappers seen through."""
    inner = score
    while isinstance(inner, CachedScore | EdgePrior):
        inner = inner.inner
    counter = getattr(inner, "counter", None)
    if counter is None:
        return None
    statistics = as_family_statistics(counter)
    return statistics if isinstance(statistics, WholeCounter) else None


Allowed = UndirectedGraph | Matrix


@dataclass(frozen=True)
class PairSchedule:
    """Which pairs a search lets in when: undirected graphs, or symmetric matrices in the order of the schema.

    Attributes
    ----------
    first
        The pairs to begin with; by default those that are useful on their own.
    again
        With effort 2 or 3: variables are reopened among these pairs and the first ones, in three ways and
        with a second start, before others are let in, and not once more after that.
    loosely
        With effort 2 or 3 and a score that charges for each edge: these pairs and the first ones are searched
        at half that price and then at all of it, which lets in edges that pay only together. The better of
        the two classes stays.
    singly
        With `again`: single edges are reopened as well, among the same pairs, before others are let in.
    then
        The pairs that are let in afterwards, beside the first ones; by default all that are allowed.
    """

    first: Allowed | None = None
    again: Allowed | None = None
    loosely: Allowed | None = None
    singly: bool = False
    then: Allowed | None = None


@dataclass(frozen=True)
class Stages:
    """The pairs of each stage, copies left out: which are joined first, looked at again, and let in later."""

    allowed: Matrix
    first: Matrix
    again: Matrix | None
    loosely: Matrix | None
    later: Matrix
    singly: bool
    has_later: bool  # whether `then` was given

    def with_first(self, pairs: Matrix) -> Matrix:
        return self.allowed & (self.first | pairs)

    def let_everything_in(self, certificate: bool) -> bool:
        return bool(((self.later if certificate else self.first) | ~self.allowed).all())


def plan_stages(
    schedule: PairSchedule, allowed: Matrix, copies: Copies, useful: Callable[[], Matrix], schema: Schema
) -> Stages:
    """The pairs of each stage; an original stands for its copies, `useful` gives the default of the first."""

    def chosen(name: str) -> Matrix | None:
        given = getattr(schedule, name)
        return None if given is None else copies.with_partners_of_copies(pair_matrix(given, name, schema))

    first, then = chosen("first"), chosen("then")
    first = useful() if first is None else first
    return Stages(
        allowed=allowed,
        first=first,
        again=chosen("again"),
        loosely=chosen("loosely"),
        later=allowed if then is None else allowed & (first | then),
        singly=schedule.singly,
        has_later=then is not None,
    )


def pair_matrix(given: Allowed | None, name: str, schema: Schema) -> Matrix:
    """A symmetric matrix of pairs in the order of the schema; by default all."""
    n = len(schema)
    if given is None:
        return ~np.eye(n, dtype=np.bool_)
    if isinstance(given, UndirectedGraph):
        require_same_names(schema, given.schema, name)
        return adjacency(UndirectedGraph(schema, given.edges()))
    pairs = np.asarray(given, dtype=np.bool_)
    if pairs.shape != (n, n) or not (pairs == pairs.T).all():
        raise SettingError(
            f"{name} must be an undirected graph or a symmetric matrix of {n} x {n} truth values; found "
            f"the shape {pairs.shape}" + ("" if pairs.shape != (n, n) else ", not symmetric")
        )
    return pairs


def adjacency(graph: UndirectedGraph) -> Matrix:
    """A graph as a symmetric matrix."""
    matrix = np.zeros((len(graph.schema), len(graph.schema)), dtype=np.bool_)
    u, v = graph.edge_array.T
    matrix[u, v] = matrix[v, u] = True
    return matrix


def require_same_names(ours: Schema, theirs: Schema, name: str) -> None:
    if sorted(ours.names) != sorted(theirs.names):
        odd = sorted(set(ours.names) ^ set(theirs.names))
        raise SchemaError(
            f"{name} and the score must have the same variables; only one of them has "
            + ", ".join(map(repr, odd[:20]))
        )

"""Which tables to collect: the fewest column sets that hold every variable together with its parents.

Tables with overlapping columns determine the whole network when every family (a variable with its parents)
lies in one of them. Given a draft of the network and a largest number of columns, families are packed into as
few tables as possible: like filling bins, except that families that overlap take less room together. Small
cases are solved by an exhaustive search over where the next family goes; larger ones by greedy packing and
by emptying one table after the other into the rest. A bound from below (families that pairwise fit in no
common table, and columns over room) says when the answer is proven to be the smallest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import or_

from treewright.arguments import DAG, require
from treewright.errors import GraphError, SettingError
from treewright.graphs._bits import set_bits
from treewright.graphs.directed.dag import Dag
from treewright.ranges import in_range

# Places that the exhaustive search may try before it gives up.
_MOST_TRIES = 200_000
_ROUNDS = 40


@dataclass(frozen=True)
class DatabaseDesign:
    """Tables that determine a network.

    Attributes
    ----------
    tables
        Column sets, by name, sorted; every family of the network lies in one of them.
    is_smallest, at_least
        Whether it is proven that no fewer tables of this size do; how many are needed in any case.
    """

    tables: tuple[tuple[str, ...], ...]
    is_smallest: bool
    at_least: int

    def __len__(self) -> int:
        return len(self.tables)

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self.tables)

    def __getitem__(self, i: int) -> tuple[str, ...]:
        return self.tables[i]


@in_range
def design_databases(dag: Dag, max_columns: int) -> DatabaseDesign:
    """The fewest tables of at most so many columns from which a network can be learned and fitted.

    `dag` is a draft of the network, of which only the families matter. Room that is left is not filled up.

    Raises
    ------
    SettingError
        When a family alone has more than `max_columns` columns; the message names it.

    Examples
    --------
    >>> import treewright as tw
    >>> design = tw.graphs.design_databases(tw.load_network("asia").dag, 4)
    >>> design.is_smallest
    True
    >>> design.tables[:2]
    (('asia', 'either', 'lung', 'tub'), ('bronc', 'dysp', 'either', 'smoke'))
    """
    require("design_databases", DAG, dag)
    if isinstance(max_columns, bool) or not isinstance(max_columns, int) or max_columns < 1:
        raise SettingError(f"max_columns must be a whole number from 1 on; found {max_columns!r}")
    packing = _Packing(_families(dag, max_columns), max_columns)
    bound = packing.bound()
    best = packing.greedy()
    if len(best) > bound:
        best = packing.improved(best, bound)
    proven = len(best) == bound
    if not proven:
        best, proven = packing.exhaustive(best, bound)
    names = sorted(dag.schema.names)
    tables = [tuple(names[i] for i in set_bits(table)) for table in best]
    return DatabaseDesign(tuple(sorted(tables)), proven, len(best) if proven else bound)


def _families(dag: Dag, max_columns: int) -> list[int]:
    """The families that lie in no other, as bits by rank of the name; the largest first."""
    names, rank = dag.schema.names, dag.schema.name_ranks
    if not rank:
        raise GraphError("a network without variables needs no tables")
    found = set()
    for v in dag.schema.name_order:
        parents = dag.parents(v)
        if len(parents) >= max_columns:
            shown = ", ".join(sorted(repr(names[p]) for p in parents))
            raise SettingError(
                f"{names[v]!r} and its parents {shown} are {len(parents) + 1} columns; a table of at most "
                f"{max_columns} cannot hold them: raise max_columns"
            )
        found.add(sum(1 << rank[u] for u in (v, *parents)))
    kept: list[int] = []
    for family in sorted(found, key=lambda f: (-f.bit_count(), set_bits(f))):
        if not any(family & ~larger == 0 for larger in kept):
            kept.append(family)
    return kept


class _Packing:
    """Families, as bits, into tables of bounded size."""

    def __init__(self, families: Sequence[int], room: int) -> None:
        self.families = list(families)
        self.room = room

    def bound(self) -> int:
        """Tables that are needed in any case."""
        every = reduce(or_, self.families, 0)
        # tables that hang together share a column with what is there before, so all but the first bring less
        parts = _count_parts(self.families)
        by_columns = -(-(every.bit_count() - parts) // max(self.room - 1, 1))
        apart: list[int] = []  # greedily: families of which no two fit in one table
        for family in self.families:
            if all((family | other).bit_count() > self.room for other in apart):
                apart.append(family)
        return max(by_columns, len(apart), 1)

    def greedy(self, first: int = 0) -> list[int]:
        """Fill one table after the other with the family that brings least that is new."""
        left = self.families[first:] + self.families[:first]
        tables = []
        while left:
            table = left.pop(0)
            while True:
                fitting = [f for f in left if (table | f).bit_count() <= self.room]
                if not fitting:
                    break
                table |= min(fitting, key=partial(_new_columns, table))
                left = [f for f in left if f & ~table]
            tables.append(table)
        return tables

    def improved(self, best: list[int], bound: int) -> list[int]:
        """Greedy packings from other first families, then tables emptied into the others."""
        for first in range(1, min(len(self.families), _ROUNDS)):
            if len(best) > bound:
                best = min(best, self.greedy(first), key=len)
        fewer: list[int] | None = best
        while fewer is not None and len(best := fewer) > bound:
            fewer = next((found for i in range(len(best)) if (found := self._without(best, i))), None)
        return best

    def _without(self, tables: list[int], i: int) -> list[int] | None:
        """One table less: its families put where they bring least that is new, if there is room."""
        rest = tables[:i] + tables[i + 1 :]
        needed = [self._needed(rest, k) for k in range(len(rest))]
        homeless = [f for f in self.families if not any(f & ~t == 0 for t in needed)]
        for family in homeless:
            room = [k for k, t in enumerate(needed) if (t | family).bit_count() <= self.room]
            if not room:
                return None
            k = min(room, key=lambda k: ((family & ~needed[k]).bit_count(), -needed[k].bit_count(), k))
            needed[k] |= family
        return [t for t in needed if t]

    def _needed(self, tables: list[int], k: int) -> int:
        """What a table has to hold for families that no earlier table holds."""
        first = (f for f in self.families if f & ~tables[k] == 0 and all(f & ~t for t in tables[:k]))
        return reduce(or_, first, 0)

    def exhaustive(self, best: list[int], bound: int) -> tuple[list[int], bool]:
        """Try every place for the next family, the hardest first; whether all were tried."""
        tries = 0
        stack: list[tuple[int, tuple[int, ...]]] = [(0, ())]
        while stack:
            at, tables = stack.pop()
            while at < len(self.families) and any(self.families[at] & ~t == 0 for t in tables):
                at += 1
            if at == len(self.families):
                if len(tables) < len(best):
                    best = list(tables)
                    if len(best) == bound:
                        return best, True
                continue
            tries += 1
            if tries > _MOST_TRIES:
                return best, False
            family = self.families[at]
            if len(tables) + 1 < len(best):
                stack.append((at + 1, (*tables, family)))
            places = [k for k, t in enumerate(tables) if (t | family).bit_count() <= self.room]
            if len(tables) >= len(best):
                continue
            for k in sorted(places, key=lambda k: -(family & ~tables[k]).bit_count()):
                stack.append((at + 1, (*tables[:k], tables[k] | family, *tables[k + 1 :])))
        return best, True


def _count_parts(families: Sequence[int]) -> int:
    """Into how many parts the variables fall that have no family in common."""
    parts: list[int] = []
    for family in families:
        touching = [part for part in parts if part & family]
        parts = [part for part in parts if not part & family]
        parts.append(reduce(or_, touching, family))
    return len(parts)


def _new_columns(table: int, family: int) -> tuple[int, int, tuple[int, ...]]:
    """How many columns a family brings to a table, how few it shares; ties by name."""
    return (family & ~table).bit_count(), -(family & table).bit_count(), set_bits(family)

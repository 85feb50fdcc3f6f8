"""Which variables to hold fixed so that rows tell what acting would change.

Rows show how x and y go together; acting on x shows what x does to y. The two differ where something lies
behind both. A **back-door** set has no descendant of x and blocks every path between x and y that begins with
an arrow into x: within its states, rows and actions agree. A **front-door** set lies on every directed path
from x to y; nothing unblocked leads from behind x into it, and x blocks what leads from behind it to y: then
two steps, each free of what is behind, give the answer although that was never seen (Pearl 1995).

All of this holds *if* the arcs are causes and the graph has every common cause: rows cannot tell that.

Minimal back-door sets are the minimal separators of x and y in the moral graph of their ancestors, once the
arcs out of x are gone; they are listed one from the other (Shen & Liang 1997). Other sets are tried by size.

References
----------
Pearl (1995). Causal diagrams for empirical research. Biometrika 82.
Shen & Liang (1997). Efficient enumeration of all minimal separators in a graph. Theoretical Computer Science.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice

from treewright.arguments import DAG, require
from treewright.errors import GraphError, SettingError
from treewright.graphs.directed.dag import Dag
from treewright.ranges import in_range
from treewright.tables.schema import NameOrIndex
from treewright.types import Scope

Names = tuple[str, ...]
Near = dict[int, set[int]]
_TRIES = 1 << 14  # sets that are tried one by one for each kind of set
_BATCH = 1 << 10
_SHOWN = 8


@dataclass(frozen=True, repr=False)
class AdjustmentSets:
    """Sets that tell the effect of one variable on another, if the arcs are causes.

    Attributes
    ----------
    back_door, front_door
        Sets of names: those without a proper subset among them first, each part by size, then by names.
    n_minimal
        How many of the back-door sets, from the first on, have no proper subset that is one.
    is_complete
        Whether these are all; if not, the limit was reached.
    """

    treatment: str
    outcome: str
    back_door: tuple[Names, ...]
    front_door: tuple[Names, ...]
    n_minimal: int
    is_complete: bool

    @property
    def minimal(self) -> tuple[Names, ...]:
        """The back-door sets without a proper subset that is one."""
        return self.back_door[: self.n_minimal]

    def __repr__(self) -> str:
        lines = [f"adjustment sets for the effect of {self.treatment} on {self.outcome}"]
        lines += [f"  back-door   {_listed(self.back_door)}", f"  front-door  {_listed(self.front_door)}"]
        lines += [] if self.is_complete else ["  there may be more than these"]
        return "\n".join([*lines, "  if the arcs are causes and the graph has every common cause"])


def _listed(sets: Sequence[Names]) -> str:
    more = [f"and {len(sets) - _SHOWN:,} more"] if len(sets) > _SHOWN else []
    return ", ".join(["{" + ", ".join(one) + "}" for one in sets[:_SHOWN]] + more) or "none"


@in_range
def adjustment_sets(
    dag: Dag, x: str, y: str, *, hidden: Iterable[str] = (), limit: int = 100
) -> AdjustmentSets:
    """The back-door and front-door sets for the effect of `x` on `y`, the minimal ones first.

    They hold only if the arcs are causes and the graph has every common cause of its variables (put one that
    was never measured into the graph and name it in `hidden`). One treatment and one outcome at a time.

    Parameters
    ----------
    hidden
        Variables that nobody measured: no set has them.
    limit
        The most sets of either kind; `is_complete` tells whether there were more. Sets that are not minimal,
        and front-door sets, are looked for among the 16,384 smallest candidates only.

    Examples
    --------
    >>> import treewright as tw
    >>> asia = tw.load_network("asia").dag
    >>> tw.adjustment_sets(asia, "bronc", "dysp", limit=3)
    adjustment sets for the effect of bronc on dysp
      back-door   {either}, {lung}, {smoke}
      front-door  none
      there may be more than these
      if the arcs are causes and the graph has every common cause
    >>> tar = tw.Dag(
    ...     tw.Schema([tw.Variable(name) for name in ("gene", "smoke", "tar", "cancer")]),
    ...     [("gene", "smoke"), ("gene", "cancer"), ("smoke", "tar"), ("tar", "cancer")],
    ... )
    >>> tw.adjustment_sets(tar, "smoke", "cancer", hidden=["gene"]).front_door
    (('tar',),)
    """
    require("adjustment_sets", DAG, dag)
    if limit < 1:
        raise SettingError(f"limit= of adjustment_sets is a whole number from 1 on; found {limit}")
    task = _Task(dag, *_ends(dag, x, y), frozenset(dag.schema.scope(hidden)))
    separators, all_found = task.minimal_sets(limit)
    back, all_back = task.others(separators, task.back_candidates, task.are_back_doors, limit)
    front, all_front = task.others([], task.front_candidates, task.are_front_doors, limit)
    sorted_front = sorted(front, key=lambda one: not _is_minimal(one, front))  # stable: size, then names
    return AdjustmentSets(
        treatment=dag.schema.names[task.x],
        outcome=dag.schema.names[task.y],
        back_door=tuple(map(task.named, back)),
        front_door=tuple(map(task.named, sorted_front)),
        n_minimal=min(len(separators), limit),
        is_complete=all_found and all_back and all_front,
    )


def is_back_door_set(dag: Dag, x: NameOrIndex, y: NameOrIndex, given: Iterable[NameOrIndex]) -> bool:
    """Whether `given` has no descendant of x and blocks every path that begins with an arrow into x.

    Examples
    --------
    >>> import treewright as tw
    >>> asia = tw.load_network("asia").dag
    >>> is_back_door_set(asia, "bronc", "dysp", ["smoke"]), is_back_door_set(asia, "bronc", "dysp", [])
    (True, False)
    """
    require("is_back_door_set", DAG, dag)
    task = _Task(dag, *_ends(dag, x, y), frozenset())
    scope = dag.schema.scope(given)
    return set(scope) <= set(task.back_candidates) and next(task.are_back_doors([scope]))


def _ends(dag: Dag, x: NameOrIndex, y: NameOrIndex) -> tuple[int, int]:
    tail, head = dag.schema.index(x), dag.schema.index(y)
    if tail == head:
        raise GraphError(
            f"an effect is that of one variable on another; found {dag.schema.names[tail]!r} twice"
        )
    return tail, head


def _is_minimal(one: Scope, sets: Iterable[Scope]) -> bool:
    return not any(set(other) < set(one) for other in sets)


class _Task:
    """One question, with the graph that has lost the arcs out of x."""

    def __init__(self, dag: Dag, x: int, y: int, hidden: frozenset[int]) -> None:
        self.dag, self.x, self.y, self.hidden = dag, x, y, hidden
        self.behind = _cut(dag, {x})
        below = {x, *dag.descendants(x)}
        self.measured = [v for v in dag.schema.name_order if v not in hidden and v not in (x, y)]
        self.back_candidates = [v for v in self.measured if v not in below]
        linked = self.behind.native.connected((x,), ())
        self._below: Near = {v: set(dag.children(v)) for v in range(len(dag.schema))}
        within = [v for v in self.measured if not linked[v]]
        stops_all = y not in _component(self._below, x, within)
        self.front_candidates = within if stops_all else []  # then the empty set alone is tried, and fails

    def named(self, scope: Scope) -> Names:
        return self.dag.schema.names_of(scope)

    def minimal_sets(self, limit: int) -> tuple[list[Scope], bool]:
        """Minimal back-door sets by size and names, and whether they are all."""
        near = self._moral_ancestors()
        if self.y in near[self.x]:
            return [], True
        found = list(islice(_minimal_separators(near, self.x, self.y), limit + 1))
        by_name = [self.dag.schema.by_name(one) for one in found]
        return sorted(by_name, key=self._rank)[:limit], len(found) <= limit

    def _rank(self, scope: Scope) -> tuple[int, Names]:
        return len(scope), self.named(scope)

    def _moral_ancestors(self) -> Near:
        """The moral graph of x, y and what is above them; who may be in no set is eliminated from it."""
        kept = {self.x, self.y, *self.behind.ancestors((self.x, self.y))}
        near: Near = {v: set() for v in self.dag.schema.by_name(kept)}
        for v in kept:
            for a, b in combinations((v, *self.behind.parents(v)), 2):
                near[a].add(b)
                near[b].add(a)
        for gone in kept - {self.x, self.y, *self.back_candidates}:
            around = near.pop(gone)
            for v in around:
                near[v] |= around
                near[v] -= {v, gone}
        return near

    def others(
        self,
        first: list[Scope],
        candidates: Sequence[int],
        judge: Callable[[Sequence[Scope]], Iterator[bool]],
        limit: int,
    ) -> tuple[list[Scope], bool]:
        """The sets that are known, then others that pass by size and names; and whether these are all."""
        found, known = list(first), set(first)
        every = chain.from_iterable(combinations(candidates, n) for n in range(len(candidates) + 1))
        tried = islice(every, _TRIES)
        while batch := tuple(islice(tried, _BATCH)):
            for scope, passes in zip(batch, judge(batch), strict=True):
                if passes and scope not in known:
                    found.append(scope)
            if len(found) > limit:
                return found[:limit], False
        return found[:limit], 2 ** len(candidates) <= _TRIES and len(found) <= limit

    def are_back_doors(self, scopes: Sequence[Scope]) -> Iterator[bool]:
        return map(bool, self.behind.native.separated_many([(self.x, self.y, one) for one in scopes]))

    def are_front_doors(self, scopes: Sequence[Scope]) -> Iterator[bool]:
        for scope in scopes:
            is_between = self.y not in _component(self._below, self.x, scope)
            yield is_between and self._is_free_behind(scope)

    def _is_free_behind(self, scope: Scope) -> bool:
        if not scope:
            return True
        reached = _cut(self.dag, set(scope)).native.connected(scope, (self.x,))
        return not reached[self.y]


def _cut(dag: Dag, tails: set[int]) -> Dag:
    """The graph without the arcs out of some variables."""
    return Dag(dag.schema, [arc for arc in dag.index_edges() if arc[0] not in tails])


def _minimal_separators(near: Near, x: int, y: int) -> Iterator[frozenset[int]]:
    """Every minimal set between two that are not adjacent: from the one closest to x on, a step at a time."""

    def towards_y(side: set[int]) -> frozenset[int]:
        """What bounds the part of y once `side` and all that touches it are gone."""
        reached = _component(near, y, side.union(*(near[v] for v in side)))
        return frozenset(set().union(*(near[v] for v in reached)) - reached)

    waiting = [towards_y({x})]
    seen = set(waiting)
    for separator in waiting:  # which grows meanwhile
        yield separator
        side = _component(near, x, separator)
        for v in (v for v in near if v in separator and y not in near[v]):
            further = towards_y(side | {v})
            if further not in seen:
                seen.add(further)
                waiting.append(further)


def _component(near: Near, start: int, removed: Iterable[int]) -> set[int]:
    found, left = {start}, [start]
    gone = set(removed)
    while left:
        for v in near[left.pop()] - found - gone:
            found.add(v)
            left.append(v)
    return found

"""From local graphs to one: how knots vote on the directions of their edges.

Every cluster of variables has been learned on its own, and the graphs (*knots*) overlap. An edge of the whole
is an edge of some knot. Where knots disagree about its direction, Zeng & Hernandez (2008) decide without new
v-structures and without cycles, and else by chance. Two rules are here.

`combine_dags` is theirs, repaired. The text asks about v-structures first and about cycles then: in that
order the directions of many sets of knots close a cycle. With cycles first none does. And what would be
chance is a vote, so that results can be repeated.

`combine_classes` lets only those arrows vote that a knot is sure of; edges that may point either way abstain.
A DAG drawn from each knot invents directions that contradict each other later.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import Literal

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.criteria.tests.independence import one_of
from treewright.errors import SettingError
from treewright.graphs import Cpdag, Dag, Pdag, apply_meek_rules, find_nearest_extension
from treewright.graphs.edges import NamedArc, named_pairs
from treewright.tables.schema import Schema
from treewright.types import Arc

Weights = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Vote:
    """One knot says tail -> head, indices of the schema of the whole."""

    tail: int
    head: int
    evidence: float = 0.0  # decides between equally many votes: the larger the surer
    first: bool = False  # goes before votes that are not: those do not count for the same edge then


@dataclass
class Ballot:
    """The votes about one edge: how many for the way in which it is written, how many against."""

    n_first: int = 0
    n_second: int = 0
    evidence: list[float] = field(default_factory=lambda: [-np.inf, -np.inf])
    goes_first: bool = False

    def add(self, vote: Vote, as_written: bool) -> None:
        if vote.first != self.goes_first:
            if self.goes_first:
                return
            self.n_first, self.n_second, self.evidence = 0, 0, [-np.inf, -np.inf]
            self.goes_first = True
        self.n_first += as_written
        self.n_second += not as_written
        side = 0 if as_written else 1
        self.evidence[side] = max(self.evidence[side], vote.evidence)

    @property
    def is_agreed(self) -> bool:
        return not (self.n_first and self.n_second)

    @property
    def is_tied(self) -> bool:
        return self.n_first == self.n_second

    @property
    def favours_first(self) -> bool:
        """Majority, then evidence, then the name: edges are written with the smaller name first."""
        return (self.n_first, self.evidence[0]) >= (self.n_second, self.evidence[1])


def count_votes(schema: Schema, votes: Iterable[Vote], arcs: Sequence[Arc]) -> dict[Arc, Ballot]:
    """The votes of every edge, smaller name first; known directions are not voted on."""
    rank = schema.name_ranks
    known = {frozenset(arc) for arc in arcs}
    ballots: dict[Arc, Ballot] = {}
    for vote in votes:
        if frozenset((vote.tail, vote.head)) in known:
            continue
        as_written = rank[vote.tail] < rank[vote.head]
        edge = (vote.tail, vote.head) if as_written else (vote.head, vote.tail)
        ballots.setdefault(edge, Ballot()).add(vote, as_written)
    return ballots


def by_strength(schema: Schema, ballots: dict[Arc, Ballot], weights: Weights) -> list[Arc]:
    """Edges that go first, then by weight, by votes and by name."""
    rank = schema.name_ranks

    def place(edge: Arc) -> tuple[bool, float, int, int, int]:
        ballot = ballots[edge]
        n = ballot.n_first + ballot.n_second
        return not ballot.goes_first, -float(weights[edge]), -n, rank[edge[0]], rank[edge[1]]

    return sorted(ballots, key=place)


Tie = Literal["evidence", "random"]


@dataclass(frozen=True)
class Combined:
    """One graph from many."""

    graph: Cpdag  # the equivalence class of `dag`
    dag: Dag  # all edges of all knots, directed
    conflicts: tuple[NamedArc, ...]  # edges about whose direction knots disagreed, by name
    turned: tuple[NamedArc, ...]  # arcs of the DAG against which more knots had voted


def combine_dags(
    schema: Schema,
    votes: Iterable[Vote],
    weights: Weights,
    *,
    tie: Tie = "evidence",
    rng: np.random.Generator | None = None,
    arcs: Sequence[Arc] = (),
) -> Combined:
    """Combine DAGs: the rule of the paper, cycles first.

    (1) Directions without a dissenting vote are placed, strongest edge first, unless they close a cycle.
    (2) Of the other edges, one that would close a cycle one way is placed the other way; else one that would
    make a v-structure one way only is placed the other way; else the strongest is decided by majority.

    Parameters
    ----------
    schema
        All variables.
    votes
        What knots say about edges, in any order.
    weights
        How strong edges are: a symmetric matrix.
    tie
        Equal votes are decided by evidence and then by name, or drawn at random, which needs `rng`.
    rng
        For ``tie="random"``.
    arcs
        Directions that are known and not voted on; they must be acyclic.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.tables.schema import Variable
    >>> schema = Schema([Variable(name) for name in "abcd"])
    >>> knots = [Vote(0, 1), Vote(1, 2)], [Vote(2, 1), Vote(2, 3)]
    >>> found = combine_dags(schema, [vote for knot in knots for vote in knot], np.ones((4, 4)))
    >>> found.dag.edges(), found.conflicts
    ([('a', 'b'), ('b', 'c'), ('c', 'd')], (('b', 'c'),))
    """
    one_of("tie", tie, ("evidence", "random"))
    if tie == "random" and rng is None:
        raise SettingError("tie='random' draws directions: pass rng=, such as numpy.random.default_rng(0)")
    ballots = count_votes(schema, votes, arcs)
    order = by_strength(schema, ballots, weights)
    placing = Placing(schema, arcs, order)
    waiting = [edge for edge in order if not placing.place_if_agreed(edge, ballots[edge])]  # step 1
    for edge in placing.settle(waiting):  # step 2, between votes
        ballot = ballots[edge]
        if tie == "random" and ballot.is_tied:
            assert rng is not None
            placing.place(edge if rng.random() < 0.5 else edge[::-1])
        else:
            placing.place(edge if ballot.favours_first else edge[::-1])
    return _combined(Dag(schema, placing.arcs), ballots)


def combine_classes(
    schema: Schema, votes: Iterable[Vote], edges: Iterable[Arc], weights: Weights, *, arcs: Sequence[Arc] = ()
) -> Combined:
    """Combine equivalence classes: only arrows that a knot is sure of vote.

    The majority decides, equal votes leave an edge open. Arrows are placed strongest first unless they close
    a cycle; then Meek's rules direct what follows, and the rest is extended to a DAG.

    Parameters
    ----------
    schema, votes, weights, arcs
        As in :func:`combine_dags`; `votes` are the compelled arrows.
    edges
        All edges of all knots, with a direction or without.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.tables.schema import Variable
    >>> schema = Schema([Variable(name) for name in "abcd"])
    >>> votes = [Vote(0, 1), Vote(2, 1), Vote(1, 2)]
    >>> found = combine_classes(schema, votes, [(0, 1), (1, 2), (2, 3)], np.ones((4, 4)))
    >>> found.graph.undirected_edges()
    [('a', 'b'), ('b', 'c'), ('c', 'd')]
    """
    ballots = count_votes(schema, votes, arcs)
    placed = _core.DagBuilder(len(schema))
    for arc in arcs:
        placed.add(*arc)
    arrows = list(arcs)
    for edge in by_strength(schema, ballots, weights):
        ballot = ballots[edge]
        arrow = edge if ballot.n_first > ballot.n_second else edge[::-1]
        if not ballot.is_tied and placed.can_add(*arrow):
            placed.add(*arrow)
            arrows.append(arrow)
    directed = {frozenset(arrow) for arrow in arrows}
    marks = Pdag(schema, arrows, [edge for edge in edges if frozenset(edge) not in directed])
    return _combined(find_nearest_extension(apply_meek_rules(marks).graph), ballots)


class Placing:
    """Arcs placed so far, and the edges that wait for a direction."""

    def __init__(self, schema: Schema, arcs: Sequence[Arc], order: Sequence[Arc]) -> None:
        n = len(schema)
        self.arcs: list[Arc] = []
        self.near: list[set[int]] = [set() for _ in range(n)]
        self.parents: list[set[int]] = [set() for _ in range(n)]
        self.children: list[set[int]] = [set() for _ in range(n)]
        self.open: list[set[int]] = [set() for _ in range(n)]
        self.position = {edge: i for i, edge in enumerate(order)}
        self.order = order
        self.forced: list[int] = []  # positions of edges that a v-structure may direct
        self._reach = _core.DagBuilder(n)
        for u, v in [*arcs, *order]:
            self.near[u].add(v)
            self.near[v].add(u)
        for arc in arcs:
            self._add(arc)

    def place_if_agreed(self, edge: Arc, ballot: Ballot) -> bool:
        """Step 1: whether a direction without dissent could be placed."""
        arc = edge if ballot.n_first else edge[::-1]
        if not ballot.is_agreed or not self._reach.can_add(*arc):
            return False
        self._add(arc)
        return True

    def settle(self, waiting: Sequence[Arc]) -> Iterable[Arc]:
        """Place what cycles and v-structures force; whatever is yielded has to be placed by a vote."""
        for u, v in waiting:
            self.open[u].add(v)
            self.open[v].add(u)
        for edge in waiting:  # (cycle); an arc along a path makes no new paths, so that once is enough
            for tail, head in (edge, edge[::-1]):
                if self.is_open(edge) and not self._reach.can_add(head, tail):
                    self.place((tail, head))
        self.forced += [self.position[edge] for edge in waiting if self.is_open(edge)]
        heapify(self.forced)
        for edge in waiting:
            self.place_forced()
            if self.is_open(edge):
                yield edge
        self.place_forced()

    def place_forced(self) -> None:
        """(v-struct) the strongest edge of which one direction only would make a v-structure, and again."""
        while self.forced:
            edge = self.order[heappop(self.forced)]
            if self.is_open(edge):
                ways = [way for way in (edge, edge[::-1]) if self.avoids_v_structure(way)]
                if len(ways) == 1:
                    self.place(ways[0])

    def is_open(self, edge: Arc) -> bool:
        return edge[1] in self.open[edge[0]]

    def avoids_v_structure(self, arc: Arc) -> bool:
        """Whether the other direction would meet an arrow from a variable that is not joined."""
        tail, head = arc
        return not self.parents[tail] <= self.near[head]

    def place(self, arc: Arc) -> None:
        """Place an arc that closes no cycle, and those that any other direction of would now close one."""
        tail, head = arc
        above, below = reached(self.parents, tail), reached(self.children, head)
        self._add(arc)
        for x in above:
            for y in self.open[x] & below:
                self._add((x, y))

    def _add(self, arc: Arc) -> None:
        tail, head = arc
        self._reach.add(tail, head)
        self.arcs.append(arc)
        self.parents[head].add(tail)
        self.children[tail].add(head)
        self.open[tail].discard(head)
        self.open[head].discard(tail)
        for y in self.open[head] - self.near[tail]:  # a new parent of an end that waits
            edge = (head, y) if (head, y) in self.position else (y, head)
            heappush(self.forced, self.position[edge])


def reached(steps: Sequence[set[int]], start: int) -> set[int]:
    """The vertices reached from one, itself included."""
    found, frontier = {start}, [start]
    while frontier:
        new = steps[frontier.pop()] - found
        found |= new
        frontier += new
    return found


def _combined(dag: Dag, ballots: dict[Arc, Ballot]) -> Combined:
    conflicts = [edge for edge, ballot in ballots.items() if not ballot.is_agreed]
    against = [
        edge[::-1] if ballot.n_first > ballot.n_second else edge
        for edge, ballot in ballots.items()
        if not ballot.is_tied
    ]
    turned = [arc for arc in against if dag.has_arc(*arc)]
    disputed = tuple(named_pairs(dag.schema, conflicts, ordered=False))
    return Combined(Cpdag.of(dag), dag, disputed, tuple(named_pairs(dag.schema, turned, ordered=True)))

"""The members of a class of networks, seen from one variable: its possible parents, and in how many members.

An edge without direction can point either way in some member, and what then follows is given by Meek's rules,
which are complete. So directing the open edges of a variable one after the other, both ways and with all that
follows, ends at every set of parents that some member has, and at no other.

What is then still open falls into chordal parts that do not depend on each other, where only the class itself
was given; each has one source in a member, so that its members are counted source by source (He, Jia & Yu
2015). Where knowledge has directed edges inside a part, its edges are tried one by one.

References
----------
Maathuis, Kalisch & Bühlmann (2009). Estimating high-dimensional intervention effects from observational data.
Annals of Statistics 37.
He, Jia & Yu (2015). Counting and exploring sizes of Markov equivalence classes. JMLR 16.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from treewright.arguments import PDAG, require
from treewright.errors import GraphError
from treewright.graphs.directed.pdag import Pdag, close_under_meek, find_consistent_extension
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Arc

_STEPS = 2_000  # closures after which a class is only said to be large
Lines = frozenset[Arc]


def find_possible_parents(graph: Pdag, variable: NameOrIndex) -> dict[tuple[str, ...], int | None]:
    """Every set of parents that a variable has in some member of a class, and in how many members.

    By size, then by names. The number is None where counting would take long. A `GraphError` refuses a graph
    without members.

    Examples
    --------
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable(name) for name in "abc"])
    >>> chain = tw.Cpdag.of(tw.Dag(schema, [("a", "b"), ("b", "c")]))
    >>> find_possible_parents(chain, "b")
    {(): 1, ('a',): 1, ('c',): 1}
    """
    require("find_possible_parents", PDAG, graph)
    if find_consistent_extension(graph) is None:
        raise GraphError("no network has these edges without a further v-structure: the class has no member")
    schema, v = graph.schema, graph.schema.index(variable)
    found = {
        schema.names_of(schema.by_name(u for u, w in leaf.index_directed_edges() if w == v)): leaf
        for leaf in _directed_around(close_under_meek(graph), v)
    }
    counted = _Counting(schema)
    return {one: counted.members(found[one]) for one in sorted(found, key=lambda one: (len(one), one))}


def count_members(graph: Pdag) -> int | None:
    """How many networks a class has; None where counting would take long.

    Examples
    --------
    >>> import treewright as tw
    >>> count_members(tw.Cpdag.of(tw.load_network("alarm").dag))
    16
    """
    require("count_members", PDAG, graph)
    return _Counting(graph.schema).members(close_under_meek(graph))


def _directed_around(graph: Pdag, v: int) -> Iterator[Pdag]:
    """The graph with the edges of one variable directed in every way that a member has."""
    line = next((line for line in graph.index_undirected_edges() if v in line), None)
    if line is None:
        yield graph
        return
    for arc in (line, line[::-1]):
        yield from _directed_around(_with(graph, [arc]), v)


def _with(graph: Pdag, arcs: Iterable[Arc]) -> Pdag:
    """The graph with some of its lines directed, and what follows."""
    taken = list(arcs)
    left = {*graph.index_undirected_edges()} - {(min(arc), max(arc)) for arc in taken}
    return close_under_meek(Pdag(graph.schema, [*graph.index_directed_edges(), *taken], left))


class _Counting:
    """Counts members; parts that come again are counted once."""

    def __init__(self, schema: Schema) -> None:
        self._schema, self._known = schema, dict[Lines, int]()
        self._steps = 0

    def members(self, graph: Pdag) -> int | None:
        try:
            return self._of(graph)
        except OverflowError:
            return None

    def _of(self, graph: Pdag) -> int:
        parts = list(_parts(graph))
        home = {v: part for part in parts for line in part for v in line}
        inside = [arc for arc in graph.index_directed_edges() if home.get(arc[0], 0) is home.get(arc[1], 1)]
        if not inside:
            return math.prod(map(self._chordal, parts))
        line = graph.index_undirected_edges()[0]
        return sum(self._of(self._step(graph, [arc])) for arc in (line, line[::-1]))

    def _chordal(self, part: Lines) -> int:
        """Members of an undirected chordal part: those of each choice of its source."""
        if part not in self._known:
            vertices = sorted({v for line in part for v in line})
            n = len(vertices)
            if len(part) == n - 1:  # a tree
                self._known[part] = n
            elif 2 * len(part) == n * (n - 1):
                self._known[part] = math.factorial(n)
            else:
                alone = Pdag(self._schema, (), part)
                self._known[part] = sum(
                    self._of(self._step(alone, [(v, _other(line, v)) for line in part if v in line]))
                    for v in vertices
                )
        return self._known[part]

    def _step(self, graph: Pdag, arcs: list[Arc]) -> Pdag:
        self._steps += 1
        if self._steps > _STEPS:
            raise OverflowError
        return _with(graph, arcs)


def _other(line: Arc, v: int) -> int:
    return line[0] if line[1] == v else line[1]


def _parts(graph: Pdag) -> Iterator[Lines]:
    """The connected parts of the lines."""
    around: dict[int, set[Arc]] = {}
    for line in graph.index_undirected_edges():
        for v in line:
            around.setdefault(v, set()).add(line)
    left = set(around)
    while left:
        part: set[Arc] = set()
        waiting = [left.pop()]
        while waiting:
            for line in around[waiting.pop()] - part:
                part.add(line)
                fresh = left.intersection(line)
                waiting += fresh
                left -= fresh
        yield frozenset(part)

"""Meek's rules: directions that follow from directions.

In a graph whose v-structures are all known, an undirected edge a - b has to be a -> b when

- R1: c -> a with c and b not adjacent (else a would be the middle of a new v-structure),
- R2: a -> c -> b (else there would be a cycle),
- R3: a - c -> b and a - d -> b with c and d not adjacent,
- R4: a - d -> c -> b with c adjacent to a, and d and b not adjacent (needed with background knowledge only).

References
----------
Meek (1995). Causal inference and causal explanation with background knowledge. UAI.
"""

from __future__ import annotations

from dataclasses import dataclass

from treewright import _core
from treewright.graphs.directed.arcs import NamedArc, as_pairs, named_pairs
from treewright.graphs.directed.pdag import Pdag
from treewright.graphs.ranked import ranks_by_name


@dataclass(frozen=True)
class MeekClosure:
    """A closed graph, and by name the orientations left out because they would have closed a cycle."""

    graph: Pdag
    skipped: tuple[NamedArc, ...]


def close_under_meek(graph: Pdag) -> Pdag:
    """Direct every edge that Meek's rules R1 to R4 direct.

    Examples
    --------
    >>> from treewright.tables import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abc"])
    >>> close_under_meek(Pdag(schema, [("a", "b")], [("b", "c")])).directed_edges()
    [('a', 'b'), ('b', 'c')]
    """
    return meek_closure(graph).graph


def meek_closure(graph: Pdag) -> MeekClosure:
    """Direct every edge that Meek's rules direct, and report what they could not.

    From directions that some DAG has, no rule ever asks for a cycle. Directions found in data may contradict
    each other; an orientation that would close a directed cycle is then skipped, and the edge stays
    undirected unless another rule directs it the other way. Edges are taken in the order of their names.

    Examples
    --------
    >>> from treewright.tables import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abcde"])
    >>> arrows = [("b", "c"), ("c", "d"), ("d", "a"), ("e", "a")]
    >>> closure = meek_closure(Pdag(schema, arrows, [("a", "b")]))
    >>> closure.skipped, closure.graph.undirected_edges()
    ((('a', 'b'),), [('a', 'b')])
    """
    directed, undirected, skipped = _core.close_under_meek(
        len(graph.schema), *graph.marks, ranks_by_name(graph.schema)
    )
    closed = Pdag(graph.schema, as_pairs(directed), as_pairs(undirected))
    return MeekClosure(closed, tuple(named_pairs(graph.schema, as_pairs(skipped), ordered=True)))

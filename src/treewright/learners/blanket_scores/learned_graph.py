"""What a search over undirected graphs returns: the graph, its score, and the flips that led to it."""

from __future__ import annotations

from dataclasses import dataclass, field

from treewright.criteria import StructureScore
from treewright.graphs import UndirectedGraph
from treewright.learners.learned import Learned


@dataclass(frozen=True)
class FlippedEdge:
    """One accepted flip: the edge, whether it was added, and the score afterwards."""

    edge: tuple[str, str]
    added: bool
    score: float


@dataclass(frozen=True)
class LearnedGraph(Learned[UndirectedGraph]):
    """An undirected graph with the score that found it.

    Attributes
    ----------
    structure, trace
        See :class:`Learned`.
    certificate
        Where the width was bounded: clusters that prove it.
    score
        Of the graph, under `criterion`.
    criterion
        The score that was maximised; with ``"auto"`` its open settings are chosen.
    start
        The graph that the search set out from.
    flips
        The accepted flips that lead from the start to the structure.
    maximisers
        All best graphs, where every graph was judged.
    notes
        What the search ``"auto"`` made of the rows, where it changed its mind.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.read_table({"a": [0, 1] * 20, "b": [0, 1] * 20, "c": [0, 0, 1, 1] * 10})
    >>> learned = tw.learn_blankets(tw.BlanketsJointPosterior(tw.count(table)), "ibmap")
    >>> [(flip.edge, flip.added) for flip in learned.flips]
    [(('a', 'b'), True)]
    """

    score: float = field(kw_only=True)
    criterion: StructureScore
    start: UndirectedGraph
    flips: tuple[FlippedEdge, ...] = ()
    maximisers: tuple[UndirectedGraph, ...] = field(default=(), repr=False)

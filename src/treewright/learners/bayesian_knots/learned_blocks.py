"""What block learning returns: the network, its blocks, and what was learned where they overlap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from treewright.graphs import ClusteredDag, Clusters, Edge, UndirectedGraph, edge
from treewright.graphs.directed.arcs import NamedArc
from treewright.learners.bayesian_knots.engines import Knot
from treewright.learners.learned import LearnedNetwork
from treewright.tables.schema import Schema

LABEL = "BL (reconstructed)"


@dataclass(frozen=True)
class Overlap:
    """What two blocks share.

    Attributes
    ----------
    variables
        The shared variables, by name.
    knot
        What was learned about them and their blankets inside the two blocks.
    """

    variables: tuple[str, ...]
    knot: Knot

    def pairs(self, whole: Schema) -> Iterable[Edge]:
        """The pairs it decides about."""
        return (edge(u, v) for u, v in combinations(whole.scope(self.variables), 2))


@dataclass(frozen=True)
class LearnedBlocks(LearnedNetwork[ClusteredDag]):
    """What block learning found: BL (reconstructed).

    Attributes
    ----------
    structure
        A directed graph; `structure.clusters.overlapping` are the blocks, none inside another.
    skeleton
        The edges before directions.
    knots
        The graph of each block.
    overlaps
        What blocks share, two by two, and what was learned about it.
    conflicts, turned
        Edges about whose direction graphs disagreed, and arcs against which more had voted.
    unobeyed
        Edges left out since the knowledge directs them, with stronger ones, round a cycle.
    n_tests
        Distinct tests, all pairs included.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> table = tw.load_network("asia").sample(5_000, rng=np.random.default_rng(0))
    >>> learned = tw.learn_blocks(tw.count(table))
    >>> print(*learned.notes)
    BL (reconstructed): 2 blocks of up to 5 variables, 1 overlap, 6 edges
    >>> learned.overlaps[0].variables
    ('lung', 'smoke')
    """

    skeleton: UndirectedGraph
    knots: tuple[Knot, ...]
    overlaps: tuple[Overlap, ...]
    n_tests: int
    conflicts: tuple[NamedArc, ...] = ()
    turned: tuple[NamedArc, ...] = ()
    unobeyed: tuple[NamedArc, ...] = ()

    label: str = LABEL

    @property
    def clusters(self) -> Clusters:
        """The blocks as a map of the variables."""
        return self.structure.clusters


def tell_of_blocks(knots: Sequence[Knot], n_overlaps: int, n_edges: int) -> str:
    """One line about what was done, with the label under which results belong."""
    largest = max((len(knot.variables) for knot in knots), default=0)
    return (
        f"{LABEL}: {len(knots)} blocks of up to {largest} variables, "
        f"{n_overlaps} overlap{'' if n_overlaps == 1 else 's'}, {n_edges} edges"
    )

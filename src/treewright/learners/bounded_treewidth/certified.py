"""What a learner of bounded treewidth returns: a network, and the proof that it is narrow."""

from __future__ import annotations

from dataclasses import dataclass, field

from treewright.graphs import Dag, JunctionTree
from treewright.learners.learned import LearnedNetwork


@dataclass(frozen=True)
class Iteration:
    """One round of a search: the edges it added together, and where that led.

    Attributes
    ----------
    edges, skipped
        Arcs, as names, in the order in which they were added; how many were chosen but too wide.
    width, score
        Of the chordal cover and of the network, afterwards.
    seconds
        Wall-clock time of the round.
    """

    edges: tuple[tuple[str, str], ...]
    skipped: int
    width: int
    score: float
    seconds: float


@dataclass(frozen=True)
class Certified(LearnedNetwork[Dag]):
    """A network with a junction tree that proves its treewidth.

    Attributes
    ----------
    certificate
        The clique tree of a chordal graph that contains the moral graph of `structure`, ready for exact
        inference. No cluster has more than the treewidth bound plus one variables.
    score
        Sum of the local scores.
    iterations
        The rounds of the search, in order.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.read_table({"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 9, "c": [0, 1, 0, 1] * 9})
    >>> learned = tw.learn_treewidth_chains(tw.BIC(tw.count(table)), treewidth=2)
    >>> learned.certificate.clusters, learned.width
    ((('a', 'b'), ('c',)), 1)
    """

    certificate: JunctionTree = field(kw_only=True)
    score: float = field(kw_only=True)
    iterations: tuple[Iteration, ...]

    @property
    def width(self) -> int:
        """Size of the largest cluster less one: the treewidth of the network is not above it."""
        return self.certificate.width

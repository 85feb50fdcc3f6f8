"""What repeated learning says about edges: how often each was found, and which way it pointed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.errors import FormatError, SettingError
from treewright.graphs import Dag, DagBuilder, UndirectedGraph
from treewright.tables.schema import NameOrIndex, Schema


@dataclass(frozen=True, eq=False, repr=False)
class EdgeConfidence:
    """How many repetitions found each arc.

    Parameters
    ----------
    schema
        The variables.
    repetitions
        How often a structure was learned.
    counts
        `counts[u, v]`: the repetitions with u -> v, an edge without direction counting half each way.

    Examples
    --------
    >>> from treewright.tables import Variable
    >>> schema = Schema([Variable(name) for name in "abc"])
    >>> confidence = EdgeConfidence(schema, 10, np.array([[0, 6.0, 0], [2, 0, 1], [0, 0, 0]]))
    >>> confidence.strength("a", "b"), confidence.direction("a", "b")
    (0.8, 0.75)
    >>> confidence.averaged_network(threshold=0.5).edges()
    [('a', 'b')]
    """

    schema: Schema
    repetitions: int
    counts: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        self.counts.flags.writeable = False

    def __repr__(self) -> str:
        found = len(self.edges())
        return (
            f"EdgeConfidence({len(self.schema)} variables, {found} edges in {self.repetitions} repetitions)"
        )

    def strength(self, u: NameOrIndex, v: NameOrIndex) -> float:
        """Share of the repetitions in which the two are joined."""
        a, b = self.schema.index(u), self.schema.index(v)
        return float(self.counts[a, b] + self.counts[b, a]) / self.repetitions

    def direction(self, tail: NameOrIndex, head: NameOrIndex) -> float:
        """Share of tail -> head among the repetitions that join the two; a half when there are none."""
        u, v = self.schema.index(tail), self.schema.index(head)
        both = float(self.counts[u, v] + self.counts[v, u])
        return float(self.counts[u, v]) / both if both else 0.5

    def edges(self) -> list[tuple[str, str, float, float]]:
        """Pairs that were ever joined, as (from, to, strength, direction), the strongest first.

        The likelier direction is given; of two equally likely ones, that from the smaller name.
        """
        found = []
        for u, v in combinations(sorted(self.schema.names), 2):
            strength = self.strength(u, v)
            if strength > 0:
                forth = self.direction(u, v)
                found.append((u, v, strength, forth) if forth >= 0.5 else (v, u, strength, 1 - forth))
        return sorted(found, key=lambda edge: (-edge[2], edge[0], edge[1]))

    def to_frame(self) -> Any:
        """A pandas frame of :meth:`edges`: from, to, strength, direction."""
        try:
            import pandas as pd  # type: ignore[import-untyped,unused-ignore]
        except ImportError:
            raise ImportError("to_frame() needs pandas; install it, or use edges()") from None
        return pd.DataFrame(self.edges(), columns=["from", "to", "strength", "direction"])

    def to_dict(self) -> dict[str, Any]:
        """What JSON can say of it: repetitions, and [a, b, found as a -> b, found as b -> a] of each pair.

        Examples
        --------
        >>> from treewright.tables import Variable
        >>> schema = Schema([Variable(name) for name in "ab"])
        >>> EdgeConfidence(schema, 10, np.array([[0, 6.0], [2, 0]])).to_dict()
        {'repetitions': 10, 'edges': [['a', 'b', 6.0, 2.0]]}
        """
        index, counts = self.schema.index, self.counts.tolist()
        pairs = [
            [u, v, counts[index(u)][index(v)], counts[index(v)][index(u)]]
            for u, v in combinations(sorted(self.schema.names), 2)
        ]
        return {"repetitions": self.repetitions, "edges": [pair for pair in pairs if any(pair[2:])]}

    @staticmethod
    def from_dict(schema: Schema, plain: Mapping[str, Any]) -> EdgeConfidence:
        """What :meth:`to_dict` said, about these variables.

        Examples
        --------
        >>> from treewright.tables import Variable
        >>> schema = Schema([Variable(name) for name in "ab"])
        >>> plain = {"repetitions": 10, "edges": [["a", "b", 6.0, 2.0]]}
        >>> EdgeConfidence.from_dict(schema, plain).strength("a", "b")
        0.8
        """
        counts = np.zeros((len(schema), len(schema)))
        try:
            repetitions = int(plain["repetitions"])
            for u, v, forth, back in plain["edges"]:
                a, b = schema.index(u), schema.index(v)
                counts[a, b], counts[b, a] = forth, back
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError(f"how sure edges are cannot be read: {error}") from None
        if repetitions < 1 or not ((counts >= 0) & (counts + counts.T <= repetitions)).all():
            raise FormatError("how sure edges are cannot be read: an edge is found 0 to `repetitions` times")
        return EdgeConfidence(schema, repetitions, counts)

    def optimal_threshold(self) -> float:
        """The least strength that is not noise, by the rule of Scutari & Nagarajan (2013).

        If every edge were certain, strengths would be 0 or 1. Of all such distributions, the one nearest in
        total (L1) distance to the distribution of the strengths says which share of the pairs is noise. That
        nearest one is found at a median, the share of pairs with a strength of at most one half; so what
        counts is an edge that more than half of the repetitions found. (An edge found by exactly half of them
        leaves two distributions equally near; the stricter one is taken.)
        """
        return (self.repetitions // 2 + 1) / self.repetitions

    def averaged_network(self, threshold: float | None = None) -> Dag:
        """The graph of the edges at least as strong as a threshold, in their likelier direction.

        Parameters
        ----------
        threshold
            From 0 to 1; by default :meth:`optimal_threshold`.

        Notes
        -----
        Edges are drawn from the strongest on, then by name. One that would close a cycle is turned round: its
        presence is surer than its direction.
        """
        least = self._least(threshold)
        builder = DagBuilder(self.schema)
        for tail, head, strength, _ in self.edges():
            if strength >= least:
                forth = builder.can_add(tail, head)
                builder.add(*((tail, head) if forth else (head, tail)))
        return builder.freeze()

    def averaged_graph(self, threshold: float | None = None) -> UndirectedGraph:
        """The edges at least as strong as a threshold, without directions: for learners of undirected graphs.

        Examples
        --------
        >>> from treewright.tables import Variable
        >>> schema = Schema([Variable(name) for name in "abc"])
        >>> confidence = EdgeConfidence(schema, 10, np.array([[0, 4.0, 1], [4.0, 0, 0], [1.0, 0, 0]]))
        >>> confidence.averaged_graph().edges()
        [('a', 'b')]
        """
        least = self._least(threshold)
        pairs = [(u, v) for u, v, strength, _ in self.edges() if strength >= least]
        return UndirectedGraph(self.schema, pairs)

    def _least(self, threshold: float | None) -> float:
        if threshold is not None and not 0 <= threshold <= 1:
            raise SettingError(f"a threshold is a share from 0 to 1; found {threshold!r}")
        return self.optimal_threshold() if threshold is None else threshold

"""Which edges of an undirected graph a search may flip: knowledge, sizes of blankets, width."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.errors import KnowledgeError, SettingError, TreewidthError
from treewright.graphs import BoundKnowledge, Knowledge, UndirectedGraph, bind_knowledge
from treewright.graphs._bits import Rows, pack, unpack
from treewright.graphs.undirected.triangulation import fits
from treewright.tables.schema import Schema


@dataclass(frozen=True)
class FlipRules:
    """What a search over undirected graphs has to obey.

    Attributes
    ----------
    movable
        Rows of bits: the pairs that may be joined or parted.
    required
        The graph of the edges that are always there.
    max_blanket, treewidth
        Bounds of the neighbours of a variable and of the treewidth, or None.
    """

    movable: Rows
    required: UndirectedGraph
    max_blanket: int | None = None
    treewidth: int | None = None

    @classmethod
    def of(
        cls,
        schema: Schema,
        knowledge: Knowledge | BoundKnowledge | None = None,
        max_blanket: int | None = None,
        treewidth: int | None = None,
    ) -> FlipRules:
        for name, value in (("max_blanket", max_blanket), ("treewidth", treewidth)):
            if value is not None and value < 0:
                raise SettingError(f"{name} must be 0 or more, or None for no bound; found {value!r}")
        known = bind_knowledge(knowledge, schema)
        always = known.required | known.required.T
        required = UndirectedGraph.of_rows(schema, pack(always))
        movable = known.allowed_pairs & ~always
        rules = cls(pack(np.asarray(movable)), required, max_blanket, treewidth)
        rules.check(required, "the knowledge requires a graph")
        return rules

    def check(self, graph: UndirectedGraph, who: str) -> None:
        """Refuse a graph that a search must not even start from."""
        names = graph.schema.names
        absent = unpack(self.required.rows & ~graph.rows)
        barred = unpack(graph.rows & ~self.movable & ~self.required.rows)
        for matrix, verb in ((absent, "lacks"), (barred, "has")):
            if matrix.any():
                u, v = sorted(names[i] for i in np.argwhere(matrix)[0].tolist())
                raise KnowledgeError(f"against the knowledge: {who} that {verb} {u} - {v}")
        degrees = graph.degrees()
        if self.max_blanket is not None and len(degrees) and degrees.max() > self.max_blanket:
            crowded = min(names[v] for v in np.flatnonzero(degrees > self.max_blanket).tolist())
            raise SettingError(
                f"{who} in which {crowded!r} has {graph.degree(crowded)} neighbours; max_blanket is "
                f"{self.max_blanket}"
            )
        if self.treewidth is not None and fits(graph, self.treewidth) is None:
            raise TreewidthError(
                f"{who} for which no elimination order of width {self.treewidth} was found; raise treewidth"
            )

    def obeyed(self, graph: UndirectedGraph, first: list[tuple[int, int]]) -> UndirectedGraph:
        """As many edges of a graph as the rules allow, the first of the list first."""
        within = UndirectedGraph.of_rows(graph.schema, (graph.rows & self.movable) | self.required.rows)
        if self.max_blanket is None and self.treewidth is None:
            return within
        kept = self.required
        for u, v in first:
            if not within.adjacent(u, v) or kept.adjacent(u, v):
                continue
            if self.max_blanket is not None and max(kept.degree(u), kept.degree(v)) >= self.max_blanket:
                continue
            wider = kept.with_edges([(u, v)])
            if self.treewidth is None or fits(wider, self.treewidth) is not None:
                kept = wider
        return kept

"""Ways to search for an undirected graph, one flip of an edge after the other.

All of them ask the same judge: which pair fits least as it is? The published search (IBMAP-HC) flips that
pair if the total rises and stops otherwise; the walk flips it in any case and remembers the best graph it
met, since in a clique with large interactions the total has to fall before it can rise.

Rules say which edges it may flip: knowledge, sizes of blankets, width.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.criteria import StructureScore
from treewright.errors import KnowledgeError, SettingError, TreewidthError
from treewright.graphs import BoundKnowledge, Knowledge, UndirectedGraph, bind_knowledge
from treewright.graphs._bits import Rows, pack, unpack
from treewright.graphs.undirected.triangulation import fits
from treewright.learners.learned import Learned
from treewright.ranges import in_range
from treewright.tables.schema import Schema
from treewright.types import Scope


@dataclass(frozen=True)
class FlipRules:
    """What a search over undirected graphs has to obey."""

    movable: Rows  # as bits: the pairs that may be joined or parted
    required: UndirectedGraph  # the edges that are always there
    max_blanket: int | None = None  # neighbours of a variable
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


NO_LIMIT = 2**62
LARGEST_EXHAUSTIVE = 6


@dataclass(frozen=True)
class Found:
    """What a search came back with; indices are those of the score."""

    start: UndirectedGraph
    rows: Rows
    total: float
    flips: npt.NDArray[np.uint32]
    totals: npt.NDArray[np.float64]
    proposals: int
    order: tuple[int, ...] = ()  # proves the width, where it is bounded
    maximisers: tuple[Rows, ...] = ()

    @classmethod
    def of(cls, start: UndirectedGraph, native: tuple[Any, ...]) -> Found:
        rows, total, flips, totals, proposals, order = native
        return cls(start, rows, total, flips, totals, proposals, tuple(order.tolist()))

    @property
    def graph(self) -> UndirectedGraph:
        return UndirectedGraph.of_rows(self.start.schema, self.rows)


class WorstPairSearch:
    """A search of the core; the fields of its settings come in the order in which it takes them."""

    native: ClassVar[str]

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            least = 0 if name in ("tenure", "max_steps") else 1
            if value is not None and value < least:
                raise SettingError(f"{name} must be {least} or more; found {value!r}")

    def run(
        self,
        judge: _core.GraphScore,
        start: UndirectedGraph,
        rules: FlipRules,
        proof: Scope = (),
        *,
        tell: Callable[[int, float], object] | None = None,
        met: list[Found] | None = None,
    ) -> Found:
        """`tell` hears of flips and the best total; `met` gets the best graph of an interrupted search."""
        limits = (NO_LIMIT if value is None else value for value in vars(self).values())
        search = getattr(judge, self.native)
        try:
            found = search(
                start.rows, rules.movable, rules.max_blanket, rules.treewidth, proof, *limits, tell
            )
        except KeyboardInterrupt as stop:
            if met is not None and hasattr(stop, "found"):
                met.append(Found.of(start, stop.found))
            raise
        return Found.of(start, found)


@in_range
@dataclass(frozen=True)
class WorstPairClimb(WorstPairSearch):
    """Hill climbing by the worst pair: IBMAP-HC.

    Parameters
    ----------
    patience
        Pairs proposed before giving up, the least fitting first. 1 is the published rule; None proposes all,
        so that it ends where no single flip raises the score.
    max_steps
        Flips at most.

    Examples
    --------
    >>> WorstPairClimb(patience=None)
    WorstPairClimb(patience=None, max_steps=None)
    """

    patience: int | None = 1
    max_steps: int | None = None

    native: ClassVar[str] = "climb"


@in_range
@dataclass(frozen=True)
class WorstPairWalk(WorstPairSearch):
    """The worst-pair walk: flip the pair that fits least, whatever the total does; keep the best graph met.

    Parameters
    ----------
    stall
        Steps without a better graph after which it stops.
    tenure
        Steps for which a flipped pair stays as it is.
    max_steps
        Flips at most.

    Examples
    --------
    >>> WorstPairWalk(stall=15)
    WorstPairWalk(stall=15, tenure=10, max_steps=None)
    """

    stall: int = 30
    tenure: int = 10
    max_steps: int | None = None

    native: ClassVar[str] = "walk"


@in_range
@dataclass(frozen=True)
class WorstPairTabu(WorstPairSearch):
    """Flip the best of the worst pairs, also downhill, and not the same pair soon again.

    Parameters
    ----------
    breadth
        Pairs looked at in each step, the least fitting first.
    stall, tenure, max_steps
        As for :class:`WorstPairWalk`.

    Examples
    --------
    >>> WorstPairTabu(breadth=4)
    WorstPairTabu(breadth=4, stall=30, tenure=10, max_steps=None)
    """

    breadth: int = 12
    stall: int = 30
    tenure: int = 10
    max_steps: int | None = None

    native: ClassVar[str] = "tabu"


@dataclass(frozen=True)
class ExhaustiveSearch:
    """Every graph of at most six variables; ties are reported, the one with the first edges is taken.

    Examples
    --------
    >>> ExhaustiveSearch()
    ExhaustiveSearch()
    """

    def run(
        self,
        judge: _core.GraphScore,
        start: UndirectedGraph,
        rules: FlipRules,
        proof: Scope = (),
        **of_paths: object,
    ) -> Found:
        n = len(start.schema)
        if n > LARGEST_EXHAUSTIVE:
            raise SettingError(
                f"all graphs are judged up to {LARGEST_EXHAUSTIVE} variables; found {n}: use another search"
            )
        graphs, total, judged = judge.search_all(
            rules.required.rows, rules.movable, rules.max_blanket, rules.treewidth
        )
        nothing = np.zeros((0, 2), dtype=np.uint32), np.zeros(0)
        return Found(start, graphs[0], total, *nothing, judged, (), tuple(graphs))


Search = WorstPairSearch | ExhaustiveSearch


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

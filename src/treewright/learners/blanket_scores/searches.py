"""Ways to search for an undirected graph, one flip of an edge after the other.

All of them ask the same judge: which pair fits least as it is? The published search (IBMAP-HC) flips that
pair if the total rises and stops otherwise; the walk flips it in any case and remembers the best graph it
met, since in a clique with large interactions the total has to fall before it can rise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.errors import SettingError
from treewright.graphs import UndirectedGraph
from treewright.graphs._bits import Rows
from treewright.learners.blanket_scores.flip_rules import FlipRules
from treewright.types import Scope

NO_LIMIT = 2**62
LARGEST_EXHAUSTIVE = 6


@dataclass(frozen=True)
class Found:
    """What a search came back with; indices are those of the score."""

    rows: Rows
    total: float
    flips: npt.NDArray[np.uint32]
    totals: npt.NDArray[np.float64]
    proposals: int
    order: tuple[int, ...] = ()  # proves the width, where it is bounded
    maximisers: tuple[Rows, ...] = ()


@dataclass(frozen=True)
class WorstPairClimb:
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

    def __post_init__(self) -> None:
        _at_least(1, patience=self.patience)
        _at_least(0, max_steps=self.max_steps)

    def run(
        self, judge: _core.GraphScore, start: UndirectedGraph, rules: FlipRules, proof: Scope = ()
    ) -> Found:
        return _found(
            judge.climb(
                start.rows, rules.movable, rules.max_blanket, rules.treewidth, proof,
                self.patience or NO_LIMIT, _limit(self.max_steps),
            )
        )  # fmt: skip


@dataclass(frozen=True)
class WorstPairWalk:
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

    def __post_init__(self) -> None:
        _at_least(1, stall=self.stall)
        _at_least(0, tenure=self.tenure, max_steps=self.max_steps)

    def run(
        self, judge: _core.GraphScore, start: UndirectedGraph, rules: FlipRules, proof: Scope = ()
    ) -> Found:
        return _found(
            judge.walk(
                start.rows, rules.movable, rules.max_blanket, rules.treewidth, proof,
                self.stall, self.tenure, _limit(self.max_steps),
            )
        )  # fmt: skip


@dataclass(frozen=True)
class WorstPairTabu:
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

    def __post_init__(self) -> None:
        _at_least(1, breadth=self.breadth, stall=self.stall)
        _at_least(0, tenure=self.tenure, max_steps=self.max_steps)

    def run(
        self, judge: _core.GraphScore, start: UndirectedGraph, rules: FlipRules, proof: Scope = ()
    ) -> Found:
        return _found(
            judge.tabu(
                start.rows, rules.movable, rules.max_blanket, rules.treewidth, proof,
                self.breadth, self.stall, self.tenure, _limit(self.max_steps),
            )
        )  # fmt: skip


@dataclass(frozen=True)
class ExhaustiveSearch:
    """Every graph of at most six variables; ties are reported, the one with the first edges is taken.

    Examples
    --------
    >>> ExhaustiveSearch()
    ExhaustiveSearch()
    """

    def run(
        self, judge: _core.GraphScore, start: UndirectedGraph, rules: FlipRules, proof: Scope = ()
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
        return Found(graphs[0], total, *nothing, judged, (), tuple(graphs))


Search = WorstPairClimb | WorstPairWalk | WorstPairTabu | ExhaustiveSearch


def _found(answer: tuple[Any, ...]) -> Found:
    rows, total, flips, totals, proposals, order = answer
    return Found(rows, total, flips, totals, proposals, tuple(order.tolist()))


def _limit(steps: int | None) -> int:
    return NO_LIMIT if steps is None else steps


def _at_least(least: int, **settings: int | None) -> None:
    for name, value in settings.items():
        if value is not None and value < least:
            raise SettingError(f"{name} must be {least} or more; found {value!r}")

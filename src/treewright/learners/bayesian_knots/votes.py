"""Votes of knots about the directions of edges, counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from treewright.tables.schema import Schema
from treewright.types import Arc

Weights = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Vote:
    """One knot says tail -> head.

    Attributes
    ----------
    tail, head
        Indices of the schema of the whole.
    evidence
        What decides between equally many votes: the larger the surer.
    first
        Whether it goes before votes that are not: those do not count for the same edge then.
    """

    tail: int
    head: int
    evidence: float = 0.0
    first: bool = False


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

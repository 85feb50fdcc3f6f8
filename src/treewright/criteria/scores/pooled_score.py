"""Scores of families that are counted in different tables.

Several tables with overlapping columns have different rows, so the likelihoods of two families need not be
about the same data. What compares is what a parent *adds* to its child in rows that have both. So the score
of a family is made of steps: parents come in the order that keeps most rows, and every step compares the
child with and without the new parents in the tables that have all of them. Each step is divided by its rows:
one row says as much in one table as in another, and as rows grow the score becomes the sum of the information
that parents have about their children, which no network beats but those that hold the truth.

Where two tables share columns this is a difference of set functions, so equivalent networks score the same:
the steps of what is shared are taken in all rows, those of what is not in the rows of one table. Where three
or more overlap in different ways it holds up to sampling.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import permutations
from typing import Any

from treewright.arguments import DATABASES, require
from treewright.criteria.scores.edge_prior import EdgePrior, priced_qnml
from treewright.criteria.scores.gaussian_scores import GaussianBIC
from treewright.criteria.scores.score import LocalScore, NamedFamily, PluralScore, as_families, floats
from treewright.errors import SettingError, nearest
from treewright.once import cached_property
from treewright.statistics.families import Family
from treewright.statistics.moments import moments
from treewright.statistics.whole import count
from treewright.tables.databases import Databases
from treewright.tables.schema import Schema
from treewright.types import Floats, Scope

Step = tuple[int, Scope]  # the tables that take part, as bits; the parents up to here


class PooledScore(PluralScore):
    """A decomposable score of several tables with overlapping columns.

    A family that no table covers scores minus infinity: if the tables hold every variable together with its
    parents somewhere, the true network has none.

    Parameters
    ----------
    score
        "sparse-qnml" (the default for discrete tables), "qnml", "bic", "aic", "bdeu", "loglik", or
        "gaussian-bic" (the default for continuous ones).

    Examples
    --------
    >>> from treewright.tables import read_databases
    >>> tables = [{"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 9}, {"b": [0, 1] * 20, "c": [0, 1] * 20}]
    >>> score = PooledScore(read_databases(tables))
    >>> score.local("a", ("b",)) > score.local("a"), score.local("a", ("b", "c"))
    (True, -inf)
    """

    is_score_equivalent = True  # see the note above on overlaps of three and more

    def __init__(self, databases: Databases, score: str | None = None) -> None:
        require("PooledScore", DATABASES, databases)
        self.databases = databases
        self._score = _check_name(databases, score)
        self._scores: dict[int, _InTables] = {}
        self._steps: dict[Family, tuple[Step, ...]] = {}

    def __repr__(self) -> str:
        return f"PooledScore({self.databases!r}, {self._score!r})"

    @property
    def schema(self) -> Schema:
        return self.databases.schema

    @property
    def scale(self) -> float:
        """Rows that the score stands for: those of the largest table."""
        return float(max(self.databases.weights, default=1))

    @cached_property
    def edge_price(self) -> float:
        """What "sparse-qnml" charges for an edge: ln of one and the partners of a variable, on average.

        A pair that no table has is never looked at, so there is nothing to correct for.
        """
        masks = self.databases.masks
        partners = sum(a & b != 0 for a, b in permutations(masks, 2)) / max(len(masks), 1)
        return math.log(1 + partners)

    def local_many(self, families: Sequence[NamedFamily]) -> Floats:
        known = as_families(self.schema, families)
        plans = [self.steps(family) for family in known]
        self._evaluate(known, plans)
        return floats(self._add_up(child, plan) for (child, _), plan in zip(known, plans, strict=True))

    def steps(self, family: Family) -> tuple[Step, ...]:
        """The steps of a family, those with most rows first; none when no table covers it."""
        if family not in self._steps:
            self._steps[family] = tuple(self._plan(*family))
        return self._steps[family]

    def _plan(self, child: int, parents: Scope) -> list[Step]:
        masks = self.databases.masks
        mask, taken, left = masks[child], [], list(parents)
        plan: list[Step] = []
        while True:
            free = [p for p in left if mask & masks[p] == mask]
            taken += free
            plan.append((mask, tuple(sorted(taken))))
            left = [p for p in left if p not in free]
            if not left:
                return plan
            best = max(left, key=lambda p: (self._rows(mask & masks[p]), -p))
            mask &= masks[best]
            if not mask:
                return []

    def _evaluate(self, families: Sequence[Family], plans: Sequence[tuple[Step, ...]]) -> None:
        """Ask each set of tables once for all that is not known yet."""
        wanted: dict[int, dict[Family, None]] = {}
        for (child, _), plan in zip(families, plans, strict=True):
            before: Scope = ()
            for mask, parents in plan:
                ask = wanted.setdefault(mask, {})
                ask[child, parents] = None
                ask[child, before] = None
                before = parents
        for mask, asked in wanted.items():
            self.in_tables(mask).learn(asked)

    def _add_up(self, child: int, plan: tuple[Step, ...]) -> float:
        if not plan:
            return -math.inf
        total, before = 0.0, None
        for mask, parents in plan:
            inside = self.in_tables(mask)
            gain = inside.known[child, parents] - (0.0 if before is None else inside.known[child, before])
            total += gain / inside.n_rows
            before = parents
        return total * self.scale

    def _rows(self, mask: int) -> float:
        return float(sum(rows for i, rows in enumerate(self.databases.weights) if mask >> i & 1))

    def in_tables(self, mask: int) -> _InTables:
        """The score of the rows of some tables, given as bits."""
        if mask not in self._scores:
            table = self.databases.pool(self.databases.cover_of(mask))
            score = _make(self._score, table, self.edge_price)
            place = {self.schema.index(name): i for i, name in enumerate(table.schema.names)}
            self._scores[mask] = _InTables(score, place, max(self._rows(mask), 1.0))
        return self._scores[mask]


class _InTables:
    """A score of the rows of some tables, with what it said."""

    def __init__(self, score: LocalScore, place: dict[int, int], n_rows: float) -> None:
        self.score, self.place, self.n_rows = score, place, n_rows
        self.known: dict[Family, float] = {}

    def learn(self, asked: dict[Family, None]) -> None:
        new = [family for family in asked if family not in self.known]
        if not new:
            return
        inside = [(self.place[child], tuple(self.place[p] for p in parents)) for child, parents in new]
        self.known.update(zip(new, self.score.local_many(inside).tolist(), strict=True))


def _check_name(databases: Databases, score: str | None) -> str:
    from treewright.criteria.registry import POOLED_SCORES  # here, since the registry asks this module first

    if databases.is_continuous:
        if score not in (None, "gaussian-bic"):
            raise SettingError(f"continuous tables are scored by 'gaussian-bic'; found score={score!r}")
        return "gaussian-bic"
    name = "sparse-qnml" if score is None else score
    if name == "k2":
        raise SettingError("k2 prefers some members of a class to others; use 'bdeu'")
    if name not in POOLED_SCORES:
        raise SettingError(f"score {name!r} is not known; scores are {nearest(name, POOLED_SCORES)}")
    return name


def _make(name: str, table: Any, edge_price: float) -> LocalScore:
    """The score of one table; the price of an edge is the same in all of them."""
    from treewright.criteria.registry import score_named

    if name == "gaussian-bic":
        return GaussianBIC(moments(table))
    counter = count(table)
    if name == "sparse-qnml":
        return EdgePrior(*priced_qnml(counter, edge_price))
    return score_named(name, counter)

"""What the two scores of blanket posteriors share: settings, tests and the native judge.

A graph says of every pair whether it is independent given a blanket. A Bayesian test gives each of these
claims a probability, and the score adds up their logarithms.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

from treewright import _core
from treewright.criteria.graph_scores.blanket_tests import BlanketTestSettings, blanket_tests
from treewright.criteria.graph_scores.structure_score import aligned, price
from treewright.criteria.tests.queries import require_discrete
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.statistics.counter import Counter
from treewright.tables.schema import Schema
from treewright.types import Floats


class BlanketPosterior:
    """A sum of log-posteriors of independence and dependence over the pairs of a graph."""

    kind: ClassVar[Literal["joint", "independent"]]
    published: ClassVar[dict[str, Any]] = {
        "prior": 0.5, "alpha": 1.0, "beta": 1.0, "gamma": 1.0, "slices": "all",
    }  # fmt: skip
    learns_best: ClassVar[dict[str, Any]]

    def __init__(self, counter: Counter, given: dict[str, Any], edge_price: float) -> None:
        require_discrete(type(self).__name__, counter)
        self.counter = counter
        self.given = given  # None: left open
        self.edge_price = price("edge_price", edge_price)
        names = tuple(BlanketPosterior.published)
        self.settings = BlanketTestSettings(**{name: self._setting(name) for name in names})

    def _setting(self, name: str) -> Any:
        """A setting as given, or as published where it was left open."""
        chosen = self.given[name]
        return self.published[name] if chosen is None else chosen

    @property
    def schema(self) -> Schema:
        return self.counter.schema

    @property
    def tie(self) -> Literal["index", "mean"]:
        return "index"

    @property
    def owner(self) -> Literal["degree", "cells"]:
        return "degree"

    def __repr__(self) -> str:
        given = (f"{name}={value!r}" for name, value in self.given.items() if value is not None)
        return ", ".join([f"{type(self).__name__}({len(self.schema)} variables", *given]) + ")"

    def tuned(self) -> Self:
        """The same score with what was left open set as it learns best."""
        names = {name: best for name, best in self.learns_best.items() if self.given[name] is None}
        return self.with_settings(**names)

    def with_settings(self, **settings: Any) -> Self:
        """The same score with other settings, by name."""
        return type(self)(self.counter, **{**self.given, "edge_price": self.edge_price, **settings})

    def judge(self) -> _core.GraphScore:
        """A native judge of its own that follows flips; its tests are shared and remembered."""
        tests = blanket_tests(self.counter, self.settings)
        order = list(self.schema.name_order)
        return _core.blanket_score(tests, self.kind, self.tie, self.owner, self.edge_price, order)

    def score(self, graph: UndirectedGraph) -> float:
        """The score of a graph, in nats."""
        return self.judge().total(aligned(self.schema, graph).rows)

    def contributions(self, graph: UndirectedGraph) -> Floats:
        """What every pair adds to the score: a symmetric matrix in the order of the score's variables."""
        judge = self.judge()
        judge.total(aligned(self.schema, graph).rows)
        return judge.standings()

    @property
    def n_tests(self) -> int:
        """Different tests made so far, by all scores that share them."""
        return int(blanket_tests(self.counter, self.settings).fresh)

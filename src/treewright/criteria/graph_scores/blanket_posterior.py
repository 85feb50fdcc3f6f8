"""The two scores of blanket posteriors: settings, tests and the native judge.

A graph says of every pair whether it is independent given a blanket. A Bayesian test gives each of these
claims a probability, and a score adds up their logarithms. Scores of one counter with the same settings share
their tests, and remember them: flipping an edge back and forth, or judging a graph by another score, tests
nothing twice.

The independence-based score takes every claim from both sides, as if each stood alone: the two about a pair,
one for each blanket, both count. The blankets joint posterior is the probability of all blankets at once, by
the chain rule. Order the variables by the size of their blankets. The blanket of the first is judged by a
test with everybody else; that of the next one only needs the tests that the first has not settled, and so on.
Every pair is tested once, from the side of the smaller blanket, where tables are smallest and the test is
surest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, Self
from weakref import WeakKeyDictionary

import numpy as np

from treewright import _core
from treewright.criteria.graph_scores.marginal_pseudo_likelihood import aligned, price
from treewright.criteria.scores.score import positive
from treewright.criteria.tests.independence import one_of, require_discrete
from treewright.errors import SettingError
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.ranges import in_range
from treewright.statistics.counter import Counter, OfCounter
from treewright.statistics.families import PosteriorSettings, Query, as_family_statistics
from treewright.statistics.whole import WholeCounter
from treewright.types import Floats

Slices = Literal["all", "observed"]
Margin = float | Literal["matched"]


@dataclass(frozen=True)
class BlanketTestSettings:
    """Settings of the Bayesian test of independence; `matched` margins follow from the joint prior."""

    prior: float
    alpha: Margin
    beta: Margin
    gamma: float
    slices: Slices

    def __post_init__(self) -> None:
        if not 0 < self.prior < 1:
            raise SettingError(
                f"the prior of independence must lie between 0 and 1, both excluded; found {self.prior!r}"
            )
        one_of("slices", self.slices, ("all", "observed"))
        positive("gamma", self.gamma)
        if (self.alpha == "matched") != (self.beta == "matched"):
            raise SettingError(
                'alpha and beta are both "matched" or both numbers; found '
                f"alpha={self.alpha!r} and beta={self.beta!r}"
            )
        if self.alpha != "matched" and self.beta != "matched":
            positive("alpha", self.alpha)
            positive("beta", self.beta)

    @property
    def is_matched(self) -> bool:
        return self.alpha == "matched"

    def between(self, r_x: int, r_y: int) -> PosteriorSettings:
        """The test of two variables with so many states."""
        alpha = self.gamma * r_y if self.alpha == "matched" else self.alpha
        beta = self.gamma * r_x if self.beta == "matched" else self.beta
        return PosteriorSettings(self.prior, float(alpha), float(beta), float(self.gamma), self.slices)


_shared: WeakKeyDictionary[Counter, dict[BlanketTestSettings, _core.BlanketTests]] = WeakKeyDictionary()


def blanket_tests(counter: Counter, settings: BlanketTestSettings) -> _core.BlanketTests:
    """The tests of a counter: native for a table in memory, by its tables for any other."""
    try:
        known = _shared.setdefault(counter, {})
    except TypeError:  # a counter that cannot be remembered
        known = {}
    if settings not in known:
        known[settings] = _new_tests(counter, settings)
    return known[settings]


def _new_tests(counter: Counter, settings: BlanketTestSettings) -> _core.BlanketTests:
    order = list(counter.schema.name_order)
    native = as_family_statistics(counter)
    if isinstance(native, WholeCounter):
        plain = settings.between(1, 1)
        return _core.packed_blanket_tests(
            native.packed, plain.prior, plain.alpha, plain.beta, plain.gamma,
            settings.is_matched, settings.slices == "all", order,
        )  # fmt: skip
    cards = counter.schema.cardinalities

    def ask(queries: Sequence[Query]) -> tuple[Floats, Floats]:
        independent, dependent = np.empty(len(queries)), np.empty(len(queries))
        shapes: dict[tuple[int, int], list[int]] = {}
        for at, (x, y, _) in enumerate(queries):
            shapes.setdefault((cards[x], cards[y]) if settings.is_matched else (1, 1), []).append(at)
        for (r_x, r_y), places in shapes.items():
            asked = [(x, y, tuple(given)) for x, y, given in (queries[at] for at in places)]
            found = native.test_queries(settings.between(r_x, r_y), asked)
            independent[places], dependent[places] = found
        return independent, dependent

    symmetric = settings.is_matched or settings.alpha == settings.beta
    return _core.called_blanket_tests(ask, list(cards), float(counter.n_rows), symmetric, order)


class BlanketPosterior(OfCounter):
    """A sum of log-posteriors of independence and dependence over the pairs of a graph."""

    kind: ClassVar[Literal["joint", "independent"]]
    published: ClassVar[dict[str, Any]] = {
        "prior": 0.5, "alpha": 1.0, "beta": 1.0, "gamma": 1.0, "slices": "all",
        "tie": "index", "owner": "degree",
    }  # fmt: skip
    learns_best: ClassVar[dict[str, Any]]

    def __init__(self, counter: Counter, given: dict[str, Any], edge_price: float) -> None:
        require_discrete(type(self).__name__, counter)
        self.counter, self.given = counter, given  # None: left open
        self.edge_price = price("edge_price", edge_price)
        names = [field.name for field in fields(BlanketTestSettings)]
        self.settings = BlanketTestSettings(**{name: self._setting(name) for name in names})
        self.tie: Literal["index", "mean"] = self._setting("tie")
        self.owner: Literal["degree", "cells"] = self._setting("owner")

    def _setting(self, name: str) -> Any:
        """A setting as given, or as published where it was left open."""
        chosen = self.given.get(name)
        return self.published[name] if chosen is None else chosen

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


class IndependenceBasedScore(BlanketPosterior):
    """Independence-based score (IB) of an undirected graph.

    Settings left open (None) are the published ones; :func:`~treewright.learn_blankets` with its own search
    ``"auto"`` takes those that learn best instead (gamma 0.5, matched margins).

    Parameters
    ----------
    prior
        Probability that two variables are independent given a blanket, before the data; published: 0.5.
    gamma, alpha, beta
        Dirichlet parameters of the joint table and of its two margins; published: 1. ``"matched"`` margins
        are those of the joint prior: gamma times the states of the other variable.
    slices
        ``"all"`` (published) or ``"observed"`` configurations of the blanket.
    edge_price
        Nats taken off for every edge.

    References
    ----------
    .. [1] Schlüter, Bromberg & Edera (2014). The IBMAP approach for Markov network structure learning. Annals
       of Mathematics and Artificial Intelligence 72, 197-223.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.read_table({"a": [0, 1] * 20, "b": [0, 1] * 20, "c": [0, 0, 1, 1] * 10})
    >>> score = tw.IndependenceBasedScore(tw.count(table))
    >>> joined = tw.UndirectedGraph(table.schema, [("a", "b")])
    >>> score.score(joined) > score.score(tw.UndirectedGraph(table.schema))
    True
    """

    kind = "independent"
    learns_best: ClassVar[dict[str, Any]] = {"gamma": 0.5, "alpha": "matched", "beta": "matched"}

    @in_range
    def __init__(
        self,
        counter: Counter,
        prior: float | None = None,
        *,
        gamma: float | None = None,
        alpha: Margin | None = None,
        beta: Margin | None = None,
        slices: Slices | None = None,
        edge_price: float = 0.0,
    ) -> None:
        given = {"prior": prior, "alpha": alpha, "beta": beta, "gamma": gamma, "slices": slices}
        super().__init__(counter, given, edge_price)


class BlanketsJointPosterior(BlanketPosterior):
    """Blankets joint posterior (BJP) of an undirected graph.

    Settings left open (None) are the published ones; :func:`~treewright.learn_blankets` with its own search
    ``"auto"`` takes those that learn best instead (prior 0.8, gamma 0.5, matched margins, tie ``"mean"``).

    Parameters
    ----------
    prior
        Probability that two variables are independent given a blanket, before the data; published: 0.5. A
        larger one makes sparser graphs.
    tie
        Who is asked about a pair with blankets of equal size: the variable of smaller name (``"index"``,
        published) or both, by halves (``"mean"``), which makes the score blind to names.
    gamma, alpha, beta
        Dirichlet parameters of the joint table and of its two margins; published: 1. ``"matched"`` margins
        are those of the joint prior: gamma times the states of the other variable.
    slices
        ``"all"`` (published): the prior of a slice counts every declared configuration of the blanket;
        ``"observed"``: those that occur.
    owner
        What makes a blanket small: its members (``"degree"``, published) or the cells of its table
        (``"cells"``), which differ where variables have different numbers of states.
    edge_price
        Nats taken off for every edge.

    References
    ----------
    .. [1] Schlüter, Strappa, Milone & Bromberg (2018). Blankets joint posterior score for learning Markov
       network structures. International Journal of Approximate Reasoning 92, 295-320.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.read_table({"a": [0, 1] * 20, "b": [0, 1] * 20, "c": [0, 0, 1, 1] * 10})
    >>> score = tw.BlanketsJointPosterior(tw.count(table))
    >>> joined = tw.UndirectedGraph(table.schema, [("a", "b")])
    >>> round(score.score(joined), 4), round(score.score(tw.UndirectedGraph(table.schema)), 4)
    (-0.8766, -24.5325)
    """

    kind = "joint"
    learns_best: ClassVar[dict[str, Any]] = {
        "prior": 0.8, "gamma": 0.5, "alpha": "matched", "beta": "matched", "tie": "mean",
    }  # fmt: skip

    @in_range
    def __init__(
        self,
        counter: Counter,
        prior: float | None = None,
        *,
        tie: Literal["index", "mean"] | None = None,
        gamma: float | None = None,
        alpha: Margin | None = None,
        beta: Margin | None = None,
        slices: Slices | None = None,
        owner: Literal["degree", "cells"] | None = None,
        edge_price: float = 0.0,
    ) -> None:
        given = {"prior": prior, "alpha": alpha, "beta": beta, "gamma": gamma, "slices": slices}
        super().__init__(counter, {**given, "tie": tie, "owner": owner}, edge_price)
        one_of("tie", self.tie, ("index", "mean"))
        one_of("owner", self.owner, ("degree", "cells"))

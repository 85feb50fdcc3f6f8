"""The marginal pseudo-likelihood: each variable given its blanket, parameters integrated out.

The pseudo-likelihood of a graph is the product over variables of the probability of each one's states given
those of its neighbours. With a Dirichlet prior on every conditional distribution the parameters integrate out
in closed form, and what is left is a sum of local scores, one for each variable with its blanket.

A :class:`StructureScore` judges a graph at once. Searches flip one edge after the other, so it also hands out
a native judge that keeps the total of a graph under flips and tells, pair by pair, how well the graph fits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Protocol, Self

import numpy as np

from treewright import _core
from treewright.criteria.scores.discrete_score import DiscreteScore
from treewright.criteria.scores.edge_prior import EdgePrior
from treewright.criteria.scores.native_scores import native_scores
from treewright.criteria.scores.score import (
    LocalScore,
    NamedFamily,
    WrappedScore,
    as_families,
    positive,
    refuse_other_variables,
)
from treewright.criteria.tests.independence import require_discrete
from treewright.errors import SettingError
from treewright.graphs._bits import Rows
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.ranges import in_range
from treewright.statistics.counter import Counter, OfCounter
from treewright.statistics.families import ScoreSettings
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Floats


class StructureScore(Protocol):
    """What a search over undirected graphs asks of a score."""

    counter: Counter

    @property
    def schema(self) -> Schema: ...

    def score(self, graph: UndirectedGraph) -> float:
        """The score of a graph over the variables of the score, in any order; higher is better, in nats."""
        ...

    def judge(self) -> _core.GraphScore:
        """A native judge of its own that follows flips."""
        ...

    def tuned(self) -> StructureScore:
        """The same score with the settings left open as they learn best."""
        ...


def aligned(schema: Schema, graph: UndirectedGraph) -> UndirectedGraph:
    """The graph with the columns in the order of a score's schema."""
    if graph.schema.names == schema.names:
        return graph
    refuse_other_variables("the graph and the score", schema, graph.schema)
    return UndirectedGraph(schema, graph.edges())


def price(name: str, value: float) -> float:
    """A setting in nats, from 0 on."""
    if not (math.isfinite(value) and value >= 0):
        raise SettingError(f"{name} must be a finite number of nats from 0 on; found {value!r}")
    return float(value)


class MarginalPseudoLikelihood(OfCounter):
    """Marginal pseudo-likelihood (MPL) of an undirected graph.

    Parameters
    ----------
    a
        Imaginary rows in every cell of every conditional distribution; by default one half.
    ess
        Instead of `a`: so many imaginary rows for each variable, spread evenly over its cells.
    edge_prior
        Nats taken off for every member of every blanket, so an edge costs twice as many; ``"sparse"`` is half
        the logarithm of the number of variables.
    cell_prior
        Nats taken off for every free parameter beyond those of an empty blanket; ln 2 is a natural choice.

    References
    ----------
    .. [1] Pensar, Nyman, Niiranen & Corander (2017). Marginal pseudo-likelihood learning of discrete Markov
       network structures. Bayesian Analysis 12, 1195-1215.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.read_table({"a": [0, 1] * 20, "b": [0, 1] * 20, "c": [0, 0, 1, 1] * 10})
    >>> score = tw.MarginalPseudoLikelihood(tw.count(table))
    >>> round(score.local("a", ["b"]), 4), round(score.local("a"), 4)
    (-4.153, -29.8024)
    """

    @in_range
    def __init__(
        self,
        counter: Counter,
        *,
        a: float | None = None,
        ess: float | None = None,
        edge_prior: float | str = 0.0,
        cell_prior: float = 0.0,
    ) -> None:
        require_discrete(type(self).__name__, counter)
        if a is not None and ess is not None:
            raise SettingError(f"give a or ess, not both; found a={a!r} and ess={ess!r}")
        self.counter = counter
        self.a, self.ess = a, ess
        if isinstance(edge_prior, str):
            if edge_prior != "sparse":
                raise SettingError(f'edge_prior is a number of nats or "sparse"; found {edge_prior!r}')
            edge_prior = 0.5 * math.log(max(len(counter.schema), 1))
        self.edge_prior = price("edge_prior", edge_prior)
        self.cell_prior = price("cell_prior", cell_prior)
        settings = (
            ScoreSettings("bdeu", positive("ess (the equivalent sample size)", ess))
            if ess is not None
            else ScoreSettings("k2", positive("a (imaginary rows in every cell)", 0.5 if a is None else a))
        )
        self.locals: LocalScore = Dirichlets(counter, settings)
        if self.cell_prior:
            self.locals = CellPrior(self.locals, self.cell_prior)
        if self.edge_prior:
            self.locals = EdgePrior(self.locals, self.edge_prior)

    def __repr__(self) -> str:
        prior = f"ess={self.ess:g}" if self.ess is not None else f"a={0.5 if self.a is None else self.a:g}"
        return f"MarginalPseudoLikelihood({len(self.schema)} variables, {prior})"

    def local(self, variable: NameOrIndex, blanket: Iterable[NameOrIndex] = ()) -> float:
        """Log-probability of a variable's states given those of its blanket, in nats, less the priors."""
        return self.locals.local(variable, blanket)

    def local_many(self, families: Sequence[NamedFamily]) -> Floats:
        """Local scores of many (variable, blanket), in the order asked."""
        return self.locals.local_many(families)

    def score(self, graph: UndirectedGraph) -> float:
        """The score of a graph, in nats."""
        known = aligned(self.schema, graph)
        return math.fsum(self.local_many([(v, known.neighbours(v)) for v in range(len(self.schema))]))

    def tuned(self) -> Self:
        """The score itself: its published settings learn best."""
        return self

    def judge(self, movable: Rows | None = None) -> _core.GraphScore:
        """A native judge of its own that follows flips of the pairs in `movable`, by default of all."""
        rows = UndirectedGraph.complete(self.schema).rows if movable is None else movable
        return _core.pseudo_score(native_scores(self.locals), rows, list(self.schema.name_order))


class Dirichlets(DiscreteScore):
    """A Dirichlet-multinomial for every configuration of the blanket."""

    def __init__(self, counter: Counter, settings: ScoreSettings) -> None:
        super().__init__(counter, settings)
        self.is_score_equivalent = settings.kind == "bdeu"


class CellPrior(WrappedScore):
    """Any score, less a price for every free parameter that the blanket adds."""

    resolution = 0.0  # prices are no multiples of a step

    def __init__(self, score: LocalScore, penalty: float) -> None:
        self.inner, self.penalty = score, penalty

    def local_many(self, families: Sequence[NamedFamily]) -> Floats:
        known = as_families(self.schema, families)
        cards = self.schema.cardinalities
        added = [(cards[v] - 1.0) * (math.prod(float(cards[u]) for u in given) - 1.0) for v, given in known]
        return np.asarray(self.inner.local_many(known) - self.penalty * np.array(added))

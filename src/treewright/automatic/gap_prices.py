"""What parameters cost where cells are missing: as much as the rows that show them can tell of them.

A score takes from the likelihood what fitted parameters gain by chance, about half the logarithm of the rows
for each. Cheeseman & Stutz price expected counts as if they were rows that show everything. But what rows
tell of a family is told by those that show it: their Fisher information, not that of all rows, is what the
marginal likelihood of the observed cells has under the logarithm. At the price of all rows, rows with gaps
cannot pay for what they show, and networks come out too sparse.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from treewright import _core
from treewright.automatic.search import Source
from treewright.criteria import GaussianBIC, LocalScore, LogLikelihood, MixedBIC
from treewright.criteria.scores.discrete_score import is_native_score
from treewright.criteria.scores.native_scores import without_price
from treewright.graphs import Dag
from treewright.models.mixed.lines import parents_by_kind
from treewright.statistics import Counter, MixedMoments, Moments
from treewright.statistics.counter import Counts, PluralCounter, SparseCounts
from treewright.tables import Schema, Table
from treewright.tables.schema import NameOrIndex
from treewright.types import Scope


@dataclass(frozen=True)
class Shown:
    """How many of the rows show some columns, as a share."""

    table: Table
    _known: dict[Scope, float] = field(default_factory=dict, repr=False, compare=False)

    def share(self, scope: Scope) -> float:
        """Of the weight of all rows; no less than that of one row."""
        missing = self.table.missing
        hiding = tuple(sorted(v for v in scope if v in missing))
        if hiding not in self._known:
            shown = np.ones(self.table.n_rows, dtype=np.bool_)
            for v in hiding:
                shown &= ~missing[v]
            weights = np.ones(len(shown)) if self.table.weights is None else self.table.weights
            least = 1 / max(self.table.n_rows, 1)
            self._known[hiding] = max(float(weights[shown].sum() / max(weights.sum(), 1)), least)
        return self._known[hiding]

    def mean_of_pairs(self) -> float:
        """The share of the rows that show two columns, on average over the pairs."""
        n = len(self.table.schema)
        pairs = [self.share((u, v)) for v in range(n) for u in range(v)]
        return float(np.mean(pairs)) if pairs else 1.0


@dataclass(frozen=True)
class Enlarged(PluralCounter):
    """Counts as if there were so many times as many rows."""

    counter: Counter
    times: float

    @property
    def schema(self) -> Schema:
        return self.counter.schema

    @property
    def n_rows(self) -> float:
        return float(self.counter.n_rows) * self.times

    def counts_many(self, scopes: Sequence[Iterable[NameOrIndex]]) -> list[Counts]:
        """The tables of many scopes."""
        known = [self.schema.scope(scope) for scope in scopes]
        return [cast("Counts", table * self.times) for table in self.counter.counts_many(known)]

    def sparse_counts(self, scope: Iterable[NameOrIndex]) -> SparseCounts:
        """Occupied cells only."""
        return SparseCounts.of(cast("Counts", np.ascontiguousarray(self.counts(scope))))


def price_shown(dag: Dag, score: LocalScore, source: Source, shown: Shown) -> float:
    """What a score takes off the likelihood where each family is known by the rows that show it."""
    if isinstance(source, Moments | MixedMoments):
        return price_whole(dag, score, source) - sum(
            0.5 * math.log(shown.share((*dag.parents(v), v))) * n_parameters(dag, v)
            for v in range(len(dag.schema))
        )
    inner, _, _ = without_price(score)
    if not is_native_score(inner):
        return price_whole(dag, score, source)
    families = [(v, tuple(dag.parents(v))) for v in range(len(dag.schema))]
    prices = math.fsum(score.local_many(families)) - math.fsum(inner.local_many(families))
    cards = inner.schema.cardinalities
    kinds = [(inner.settings.kind, inner.settings.ess), ("log_likelihood", 1.0)]
    tables = inner.counter.counts_many([(*parents, v) for v, parents in families])
    for (v, parents), table in zip(families, tables, strict=True):
        own = np.ascontiguousarray(table, dtype=np.float64) * shown.share((*parents, v))
        r = np.array([cards[v]], dtype=np.int64)
        q = np.array([float(own.size // cards[v])])
        values = _core.score_tables(kinds, max(float(own.sum()), 1.0), [], [own], r, q)
        prices += float(values[0][0] - values[1][0])
    return prices


def price_whole(dag: Dag, score: LocalScore, source: Source) -> float:
    """What a score takes off the likelihood of the counts or moments that it judges."""
    return score.score(dag) - likelihood_of(dag, source)


def n_parameters(dag: Dag, v: int) -> float:
    """Free parameters of one family."""
    one, schema = dag.schema[v], dag.schema
    if one.is_discrete:
        return (schema.cardinalities[v] - 1) * math.prod(schema.cardinalities[p] for p in dag.parents(v))
    states, numbers = parents_by_kind(dag, v)
    return math.prod(schema.cardinalities[u] for u in states) * (len(numbers) + 2)


def likelihood_of(dag: Dag, source: Source) -> float:
    """The log-likelihood of counts or moments; that of lines is their BIC without what BIC takes off."""
    lines = [v for v, one in enumerate(dag.schema) if not one.is_discrete]
    free = sum(n_parameters(dag, v) for v in lines)
    if isinstance(source, Moments):
        return GaussianBIC(source).score(dag) + 0.5 * math.log(source.n) * free
    if isinstance(source, MixedMoments):
        return MixedBIC(source, states=LogLikelihood).score(dag) + 0.5 * math.log(source.n) * free
    return LogLikelihood(source).score(dag)

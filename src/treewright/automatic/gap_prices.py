"""What parameters cost where cells are missing: as much as the rows that show their columns can tell of them.

A score takes from the likelihood what fitted parameters gain by chance, about half the logarithm of the rows
for each. Cheeseman & Stutz price expected counts as if they were rows that show everything. But parameters
are known by the rows that show the columns they tie together, and at the price of all rows these cannot pay
for what they show: networks come out too sparse. So the price is that of as many rows as show two columns,
on average over all pairs. It is the same number for every family: with the rows that show each family it
would differ between networks that say the same, and turn edges that no row can turn.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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

_BLOCK = 1 << 16  # rows at a time


def share_of_pairs(table: Table) -> float:
    """How much of the weight of all rows shows two columns, on average over the pairs.

    Examples
    --------
    >>> import treewright as tw
    >>> share_of_pairs(tw.read_table({"a": [1, None, 1, 2], "b": [None, 1, 1, 2]}, missing="em"))
    0.5
    """
    n, gaps = len(table.schema), sorted(table.missing)
    weights = np.ones(table.n_rows) if table.weights is None else np.asarray(table.weights, dtype=float)
    both = np.zeros((len(gaps), len(gaps)))
    for begin in range(0, table.n_rows, _BLOCK):
        part = slice(begin, begin + _BLOCK)
        shows = np.array([~table.missing[v][part] for v in gaps], dtype=float)
        both += (shows * weights[part]) @ shows.T if gaps else 0.0
    total = float(weights.sum())
    if n < 2 or total <= 0:
        return 1.0
    shown = np.full((n, n), total)
    shown[gaps], shown[:, gaps] = np.diagonal(both)[:, None], np.diagonal(both)
    shown[np.ix_(gaps, gaps)] = both
    pairs = shown[np.triu_indices(n, 1)]
    return max(math.fsum(pairs) / (len(pairs) * total), 1 / max(table.n_rows, 1))


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


def price_shown(dag: Dag, score: LocalScore, source: Source, share: float) -> float:
    """What a score takes off the likelihood where parameters are known by this share of the rows."""
    if isinstance(source, Moments | MixedMoments):
        free = sum(n_parameters(dag, v) for v in range(len(dag.schema)))
        return price_whole(dag, score, source) - 0.5 * math.log(share) * free
    inner, _, _ = without_price(score)
    if not is_native_score(inner):
        return price_whole(dag, score, source)
    families = [(v, tuple(dag.parents(v))) for v in range(len(dag.schema))]
    prices = math.fsum(score.local_many(families)) - math.fsum(inner.local_many(families))
    cards = inner.schema.cardinalities
    kinds = [(inner.settings.kind, inner.settings.ess), ("log_likelihood", 1.0)]
    tables = inner.counter.counts_many([(*parents, v) for v, parents in families])
    for (v, _), table in zip(families, tables, strict=True):
        own = np.ascontiguousarray(table, dtype=np.float64) * share
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

"""Moments as they are expected to be where states or numbers are missing: what a search may ask of such rows.

A row with gaps stands for all rows that it may have been, each with its probability under a model. Their sum
is a count, a mean and a scatter in each joint state, exact for any columns, also for those that the model
does not join. So whoever takes :class:`~treewright.statistics.MixedMoments` learns from rows with gaps (the
expectation of EM, and of structural EM).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np

from treewright.arguments import TABLE, require
from treewright.limits import check_table
from treewright.models.mixed.completions import Completions, in_order
from treewright.models.mixed.conditional_gaussian_network import ConditionalGaussianNetwork
from treewright.once import cached_property
from treewright.statistics.counter import Counter, Counts, PluralCounter, SparseCounts
from treewright.statistics.mixed.state_moments import MixedMoments, StateMoments
from treewright.tables.schema import NameOrIndex, Schema
from treewright.tables.table import Table
from treewright.types import Names


class ExpectedMixedMoments(MixedMoments):
    """Expected moments in joint states, given rows with missing cells and a model.

    Parameters
    ----------
    model
        A mixed network that gives every row a chance, as :func:`~treewright.fit` with a prior makes them.
    table
        Rows, read with `missing="em"`.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = {"sex": ["f", "m", None] * 2, "height": [160.5, None, 170.5, 165.5, 180.5, 175.5]}
    >>> table = tw.read_table(rows, missing="em")
    >>> whole = table.take([True, False, False, True, True, False])
    >>> model = tw.fit(tw.Dag(table.schema, [("sex", "height")]), tw.statistics.mixed_moments(whole))
    >>> found = ExpectedMixedMoments(model, table)
    >>> found.in_states(["sex"], ["height"]).n.round(3).tolist(), found.n
    ([2.846, 3.154], 6.0)
    """

    def __init__(self, model: ConditionalGaussianNetwork, table: Table) -> None:
        require("ExpectedMixedMoments", TABLE, table)
        self.model = model
        self._prepare(model.schema)
        self._rows = in_order(table)
        self.tables = (self._rows,)
        self._completions = Completions(model, self._rows)

    def __repr__(self) -> str:
        return super().__repr__().replace("MixedMoments", "ExpectedMixedMoments", 1)

    def __reduce__(self) -> tuple[Any, ...]:
        return ExpectedMixedMoments, (self.model, self._rows)

    @cached_property
    def log_likelihood(self) -> float:
        """Of what the rows show, in nats."""
        logs, weights = self._completions.log_densities(), self._rows.weights
        if weights is not None:
            logs = np.where(weights > 0, logs * weights, 0.0)
        return math.fsum(logs.tolist())

    @cached_property
    def counter(self) -> Counter:
        """Expected counts of the discrete columns."""
        return cast("Counter", ExpectedStates(self))

    def _worked_out(self, discrete: Names, continuous: Names) -> StateMoments:
        own = self._completions
        cells, n, mean, scatter = own.native.in_states(
            [own.discrete.index(name) for name in discrete],
            [own.continuous.index(name) for name in continuous],
        )
        shape, width = [self.schema[name].cardinality for name in discrete], len(continuous)
        states = np.zeros((len(cells), 0), dtype=np.intp)
        if shape:
            states = np.stack(np.unravel_index(cells, shape), axis=1).astype(np.intp)
        mean, scatter = mean.reshape(len(cells), width), scatter.reshape(len(cells), width, width)
        return StateMoments(discrete, continuous, states, n, mean, scatter)


class ExpectedStates(PluralCounter):
    """Expected counts of any discrete columns of a mixed table."""

    def __init__(self, moments: ExpectedMixedMoments) -> None:
        self.moments = moments
        self.schema: Schema = moments.schema.select(
            [variable.name for variable in moments.schema if variable.is_discrete]
        )

    @property
    def n_rows(self) -> float:
        return self.moments.n

    def counts_many(self, scopes: Sequence[Iterable[NameOrIndex]]) -> list[Counts]:
        """The tables of many scopes; an axis per variable, in the order of each."""
        return [self._table(self.schema.names_of(self.schema.scope(scope))) for scope in scopes]

    def sparse_counts(self, scope: Iterable[NameOrIndex]) -> SparseCounts:
        """Occupied cells only."""
        return SparseCounts.of(cast("Counts", np.ascontiguousarray(self.counts(scope))))

    def _table(self, names: Names) -> Counts:
        check_table(self.schema, self.schema.scope(names))
        found = self.moments.in_states(names, ())
        table = np.zeros([self.schema[name].cardinality for name in found.discrete])
        table[tuple(found.states.T)] = found.n
        return cast("Counts", table.transpose([found.discrete.index(name) for name in names]))

"""BIC of mixed families: tables for states, a line in each joint state for numbers.

The likelihood of a continuous child is a difference of two terms that belong to *sets* of variables: the
Normal of the child with its continuous parents in each joint state of the discrete ones, less that of the
parents alone. Each set's term is rounded once, so that two networks which the rows cannot tell apart have
exactly equal scores.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from treewright.arguments import MIXED_MOMENTS, require
from treewright.criteria.scores.discrete_score import BIC
from treewright.criteria.scores.edge_prior import SparseQNML
from treewright.criteria.scores.score import LocalScore, NamedFamily, PluralScore, as_families
from treewright.errors import SchemaError, SettingError
from treewright.once import cached_property
from treewright.ranges import in_range
from treewright.statistics.counter import Counter
from treewright.statistics.mixed.shrunk import state_normals
from treewright.statistics.mixed.state_moments import MixedMoments
from treewright.tables.schema import Schema
from treewright.types import Floats, Names

_MOST_TERMS = 2_000_000
_RELATIVE_STEP = 2.0**-38


class MixedBIC(PluralScore):
    """BIC of conditional Gaussian families, over discrete and continuous variables.

    A discrete child has discrete parents and the score of :class:`BIC`. A continuous child with discrete
    parents of q joint states and continuous parents P has the log-likelihood of a line in each joint state,
    less (ln m)/2 q (|P| + 2), m the number of rows. States of few rows lean on the others
    (:mod:`~treewright.statistics.mixed.shrunk`).

    Parameters
    ----------
    states
        What judges the discrete variables, made of their counts; by default :class:`BIC`.
    edge_price
        Nats for each parent of a continuous variable.

    Notes
    -----
    A continuous parent of a discrete child is refused: what would follow is no Normal any more. Among the
    networks that are left, those that promise the same independences score the same.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = {"a": ["x", "y"] * 20, "z": [i % 2 * 3 + i % 7 / 8 for i in range(40)]}
    >>> score = MixedBIC(tw.statistics.mixed_moments(tw.read_table(rows)))
    >>> round(score.local("z", ["a"]) - score.local("z"), 3)
    69.138
    """

    is_score_equivalent = True

    @in_range
    def __init__(
        self,
        moments: MixedMoments,
        *,
        states: Callable[[Counter], LocalScore] = BIC,
        edge_price: float = 0.0,
    ) -> None:
        require("MixedBIC", MIXED_MOMENTS, moments)
        if not (math.isfinite(edge_price) and edge_price >= 0):
            raise SettingError(f"the price of an edge is a finite number from 0 on; found {edge_price!r}")
        if not moments.n >= 1:
            raise SchemaError(f"a mixed BIC needs one row at least; found {moments.n:g}")
        self.moments = moments
        self.states: LocalScore | None = states(moments.counter) if moments.discrete else None
        self._made, self._asked = states, edge_price
        self._terms: dict[tuple[Names, Names], float] = {}

    def __repr__(self) -> str:
        m = self.moments
        return f"MixedBIC({len(m.discrete)} discrete and {len(m.continuous)} continuous, {m.n:g} rows)"

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(MixedBIC, states=self._made, edge_price=self._asked), (self.moments,)

    @property
    def schema(self) -> Schema:
        return self.moments.schema

    @cached_property
    def _step(self) -> float:
        """What the terms of numbers are multiples of: a power of two, small beside the empty graph's."""
        size = math.fsum(abs(self._exact((), (name,))) for name in self.moments.continuous)
        return 2.0 ** math.ceil(math.log2(max(1.0, size) * _RELATIVE_STEP))

    @cached_property
    def edge_price(self) -> float:
        """Nats for each parent of a continuous variable, in steps of the score."""
        return round(self._asked / self._step) * self._step

    @property
    def resolution(self) -> float:
        """The step of which every local score is a multiple, in nats."""
        of_states = 0.0 if self.states is None else float(getattr(self.states, "resolution", 0.0))
        return min(self._step, of_states) if of_states else self._step

    def local_many(self, families: Sequence[NamedFamily]) -> Floats:
        asked = as_families(self.schema, families)
        scores = np.empty(len(asked))
        of_states = []
        for k, (child, parents) in enumerate(asked):
            if self.schema[child].is_discrete:
                self._refuse_numbers(child, parents)
                of_states.append(k)
                continue
            names = self.schema.names_of(parents)
            discrete = tuple(sorted(p for p in names if self.schema[p].is_discrete))
            numbers = [p for p in names if not self.schema[p].is_discrete]
            with_child = tuple(sorted([*numbers, self.schema.names[child]]))
            scores[k] = self._term(discrete, with_child) - self._term(discrete, tuple(sorted(numbers)))
            scores[k] -= self.edge_price * len(parents)
        if of_states:
            assert self.states is not None
            named = [(self.schema.names[asked[k][0]], self.schema.names_of(asked[k][1])) for k in of_states]
            scores[of_states] = self.states.local_many(named)
        return scores

    def pair_gains(self) -> Floats:
        """What each variable adds as only parent; minus infinity for a number as parent of states."""
        everybody = range(len(self.schema))
        is_discrete = [v.is_discrete for v in self.schema]
        own = self.local_many([(child, ()) for child in everybody])
        gains = np.full((len(everybody), len(everybody)), -math.inf)
        np.fill_diagonal(gains, 0.0)
        for child in everybody:
            others = [p for p in everybody if p != child and (is_discrete[p] or not is_discrete[child])]
            gains[others, child] = self.local_additions(child, (), others) - own[child]
        return gains

    def _term(self, discrete: Names, numbers: Names) -> float:
        """Log-likelihood of numbers in joint states less the price of its parameters, rounded."""
        if not numbers:
            return 0.0
        key = discrete, numbers
        found = self._terms.get(key)
        if found is None:
            if len(self._terms) >= _MOST_TERMS:
                self._terms.clear()
            found = self._terms[key] = round(self._exact(discrete, numbers) / self._step) * self._step
        return found

    def _exact(self, discrete: Names, numbers: Names) -> float:
        n_states = math.prod(self.schema[name].cardinality for name in discrete)
        # a line for each of the numbers in turn: intercept, variance, and the numbers before it
        n_parameters = n_states * len(numbers) * (len(numbers) + 3) // 2
        likelihood = state_normals(self.moments, discrete, numbers).log_likelihood()
        return likelihood - 0.5 * math.log(self.moments.n) * float(n_parameters)

    def _refuse_numbers(self, child: int, parents: Sequence[int]) -> None:
        for parent in parents:
            if not self.schema[parent].is_discrete:
                name, number = self.schema.names[child], self.schema.names[parent]
                raise SchemaError(
                    f"discrete variables have discrete parents here; {name!r} was asked with the continuous "
                    f"{number!r}: cut it with bins=, or let the arc point to it"
                )


def make_sparse_mixed_score(moments: MixedMoments) -> MixedBIC:
    """Mixed BIC less ln n nats for each edge among n variables; states are judged by :class:`SparseQNML`."""
    require("make_sparse_mixed_score", MIXED_MOMENTS, moments)
    return MixedBIC(moments, states=SparseQNML, edge_price=math.log(max(len(moments.schema), 1)))

"""What regressions of every variable on all others find: a graph of pairs, and weights for them.

The energies of a log-linear model of pairs can be told as tables that are centred, which no state is special
in, or against the first states, which need no weight then: as features.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from treewright.graphs import Edge, UndirectedGraph
from treewright.learners.learned import Learned
from treewright.tables.features import Feature
from treewright.tables.schema import Schema
from treewright.types import Floats


@dataclass(frozen=True)
class LearnedNeighbourhoods(Learned[UndirectedGraph]):
    """A graph of pairs, and the weights that the regressions gave them.

    Attributes
    ----------
    found
        The neighbours that each regression found, by name, before the rule joined them.
    penalties
        The penalty of each regression, by name.
    score
        Where the penalties were chosen by it, minus half the sum of the regressions' extended BIC, in nats;
        NaN otherwise.

    Examples
    --------
    >>> import treewright as tw
    >>> counter = tw.count(tw.read_table({"a": [0, 0, 1, 1] * 9, "b": [0, 1] * 18, "c": [0, 1, 1, 1] * 9}))
    >>> learned = tw.learn_l1_neighbourhoods(counter)
    >>> learned.found["c"], learned.structure.n_edges
    (('a', 'b'), 3)
    >>> tw.models.LogLinearModel(counter.schema, learned.features, learned.weights)
    <LogLinearModel: 3 variables, 6 features>
    """

    found: Mapping[str, tuple[str, ...]]
    penalties: Mapping[str, float]
    score: float = field(kw_only=True)
    tables: Mapping[Edge, Floats] = field(repr=False)
    intercepts: tuple[Floats, ...] = field(repr=False)

    def pair_weights(self, x: str | int, y: str | int) -> Floats:
        """The mean table of weights of a pair, centred: states of `x` by states of `y`."""
        u, v = self.structure.schema.index(x), self.structure.schema.index(y)
        if (min(u, v), max(u, v)) not in self.tables:
            cardinalities = self.structure.schema.cardinalities
            return np.zeros((cardinalities[u], cardinalities[v]))
        table = self.tables[min(u, v), max(u, v)]
        return table if u < v else table.T

    @cached_property
    def _log_linear(self) -> tuple[tuple[Feature, ...], Floats]:
        return _against_first_states(self.structure.schema, self.tables, self.intercepts)

    @property
    def features(self) -> tuple[Feature, ...]:
        """Statements about one state, and about two of joined variables; the first states need none."""
        return self._log_linear[0]

    @property
    def weights(self) -> Floats:
        """The weight of each of the `features` in a log-linear model."""
        return self._log_linear[1]


def _against_first_states(
    schema: Schema, tables: Mapping[Edge, Floats], intercepts: Sequence[Floats]
) -> tuple[tuple[Feature, ...], Floats]:
    """The same energies, up to a constant, as weights of states other than the first and of pairs of such."""
    single = [intercept - intercept[0] for intercept in intercepts]
    features: list[Feature] = []
    weights: list[float] = []
    for (u, v), table in tables.items():
        single[u] = single[u] + table[:, 0] - table[0, 0]
        single[v] = single[v] + table[0] - table[0, 0]
    for v, energies in enumerate(single):
        for state in range(1, len(energies)):
            features.append(Feature.of_codes(schema, [(v, state)]))
            weights.append(float(energies[state]))
    for (u, v), table in tables.items():
        corner = table - table[:, :1] - table[:1] + table[0, 0]
        for s in range(1, corner.shape[0]):
            for t in range(1, corner.shape[1]):
                features.append(Feature.of_codes(schema, [(u, s), (v, t)]))
                weights.append(float(corner[s, t]))
    return tuple(features), np.array(weights)

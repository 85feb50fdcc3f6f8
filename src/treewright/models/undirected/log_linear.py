"""Log-linear models: a row weighs exp(w1 f1 + w2 f2 + ...), where f is 1 if a feature holds in it, else 0.

Features are statements about a few variables, so the weight of a row is a product of small tables and the
model a Markov network. The gradient of the log-likelihood in a weight is how often the feature holds in the
data less how often the model expects it to: both need only the joint distribution of each feature's
variables. The likelihood is concave, so the weights found do not depend on a starting point.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from treewright.arguments import FEATURE, SCHEMA, all_of, as_numbers, require
from treewright.errors import SchemaError
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.inference.clique_tree import CliqueTree
from treewright.inference.engine import Factor
from treewright.limits import check_table
from treewright.models.discrete.family_counts import FamilyCounter, counted_positions
from treewright.models.undirected.dimension import maximal_sets
from treewright.models.undirected.markov_network import Fitting, MarkovNetwork
from treewright.once import cached_property
from treewright.tables.features import Feature
from treewright.tables.schema import Schema
from treewright.tables.table import Table
from treewright.types import Cells, Flags, Scope

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class LogLinearModel:
    """Weighted features and the distribution that they make.

    Features are conjunctions of literals, or negations of such; a weight of minus infinity is that of a hard
    feature, which never holds. `fitting` says how the weights were found, as :func:`fit_weights` reports it.
    `network` is the same distribution as a :class:`MarkovNetwork`, to be asked: one factor per largest set of
    variables that a feature mentions.

    Examples
    --------
    >>> from treewright.tables.schema import Variable
    >>> schema = Schema([Variable("smoker", ("no", "yes")), Variable("cough", ("no", "yes"))])
    >>> model = LogLinearModel(schema, [Feature({"smoker": "yes", "cough": "yes"})], [1.5])
    >>> round(model.network.query("cough", given={"smoker": "yes"})["yes"], 4)
    0.8176
    >>> model.expectations().round(4).tolist(), round(model.log_partition, 4)
    ([0.599], 2.0125)
    """

    def __init__(
        self,
        schema: Schema,
        features: Iterable[Feature],
        weights: npt.ArrayLike,
        *,
        fitting: Fitting | None = None,
    ) -> None:
        require("LogLinearModel", SCHEMA, schema)
        self.schema = schema
        self.features = tuple(one.bind(schema) for one in all_of("LogLinearModel", FEATURE, features))
        self.weights = as_numbers("weights of features", weights).reshape(-1)
        self.weights.setflags(write=False)
        self.fitting = fitting
        if len(self.weights) != len(self.features):
            raise SchemaError(
                f"every feature has one weight; found {len(self.features)} features and "
                f"{len(self.weights)} weights"
            )
        wrong = np.flatnonzero(np.isnan(self.weights) | (self.weights == np.inf))
        if wrong.size:
            feature, weight = self.features[int(wrong[0])], float(self.weights[wrong[0]])
            raise SchemaError(f"weights are finite numbers; that of {feature} is {weight!r}")

    def __repr__(self) -> str:
        return f"<LogLinearModel: {len(self.schema)} variables, {len(self.features)} features>"

    @cached_property
    def _design(self) -> Design:
        return Design(self.schema, self.features)

    @cached_property
    def _scaled(self) -> tuple[list[Factor], float]:
        """Factors with their largest cell at one, and the log of what they were divided by."""
        return self._design.factors(self.weights)

    @cached_property
    def network(self) -> MarkovNetwork:
        return MarkovNetwork(self.schema, self._scaled[0], fitting=self.fitting)

    @cached_property
    def log_partition(self) -> float:
        """Natural logarithm of the sum over all joint states of exp(weights of what holds)."""
        return self.network.log_partition + self._scaled[1]

    def expectations(self) -> Cells:
        """How probable each feature is under the model."""
        return self._design.expectations(self.weights)[0]

    def log_probability(self, table: Table) -> Cells:
        """Natural logarithm of the probability of each row."""
        return self.network.log_probability(table)

    def score(self, table: Table) -> float:
        """Mean log-likelihood per row, in nats; rows count by their weights."""
        return self.network.score(table)


class Design:
    """Which cells of which tables each feature holds in, as a sparse matrix: features by cells.

    The tables are over the largest sets of variables that features mention, side by side. A feature counts in
    the smallest one that holds its variables.
    """

    def __init__(self, schema: Schema, features: Sequence[Feature]) -> None:
        self.schema = schema
        mentioned = [tuple(sorted({schema.index(name) for name in f.variables})) for f in features]
        self.scopes = [tuple(sorted(one)) for one in maximal_sets(mentioned)]
        self.shapes = [tuple(schema.cardinalities[v] for v in scope) for scope in self.scopes]
        for scope in self.scopes:
            check_table(schema, scope)
        self.offsets = np.concatenate([[0], np.cumsum([math.prod(s) for s in self.shapes])]).astype(np.int64)
        homes = {scope: self._home(scope) for scope in set(mentioned) if scope}
        # a statement about nothing holds always or never, in every cell of no table
        self.constant = np.array(
            [0.0 if scope else float(not f.negated) for f, scope in zip(features, mentioned, strict=True)]
        )
        self.matrix = self._matrix(features, [homes.get(scope) for scope in mentioned])

    def _home(self, scope: Scope) -> int:
        holding = [i for i, larger in enumerate(self.scopes) if set(scope) <= set(larger)]
        return min(holding, key=lambda i: (self.offsets[i + 1] - self.offsets[i], i))

    def _matrix(self, features: Sequence[Feature], homes: Sequence[int | None]) -> csr_array:
        from scipy.sparse import csr_array

        columns = [
            np.zeros(0, dtype=np.int64)
            if home is None
            else np.flatnonzero(indicator(feature, self.scopes[home], self.shapes[home])) + self.offsets[home]
            for feature, home in zip(features, homes, strict=True)
        ]
        starts = np.concatenate([[0], np.cumsum([len(c) for c in columns])]).astype(np.int64)
        cells = np.concatenate([np.zeros(0, dtype=np.int64), *columns])
        shape = (len(features), int(self.offsets[-1]))
        return csr_array((np.ones(len(cells)), cells, starts), shape=shape)

    @cached_property
    def tree(self) -> CliqueTree:
        pairs = sorted({(u, v) for scope in self.scopes for i, u in enumerate(scope) for v in scope[i + 1 :]})
        return CliqueTree(UndirectedGraph(self.schema, pairs), self.scopes)

    def logs(self, weights: Cells) -> Cells:
        """The logarithm of every table, side by side."""
        return np.asarray(self.matrix.T @ weights, dtype=np.float64)

    def _always(self, weights: Cells) -> float:
        """The weight of statements about nothing that always hold."""
        return float(weights[self.constant > 0].sum())

    def factors(self, weights: Cells) -> tuple[list[Factor], float]:
        logs, factors, log_scale = self.logs(weights), [], self._always(weights)
        for scope, shape, begin, end in zip(
            self.scopes, self.shapes, self.offsets[:-1], self.offsets[1:], strict=True
        ):
            largest = float(logs[begin:end].max())
            log_scale += largest
            factors.append(Factor(scope, np.exp(logs[begin:end] - largest).reshape(shape)))
        return factors, log_scale

    def expectations(self, weights: Cells) -> tuple[Cells, float]:
        """How probable each feature is, and the log of the partition function."""
        cells, log_mass = self.tree.marginals(self.logs(weights))
        # variables that no feature mentions have a clique in the tree, so they are in the mass already
        return self.matrix @ cells + self.constant, log_mass + self._always(weights)

    def frequencies(self, counter: FamilyCounter) -> tuple[Cells, float]:
        """How often each feature holds, as a share of the rows, and how many rows there are."""
        positions = counted_positions(self.schema, counter.schema)
        counted = counter.counts_many([tuple(positions[v] for v in scope) for scope in self.scopes])
        cells = [np.asarray(counts, dtype=np.float64).ravel() for counts in counted]
        n_rows = float(cells[0].sum()) if cells else 0.0
        flat = np.concatenate([np.zeros(0), *cells]) / (n_rows or 1.0)
        return self.matrix @ flat + self.constant, n_rows


def indicator(feature: Feature, scope: Scope, shape: tuple[int, ...]) -> Flags:
    """Where a bound feature holds in the table of a scope, flat."""
    allowed = [np.ones(n, dtype=np.bool_) for n in shape]
    for v, code in feature.literals:
        allowed[scope.index(v)] &= np.arange(shape[scope.index(v)]) == code
    for v, code in feature.excluded:
        allowed[scope.index(v)][code] = False
    holds = np.ones((), dtype=np.bool_)
    for axis in allowed:
        holds = np.logical_and.outer(holds, axis)
    return np.asarray(~holds if feature.negated else holds).ravel()

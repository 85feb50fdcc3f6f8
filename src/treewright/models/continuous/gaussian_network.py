"""A directed acyclic graph with a linear regression per variable: Normal around a line of its parents.

Together the variables are jointly Normal, so every question has an exact answer in closed form, whatever is
observed. The network says the same as a mean and a covariance, with as many numbers as it has arcs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

from treewright import _core
from treewright.arguments import DAG, described, require
from treewright.errors import ArgumentError, ImpossibleEvidence, SchemaError
from treewright.graphs.directed.dag import Dag
from treewright.inference.evidence import RealGiven, finite, read_real_evidence
from treewright.inference.linear_gaussian import GaussianCost, LinearGaussianEngine
from treewright.inference.refusals import sampling_seed
from treewright.models.answers import Explanation, list_targets
from treewright.models.causal.doors import Causal
from treewright.models.causal.told import LinearEffect
from treewright.models.continuous.normal_answers import (
    JointNormal,
    Normal,
    NormalMarginals,
    NormalPredictions,
)
from treewright.models.model import (
    DirectedModel,
    Rows,
    as_evidence,
    by_variable,
    check_continuous,
    find_row_patterns,
    take_real_column,
    take_real_columns,
)
from treewright.once import cached_property
from treewright.ranges import in_range
from treewright.tables.schema import NameOrIndex, Schema
from treewright.tables.table import Table
from treewright.types import Floats, Scope

if TYPE_CHECKING:
    import networkx as nx

    from treewright.models.continuous.gaussian_sensitivity import GaussianSensitivity

Numbers = Sequence[float] | Mapping[str, float] | Floats


class GaussianNetwork(Causal[LinearEffect]):
    """A linear-Gaussian Bayesian network.

    A variable is Normal around `intercept + coefficients . parents` with its own variance. A variance of zero
    makes it a function of its parents.

    Parameters
    ----------
    intercepts, variances, coefficients
        Numbers in schema order or by name; by child, then by parent, one for every arc.
    floored, redundant
        As `fit` reports them: variables whose variance is a floor, and by child the parents with the
        coefficient zero because the others determine them.

    Examples
    --------
    >>> from treewright import Dag, Schema, Variable
    >>> schema = Schema([Variable("sun"), Variable("heat")])
    >>> model = GaussianNetwork(
    ...     Dag(schema, [("sun", "heat")]), [6.0, 10.0], {"heat": {"sun": 2.0}}, {"sun": 4.0, "heat": 9.0}
    ... )
    >>> model.query("heat")
    heat: mean 22, standard deviation 5
    >>> model.query("sun", given={"heat": 27.0})
    sun: mean 7.6, standard deviation 1.2
    >>> model.query(["sun", "heat"]).covariance.tolist()
    [[4.0, 8.0], [8.0, 25.0]]
    >>> model.marginals(given={"heat": 27.0})
    sun: mean 7.6, standard deviation 1.2
    heat: mean 27, standard deviation 0
    >>> rows = model.sample(1000, given={"heat": 27.0}, rng=np.random.default_rng(7))
    >>> bool(abs(rows.column("sun").mean() - 7.6) < 0.1)
    True
    """

    def __init__(
        self,
        dag: Dag,
        intercepts: Numbers,
        coefficients: Mapping[str, Mapping[str, float]],
        variances: Numbers,
        *,
        floored: Sequence[str] = (),
        redundant: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        require("GaussianNetwork", DAG, dag)
        check_continuous(dag.schema, "a Gaussian network")
        self._dag = dag
        self._intercepts = order_numbers(dag.schema, intercepts, "intercept")
        self._variances = order_numbers(dag.schema, variances, "variance")
        negative = np.flatnonzero(self._variances < 0)
        if negative.size:
            name, found = dag.schema.names[negative[0]], float(self._variances[negative[0]])
            raise SchemaError(f"a variance is not negative; that of {name!r} is {found!r}")
        self._coefficients = check_coefficients(dag, coefficients)
        self._floored = tuple(sorted(dag.schema.names_of(dag.schema.scope(floored))))
        self._redundant = {
            dag.schema[child].name: tuple(sorted(dag.schema.names_of(dag.schema.scope(parents))))
            for child, parents in (redundant or {}).items()
        }

    @property
    def intercepts(self) -> Floats:
        """One number per variable in schema order, read-only."""
        return self._intercepts

    @property
    def variances(self) -> Floats:
        """The variance of each variable given its parents, in schema order, read-only."""
        return self._variances

    @property
    def floored(self) -> tuple[str, ...]:
        """Variables that the fitted rows gave no variance of their own, so that a floor took its place."""
        return self._floored

    @property
    def redundant(self) -> dict[str, tuple[str, ...]]:
        """Parents without a coefficient because other parents determine them, by child."""
        return dict(self._redundant)

    def intercept(self, name: NameOrIndex) -> float:
        return float(self._intercepts[self.schema.index(name)])

    def coefficients(self, name: NameOrIndex) -> dict[str, float]:
        """The coefficients of one variable's parents, by name."""
        return dict(self._coefficients[self.schema.index(name)])

    def variance(self, name: NameOrIndex) -> float:
        """The variance of one variable given its parents."""
        return float(self._variances[self.schema.index(name)])

    @property
    def n_parameters(self) -> int:
        """Free parameters: intercept, variance and a coefficient per parent."""
        return 2 * len(self.schema) + self._dag.n_edges

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GaussianNetwork):
            return NotImplemented
        return (
            self.schema == other.schema
            and self._coefficients == other._coefficients
            and np.array_equal(self._intercepts, other._intercepts)
            and np.array_equal(self._variances, other._variances)
        )

    __hash__ = DirectedModel.__hash__

    # rows

    def _log_rows(self, table: Table) -> Floats:
        """A variable without variance adds 0 where it agrees with its parents (to nine digits), else -inf."""
        return self._native.log_density_rows(take_real_columns(self.schema, table), table.n_rows)

    @in_range
    def sample(
        self, n: int, given: RealGiven | None = None, *, rng: np.random.Generator | None = None
    ) -> Table:
        """Draw rows, given what is known.

        One 64-bit seed is taken from `rng`, without one from the system, anew each time; the rows are the
        same for any number of threads and any order of columns, and the first rows of a longer sample are
        those of a shorter one. Rows given evidence are exact draws, none is rejected or weighted.
        """
        seed = sampling_seed(self.schema, n, rng)
        evidence = read_real_evidence(self.schema, given)
        if len(evidence) == 0:
            return Table(self.schema, self._native.sample(seed, n, []))
        return Table(self.schema, self._engine.sample(n, evidence, seed=seed))

    def predict(self, rows: Rows, target: str) -> Floats:
        """The expected value of one variable for every row, given the row's other cells.

        Missing cells and columns that the table lacks are not observed, and neither is the target.

        Examples
        --------
        >>> import treewright as tw
        >>> schema = tw.Schema([tw.Variable("x"), tw.Variable("y")])
        >>> model = tw.GaussianNetwork(tw.Dag(schema, [("x", "y")]), [1, 0], {"y": {"x": 1.0}}, [1, 1])
        >>> model.predict({"y": [1.5, 3.5]}, "x").tolist()
        [1.25, 2.25]
        >>> model.predict_table({"y": [1.5, None]}, "x").variances.round(9).tolist()
        [0.5, 1.0]
        """
        answer = self.predict_table(rows, target)
        impossible = np.flatnonzero(np.isnan(answer.means))
        if impossible.size:
            raise ImpossibleEvidence(
                f"row {int(impossible[0])} contradicts a relation of the model that has no variance, so "
                f"nothing follows from it; {impossible.size:,} of {len(answer):,} rows are like this"
            )
        return answer.means

    def predict_table(self, rows: Rows, target: str) -> NormalPredictions:
        """Mean and variance of one variable for every row, given the row's other cells; NaN if impossible."""
        v = self.schema.index(target)
        table = as_evidence(self.schema, rows, v)
        known = [u for u, name in enumerate(self.schema.names) if u != v and name in table.schema]
        columns = [take_real_column(table, self.schema.names[u]) for u in known]
        means, variances = np.empty(table.n_rows), np.empty(table.n_rows)
        masks = np.zeros((table.n_rows, len(known)), dtype=np.bool_)
        for k, column in enumerate(columns):
            masks[:, k] = np.isnan(column)
        for hidden, where in find_row_patterns(masks):
            seen = np.flatnonzero(~hidden).tolist()
            parts = [np.ascontiguousarray(columns[k][where]) for k in seen]
            given = tuple(known[k] for k in seen)
            means[where] = self._engine.predict(given, parts, v, len(where))
            variances[where] = self._engine.given(given, (v,)).variances((v,))[0]
        return NormalPredictions(self.schema.names[v], means, variances)

    # questions

    def mean(self) -> Floats:
        """The mean of every variable, in schema order."""
        return self._engine.means(read_real_evidence(self.schema, None), self._everything)[0]

    def covariance(self) -> Floats:
        """The covariance of all variables, in schema order; refused when it exceeds the memory limit."""
        return self._engine.covariance(read_real_evidence(self.schema, None), self._everything)

    @overload
    def query(  # type: ignore[overload-overlap]
        self, targets: str, given: RealGiven | None = None
    ) -> Normal: ...
    @overload
    def query(self, targets: Sequence[str], given: RealGiven | None = None) -> JointNormal: ...
    def query(self, targets: str | Sequence[str], given: RealGiven | None = None) -> Normal | JointNormal:
        """The distribution of one variable, or the joint one of several, given what is known."""
        evidence = read_real_evidence(self.schema, given)
        if isinstance(targets, str):
            v = self.schema.index(targets)
            mean, log_density = self._engine.means(evidence, (v,))
            variance = float(self._engine.variances(evidence, (v,))[0])
            return Normal(targets, float(mean[v]), variance, log_density)
        names = list_targets(targets)
        scope = self.schema.scope(names)
        mean, log_density = self._engine.means(evidence, scope)
        return JointNormal(names, mean[list(scope)], self._engine.covariance(evidence, scope), log_density)

    def marginals(self, given: RealGiven | None = None) -> NormalMarginals:
        """The distribution of every variable given what is known."""
        evidence = read_real_evidence(self.schema, given)
        mean, log_density = self._engine.means(evidence, self._everything)
        variances = self._engine.variances(evidence, self._everything)
        return NormalMarginals(self.schema.names, mean, variances, log_density)

    def log_density_of(self, given: RealGiven) -> float:
        """Natural logarithm of the density of these values together.

        In topological order, a value that the earlier ones determine adds nothing; one that contradicts them
        gives minus infinity.
        """
        evidence = read_real_evidence(self.schema, given)
        try:
            return self._engine.means(evidence, ())[1]
        except ImpossibleEvidence:
            return -math.inf

    def mpe(self, given: RealGiven | None = None) -> Explanation:
        """The most probable values of all variables together: their means given what is known.

        `log_probability` of the answer is the log-density of these values and what is given together.
        """
        evidence = read_real_evidence(self.schema, given)
        mean, _ = self._engine.means(evidence, self._everything)
        values = dict(zip(self.schema.names, mean.tolist(), strict=True))
        row = Table(self.schema, [[value] for value in values.values()])
        return Explanation(values, float(self.log_probability(row)[0]))

    def sensitivity(self, target: str, given: RealGiven | None = None) -> GaussianSensitivity:
        """How much each intercept, coefficient and variance moves the mean and the variance of one variable.

        Derivatives given what is known, exactly, the strongest first.

        Examples
        --------
        >>> import treewright as tw
        >>> dag = tw.Dag(tw.Schema([tw.Variable("sun"), tw.Variable("heat")]), [("sun", "heat")])
        >>> model = tw.GaussianNetwork(dag, [6.0, 10.0], {"heat": {"sun": 2.0}}, [4.0, 9.0])
        >>> mean, variance = model.sensitivity("sun", {"heat": 27.0}).coefficients("heat")["sun"]
        >>> round(mean, 4), round(variance, 4)
        (-2.144, -0.9216)
        """
        from treewright.models.continuous.gaussian_sensitivity import gaussian_sensitivity

        return gaussian_sensitivity(self, target, given)

    def cost(
        self, given: RealGiven | None = None, targets: str | Sequence[str] | None = None
    ) -> GaussianCost:
        """What a question would cost: all marginals, or the joint of some targets. Nothing is computed."""
        evidence = read_real_evidence(self.schema, given)
        if targets is None:
            return self._engine.cost(evidence.observed, self._everything)
        return self._engine.cost(evidence.observed, self.schema.scope(list_targets(targets)))

    @property
    def _everything(self) -> Scope:
        return tuple(range(len(self.schema)))

    @cached_property
    def _engine(self) -> LinearGaussianEngine:
        return LinearGaussianEngine(self.schema, self._native)

    @cached_property
    def _native(self) -> _core.NormalNetwork:
        index = self.schema.index
        # parents by name: no sum depends on the order of the columns
        families = [sorted(mapping.items()) for mapping in self._coefficients]
        return _core.NormalNetwork(
            self._dag.topological_order,
            self.schema.name_ranks,
            [[index(parent) for parent, _ in family] for family in families],
            [[weight for _, weight in family] for family in families],
            self._intercepts.tolist(),
            self._variances.tolist(),
        )

    def to_networkx(self) -> nx.DiGraph[str]:
        """The model as a `networkx.DiGraph`: nodes with intercept and variance, arcs with coefficient."""
        from treewright.models.convert.libraries import gaussian_to_networkx

        return gaussian_to_networkx(self)


def order_numbers(schema: Schema, numbers: Numbers, what: str) -> Floats:
    """One finite number per variable, in schema order; read-only."""
    if isinstance(numbers, Mapping):
        numbers = by_variable(schema, numbers, what)
    array = np.array(numbers, dtype=np.float64)
    if array.shape != (len(schema),):
        raise SchemaError(f"{len(schema)} variables need one {what} each; found shape {array.shape}")
    if not np.isfinite(array).all():
        name = schema.names[int(np.argmin(np.isfinite(array)))]
        raise SchemaError(f"the {what} of {name!r} is not a finite number")
    array.setflags(write=False)
    return array


def check_coefficients(
    dag: Dag, coefficients: Mapping[str, Mapping[str, float]]
) -> tuple[dict[str, float], ...]:
    """One mapping per variable, its parents in schema order."""
    schema = dag.schema
    for given in (coefficients, *(coefficients.values() if isinstance(coefficients, Mapping) else ())):
        if not isinstance(given, Mapping):
            raise ArgumentError(
                f"coefficients= maps children to their parents' numbers; found {described(given)}"
            )
    for child in coefficients:
        schema.index(child)
    found = []
    for v, name in enumerate(schema.names):
        given, parents = coefficients.get(name, {}), schema.names_of(dag.parents(v))
        if sorted(given) != sorted(parents):
            wanted = ", ".join(map(repr, parents)) or "none"
            raise SchemaError(
                f"{name!r} needs one coefficient for each of its parents ({wanted}); "
                f"found {', '.join(map(repr, given)) or 'none'}"
            )
        numbers = {parent: finite(given[parent]) for parent in parents}
        wrong = [parent for parent, number in numbers.items() if number is None]
        if wrong:
            raise SchemaError(f"the coefficient of {wrong[0]!r} for {name!r} is not a finite number")
        found.append({parent: number for parent, number in numbers.items() if number is not None})
    return tuple(found)

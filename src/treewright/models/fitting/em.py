"""Fitting tables when cells are missing: expectation maximisation (Dempster, Laird & Rubin 1977).

A missing cell leaves several ways to complete its row. Each round weighs them by the tables at hand (the
E-step: expected counts of every family, by exact inference), then makes the tables anew as if those counts
had been seen (the M-step). No round makes what the rows show less probable: with a Dirichlet prior, it is the
log-likelihood plus the sum of `a * log p` over all cells (`a` imagined rows in each) that never decreases.

This is right when cells are missing at random: whether a cell is missing may depend on what the row shows,
but not on what it hides. Rows that were left incomplete *because of* the hidden value need a model of that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypedDict, TypeVar, Unpack, overload

import numpy as np

from treewright.arguments import MODEL, TABLE, require
from treewright.errors import SchemaError, SettingError
from treewright.graphs.directed.dag import Dag
from treewright.graphs.directed.pdag import Pdag
from treewright.graphs.feature_graph import FeatureGraph
from treewright.inference.expectation import FamilyExpectation
from treewright.models.continuous.gaussian_network import GaussianNetwork
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.discrete.family_counts import (
    ONE_ROW,
    Dirichlet,
    FamilyCounts,
    estimate,
    list_families,
    refuse_large_tables,
)
from treewright.models.fitting.direction import choose_dag
from treewright.models.many_rows import blocks_of, mean_by_blocks, no_rows
from treewright.models.model import align_evidence
from treewright.ranges import in_range
from treewright.tables.table import Table
from treewright.types import Brief, Cells

if TYPE_CHECKING:
    from treewright.models.features.feature_fitting import FittedFeatures
    from treewright.models.features.feature_network import FeatureNetwork

Parameters = TypeVar("Parameters")
Expected = TypeVar("Expected")


@dataclass(frozen=True)
class EmTrace(Brief):
    """How the rounds went, for the start that ended best.

    `log_likelihood` is that of what the rows show, in nats: under the start, then after every round; the last
    is the model's. `objective` adds the weight of the prior and never decreases. `converged` says whether the
    last round gained no more than the tolerance; otherwise the rounds ran out. `start` is which one this was
    (0 is the one from counts, 1, 2, ... are random), and `objectives` what every start reached.
    """

    log_likelihood: tuple[float, ...]
    objective: tuple[float, ...]
    converged: bool
    start: int
    objectives: tuple[float, ...] = ()

    @property
    def n_rounds(self) -> int:
        return len(self.objective) - 1

    def provenance(self) -> dict[str, object]:
        """What a model says about having been fitted like this."""
        return {
            "fitted_by": "expectation maximisation",
            "rounds": self.n_rounds,
            "converged": self.converged,
            "log_likelihood": self.log_likelihood[-1],
        }


@dataclass(frozen=True)
class FittedByEm(Brief):
    """A model fitted by :func:`fit_em`, the expected counts behind its tables, and how the rounds went.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.read_table({"a": ["x", "y", None]}, missing="em")
    >>> fitted = tw.fit_em(tw.Dag(table.schema), table)
    >>> fitted.counts.fit() == fitted.model, fitted.trace.converged
    (True, True)
    """

    model: BayesianNetwork
    counts: FamilyCounts
    trace: EmTrace


class EmOptions(TypedDict, total=False):
    """The options of :func:`fit_em`, for the type checker."""

    prior: Dirichlet | None
    tolerance: float
    iterations: int
    starts: int
    rng: np.random.Generator | None


@overload
def fit_em(structure: Dag | Pdag, table: Table, **options: Unpack[EmOptions]) -> FittedByEm: ...
@overload
def fit_em(structure: FeatureGraph, table: Table, **options: Unpack[EmOptions]) -> FittedFeatures: ...
@in_range
def fit_em(
    structure: Dag | Pdag | FeatureGraph,
    table: Table,
    *,
    prior: Dirichlet | None = ONE_ROW,
    tolerance: float = 1e-6,
    iterations: int = 1000,
    starts: int = 0,
    rng: np.random.Generator | None = None,
) -> FittedByEm | FittedFeatures:
    """Fit a Bayesian network or a feature graph to rows with missing cells, by expectation maximisation.

    The answer has the `model`, its `trace` and, for a Bayesian network, the expected `counts`.

    Parameters
    ----------
    structure
        The arcs; an equivalence class is directed as :func:`fit` does it. Or a :class:`FeatureGraph`; its own
        parameters are the first start then, after one round with an imagined row at every node.
    table
        Rows, read with `missing="em"`. Cells that miss and variables that the table lacks are hidden; rows
        count by their weights. Without anything missing the result is that of :func:`fit`.
    prior
        A Dirichlet prior, or None for maximum likelihood.
    tolerance, iterations
        Stop when a round gains no more than so many nats per row, or after so many rounds; `trace.converged`
        says which it was.
    starts, rng
        Random starts beside the first one, which takes each table from the rows that show its whole family
        (and one imagined row). A random start draws every table that misses cells from the flat Dirichlet
        distribution. The best end wins, the earlier one among equals. A variable that no row shows needs
        them: started alike, its states would stay alike; the start from counts is then left out.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = {"a": ["x", "x", "y", "y", None], "b": ["p", "p", "q", None, "q"]}
    >>> table = tw.read_table(rows, missing="em")
    >>> fitted = tw.fit_em(tw.Dag(table.schema, [("a", "b")]), table, prior=None)
    >>> fitted.model.table("a").round(3).tolist()
    [0.4, 0.6]
    >>> fitted.trace.log_likelihood[-1] > fitted.trace.log_likelihood[0]
    True
    """
    require("fit_em", TABLE, table)
    if isinstance(structure, FeatureGraph):
        from treewright.models.features.feature_fitting import fit_features_em

        return fit_features_em(structure, table, prior, EmSettings(tolerance, iterations, starts, rng))
    dag, origin = choose_dag(structure, "fit_em")
    settings = EmSettings(tolerance, iterations, starts, rng)
    for variable in dag.schema:
        if not variable.is_discrete:
            raise SchemaError(
                f"fit_em fits tables of discrete variables; {variable.name!r} is continuous: labels and "
                "numbers together are fitted by tw.models.fit_mixed_em"
            )
    families = list_families(dag)
    refuse_large_tables(dag.schema, families)
    columns = align_evidence(dag.schema, table)
    expectation = FamilyExpectation(dag.schema, families, columns, table.weights)
    unseen = [v for v, codes in enumerate(columns.codes) if codes is None and dag.schema.cardinalities[v] > 1]
    hidden = unseen if table.n_rows else []
    misses = [mask is not None or v in hidden for v, mask in enumerate(columns.missing)]
    incomplete = [any(misses[v] for v in family) for family in families]
    if hidden and not starts:
        name = dag.schema.names[min(hidden, key=dag.schema.names.__getitem__)]
        raise SettingError(
            f"no row shows {name!r}, so its states would stay alike in a start from counts; ask for random "
            "starts with starts=10, rng=np.random.default_rng(7)"
        )
    numbers = range(1 if hidden else 0, starts + 1)
    _, expected, trace = climb_best(
        ((i, _start(dag, expectation.observed, incomplete, rng if i else None)) for i in numbers),
        expect=expectation.step,
        maximise=lambda found: [estimate(counts, prior) for counts in found],
        log_prior=lambda tables: _log_prior(tables, prior),
        settings=settings,
        n_rows=_total(table),
    )
    counts = FamilyCounts.from_tables(dag, expected)
    model = counts.fit(prior=prior).with_provenance(origin | trace.provenance())
    return FittedByEm(model, counts, trace)


def score_observed(model: BayesianNetwork | FeatureNetwork | GaussianNetwork, table: Table) -> float:
    """Mean log-likelihood per row of what the rows show, in nats; rows count by their weights.

    As `model.score` for rows without missing cells.

    Examples
    --------
    >>> import treewright as tw
    >>> asia = tw.load_network("asia")
    >>> table = tw.read_table({"smoke": ["yes", None]}, schema=asia.schema.select(["smoke"]), missing="em")
    >>> round(score_observed(asia, table), 6)
    -0.346574
    """
    require("score_observed", MODEL, model)
    require("score_observed", TABLE, table)
    if not (total := _total(table)):
        raise no_rows()
    if isinstance(model, GaussianNetwork):
        from treewright.models.fitting.em_lines import observed_density

        return observed_density(model, table)
    if not isinstance(model, BayesianNetwork):
        return mean_by_blocks(table, model.log_evidence)
    parts, families = [], list_families(model.dag)
    for block in blocks_of(table):
        columns = align_evidence(model.schema, block)
        expectation = FamilyExpectation(model.schema, families, columns, block.weights)
        parts.append(expectation.step(model.tables)[1])
    return math.fsum(parts) / total


@dataclass(frozen=True)
class EmSettings:
    """When rounds end, and how many random starts there are; see :func:`fit_em`."""

    tolerance: float = 1e-6
    iterations: int = 1000
    starts: int = 0
    rng: np.random.Generator | None = None

    def __post_init__(self) -> None:
        if not (math.isfinite(self.tolerance) and self.tolerance >= 0):
            raise SettingError(
                f"the tolerance of EM is a number of nats per row from 0 on; found {self.tolerance!r}"
            )
        if self.iterations < 1:
            raise SettingError(f"EM takes at least one round; found iterations={self.iterations!r}")
        if self.starts < 0:
            raise SettingError(f"EM takes no fewer than 0 random starts; found starts={self.starts!r}")
        if self.starts and not isinstance(self.rng, np.random.Generator):
            wanted = "a numpy Generator as in np.random.default_rng(7)"
            raise SettingError(f"random starts need rng=, {wanted}; found {self.rng!r}")


def climb_best(
    begin: Iterable[tuple[int, Parameters]],
    *,
    expect: Callable[[Parameters], tuple[Expected, float]],
    maximise: Callable[[Expected], Parameters],
    log_prior: Callable[[Parameters], float],
    settings: EmSettings,
    n_rows: float,
) -> tuple[Parameters, Expected, EmTrace]:
    """Rounds from each start until they gain too little; the best end, the earliest among equals.

    Beside its parameters and how the rounds went come the expected counts that the parameters were made of.
    """
    ended = []
    for start, first in begin:
        parameters, (expected, log_likelihood) = first, expect(first)
        counts, logs, converged = expected, [log_likelihood], False
        objective = [log_likelihood + log_prior(parameters)]
        while not converged and len(logs) <= settings.iterations:
            counts, parameters = expected, maximise(expected)  # M-step
            expected, log_likelihood = expect(parameters)  # E-step
            logs.append(log_likelihood)
            objective.append(log_likelihood + log_prior(parameters))
            converged = objective[-1] - objective[-2] <= settings.tolerance * max(n_rows, 1.0)
        ended.append((parameters, counts, EmTrace(tuple(logs), tuple(objective), converged, start)))
    parameters, counts, trace = max(ended, key=lambda one: one[2].objective[-1])
    return parameters, counts, replace(trace, objectives=tuple(t.objective[-1] for *_, t in ended))


def _log_prior(tables: Sequence[Cells], prior: Dirichlet | None) -> float:
    """What the imagined rows add to the log-likelihood, the same for every order of variables."""
    if prior is None:
        return 0.0
    return math.fsum(prior.ess / table.size * math.fsum(np.log(table).ravel()) for table in tables)


def _start(
    dag: Dag, observed: Sequence[Cells], incomplete: Sequence[bool], rng: np.random.Generator | None
) -> list[Cells]:
    """Tables with nothing impossible in them: from the rows that show a family, or by chance."""
    tables = [estimate(counts, ONE_ROW) for counts in observed]
    if rng is None:
        return tables
    for v in dag.schema.name_order:  # the same draws for every order of columns
        if incomplete[v]:
            by_name = np.argsort([dag.schema.name_ranks[u] for u in dag.parents(v)])
            axes = [*by_name.astype(int), len(by_name)]
            draws = rng.standard_exponential([tables[v].shape[axis] for axis in axes])
            shares = draws / draws.sum(axis=-1, keepdims=True)
            tables[v] = np.ascontiguousarray(shares.transpose(np.argsort(axes)))
    return tables


def _total(table: Table) -> float:
    return float(table.n_rows if table.weights is None else np.sum(table.weights, dtype=np.float64))

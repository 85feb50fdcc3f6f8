"""Put parameters on a structure: tables on arcs, lines on arcs, factors on edges, numbers on feature graphs.

With `n[j, k]` rows in state `k` of a variable whose parents are in configuration `j` (`r` states, `q` parent
configurations):

- a Dirichlet prior of equivalent sample size `ess` pretends that `ess` rows were seen before, spread evenly
  over the `q * r` cells of the family: `p[j, k] = (n[j, k] + ess / (q r)) / (n[j] + ess / q)`. This is the
  posterior mean under the prior of the BDeu score;
- maximum likelihood takes `p[j, k] = n[j, k] / n[j]`, and the uniform distribution where `n[j] = 0`.

Moments of continuous variables are fitted in `gaussian_fit.py`, undirected graphs in `markov_fitting.py`,
feature graphs in `feature_fitting.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from treewright.arguments import STATISTICS, require
from treewright.errors import SchemaError, SettingError
from treewright.graphs.directed.dag import Dag
from treewright.graphs.directed.pdag import Pdag
from treewright.graphs.feature_graph import FeatureGraph
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.models.continuous.gaussian_fit import GaussianPrior, fit_gaussian
from treewright.models.continuous.gaussian_network import GaussianNetwork
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.discrete.family_counts import ONE_ROW, Dirichlet, FamilyCounter, FamilyCounts
from treewright.models.fitting.databases import fit_databases, require_dirichlet, require_gaussian
from treewright.models.fitting.direction import choose_dag
from treewright.models.mixed.conditional_gaussian_network import ConditionalGaussianNetwork
from treewright.models.mixed.mixed_fit import fit_mixed
from treewright.models.undirected.markov_choice import (
    BestFitting,
    PseudoLikelihoodFitting,
    fit_best,
    fit_by_pseudolikelihood,
)
from treewright.models.undirected.markov_fitting import (
    DecomposableCover,
    IterativeFitting,
    fit_markov_network,
)
from treewright.models.undirected.markov_network import MarkovNetwork
from treewright.origins import described, origin_of, rows_behind
from treewright.statistics.mixed.state_moments import MixedMoments
from treewright.statistics.moments import Moments
from treewright.tables.databases import Databases

if TYPE_CHECKING:
    from treewright.models.features.feature_network import FeatureNetwork

MarkovEstimator = IterativeFitting | DecomposableCover | BestFitting | PseudoLikelihoodFitting


@overload
def fit(structure: Dag | Pdag, counter: Moments, *, prior: GaussianPrior | None = ...) -> GaussianNetwork: ...
@overload
def fit(
    structure: Dag | Pdag, counter: MixedMoments, *, prior: Dirichlet | None = ...
) -> ConditionalGaussianNetwork: ...
@overload
def fit(
    structure: Dag | Pdag,
    counter: Databases,
    *,
    prior: Dirichlet | GaussianPrior | None = ...,
    keep_counts: bool = ...,
) -> BayesianNetwork | GaussianNetwork: ...
@overload
def fit(
    structure: Dag | Pdag, counter: FamilyCounter, *, prior: Dirichlet | None = ..., keep_counts: bool = ...
) -> BayesianNetwork: ...
@overload
def fit(
    structure: UndirectedGraph,
    counter: FamilyCounter,
    *,
    prior: Dirichlet | None = ...,
    estimator: MarkovEstimator | None = ...,
) -> MarkovNetwork: ...
@overload
def fit(
    structure: FeatureGraph, counter: FamilyCounter, *, prior: Dirichlet | None = ...
) -> FeatureNetwork: ...
def fit(
    structure: Dag | Pdag | UndirectedGraph | FeatureGraph,
    counter: FamilyCounter | Moments | MixedMoments | Databases,
    *,
    prior: Dirichlet | GaussianPrior | None = ONE_ROW,
    keep_counts: bool = False,
    estimator: MarkovEstimator | None = None,
) -> BayesianNetwork | GaussianNetwork | ConditionalGaussianNetwork | MarkovNetwork | FeatureNetwork:
    """Fit tables to arcs, lines to arcs of continuous variables, factors to edges, or a feature graph.

    Parameters
    ----------
    structure
        The arcs of a Bayesian network, the edges of a Markov network, or a :class:`FeatureGraph`, whose shape
        is kept. An equivalence class (`Cpdag`), or any `Pdag` that has one, is directed first (see
        :mod:`~treewright.models.fitting.direction`); the model's `provenance` names the edges that were open.
    counter
        Counts of the same variables, met by name; whole or real-weighted. Or the :class:`Moments` of
        continuous variables (:func:`fit_sigmoid` puts sigmoids on them instead of lines), or those of a mixed
        table (:func:`~treewright.statistics.mixed_moments`). A feature graph
        needs a counter that holds rows, as :func:`count` returns. Or several tables with overlapping columns
        (:class:`Databases`): each family is fitted to all tables that have its columns, completed from the
        others where none has (`provenance["completed"]` of a Bayesian network names them).
    prior
        For counts a Dirichlet prior (see the formula above), by default of one row; for moments a
        :class:`GaussianPrior`, by default none. None is maximum likelihood.
    keep_counts
        Whether a Bayesian network carries its counts and prior, so that `partial_fit` can add further rows.
    estimator
        For an undirected graph: :class:`IterativeFitting`, the quick :class:`DecomposableCover`,
        :class:`BestFitting`, which takes the better of the two by rows held out, or
        :class:`PseudoLikelihoodFitting` for any width. By default the closed form when the graph is chordal,
        iterative fitting when it is not.

    Notes
    -----
    The model says where the rows did not settle its numbers: `unseen` of a Bayesian network counts the parent
    configurations without a row (uniform ones then), `floored` and `redundant` of a Gaussian network name
    regressions that were not determined, `fitting` of a Markov network says how factors were found. A feature
    graph is fitted in closed form when it is deterministic, the prior's rows shared at every node; else by
    expectation maximisation from the parameters that it has.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright import Dag, Schema, Variable
    >>> class Coin:
    ...     schema = Schema([Variable("side", ("heads", "tails"))])
    ...     def counts_many(self, scopes):
    ...         return [np.array([3, 1]) for _ in scopes]
    >>> fit(Dag(Coin.schema, []), Coin(), prior=None).table("side").tolist()
    [0.75, 0.25]
    >>> fit(Dag(Coin.schema, []), Coin(), prior=Dirichlet(4.0)).table("side").tolist()
    [0.625, 0.375]
    """
    model: BayesianNetwork | GaussianNetwork | ConditionalGaussianNetwork | MarkovNetwork | FeatureNetwork
    model = _fitted(structure, counter, prior, keep_counts=keep_counts, estimator=estimator)
    origin = origin_of(structure)
    if not origin:
        return model
    how = {"prior": prior, "keep_counts": keep_counts, "estimator": estimator}
    told = {"fitting": {name: described(one) for name, one in how.items() if one is not None}}
    return model.with_provenance({**origin, **told, **rows_behind(counter), **model.provenance})


def _fitted(structure: Any, counter: Any, prior: Any, *, keep_counts: bool, estimator: Any) -> Any:
    if isinstance(counter, Databases | MixedMoments) and not isinstance(structure, Dag | Pdag):
        what = "several tables" if isinstance(counter, Databases) else "mixed tables"
        raise SchemaError(f"{what} are fitted to the arcs of a network; found a {type(structure).__name__}")
    if not isinstance(counter, Databases | MixedMoments):
        require("fit", STATISTICS, counter)
    if isinstance(structure, FeatureGraph):
        assert not isinstance(counter, Databases)
        return _fit_graph(structure, counter, prior, keep_counts=keep_counts, estimator=estimator)
    if isinstance(structure, UndirectedGraph):
        assert not isinstance(counter, Databases)
        return _fit_edges(structure, counter, prior, keep_counts=keep_counts, estimator=estimator)
    if estimator is not None:
        raise SettingError(f"arcs are fitted by counting alone; found estimator={estimator!r}")
    dag, origin = choose_dag(structure)
    if isinstance(counter, Databases):
        fitted = fit_databases(dag, counter, prior, keep_counts=keep_counts)
        if not origin or isinstance(fitted, GaussianNetwork):
            return fitted
        return fitted.with_provenance({**origin, **fitted.provenance})
    if isinstance(counter, Moments | MixedMoments):
        return _fit_lines(dag, counter, prior, keep_counts=keep_counts)
    model = FamilyCounts(dag, counter).fit(prior=require_dirichlet(prior), keep_counts=keep_counts)
    return model.with_provenance(origin) if origin else model


def _fit_lines(dag: Dag, moments: Moments | MixedMoments, prior: Any, *, keep_counts: bool) -> Any:
    if keep_counts:
        raise SettingError("keep_counts=True goes with counts; moments add up by themselves")
    if isinstance(moments, MixedMoments):
        return fit_mixed(dag, moments, prior=require_dirichlet(prior))
    return fit_gaussian(dag, moments, prior=require_gaussian(prior))


def _fit_graph(
    graph: FeatureGraph,
    counter: FamilyCounter | Moments,
    prior: Dirichlet | GaussianPrior | None,
    *,
    keep_counts: bool,
    estimator: object,
) -> FeatureNetwork:
    from treewright.models.features.feature_fitting import fit_features

    if isinstance(counter, Moments):
        raise SchemaError("a feature graph is fitted to rows of discrete variables; found moments")
    if keep_counts or estimator is not None:
        option = "keep_counts=True" if keep_counts else f"estimator={estimator!r}"
        raise SettingError(f"a feature graph is fitted by counting or by EM alone; found {option}")
    return fit_features(graph, counter, require_dirichlet(prior))


def _fit_edges(
    graph: UndirectedGraph,
    counter: FamilyCounter | Moments,
    prior: Dirichlet | GaussianPrior | None,
    *,
    keep_counts: bool,
    estimator: MarkovEstimator | None,
) -> MarkovNetwork:
    if isinstance(counter, Moments):
        raise SchemaError("an undirected graph is fitted to counts of discrete variables; found moments")
    if keep_counts:
        raise SettingError("keep_counts=True goes with the arcs of a Bayesian network; found edges")
    if isinstance(estimator, BestFitting):
        return fit_best(graph, counter, require_dirichlet(prior), estimator)
    if isinstance(estimator, PseudoLikelihoodFitting):
        return fit_by_pseudolikelihood(graph, counter, estimator)
    return fit_markov_network(graph, counter, prior=require_dirichlet(prior), estimator=estimator)

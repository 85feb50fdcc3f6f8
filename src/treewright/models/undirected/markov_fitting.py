"""Put factors on an undirected graph: from counts of its cliques to a Markov network.

The maximum-likelihood network of a graph is the one whose clique marginals are those of the data. For a
*chordal* graph it is known in closed form: the product of the clique marginals over the product of the
separator marginals. For any other graph *iterative proportional fitting* finds it: give one clique its
marginal after the other until nothing changes; or the graph is covered by a chordal one, whose closed form is
quick and has more parameters.

A Dirichlet prior of equivalent sample size `ess` pretends that `ess` rows were spread evenly over the joint
table. A clique of `size` cells sees `ess / size` of them in each, so that smoothed cliques agree wherever
they overlap, and all of the above holds for the smoothed counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treewright.errors import SettingError, TableTooLarge
from treewright.graphs.undirected.cluster_trees import JunctionTree
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.graphs.undirected.triangulation import find_maximal_cliques, is_chordal, triangulate
from treewright.inference.clique_tree import CliqueTree, depth_first
from treewright.inference.engine import Factor
from treewright.limits import format_bytes, memory_limit, table_cells
from treewright.models.discrete.family_counts import Dirichlet, FamilyCounter, counted_positions
from treewright.models.undirected.markov_network import Fitting, MarkovNetwork
from treewright.ranges import in_range
from treewright.tables.schema import Schema
from treewright.types import Cells, Scope


@in_range
@dataclass(frozen=True)
class IterativeFitting:
    """Iterative proportional fitting: exact maximum likelihood for any graph.

    It stops once a whole sweep over the cliques met no marginal further than `tolerance` from its target, and
    after so many `sweeps` in any case; the model's `fitting` says whether it converged.

    Examples
    --------
    >>> IterativeFitting(tolerance=1e-8)
    IterativeFitting(tolerance=1e-08, sweeps=10000)
    """

    tolerance: float = 1e-10
    sweeps: int = 10_000

    def __post_init__(self) -> None:
        if not self.tolerance >= 0:
            raise SettingError(f"a tolerance is a number that is not negative; found {self.tolerance!r}")
        if self.sweeps < 1:
            raise SettingError(f"iterative fitting takes at least one sweep; found sweeps={self.sweeps!r}")


@dataclass(frozen=True)
class DecomposableCover:
    """Closed form on a chordal graph that contains the given one, by min-fill.

    Examples
    --------
    >>> DecomposableCover()
    DecomposableCover()
    """


def fit_markov_network(
    structure: UndirectedGraph,
    counter: FamilyCounter,
    *,
    prior: Dirichlet | None,
    estimator: IterativeFitting | DecomposableCover | None = None,
) -> MarkovNetwork:
    """Fit the clique factors of a graph; see :func:`treewright.fit`."""
    if estimator is not None and not isinstance(estimator, IterativeFitting | DecomposableCover):
        raise SettingError(
            f"an undirected graph is fitted by IterativeFitting or DecomposableCover; found {estimator!r}"
        )
    if isinstance(estimator, DecomposableCover):
        cover = triangulate(structure).graph
        return fit_in_closed_form(cover, counter, prior, "decomposable cover")
    if estimator is None and is_chordal(structure):
        return fit_in_closed_form(structure, counter, prior, "closed form")
    return fit_iteratively(structure, counter, prior, estimator or IterativeFitting())


def fit_in_closed_form(
    chordal: UndirectedGraph, counter: FamilyCounter, prior: Dirichlet | None, method: str
) -> MarkovNetwork:
    """One factor per clique: its distribution given what it shares with its parent in the junction tree."""
    tree = JunctionTree.of(chordal)
    order, parents = depth_first(tree)
    cliques = [tuple(sorted(tree.cluster_scopes[i])) for i in order]
    marginals = clique_marginals(chordal.schema, cliques, counter, prior)
    factors = []
    for clique, parent, cells in zip(cliques, parents, marginals, strict=True):
        shared = () if parent < 0 else cliques[parent]
        own = tuple(axis for axis, v in enumerate(clique) if v not in shared)
        separator = cells.sum(axis=own, keepdims=True)
        # what the separator never does, the clique never does: 0 / 0 = 0
        table = np.divide(cells, separator, out=np.zeros_like(cells), where=separator > 0)
        factors.append(Factor(clique, table))
    return MarkovNetwork(chordal.schema, factors, fitting=Fitting(method))


def fit_iteratively(
    structure: UndirectedGraph, counter: FamilyCounter, prior: Dirichlet | None, estimator: IterativeFitting
) -> MarkovNetwork:
    """One factor per maximal clique, by iterative proportional fitting on the junction tree."""
    schema = structure.schema
    cliques = [tuple(sorted(clique)) for clique in find_maximal_cliques(structure)]
    tree = CliqueTree(structure, cliques)  # first: it refuses what would not fit
    targets = clique_marginals(schema, cliques, counter, prior)
    flat = np.concatenate([cells.ravel() for cells in targets]) if targets else np.zeros(0)
    found, sweeps, residual = tree.fit_proportionally(flat, estimator.tolerance, estimator.sweeps)
    tables = np.split(found, np.cumsum([cells.size for cells in targets])[:-1]) if targets else []
    found_there = zip(cliques, tables, targets, strict=True)
    factors = [Factor(clique, table.reshape(cells.shape)) for clique, table, cells in found_there]
    converged = residual <= estimator.tolerance
    fitting = Fitting("iterative proportional fitting", sweeps, residual, converged)
    return MarkovNetwork(schema, factors, fitting=fitting)


def clique_marginals(
    schema: Schema, cliques: Sequence[Scope], counter: FamilyCounter, prior: Dirichlet | None
) -> list[Cells]:
    """The smoothed distribution of every clique; uniform when there is neither a row nor a prior."""
    refuse_large_cliques(schema, cliques)
    positions = counted_positions(schema, counter.schema)
    counted = counter.counts_many([tuple(positions[v] for v in clique) for clique in cliques])
    marginals = []
    for counts in counted:
        cells = np.asarray(counts, dtype=np.float64)
        cells = cells + (prior.ess / cells.size if prior else 0.0)
        total = cells.sum()
        marginals.append(cells / total if total > 0 else np.full(cells.shape, 1 / cells.size))
    return marginals


def refuse_large_cliques(schema: Schema, cliques: Sequence[Scope]) -> None:
    cells = [table_cells(schema, clique) for clique in cliques]
    needed, limit = 8 * sum(cells), memory_limit()
    if needed > limit:
        names = schema.names_of(cliques[cells.index(max(cells))])
        shown = ", ".join(map(repr, names[:12])) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
        raise TableTooLarge(
            f"the factors take {format_bytes(needed)}, above the memory limit of {format_bytes(limit)}; the "
            f"largest is that over {shown}: use smaller cliques, or raise the limit with set_memory_limit "
            "or TREEWRIGHT_MEMORY"
        )

"""Factors for a graph when it is not clear how: the better of two by held-out rows, or pseudo-likelihood.

Iterative fitting keeps the graph as it is; a decomposable cover has more parameters and may make up for edges
that a learner missed. Rows that neither has seen tell which is better. A graph too wide for exact answers
gets its weights by pseudo-likelihood, which needs no junction tree, and is asked by Gibbs chains
(:func:`~treewright.models.sample_gibbs`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, product
from typing import cast

import numpy as np

from treewright.errors import SettingError, TableTooLarge
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.graphs.undirected.triangulation import (
    bound_treewidth_above,
    find_maximal_cliques,
    fits,
    is_chordal,
)
from treewright.models.discrete.family_counts import Dirichlet, FamilyCounter
from treewright.models.undirected.markov_fitting import (
    DecomposableCover,
    IterativeFitting,
    fit_markov_network,
    refuse_large_cliques,
)
from treewright.models.undirected.markov_network import MarkovNetwork
from treewright.models.undirected.weight_fitting import (
    WEAK,
    OccupiedCounter,
    WeightPrior,
    fit_pseudolikelihood,
)
from treewright.ranges import in_range
from treewright.statistics.rows import row_blocks_of
from treewright.statistics.whole import count
from treewright.tables.features import Feature
from treewright.tables.sharded import ShardedTable
from treewright.tables.table import Table


@in_range
@dataclass(frozen=True)
class PseudoLikelihoodFitting:
    """Maximum pseudo-likelihood of the log-linear model of all cliques: for graphs of any width.

    Parameters are those of :func:`fit_pseudolikelihood`.

    Examples
    --------
    >>> PseudoLikelihoodFitting(tolerance=1e-5).tolerance
    1e-05
    """

    prior: WeightPrior | None = WEAK
    tolerance: float = 1e-6
    iterations: int = 2_000


@in_range
@dataclass(frozen=True)
class BestFitting:
    """Whatever fits best: iterative fitting or a decomposable cover, by rows held out; any width.

    A chordal graph has its closed form. One wider than `max_width`, up to which answers shall be exact, or
    whose tables would not fit into memory, is fitted by pseudo-likelihood; the model's `fitting` says so. The
    rows to judge by are `valid`; by default a `share` of the counted rows, chosen by the `seed`, is held out,
    and the winner is fitted again to all of them.

    Examples
    --------
    >>> import treewright as tw
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> schema = tw.Schema([tw.Variable(name, (0, 1)) for name in "abcd"])
    >>> ring = tw.UndirectedGraph(schema, [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    >>> agree = [[3.0, 1.0], [1.0, 3.0]]
    >>> rows = tw.MarkovNetwork(schema, {pair: agree for pair in ring.edges()}).sample(2_000, rng=rng)
    >>> model = tw.fit(ring, tw.count(rows), estimator=tw.models.BestFitting())
    >>> model.fitting.method in ("iterative proportional fitting", "decomposable cover")
    True
    """

    valid: Table | None = None
    share: float = 0.1
    seed: int = 0
    max_width: int = 12
    tolerance: float = 1e-8

    def __post_init__(self) -> None:
        if not 0 < self.share < 1:
            raise SettingError(f"share lies between 0 and 1, both excluded; found {self.share!r}")
        if self.max_width < 0:
            raise SettingError(f"max_width must be 0 or more; found {self.max_width!r}")


def fit_best(
    structure: UndirectedGraph, counter: FamilyCounter, prior: Dirichlet | None, best: BestFitting
) -> MarkovNetwork:
    """See :class:`BestFitting`."""
    if fits(structure, best.max_width) is None:
        width = bound_treewidth_above(structure)
        return _too_wide(structure, counter, f"treewidth {width} is above max_width={best.max_width}")
    try:
        if is_chordal(structure):
            return fit_markov_network(structure, counter, prior=prior)
        return _better(structure, counter, prior, best)
    except TableTooLarge as refused:
        return _too_wide(structure, counter, str(refused))


def _better(
    structure: UndirectedGraph, counter: FamilyCounter, prior: Dirichlet | None, best: BestFitting
) -> MarkovNetwork:
    iterative, cover = IterativeFitting(tolerance=best.tolerance), DecomposableCover()
    learning, valid = _split(counter, best)
    if not valid.n_rows:
        return fit_markov_network(structure, counter, prior=prior, estimator=iterative)
    put = partial(fit_markov_network, structure, prior=prior)
    tried = [put(learning, estimator=iterative), put(learning, estimator=cover)]
    held_out = [model.score(valid) for model in tried]
    at = int(held_out[1] > held_out[0])
    model, other = tried[at], tried[1 - at].fitting
    if learning is not counter:
        model = put(counter, estimator=cover if at else iterative)
    assert model.fitting is not None
    assert other is not None
    against = f"against {held_out[1 - at]:.6g} of {other.method}"
    note = f"held-out log-likelihood {held_out[at]:.6g} a row, {against}"
    return model.with_fitting(replace(model.fitting, note=note))


def _split(counter: FamilyCounter, best: BestFitting) -> tuple[FamilyCounter, Table]:
    """Counts to fit, and rows to judge by."""
    if best.valid is not None:
        return counter, best.valid
    blocks = row_blocks_of(counter)
    if not blocks:
        raise SettingError(
            "rows can be held out where there are rows only; give BestFitting(valid=table), or choose "
            "IterativeFitting or DecomposableCover"
        )
    tables = [block.table for block in blocks]
    table = tables[0] if len(tables) == 1 else ShardedTable(tables).joined()
    order = np.random.default_rng(best.seed).permutation(table.n_rows).astype(np.uint32)
    n = round(best.share * table.n_rows)
    return count(table.take(np.sort(order[n:]))), table.take(np.sort(order[:n]))


def _too_wide(structure: UndirectedGraph, counter: FamilyCounter, why: str) -> MarkovNetwork:
    model = fit_by_pseudolikelihood(structure, counter, PseudoLikelihoodFitting())
    assert model.fitting is not None
    note = f"{why}: fitted by pseudo-likelihood; ask with sample_gibbs"
    return model.with_fitting(replace(model.fitting, note=note))


def fit_by_pseudolikelihood(
    structure: UndirectedGraph, counter: FamilyCounter, estimator: PseudoLikelihoodFitting
) -> MarkovNetwork:
    """Weights of all states of all cliques, the first state of a variable being the one compared with."""
    if not hasattr(counter, "sparse_counts"):
        raise SettingError("pseudo-likelihood needs occupied cells; this counter has no sparse_counts")
    occupied, options = cast("OccupiedCounter", counter), vars(estimator)
    return fit_pseudolikelihood(structure.schema, clique_features(structure), occupied, **options).network


def clique_features(structure: UndirectedGraph) -> list[Feature]:
    """One feature for every complete set and every choice of states beyond the first ones."""
    schema = structure.schema
    cliques = [tuple(sorted(clique)) for clique in find_maximal_cliques(structure)]
    refuse_large_cliques(schema, cliques)
    complete = {s for clique in cliques for k in range(1, len(clique) + 1) for s in combinations(clique, k)}
    states_of = [variable.states or () for variable in schema]
    return [
        Feature(dict(zip(schema.names_of(scope), states, strict=True)))
        for scope in sorted(complete, key=lambda s: (len(s), s))
        for states in product(*(states_of[v][1:] for v in scope))
    ]

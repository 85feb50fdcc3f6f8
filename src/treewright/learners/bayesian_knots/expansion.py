"""Cluster expansion: letting disjoint clusters overlap until each can be reached from each.

A cluster that knows nothing of its surroundings cannot tell a direct dependence from one that runs through a
neighbour. So each takes in the outsiders that depend most on one of its members: a fixed share of its size,
or as many as depend on it beyond doubt. Clusters that share a variable reach each other; where that leaves
separate regions, the strongest ties between them are added one by one. Regions that are independent of each
other stay apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import takewhile
from numbers import Real
from operator import itemgetter
from typing import Literal

import numpy as np

from treewright.criteria.tests.independence import as_level
from treewright.errors import SettingError
from treewright.graphs.edges import as_array
from treewright.graphs.undirected.clusters import Bridge, Clusters, Star, join_sets
from treewright.learners.bayesian_knots.dependency_tree import Dependencies, measure_dependencies
from treewright.learners.bayesian_knots.stars import StarWeight, discover_stars
from treewright.ranges import in_range
from treewright.statistics.counter import Counter
from treewright.statistics.moments import Moments
from treewright.types import Arc

Expansion = float | Literal["adaptive"]

# An adaptive cluster takes at most as many outsiders as it has members, and these.
_OUTSIDERS_AT_LEAST = 4


@in_range
def find_clusters(
    source: Counter | Moments | Dependencies,
    *,
    expansion: Expansion = "adaptive",
    weight: StarWeight = "tree",
    merge_singletons: bool = False,
    require_significant: bool = True,
    alpha: float = 0.05,
) -> Clusters:
    """Find groups of variables that belong together: a map of the domain.

    Parameters
    ----------
    source
        Counts of discrete variables, moments of continuous ones, or what was measured of them before.
    expansion, require_significant, alpha
        How clusters come to overlap and which regions stay apart, see :func:`expand_clusters`.
    weight, merge_singletons
        How the disjoint clusters are found, see :func:`discover_stars`.

    Returns
    -------
    Clusters
        The disjoint and the overlapping clusters, what they share, and the regions.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> table = tw.load_network("asia").sample(5_000, rng=np.random.default_rng(0))
    >>> clusters = tw.learners.find_clusters(tw.count(table), expansion=0.15)
    >>> clusters.disjoint
    (('asia', 'either', 'lung', 'smoke', 'tub', 'xray'), ('bronc', 'dysp'))
    >>> clusters.overlaps
    ('bronc', 'smoke')
    """
    measured = source if isinstance(source, Dependencies) else measure_dependencies(source)
    stars = discover_stars(measured, weight=weight, merge_singletons=merge_singletons)
    return expand_clusters(
        stars, measured, expansion=expansion, require_significant=require_significant, alpha=alpha
    )


@in_range
def expand_clusters(
    stars: Sequence[Star],
    dependencies: Dependencies,
    *,
    expansion: Expansion = 0.5,
    require_significant: bool = True,
    alpha: float = 0.05,
) -> Clusters:
    """Let disjoint clusters take in those outside that depend on them most (step CE of the paper).

    Parameters
    ----------
    stars
        The disjoint clusters.
    dependencies
        The dependence of all pairs.
    expansion
        The paper's epsilon, from 0 to 1: a cluster of m members takes in epsilon times m more, rounded up.
        With ``"adaptive"`` it takes in outsiders while the strongest tie of the next one is significant at
        `alpha` divided by the number of variables, at most 4 + m of them.
    require_significant
        Whether regions are joined only by ties that are significant at `alpha` divided by the number of
        variables. Otherwise the result is always one region.
    alpha
        The level that this divides.

    Returns
    -------
    Clusters
        Clusters inside another one are left out; each bridge says which variable was added to join regions.

    Notes
    -----
    Departures: all clusters are expanded from the disjoint ones, so their order plays no part; and the paper
    joins all regions, the independent ones too.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.graphs.undirected.clusters import Star
    >>> rows = {"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 9, "c": [0, 1, 0, 1] * 9, "d": [0, 1, 0, 1] * 9}
    >>> found = measure_dependencies(tw.count(tw.read_table(rows)))
    >>> expand_clusters([Star(0, (0, 1)), Star(2, (2, 3))], found, expansion="adaptive").regions
    (('a', 'b'), ('c', 'd'))
    """
    _check_expansion(expansion)
    ties = _Ties(dependencies, as_level(alpha) / max(len(dependencies.schema), 1))
    taken = ties.outsiders(stars, expansion)
    grown = [[*star.members, *others] for star, others in zip(stars, taken, strict=True)]
    return Clusters(dependencies.schema, stars, grown, _join_regions(grown, ties, require_significant))


class _Ties:
    """The dependence of all pairs as expansion asks for it; variables are indices of the schema."""

    def __init__(self, dependencies: Dependencies, level: float) -> None:
        self.dependencies = dependencies
        self.level = level
        self.rank = np.array(dependencies.schema.name_ranks, dtype=np.intp)

    def ranked_outsiders(self, star: Star) -> list[tuple[int, int]]:
        """Those outside a star with the member each depends on most, strongest first, then by name."""
        n = len(self.rank)
        members = np.array(self.dependencies.schema.by_name(star.members), dtype=np.intp)
        is_outside = np.ones(n, dtype=np.bool_)
        is_outside[members] = False
        outside = np.flatnonzero(is_outside)
        ties = self.dependencies.ties(members[:, None], outside)
        strongest = np.argmax(ties, axis=0)  # of equals the first by name
        size = ties[strongest, np.arange(len(outside))]
        most = len(members) + _OUTSIDERS_AT_LEAST  # no rule of expansion asks for more
        least = np.partition(size, -most)[-most] if most < len(outside) else -np.inf
        near = np.flatnonzero(size >= least)  # equals at the end included
        ranking = near[np.lexsort((self.rank[outside[near]], -size[near]))]
        return [(int(outside[i]), int(members[strongest[i]])) for i in ranking[:most].tolist()]

    def are_significant(self, pairs: Sequence[Arc]) -> list[bool]:
        return [p <= self.level for p in self.dependencies.p_values(pairs).tolist()]

    def outsiders(self, stars: Sequence[Star], expansion: Expansion) -> list[list[int]]:
        """Those that each star takes in."""
        ranked = [self.ranked_outsiders(star) for star in stars]
        if isinstance(expansion, str):
            is_sure = iter(self.are_significant([tie for ties in ranked for tie in ties]))
            sure = [[(v, next(is_sure)) for v, _ in ties] for ties in ranked]
            return [[v for v, _ in takewhile(itemgetter(1), ties)] for ties in sure]
        # a product such as 0.7 * 10 may lie just above its whole number
        wanted = [math.ceil(expansion * len(star.members) - 1e-12) for star in stars]
        return [[v for v, _ in ties[:most]] for ties, most in zip(ranked, wanted, strict=True)]

    def tree_edges(self) -> list[tuple[int, int]]:
        """Edges of the dependency tree, strongest first, then by name; the smaller name in front."""
        by_name = [
            (u, v) if self.rank[u] < self.rank[v] else (v, u) for u, v in self.dependencies.tree.index_edges()
        ]
        weight = dict(zip(by_name, self.dependencies.ties(*as_array(by_name).T).tolist(), strict=True))
        return sorted(by_name, key=lambda pair: (-weight[pair], self.rank[pair[0]], self.rank[pair[1]]))


def _join_regions(grown: list[list[int]], ties: _Ties, require_significant: bool) -> list[Bridge]:
    """Add the strongest tie between regions until there is one region, or only independent ones.

    The strongest pair across a cut is an edge of the maximum spanning tree, so no other pairs are looked at.
    """
    schema = ties.dependencies.schema
    region = np.zeros(len(schema), dtype=np.intp)
    for leader, members in zip(join_sets(grown, len(schema)), grown, strict=True):
        region[members] = leader
    bridges: list[Bridge] = []
    across = [(u, v) for u, v in ties.tree_edges() if region[u] != region[v]]
    is_sure = ties.are_significant(across) if require_significant else [True] * len(across)
    for (u, v), sure in zip(across, is_sure, strict=True):
        if region[u] == region[v]:  # joined meanwhile
            continue
        if not sure:
            break
        next(members for members in grown if u in members).append(v)
        bridges.append(Bridge(schema.names[u], schema.names[v], float(ties.dependencies.ties(u, v))))
        region[region == region[v]] = region[u]
    return bridges


def _check_expansion(expansion: Expansion) -> None:
    if isinstance(expansion, Real) and not isinstance(expansion, bool):
        known = bool(0 <= expansion <= 1)
    else:
        known = isinstance(expansion, str) and expansion == "adaptive"
    if not known:
        raise SettingError(
            "expansion is 'adaptive' or the share of a cluster's size that it takes in, from 0 to 1; "
            f"found {expansion!r}"
        )

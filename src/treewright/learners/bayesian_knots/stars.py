"""Star discovery: cutting a dependency tree into disjoint clusters.

The star of a variable holds the variable, those next to it in the tree, and the leaves next to these. Stars
overlap; the heaviest is taken, its members leave the others, and the heaviest of what is left follows until
every variable is in a cluster. The number of clusters is an answer, not a setting.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from treewright.criteria.tests.independence import one_of
from treewright.graphs.ranked import variables_by_rank
from treewright.graphs.undirected.clusters import Star
from treewright.learners.bayesian_knots.dependency_tree import Dependencies

StarWeight = Literal["tree", "centre"]
Indices = npt.NDArray[np.intp]
Units = npt.NDArray[np.int64]


def discover_stars(
    dependencies: Dependencies, *, weight: StarWeight = "tree", merge_singletons: bool = False
) -> tuple[Star, ...]:
    """Cut the dependency tree into stars, the heaviest first (step SD of Zeng & Hernandez 2008).

    Parameters
    ----------
    dependencies
        The dependence of all pairs.
    weight
        What a star weighs: ``"tree"``, the ties of the tree inside it, or ``"centre"``, the dependence
        between its centre and each other member. They differ in the leaves at distance two only.
    merge_singletons
        Whether a variable left alone joins the star of its strongest neighbour in the tree.

    Returns
    -------
    tuple[Star, ...]
        Disjoint, together all variables, in the order in which they were taken. Ties go to the first name.

    Notes
    -----
    Departures: in the paper a later star may hold members of an earlier one although the clusters are called
    disjoint; here they are taken off, and stars are weighed again before each choice.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> from treewright.learners.bayesian_knots.dependency_tree import measure_dependencies
    >>> table = tw.load_network("asia").sample(5_000, rng=np.random.default_rng(0))
    >>> stars = discover_stars(measure_dependencies(tw.count(table)))
    >>> [(table.schema.names[star.centre], sorted(table.schema.names_of(star.members))) for star in stars]
    [('lung', ['asia', 'either', 'lung', 'smoke', 'tub', 'xray']), ('bronc', ['bronc', 'dysp'])]
    """
    one_of("weight", weight, ("tree", "centre"))
    forest = _Forest(dependencies)
    weigh = _TreeWeights(forest) if weight == "tree" else _CentreWeights(forest)
    order = variables_by_rank(dependencies.schema)
    free = np.ones(len(order), dtype=np.bool_)
    stars: list[tuple[int, list[int]]] = []
    while free.any():
        # argmax takes the first of equals: the smallest name, since vertices are numbered by name
        centre = int(np.argmax(np.where(free, weigh.of, -1)))
        members = [v for v in forest.star(centre) if free[v]]
        stars.append((centre, members))
        for v in members:
            weigh.take(v, free)
            free[v] = False
    merged = _merge_singletons(stars, forest) if merge_singletons else stars
    return tuple(Star(int(order[centre]), tuple(order[members].tolist())) for centre, members in merged)


class _Forest:
    """The dependency tree with its vertices numbered by name, weights as whole numbers.

    Weights become multiples of one step, small beside the largest, so that their sums are exact and a star
    weighs the same whatever the order of its members.
    """

    def __init__(self, dependencies: Dependencies) -> None:
        order, rank = variables_by_rank(dependencies.schema), dependencies.schema.name_ranks
        self._order, self._dependencies = order, dependencies
        in_tree = dependencies.ties(*dependencies.tree.edge_array.T)  # the largest of all among them
        largest = float(in_tree.max(initial=0.0)) * max(len(order), 1)
        self._step = 2.0 ** (np.ceil(np.log2(largest)) - 61) if largest > 0 else 1.0
        self.edges = [(rank[u], rank[v]) for u, v in dependencies.tree.index_edges()]
        near: list[list[int]] = [[] for _ in order]
        for u, v in self.edges:
            near[u].append(v)
            near[v].append(u)
        self.near = near
        self.is_leaf = [len(vertices) == 1 for vertices in near]
        self.around: list[Indices] = [
            np.array([v, *vertices], dtype=np.intp) for v, vertices in enumerate(near)
        ]

    def weights(self, v: int, others: Indices) -> Units:
        """The dependence between a vertex and some others."""
        row = self._dependencies.ties(self._order[v], self._order[others])
        return np.asarray(np.rint(row / self._step), dtype=np.int64)

    def weight(self, u: int, v: int) -> int:
        return round(float(self._dependencies.ties(self._order[u], self._order[v])) / self._step)

    def star(self, v: int) -> list[int]:
        """The vertex, those next to it, and the leaves next to these, in rising order."""
        leaves = {w for u in self.near[v] for w in self.near[u] if self.is_leaf[w]}
        return sorted(leaves.union(self.near[v], [v]))

    def centres_over(self, v: int) -> Indices:
        """The vertices whose stars hold a vertex: a leaf is as near as what it hangs on."""
        return self.around[self.near[v][0] if self.is_leaf[v] else v]

    def centres_over_edge(self, u: int, v: int) -> Indices:
        """The vertices whose stars hold both ends of an edge of the tree."""
        if self.is_leaf[u]:
            return self.around[v]
        return self.around[u] if self.is_leaf[v] else np.array([u, v], dtype=np.intp)


class _TreeWeights:
    """What each star weighs: the edges of the tree inside it."""

    def __init__(self, forest: _Forest) -> None:
        self.forest = forest
        self.of: Units = np.zeros(len(forest.near), dtype=np.int64)
        for u, v in forest.edges:
            self.of[forest.centres_over_edge(u, v)] += forest.weight(u, v)

    def take(self, v: int, free: npt.NDArray[np.bool_]) -> None:
        """A vertex leaves all stars, and its edges with it."""
        for u in self.forest.near[v]:
            if free[u]:
                self.of[self.forest.centres_over_edge(u, v)] -= self.forest.weight(u, v)


class _CentreWeights:
    """What each star weighs: the dependence between its centre and each other member."""

    def __init__(self, forest: _Forest) -> None:
        self.forest = forest
        self.of: Units = np.zeros(len(forest.near), dtype=np.int64)
        for v in range(len(forest.near)):
            self._add(v, 1)

    def take(self, v: int, _free: npt.NDArray[np.bool_]) -> None:
        self._add(v, -1)

    def _add(self, v: int, sign: int) -> None:
        centres = self.forest.centres_over(v)
        centres = centres[centres != v]
        self.of[centres] += sign * self.forest.weights(v, centres)


def _merge_singletons(stars: list[tuple[int, list[int]]], forest: _Forest) -> list[tuple[int, list[int]]]:
    """Put each lonely variable into the star of its strongest neighbour, which is never lonely itself."""
    place = {v: i for i, (_, members) in enumerate(stars) for v in members}
    merged = [list(members) for _, members in stars]
    for i, (v, members) in enumerate(stars):
        if len(members) == 1 and forest.near[v]:
            strongest = max(sorted(forest.near[v]), key=lambda u: forest.weight(v, u))
            merged[place[strongest]].append(v)
            merged[i] = []
    kept = [(centre, members) for (centre, _), members in zip(stars, merged, strict=True) if members]
    return [(centre, sorted(members)) for centre, members in kept]

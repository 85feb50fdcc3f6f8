"""A junction tree that is visited again and again, with the same scopes and other numbers each time.

Fitting a Markov network asks one question hundreds of times: the joint distribution of every scope that
carries parameters. The tree is planned once, from the graph, and every scope lives in the smallest clique
that holds it.
"""

from __future__ import annotations

from collections.abc import Sequence

from treewright import _core
from treewright.errors import TableTooLarge
from treewright.graphs.undirected.cluster_trees import JunctionTree
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.limits import format_bytes, memory_limit, table_cells
from treewright.tables.schema import Schema
from treewright.types import Cells, Scope


class CliqueTree:
    """Room for a table over each of some scopes, and what their product says about the same scopes.

    Tables come and go side by side in one flat array, in the order of the scopes: cliques of the graph, none
    empty. The graph is triangulated by min-fill; tables of cliques that would exceed the memory limit are
    refused before any is made.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.tables.schema import Variable
    >>> schema = Schema([Variable(name, (0, 1)) for name in "ab"])
    >>> tree = CliqueTree(UndirectedGraph(schema, [("a", "b")]), [(0, 1), (0,)])
    >>> cells, log_mass = tree.marginals(np.log([3.0, 1.0, 1.0, 5.0, 1.0, 1.0]))
    >>> cells.round(9).tolist(), round(float(np.exp(log_mass)), 9)
    ([0.3, 0.1, 0.1, 0.5, 0.4, 0.6], 10.0)
    """

    def __init__(self, graph: UndirectedGraph, scopes: Sequence[Scope]) -> None:
        schema = graph.schema
        tree = JunctionTree.of(graph)
        _refuse_large(schema, tree)
        order, parents = depth_first(tree)
        cliques = [tree.cluster_scopes[i] for i in order]
        self._native = _core.CliqueTree(
            list(schema.cardinalities), cliques, parents, list(scopes), _homes(schema, cliques, scopes)
        )

    def marginals(self, logs: Cells) -> tuple[Cells, float]:
        """The joint distribution of every scope under tables exp(logs), and the log of the product's sum."""
        return self._native.marginals(logs)

    def fit_proportionally(self, targets: Cells, tolerance: float, sweeps: int) -> tuple[Cells, int, float]:
        """Factors whose product has the target marginals; sweeps taken and the largest difference left.

        Iterative proportional fitting within the cliques of the tree (Jirousek & Preucil 1995).
        """
        return self._native.fit_proportionally(targets, tolerance, sweeps)


def depth_first(tree: JunctionTree) -> tuple[list[int], list[int]]:
    """Positions of the clusters, every subtree in one piece with its root first; and each one's parent.

    Parents are positions in the new order, -1 for the root of a part.

    Examples
    --------
    >>> from treewright.tables.schema import Variable
    >>> schema = Schema([Variable(name) for name in "abcd"])
    >>> tree = JunctionTree(schema, [("a", "b"), ("c", "d"), ("b", "c")], [(0, 2), (2, 1)])
    >>> depth_first(tree)
    ([0, 2, 1], [-1, 0, 1])
    """
    parents: dict[int, int] = {}  # in the order of visits
    stack = [(root, -1) for root in reversed(range(len(tree.cluster_scopes)))]
    while stack:
        cluster, parent = stack.pop()
        if cluster not in parents:
            here = len(parents)
            parents[cluster] = parent
            stack += [(other, here) for other in reversed(tree.neighbours(cluster))]
    return list(parents), list(parents.values())


def _homes(schema: Schema, cliques: Sequence[Scope], scopes: Sequence[Scope]) -> list[int]:
    """The smallest clique that holds each scope; the first of several."""
    holding: list[set[int]] = [set() for _ in schema]
    for position, clique in enumerate(cliques):
        for v in clique:
            holding[v].add(position)
    sizes = [table_cells(schema, clique) for clique in cliques]
    return [
        min(set.intersection(*(holding[v] for v in scope)), key=lambda i: (sizes[i], i)) for scope in scopes
    ]


def _refuse_large(schema: Schema, tree: JunctionTree) -> None:
    cells = [table_cells(schema, clique) for clique in tree.cluster_scopes]
    needed, limit = 8 * sum(cells), memory_limit()
    if needed <= limit:
        return
    names = sorted(schema.names_of(tree.cluster_scopes[cells.index(max(cells))]))
    shown = ", ".join(map(repr, names[:12])) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
    raise TableTooLarge(
        f"the junction tree of this graph takes {format_bytes(needed)}, above the memory limit of "
        f"{format_bytes(limit)}; its largest clique is {shown}: use a graph with fewer edges, or raise the "
        "limit with set_memory_limit or TREEWRIGHT_MEMORY"
    )

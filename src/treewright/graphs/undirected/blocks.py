"""Blocks of a graph and the tree they form; chordless paths.

A block is a maximal set of variables that no single variable disconnects. Blocks meet in cut vertices, and
blocks and cut vertices together form a tree (a forest if the graph falls apart): what happens inside one
block is of no concern to the others. A graph is chordal exactly when its blocks are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright import _core
from treewright.arguments import UNDIRECTED, require
from treewright.errors import GraphError
from treewright.graphs._bits import to_sets
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.graphs.undirected.triangulation import require_perfect_order
from treewright.once import cached_property
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Scope


@dataclass(frozen=True)
class BlockPath:
    """The way between two variables through the block tree.

    `blocks` are the positions of the blocks crossed, in turn; `cut_vertices` the variables in which each
    meets the next, as indices: one less than the blocks.
    """

    blocks: tuple[int, ...]
    cut_vertices: Scope


@dataclass(frozen=True)
class BlockTree:
    """The blocks of a graph: biconnected components; a bridge is a block of two, a lone variable one of one.

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abcde"])
    >>> tree = BlockTree(UndirectedGraph(schema, [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]))
    >>> tree.blocks, tree.cut_vertices
    ((('a', 'b', 'c'), ('c', 'd'), ('e',)), ('c',))
    >>> tree.path("a", "d")
    BlockPath(blocks=(0, 1), cut_vertices=(2,))
    """

    graph: UndirectedGraph

    @property
    def schema(self) -> Schema:
        return self.graph.schema

    @cached_property
    def block_scopes(self) -> tuple[Scope, ...]:
        """The blocks as indices, each and all in the order of the names."""
        return to_sets(*_core.biconnected_components(self.graph.rows, self.graph.ties))

    @property
    def blocks(self) -> tuple[tuple[str, ...], ...]:
        """The blocks as names."""
        return tuple(map(self.schema.names_of, self.block_scopes))

    @cached_property
    def _blocks_of(self) -> tuple[tuple[int, ...], ...]:
        holders: list[list[int]] = [[] for _ in range(len(self.schema))]
        for b, scope in enumerate(self.block_scopes):
            for v in scope:
                holders[v].append(b)
        return tuple(map(tuple, holders))

    def blocks_of(self, v: NameOrIndex) -> tuple[int, ...]:
        """Positions of the blocks that hold a variable, rising."""
        return self._blocks_of[self.schema.index(v)]

    def block_holding(self, *scope: NameOrIndex) -> int | None:
        """Position of the first block that holds all of some variables; None if there is no such block."""
        if not scope:
            raise GraphError("name at least one variable to look for the block that holds it")
        common = set.intersection(*(set(self.blocks_of(v)) for v in scope))
        return min(common, default=None)

    @cached_property
    def cut_scope(self) -> Scope:
        """The variables in more than one block, as indices in the order of the names."""
        return tuple(v for v in self.schema.name_order if len(self._blocks_of[v]) > 1)

    @property
    def cut_vertices(self) -> tuple[str, ...]:
        """The variables in more than one block, as names."""
        return self.schema.names_of(self.cut_scope)

    def path(self, u: NameOrIndex, v: NameOrIndex) -> BlockPath | None:
        """The blocks between two variables, from the nearest ones; None if they are not connected.

        From a variable to itself no block is crossed.
        """
        return self._path(self._node(self.schema.index(u)), self._node(self.schema.index(v)))

    def path_to_block(self, u: NameOrIndex, block: int) -> BlockPath | None:
        """The blocks from a variable to a given block, which is the last of them; None if not connected."""
        if not 0 <= block < len(self.block_scopes):
            raise GraphError(
                f"there is no block number {block}; there are {len(self.block_scopes)}, counted from 0"
            )
        return self._path(self._node(self.schema.index(u)), block)

    def _node(self, v: int) -> int:
        """Nodes of the tree: block b is b, cut vertex v is ~v (negative), any other variable is its block."""
        holders = self._blocks_of[v]
        return ~v if len(holders) > 1 else holders[0]

    @cached_property
    def _above(self) -> dict[int, tuple[int | None, int]]:
        """For every node its parent and its depth, each component rooted at its first block."""
        above: dict[int, tuple[int | None, int]] = {}
        for root in range(len(self.block_scopes)):
            if root in above:
                continue
            above[root] = (None, 0)
            reached = [root]
            for here in reached:  # grows while it is walked
                fresh = [there for there in self._around(here) if there not in above]
                above |= dict.fromkeys(fresh, (here, above[here][1] + 1))
                reached += fresh
        return above

    def _around(self, node: int) -> tuple[int, ...]:
        if node < 0:
            return self._blocks_of[~node]
        return tuple(~v for v in self.block_scopes[node] if len(self._blocks_of[v]) > 1)

    def _path(self, start: int, end: int) -> BlockPath | None:
        head, tail = [start], [end]
        while head[-1] != tail[-1]:
            lower = head if self._above[head[-1]][1] >= self._above[tail[-1]][1] else tail
            parent = self._above[lower[-1]][0]
            if parent is None:
                return None
            lower.append(parent)
        nodes = head + tail[-2::-1]
        inner = nodes[nodes[0] < 0 : len(nodes) - (nodes[-1] < 0)]  # cut vertices at the ends are not crossed
        if start == end and start < 0:
            inner = []
        return BlockPath(tuple(b for b in inner if b >= 0), tuple(~c for c in inner if c < 0))


def find_induced_nodes(graph: UndirectedGraph, s: NameOrIndex, t: NameOrIndex) -> Scope:
    """Inner variables of all chordless paths between two variables of a chordal graph, as rising indices.

    Empty if the two are equal, adjacent or not connected. They are the variables of the minimal separators of
    `s` and `t`, which are the smallest separators on the way between them in a clique tree.

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abcd"])
    >>> fan = UndirectedGraph(schema, [("a", "b"), ("b", "c"), ("a", "d"), ("b", "d"), ("c", "d")])
    >>> find_induced_nodes(fan, "a", "c")
    (1, 3)
    """
    require("find_induced_nodes", UNDIRECTED, graph)
    a, b = graph.schema.index(s), graph.schema.index(t)
    order = np.array(require_perfect_order(graph, "finding induced paths"), dtype=np.uint32)
    return tuple(_core.induced_nodes(graph.rows, order, a, b).tolist())

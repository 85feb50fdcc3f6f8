"""Hypergraphs: sets of variables that belong together, and the trees and graphs they make.

A set says that its members may influence each other directly; variables that share no set do so only through
others. Which sets are right about a graph is the business of :mod:`~treewright.graphs.knowledge.legitimacy`.
"""

from __future__ import annotations

from collections.abc import Iterable

from treewright import _core
from treewright.errors import GraphError, SchemaError, UnknownNameError
from treewright.graphs._bits import from_sets
from treewright.graphs.undirected.cluster_trees import join_within
from treewright.graphs.undirected.d_separation_trees import DSeparationTree
from treewright.graphs.undirected.elimination import Method
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.graphs.undirected.junction_trees import spanning_cliques
from treewright.graphs.undirected.triangulation import triangulate
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Scope


def separation_tree_from_hypergraph(
    schema: Schema, hyperedges: Iterable[Iterable[NameOrIndex]], *, triangulation: Method = "min_fill"
) -> DSeparationTree:
    """Build a d-separation tree from sets of variables, without any test (Algorithm 2 of [1]_).

    Joins the variables that share a set, triangulates, and takes the junction tree of the cliques.

    Parameters
    ----------
    hyperedges
        Sets of variables such that variables that influence each other directly, and parents of a common
        child, share a set. Together they hold every variable. Sets inside another are left out and listed in
        ``reduced``.
    triangulation
        The elimination rule, see :func:`elimination_order`.

    References
    ----------
    .. [1] Xie, Geng & Zhao (2006). Decomposition of structural learning about directed acyclic graphs.
       Artificial Intelligence 170, 422-439.

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "123456"])
    >>> tree = separation_tree_from_hypergraph(schema, ["123", "124", "135", "456"])
    >>> tree.clusters, tree.separators
    ((('1', '2', '3', '4'), ('1', '3', '4', '5'), ('4', '5', '6')), (('1', '3', '4'), ('4', '5')))
    """
    sets = read_hyperedges(schema, hyperedges)
    inside = _core.set_containers(len(schema), *from_sets(sets)).tolist()
    reduced = tuple(
        schema.names_of(one) for one, container in zip(sets, inside, strict=True) if container >= 0
    )
    cover = triangulate(join_within(schema, sets), triangulation)
    return DSeparationTree(schema, *spanning_cliques(cover, joined=True), reduced=reduced)


def read_hyperedges(schema: Schema, hyperedges: Iterable[Iterable[NameOrIndex]]) -> list[Scope]:
    """Sets of variables as indices, refused when one is empty or unknown or a variable lies in none."""
    sets = [_read_hyperedge(schema, number, item) for number, item in enumerate(hyperedges, start=1)]
    missing = set(range(len(schema))).difference(*sets)
    if missing:
        names = [schema.names[v] for v in schema.name_order if v in missing]
        shown = ", ".join(map(repr, names[:10])) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
        raise GraphError(f"every variable lies in a hyperedge; in none: {shown}")
    return sets


def two_section(schema: Schema, hyperedges: Iterable[Iterable[NameOrIndex]]) -> UndirectedGraph:
    """The graph that joins every two variables that share a set.

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> two_section(Schema([Variable(name) for name in "abcd"]), ["abc", "cd"]).edges()
    [('a', 'b'), ('a', 'c'), ('b', 'c'), ('c', 'd')]
    """
    return join_within(schema, read_hyperedges(schema, hyperedges))


def _read_hyperedge(schema: Schema, number: int, item: Iterable[NameOrIndex]) -> Scope:
    members = tuple(item)
    if not members:
        raise GraphError(f"a hyperedge holds at least one variable; number {number} is empty")
    try:
        return schema.scope(members)
    except UnknownNameError as error:
        raise UnknownNameError(f"hyperedge {number}: {error}") from None
    except SchemaError as error:
        raise SchemaError(f"hyperedge {number}: {error}") from None

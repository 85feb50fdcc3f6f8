"""Hypergraphs: sets of variables that belong together, and the trees and graphs they make.

A set says that its members may influence each other directly; variables that share no set do so only through
others. Sets are legitimate as *knowledge* about a graph when the ends of every arc share a set, and so do
every two parents of a common child: then separation in their 2-section implies d-separation. They are
legitimate as *databases*, which is more, when some set holds each variable together with all of its parents:
then the joint distribution follows from what the databases show (Xie, Geng & Zhao 2006).
"""

from __future__ import annotations

from collections.abc import Iterable

from treewright import _core
from treewright.arguments import DAG, SCHEMA, require, require_several
from treewright.errors import GraphError, IllegitimateHypergraph, SchemaError, UnknownNameError
from treewright.graphs._bits import from_sets
from treewright.graphs.directed.dag import Dag
from treewright.graphs.edges import listed
from treewright.graphs.undirected.cluster_trees import DSeparationTree, join_within, spanning_cliques
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.graphs.undirected.triangulation import Method
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Scope


def separation_tree_from_hypergraph(
    schema: Schema, hyperedges: Iterable[Iterable[NameOrIndex]], *, triangulation: Method = "min_fill"
) -> DSeparationTree:
    """Build a d-separation tree from sets of variables, without any test (Algorithm 2 of Xie et al. 2006).

    Joins the variables that share a set, triangulates, and takes the junction tree of the cliques.

    Parameters
    ----------
    hyperedges
        Sets of variables such that variables that influence each other directly, and parents of a common
        child, share a set. Together they hold every variable. Sets inside another are left out and listed in
        ``reduced``.
    triangulation
        The elimination rule, see :func:`find_elimination_order`.

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "123456"])
    >>> tree = separation_tree_from_hypergraph(schema, ["123", "124", "135", "456"])
    >>> tree.clusters, tree.separators
    ((('1', '2', '3', '4'), ('1', '3', '4', '5'), ('4', '5', '6')), (('1', '3', '4'), ('4', '5')))
    """
    require("separation_tree_from_hypergraph", SCHEMA, schema)
    sets = read_hyperedges(schema, hyperedges)
    inside = _core.set_containers(len(schema), *from_sets(sets)).tolist()
    reduced = tuple(
        schema.names_of(one) for one, container in zip(sets, inside, strict=True) if container >= 0
    )
    cliques = spanning_cliques(join_within(schema, sets), triangulation, joined=True)
    return DSeparationTree(schema, *cliques, reduced=reduced)


def read_hyperedges(schema: Schema, hyperedges: Iterable[Iterable[NameOrIndex]]) -> list[Scope]:
    """Sets of variables as indices, refused when one is empty or unknown or a variable lies in none."""
    sets = [_read_hyperedge(schema, number, item) for number, item in enumerate(hyperedges, start=1)]
    missing = set(range(len(schema))).difference(*sets)
    if missing:
        names = [schema.names[v] for v in schema.name_order if v in missing]
        raise GraphError(f"every variable lies in a hyperedge; in none: {listed(names, limit=10)}")
    return sets


def build_two_section(schema: Schema, hyperedges: Iterable[Iterable[NameOrIndex]]) -> UndirectedGraph:
    """The graph that joins every two variables that share a set.

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> build_two_section(Schema([Variable(name) for name in "abcd"]), ["abc", "cd"]).edges()
    [('a', 'b'), ('a', 'c'), ('b', 'c'), ('c', 'd')]
    """
    require("build_two_section", SCHEMA, schema)
    return join_within(schema, read_hyperedges(schema, hyperedges))


def _read_hyperedge(schema: Schema, number: int, item: Iterable[NameOrIndex]) -> Scope:
    require_several(f"hyperedge {number} is a list of variables", item)
    members = tuple(item)
    if not members:
        raise GraphError(f"a hyperedge holds at least one variable; number {number} is empty")
    try:
        return schema.scope(members)
    except UnknownNameError as error:
        raise UnknownNameError(f"hyperedge {number}: {error}") from None
    except SchemaError as error:
        raise SchemaError(f"hyperedge {number}: {error}") from None


def check_legitimate(
    dag: Dag, hyperedges: Iterable[Iterable[NameOrIndex]], *, databases: bool = False
) -> None:
    """Refuse sets of variables that tear apart what belongs together in a graph.

    Parameters
    ----------
    databases
        Whether the sets are the columns of databases: then each variable has to share a set with all of its
        parents, which the distribution needs.

    Raises
    ------
    IllegitimateHypergraph
        It names the first two variables that never occur together and should, or families that lie in no set.

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> dag = Dag(Schema([Variable(name) for name in "abc"]), [("a", "c"), ("b", "c")])
    >>> check_legitimate(dag, ["abc"])
    >>> check_legitimate(dag, ["ac", "bc"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    treewright.errors.IllegitimateHypergraph: parents 'a' and 'b' of 'c' never occur together; ...
    >>> check_legitimate(dag, ["ab", "ac", "bc"])
    >>> check_legitimate(dag, ["ab", "ac", "bc"], databases=True)
    Traceback (most recent call last):
        ...
    treewright.errors.IllegitimateHypergraph: no database has 'c' together with all its parents 'a', 'b'
    """
    require("check_legitimate", DAG, dag)
    schema = dag.schema
    sets = read_hyperedges(schema, hyperedges)
    torn = sorted(set(dag.moral_graph().edges()) - set(build_two_section(schema, sets).edges()))
    if torn:
        raise IllegitimateHypergraph(
            f"{_why_together(dag, *torn[0])} never occur together; put them into one hyperedge"
        )
    if databases:
        _check_families(dag, sets)


def _why_together(dag: Dag, u: str, v: str) -> str:
    if dag.adjacent(u, v):
        tail, head = (u, v) if dag.has_arc(u, v) else (v, u)
        return f"{tail!r} and its child {head!r}"
    common = set(dag.children(u)) & set(dag.children(v))
    child = min(dag.schema.names_of(common))
    return f"parents {u!r} and {v!r} of {child!r}"


def _check_families(dag: Dag, sets: list[Scope]) -> None:
    torn = [v for v in dag.schema.name_order if not any({v, *dag.parents(v)} <= set(one) for one in sets)]
    if torn:
        told = [
            f"{dag.schema.names[v]!r} together with all its parents {_quoted(dag.schema, dag.parents(v))}"
            for v in torn
        ]
        raise IllegitimateHypergraph("no database has " + "; nor ".join(told))


def check_tree(dag: Dag, tree: DSeparationTree) -> None:
    """Refuse a tree with a separator that does not d-separate its two sides in a graph.

    That is the definition of a d-separation tree, checked literally.

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abc"])
    >>> tree = DSeparationTree(schema, [("a", "b"), ("b", "c")], [(0, 1)])
    >>> check_tree(Dag(schema, [("a", "b"), ("b", "c")]), tree)
    >>> check_tree(Dag(schema, [("a", "b"), ("c", "b")]), tree)
    Traceback (most recent call last):
        ...
    treewright.errors.IllegitimateHypergraph: the separator {'b'} does not d-separate 'a' and 'c'
    """
    require("check_tree", DAG, dag)
    schema = dag.schema
    if set(schema.names) != set(tree.schema.names):
        raise GraphError("the graph and the tree must have the same variables")
    here = [schema.index(name) for name in tree.schema.names]
    for position, shared in enumerate(tree.separator_scopes):
        given = tuple(here[v] for v in shared)
        first, second = ([here[v] for v in side] for side in tree.sides(position))
        if dag.native.connected(first, given)[second].any():
            u, v = _connected_pair(dag, first, second, given)
            raise IllegitimateHypergraph(
                f"the separator {{{_quoted(schema, given)}}} does not d-separate {u!r} and {v!r}"
            )


def _connected_pair(dag: Dag, first: list[int], second: list[int], given: Scope) -> tuple[str, str]:
    """The first pair by name that a set leaves connected."""
    names = dag.schema.names
    pairs = []
    for u in first:
        reached = dag.native.connected((u,), given)
        pairs += [(min(names[u], names[v]), max(names[u], names[v])) for v in second if reached[v]]
    return min(pairs)


def _quoted(schema: Schema, scope: Iterable[int]) -> str:
    return ", ".join(map(repr, sorted(schema.names_of(scope))))

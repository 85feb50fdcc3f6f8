"""A proof of treewidth beside a model: clusters in a tree that hold every family.

In a file it says ``{"clusters": [[name, ...], ...], "edges": [[i, j], ...], "bound": K or null}``. What is
written was checked; what is read is a :class:`~treewright.graphs.JunctionTree`, whose making
checks the shape. Whether a file's certificate proves anything about its model is for
:func:`treewright.verify` to say, which trusts none of this.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from treewright.errors import FormatError, GraphError, SchemaError, TreewidthError
from treewright.graphs.undirected.cluster_trees import ClusterTree, JunctionTree
from treewright.tables.schema import Schema


def write_certificate(model: Any, tree: ClusterTree, treewidth: int | None) -> dict[str, Any]:
    """The section of a model's file, once the clusters are known to prove what they claim."""
    if set(tree.schema.names) != set(model.schema.names):
        strange = sorted(set(tree.schema.names) ^ set(model.schema.names))[0]
        raise SchemaError(f"a certificate is about the variables of its model; {strange!r} is in one only")
    if treewidth is not None and tree.width > treewidth:
        widest = next(cluster for cluster in tree.clusters if len(cluster) == tree.width + 1)
        raise TreewidthError(
            f"the certificate is to prove a treewidth of {treewidth}; its cluster "
            f"{', '.join(map(repr, widest))} makes it {tree.width}"
        )
    refuse_uncovered(scopes_of(model), tree)
    return as_section(tree, treewidth)


def as_section(tree: ClusterTree, treewidth: int | None = None) -> dict[str, Any]:
    """Clusters as a file has them."""
    return {
        "clusters": [list(cluster) for cluster in tree.clusters],
        "edges": [list(pair) for pair in tree.edges],
        "bound": treewidth,
    }


def scopes_of(model: Any) -> Iterable[tuple[str, ...]]:
    """What the clusters of a model have to hold: its families, or the scopes of its factors."""
    names_of = model.schema.names_of
    if hasattr(model, "dag"):
        return (names_of((*model.dag.parents(v), v)) for v in range(len(model.schema)))
    return (names_of(factor.scope) for factor in model.factors)


def refuse_uncovered(scopes: Iterable[tuple[str, ...]], tree: ClusterTree) -> None:
    holders: dict[str, set[int]] = {}
    for i, cluster in enumerate(tree.clusters):
        for name in cluster:
            holders.setdefault(name, set()).add(i)
    for scope in scopes:
        if scope and not set.intersection(*(holders[name] for name in scope)):
            raise GraphError(
                "a certificate holds every family of its model in one cluster; none holds "
                f"{', '.join(map(repr, scope))}"
            )


def read_certificate(section: object, schema: Schema) -> JunctionTree:
    """The clusters of a file as a tree."""
    if not isinstance(section, dict) or section.keys() != {"clusters", "edges", "bound"}:
        raise FormatError('a certificate has the keys "clusters", "edges", "bound"')
    clusters, edges = section["clusters"], section["edges"]
    if not _lists_of(str, clusters) or not _lists_of(int, edges) or any(len(pair) != 2 for pair in edges):
        raise FormatError("a certificate has clusters of names, and edges that are pairs of positions")
    try:
        return JunctionTree(schema, clusters, edges)
    except ValueError as error:  # every refusal of the package
        raise FormatError(f"the certificate contradicts itself: {error}") from error


def _lists_of(kind: type, value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, list) and all(type(x) is kind for x in item) for item in value
    )

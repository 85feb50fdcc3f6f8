"""What the kinds of model in the native file share: JSON values, variables, a graph, a proof of treewidth.

Values are read with care: what is not as it should be is a FormatError. A certificate is clusters in a tree
that hold every family: ``{"clusters": [[name, ...], ...], "edges": [[i, j], ...], "bound": K or null}``. What
is written was checked; what is read is a :class:`~treewright.graphs.JunctionTree`, whose making checks the
shape. Whether a file's certificate proves anything about its model is for :func:`treewright.verify` to say,
which trusts none of this.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.errors import FormatError, GraphError, SchemaError, TreewidthError
from treewright.graphs.directed.dag import Dag
from treewright.graphs.directed.pdag import Pdag
from treewright.graphs.undirected.cluster_trees import ClusterTree, JunctionTree
from treewright.graphs.undirected.clusters import ClusteredDag, Clusters
from treewright.graphs.undirected.strong import build_strong_graph
from treewright.models.model import AnyModel
from treewright.tables.schema import Label, Schema, Variable


@dataclass(frozen=True)
class Content:
    """The part of the file that is about one kind of model: its name, its sections, how they are said."""

    kind: str
    model: type[Any]
    required: Set[str]
    optional: Set[str]
    write: Callable[[Any], dict[str, Any]]
    read: Callable[[Mapping[str, Any]], AnyModel]


def write_variables(schema: Schema) -> list[dict[str, Any]]:
    return [
        {
            "name": variable.name,
            "states": [write_label(state) for state in variable.states or ()],
            "ordered": variable.ordered,
        }
        for variable in schema
    ]


def read_variables(item: object) -> Schema:
    return Schema([_read_variable(variable) for variable in as_list(item, "variables")])


def _read_variable(item: object) -> Variable:
    if not isinstance(item, dict) or item.keys() != {"name", "states", "ordered"}:
        raise FormatError('a variable has the keys "name", "states", "ordered"')
    expect(isinstance(item["ordered"], bool), f"variable {item['name']!r} does not say whether it is ordered")
    states = tuple(read_label(state) for state in as_list(item["states"], "states"))
    return Variable(item["name"], states, ordered=item["ordered"])


GRAPH_SECTIONS = {"clusters", "undirected"}  # beside the arcs, where they are known


def write_graph(dag: Dag) -> dict[str, Any]:
    """The sections of a file about this graph: arcs, clusters, and the edges that have no direction."""
    sections: dict[str, Any] = {"arcs": [list(arc) for arc in dag.edges()]}
    if isinstance(dag, ClusteredDag):
        sections["clusters"] = dag.clusters.to_dict()
    if dag.pattern is not None:
        sections["undirected"] = [list(pair) for pair in dag.pattern.undirected_edges()]
    return sections


def read_graph(schema: Schema, document: Mapping[str, Any]) -> Dag:
    """The graph of a file, with the clusters and the class that it tells of, if it does."""
    dag = Dag(schema, _read_pairs(document["arcs"], "an arc", tuple))
    if "clusters" in document:
        dag = ClusteredDag(schema, dag.index_edges(), _read_clusters(schema, document["clusters"]))
    if "undirected" not in document:
        return dag
    lines = _read_pairs(document["undirected"], "an edge without direction", frozenset)
    both = {*lines, *((v, u) for u, v in lines)}
    return dag.with_pattern(Pdag(schema, [arc for arc in dag.edges() if arc not in both], lines))


def _read_clusters(schema: Schema, told: object) -> Clusters:
    lists = ("centres", "disjoint", "grown_from", "overlapping", "bridges")
    if not isinstance(told, dict) or not {*lists} <= told.keys() <= {*lists, "overlaps", "regions"}:
        raise FormatError(f"the clusters of the file are none: they have the keys {', '.join(lists)}")
    centres, stars, origins, grown, bridges = (as_list(told[key], key) for key in lists)
    named = are_names(centres) and all(map(are_names, [*stars, *grown]))
    expect(named, "the clusters of the file are none: they are not lists of names")
    whole = all(type(i) is int and 0 <= i < len(stars) for i in origins)
    expect(
        whole and len(set(origins)) == len(origins),
        "the clusters of the file are none: one does not say from which star it grew",
    )
    numbers = [bridge for bridge in bridges if not isinstance(bridge, list) or len(bridge) != 3]
    expect(not numbers, "the clusters of the file are none: a bridge is not two names and a number")
    for anchor, variable, weight in bridges:
        expect(type(weight) in (int, float) and are_names([anchor, variable]), "a bridge has two names")
        schema.scope([anchor]), schema.scope([variable])
    try:
        return Clusters.from_dict(schema, told)
    except ValueError as error:
        raise FormatError(f"the clusters of the file are none: {error}") from error


def _read_pairs(item: object, what: str, kind: type[Any]) -> list[tuple[str, str]]:
    pairs = as_list(item, "arcs" if kind is tuple else "undirected")
    expect(all(are_names(pair) and len(pair) == 2 for pair in pairs), f"{what} is a pair of names")
    expect(len({kind(pair) for pair in pairs}) == len(pairs), f"{what} is there twice")
    return [(tail, head) for tail, head in pairs]


def expect(condition: bool, message: str) -> None:
    if not condition:
        raise FormatError(message)


def as_list(item: object, what: str) -> list[Any]:
    if not isinstance(item, list):
        raise FormatError(f"{what} is not a list")
    return item


def as_table(item: object, shape: tuple[int, ...], what: str, *, whole: bool = False) -> npt.NDArray[Any]:
    """The numbers of a flat list as an array of this shape; `whole` ones may be there too."""
    numbers = as_list(item, what)
    size, kinds = math.prod(shape), {type(x) for x in numbers}
    expect(
        len(numbers) == size and kinds <= ({int, float} if whole else {float}),
        f"{what} is not a list of {size} numbers",
    )
    if int in kinds:
        expect(all(abs(x) < 2**63 for x in numbers if type(x) is int), f"{what} has one of more than 63 bits")
    return np.array(numbers, dtype=np.int64 if kinds == {int} else np.float64).reshape(shape)


def are_names(item: object) -> bool:
    return isinstance(item, list) and all(isinstance(name, str) for name in item)


def write_label(label: Label) -> Any:
    """A label, whose type JSON keeps; infinity, which JSON has not, is an object."""
    if isinstance(label, float) and not math.isfinite(label):
        return {"float": repr(float(label))}
    return label


def read_label(item: object) -> Label:
    """The label of a JSON value."""
    if item in ({"float": "inf"}, {"float": "-inf"}):
        assert isinstance(item, dict)
        return float(item["float"])
    if isinstance(item, str | int | float | bool):
        return item
    raise FormatError(f"{item!r} is not a state")


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
    """What the clusters of a model have to hold: its families, or the scopes of its factors.

    Those of a mixed model hold the labels around numbers that hang together, too.
    """
    names_of = model.schema.names_of
    if len({variable.is_discrete for variable in model.schema}) == 2:
        strong = build_strong_graph(
            model.dag.moral_graph()
        ).edges()  # clusters that hold all pairs hold the families
        return (*((name,) for name in model.schema.names), *strong)
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

"""What the kinds of model in the native file share: variables, and clusters of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from typing import Any

from treewright.errors import FormatError
from treewright.graphs.directed.dag import Dag
from treewright.graphs.undirected.clusters import ClusteredDag, Clusters
from treewright.models.formats.json_values import as_list, expect, read_label, write_label
from treewright.models.model import AnyModel
from treewright.tables.schema import Schema, Variable


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


def write_clusters(dag: Dag) -> dict[str, Any]:
    """A section for the file of a model over this graph, or none."""
    return {"clusters": dag.clusters.to_dict()} if isinstance(dag, ClusteredDag) else {}


def with_clusters(dag: Dag, document: Mapping[str, Any]) -> Dag:
    """The graph with the clusters that its file tells of, if it does."""
    if "clusters" not in document:
        return dag
    try:
        clusters = Clusters.from_dict(dag.schema, document["clusters"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FormatError(f"the clusters of the file are none: {error}") from error
    return ClusteredDag(dag.schema, dag.index_edges(), clusters)

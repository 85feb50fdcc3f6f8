"""The part of the native file that is about a feature network: one line per node, children before parents.

A node has its kind and what the kind asks for: children, integers (what it is about, as the core's header
lays it out) and numbers (natural logarithms of probabilities, null for the logarithm of zero). A list that is
empty is left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.errors import FormatError
from treewright.graphs.feature_graph import KINDS, FeatureGraph
from treewright.models.features.feature_network import FeatureNetwork
from treewright.models.formats.twm.content import Content, as_list, expect, read_variables, write_variables

_LISTS = ("children", "integers", "numbers")


def write(model: FeatureNetwork) -> dict[str, Any]:
    graph = model.graph
    return {
        "variables": write_variables(graph.schema),
        "nodes": [_write_node(graph, node) for node in range(graph.n_nodes)],
    }


def read(document: Mapping[str, Any]) -> FeatureNetwork:
    schema = read_variables(document["variables"])
    nodes = [_read_node(item) for item in as_list(document["nodes"], "nodes")]
    kinds = np.array([kind for kind, _ in nodes], dtype=np.uint8)
    lists = [[parts[which] for _, parts in nodes] for which in range(3)]
    children, integers = (_flat(parts, np.uint32) for parts in lists[:2])
    graph = FeatureGraph(schema, kinds, *children, *integers, *_flat(lists[2], np.float64))
    return FeatureNetwork(graph, provenance=document.get("provenance", {}))


def _write_node(graph: FeatureGraph, node: int) -> dict[str, Any]:
    numbers = [None if x == -math.inf else x for x in graph.numbers_of(node).tolist()]
    lists = (graph.children(node), graph.integers(node), numbers)
    return {"kind": graph.kind(node)} | {
        key: values for key, values in zip(_LISTS, lists, strict=True) if values
    }


def _read_node(item: object) -> tuple[int, tuple[list[Any], ...]]:
    if not isinstance(item, dict) or not {"kind"} <= item.keys() <= {"kind", *_LISTS}:
        raise FormatError('a node has the keys "kind", "children", "integers", "numbers"')
    expect(item["kind"] in KINDS, f"a node has no kind {item['kind']!r}; kinds are {', '.join(KINDS)}")
    lists = tuple(as_list(item.get(key, []), key) for key in _LISTS)
    for key, values in zip(_LISTS[:2], lists, strict=False):
        whole = all(type(x) is int and 0 <= x < 2**32 for x in values)
        expect(whole, f"the {key} of a node are not whole numbers of 32 bits")
    known = {type(x) for x in lists[2]} <= {float, type(None)}
    expect(known, "the numbers of a node are not numbers with a decimal point, or null")
    numbers = [-math.inf if x is None else x for x in lists[2]]
    return KINDS.index(item["kind"]), (lists[0], lists[1], numbers)


def _flat(parts: list[list[Any]], kind: type[np.generic]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Where each part begins, and all parts one after the other."""
    begin = np.zeros(len(parts) + 1, dtype=np.uint64)
    np.cumsum([len(part) for part in parts], out=begin[1:])
    return begin, np.array([x for part in parts for x in part], dtype=kind)


CONTENT = Content("feature network", FeatureNetwork, {"nodes"}, set(), write, read)

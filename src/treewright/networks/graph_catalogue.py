"""Example graphs, kept as small JSON files that name their source.

A file lists the vertices and the edges by name. The variables are binary: what a graph is wanted for here is
a random Markov network on it.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

from treewright.errors import FormatError, UnknownNameError, nearest
from treewright.graphs.undirected import UndirectedGraph
from treewright.tables.schema import Schema, Variable

FORMAT = "treewright graph"
VERSION = 1


def example_graphs() -> tuple[str, ...]:
    """Names that :func:`load_graph` knows.

    Examples
    --------
    >>> example_graphs()
    ('karate', 'six_chain', 'six_cycle', 'six_dhub', 'six_split', 'six_star', 'six_tailhub')
    """
    files = (resources.files("treewright.networks") / "data" / "graphs").iterdir()
    return tuple(sorted(file.name.removesuffix(".json") for file in files if file.name.endswith(".json")))


def load_graph(name: str) -> UndirectedGraph:
    """Load an example graph; its variables have the states 0 and 1.

    - ``karate``: who met whom outside a karate club, 34 members [1]_.
    - ``six_cycle``, ``six_chain``, ``six_dhub``, ``six_tailhub``, ``six_star``, ``six_split``: six vertices,
      of irregularity 0, 2, 8, 12, 20 and 24.

    References
    ----------
    .. [1] Zachary (1977). An information flow model for conflict and fission in small groups. Journal of
       Anthropological Research 33, 452-473.

    Examples
    --------
    >>> load_graph("karate")
    UndirectedGraph(34 variables, 78 edges)
    >>> load_graph("six_star").irregularity()
    20
    """
    if name not in example_graphs():
        raise UnknownNameError(
            f"there is no example graph {name!r}; there are {nearest(name, example_graphs())}"
        )
    return _load(name)


@cache
def _load(name: str) -> UndirectedGraph:
    file = resources.files("treewright.networks") / "data" / "graphs" / f"{name}.json"
    return read_graph(file.read_text(encoding="utf-8"))


def read_graph(text: str) -> UndirectedGraph:
    """Build the graph of a file's text, refusing whatever does not fit."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not a graph file: {error}") from None
    _expect(isinstance(document, dict) and document.get("format") == FORMAT, "not a graph file")
    _expect(document.get("version") == VERSION, f"version {document.get('version')!r} is not known here")
    for key in ("name", "source"):
        _expect(isinstance(document.get(key), str) and document[key] != "", f"the graph has no {key}")
    vertices, edges = document.get("vertices"), document.get("edges")
    _expect(_is_names(vertices) and len(vertices) > 0, "the vertices are not a list of names")
    _expect(
        isinstance(edges, list) and all(_is_names(pair) and len(pair) == 2 for pair in edges),
        "the edges are not a list of pairs of names",
    )
    try:
        schema = Schema([Variable(name, (0, 1)) for name in vertices])
        return UndirectedGraph(schema, [(u, v) for u, v in edges])
    except ValueError as error:
        raise FormatError(f"the graph contradicts itself: {error}") from error


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _expect(condition: bool, message: str) -> None:
    if not condition:
        raise FormatError(message)

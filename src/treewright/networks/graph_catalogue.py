"""Example graphs, kept as small JSON files that name their source.

A file lists the vertices and the edges by name. The variables are binary: what a graph is wanted for here is
a random Markov network on it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from treewright.errors import FormatError
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.networks.example_files import example_names, example_text, expect, read_document
from treewright.tables.schema import Schema, Variable


def example_graphs() -> tuple[str, ...]:
    """Names that :func:`load_graph` knows.

    Examples
    --------
    >>> example_graphs()
    ('karate', 'six_chain', 'six_cycle', 'six_dhub', 'six_split', 'six_star', 'six_tailhub')
    """
    return example_names("graphs")


def load_graph(name: str) -> UndirectedGraph:
    """Load an example graph; its variables have the states 0 and 1.

    - ``karate``: who met whom outside a karate club, 34 members (Zachary 1977).
    - ``six_cycle``, ``six_chain``, ``six_dhub``, ``six_tailhub``, ``six_star``, ``six_split``: six vertices,
      of irregularity 0, 2, 8, 12, 20 and 24.

    Examples
    --------
    >>> load_graph("karate")
    UndirectedGraph(34 variables, 78 edges)
    >>> load_graph("six_star").irregularity()
    20
    """
    return _load(name)


@cache
def _load(name: str) -> UndirectedGraph:
    return read_graph(example_text("graph", name, "graphs"))


def read_graph(text: str) -> UndirectedGraph:
    """Build the graph of a file's text, refusing whatever does not fit."""
    document = read_document("graph", text)
    vertices, edges = document.get("vertices"), document.get("edges")
    expect(_is_names(vertices) and len(vertices) > 0, "the vertices are not a list of names")
    expect(
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

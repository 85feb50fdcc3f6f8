"""The only place where the checker asks the package for something: bytes of a model, and clusters.

Neither is believed. Bytes are read and clusters are checked like those of any file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any, Protocol, runtime_checkable

from treewright.errors import SchemaError
from treewright.graphs.undirected.cluster_trees import JunctionTree
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.models.formats import read_model
from treewright.models.formats.text import read_source
from treewright.models.formats.twm import to_bytes
from treewright.models.formats.twm.certificate import as_section
from treewright.tables.schema import Schema, Variable

__all__ = ["as_section", "bytes_of_file", "bytes_of_model", "propose_certificate"]


@runtime_checkable
class Saved(Protocol):
    """A model that can be kept in a file."""

    def save(self, path: str | os.PathLike[str]) -> None: ...


def bytes_of_model(model: object) -> bytes:
    """What a file of the model would hold."""
    if not isinstance(model, Saved):
        raise SchemaError(f"verify checks a model or a file of one; found {type(model).__name__}")
    return to_bytes(model)  # type: ignore[arg-type]


def bytes_of_file(path: str | os.PathLike[str]) -> bytes:
    """The content of a native file as it stands; a file of another format is read and told anew."""
    source = read_source(path)
    name = os.fspath(path).lower().removesuffix(".gz")
    if name.endswith(".twm") or source.data.lstrip()[:1] == b"{":
        return source.data
    return to_bytes(read_model(path))


def propose_certificate(names: Sequence[str], scopes: Iterable[Sequence[str]]) -> dict[str, Any]:
    """Clusters for these scopes: the cliques of a triangulation of the graph that joins each of them."""
    schema = Schema([Variable(name) for name in names])
    place = {name: position for position, name in enumerate(names)}
    pairs = {pair for scope in scopes for pair in combinations(sorted({place[name] for name in scope}), 2)}
    return as_section(JunctionTree.of(UndirectedGraph(schema, sorted(pairs))))

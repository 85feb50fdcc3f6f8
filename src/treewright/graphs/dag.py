"""Directed acyclic graphs over the variables of a schema."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from graphlib import CycleError as FoundCycle
from graphlib import TopologicalSorter

from treewright.errors import CycleError
from treewright.tables.schema import NameOrIndex, Schema, Scope


class Dag:
    """A directed acyclic graph; one that would have a cycle cannot be made."""

    def __init__(self, schema: Schema, arcs: Iterable[tuple[NameOrIndex, NameOrIndex]] = ()) -> None:
        self.schema = schema
        parents: list[set[int]] = [set() for _ in schema]
        for tail, head in arcs:
            parents[schema.index(head)].add(schema.index(tail))
        self._parents = tuple(tuple(sorted(p)) for p in parents)
        try:
            self.topological_order: Scope = tuple(
                TopologicalSorter(dict(enumerate(self._parents))).static_order()
            )
        except FoundCycle as found:
            raise CycleError(f"arcs close a cycle: {', '.join(schema.names_of(found.args[1]))}") from None

    def parents(self, v: int) -> Scope:
        return self._parents[v]

    @cached_property
    def _edges(self) -> list[tuple[str, str]]:
        names = self.schema.names
        return sorted((names[p], names[v]) for v, parents in enumerate(self._parents) for p in parents)

    def edges(self) -> list[tuple[str, str]]:
        return list(self._edges)

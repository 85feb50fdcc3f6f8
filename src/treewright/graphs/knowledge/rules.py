"""Turning knowledge into two matrices, and finding where its parts contradict each other.

Each part becomes rules: a matrix of arcs that it rules out, with a sentence that says why, or one of arcs
that it demands. An arc that is demanded and ruled out is a contradiction, and so is a cycle of demands;
nothing else is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treewright.errors import KnowledgeError, nearest
from treewright.graphs.edges import NamedArc, cycle_text, listed
from treewright.tables.schema import Schema
from treewright.types import Matrix

if TYPE_CHECKING:
    from treewright.graphs.knowledge.knowledge import Knowledge

_SHOWN = 5


@dataclass(frozen=True)
class Rule:
    """Arcs [from, to] that one part of the knowledge speaks of, and what it says of one, by names."""

    arcs: Matrix
    says: Callable[[str, str], str]


def allowed_and_required(knowledge: Knowledge, schema: Schema) -> tuple[Matrix, Matrix]:
    """The arcs that may be there and those that must; refuses contradictions by name."""
    bans, demands = list(ruled_out(knowledge, schema)), list(demanded(knowledge, schema))
    refuse_contradictions(schema, bans, demands)
    required = _union(schema, demands)
    if cycle := cycle_text(schema, [(u, v) for u, v in np.argwhere(required).tolist()]):
        raise KnowledgeError(f"the required arcs close a cycle: {cycle}")
    banned = _union(schema, bans) | required.T | np.eye(len(schema), dtype=bool)
    return ~banned, required


def demanded(knowledge: Knowledge, schema: Schema) -> Iterator[Rule]:
    yield Rule(arc_matrix(schema, knowledge.required), lambda u, v: f"{u} -> {v} is required")
    families = knowledge.parents or {}
    pairs = [(parent, child) for child, parents in families.items() for parent in parents]
    yield Rule(arc_matrix(schema, pairs), lambda u, v: f"the fixed parents of {v!r} include {u!r}")


def ruled_out(knowledge: Knowledge, schema: Schema) -> Iterator[Rule]:
    yield Rule(arc_matrix(schema, knowledge.forbidden), lambda u, v: "the arc is forbidden")
    edges = arc_matrix(schema, knowledge.forbidden_edges)
    yield Rule(edges | edges.T, lambda u, v: "the edge between them is forbidden")
    if knowledge.tiers is not None:
        yield from _tier_rules(knowledge, schema)
    if knowledge.order is not None:
        yield _order_rule(schema, tuple(knowledge.order))
    for child, parents in (knowledge.parents or {}).items():
        yield _family_rule(schema, child, tuple(parents))


def _tier_rules(knowledge: Knowledge, schema: Schema) -> Iterator[Rule]:
    tier = np.zeros(len(schema), dtype=np.intp)  # 0: in no tier
    for number, names in enumerate(knowledge.tiers or (), start=1):
        for name in names:
            tier[_index(schema, name)] = number
    placed = (tier[:, None] > 0) & (tier[None, :] > 0)

    def place(name: str) -> int:
        return int(tier[schema.index(name)])

    yield Rule(
        placed & (tier[:, None] > tier[None, :]),
        lambda u, v: f"{u!r} is in tier {place(u)} and {v!r} in tier {place(v)}",
    )
    if knowledge.forbid_within_tiers:
        yield Rule(
            placed & (tier[:, None] == tier[None, :]),
            lambda u, v: f"both are in tier {place(u)} and arcs within a tier are forbidden",
        )


def _order_rule(schema: Schema, order: tuple[str, ...]) -> Rule:
    place = np.full(len(schema), -1, dtype=np.intp)
    for position, name in enumerate(order):
        place[_index(schema, name)] = position
    absent = [name for name, position in zip(schema.names, place.tolist(), strict=True) if position < 0]
    if absent:
        raise KnowledgeError(f"an order names every variable; it lacks {listed(absent)}; use tiers for some")
    return Rule(place[:, None] > place[None, :], lambda u, v: f"the order puts {v!r} before {u!r}")


def _family_rule(schema: Schema, child: str, parents: tuple[str, ...]) -> Rule:
    arcs = np.zeros((len(schema), len(schema)), dtype=bool)
    arcs[:, _index(schema, child)] = True
    for parent in parents:
        arcs[_index(schema, parent), schema.index(child)] = False
    fixed = f"the parents of {child!r} are fixed to be {listed(parents)}"
    return Rule(arcs, lambda u, v: fixed if parents else f"{child!r} is fixed to have no parents")


def refuse_contradictions(schema: Schema, bans: list[Rule], demands: list[Rule]) -> None:
    """An arc that one part demands and another rules out."""
    found: dict[NamedArc, str] = {}
    for demand in demands:
        for ban in bans:
            for u, v in np.argwhere(demand.arcs & ban.arcs).tolist():
                pair = schema.names[u], schema.names[v]
                found.setdefault(pair, f"{demand.says(*pair)}, but {ban.says(*pair)}")
    if found:
        sentences = [found[pair] for pair in sorted(found)]
        more = f"; and {len(sentences) - _SHOWN} more" if len(sentences) > _SHOWN else ""
        raise KnowledgeError("; ".join(sentences[:_SHOWN]) + more)


def _union(schema: Schema, rules: list[Rule]) -> Matrix:
    nothing = np.zeros((len(schema), len(schema)), dtype=bool)
    return sum((rule.arcs for rule in rules), start=nothing)


def arc_matrix(schema: Schema, pairs: Iterable[NamedArc]) -> Matrix:
    """Which pairs [from, to] are among some, by name."""
    arcs = np.zeros((len(schema), len(schema)), dtype=bool)
    for u, v in pairs:
        arcs[_index(schema, u), _index(schema, v)] = True
    return arcs


def _index(schema: Schema, name: str) -> int:
    if name not in schema:
        raise KnowledgeError(
            f"the knowledge names {name!r}, which is not a variable; there are {nearest(name, schema.names)}"
        )
    return schema.index(name)

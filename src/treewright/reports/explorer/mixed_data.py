"""What a page holds of a mixed network: its tables, its lines, and one plan that serves all evidence.

Numbers that hang together have a table of densities over the states that they hang on. Whatever is known,
what still hangs together is a part of what did before, so a forest with one clique for each group of numbers
has room for every such table.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from treewright.inference.conditional_gaussian import ConditionalGaussianEngine, Part
from treewright.inference.engine import Factor
from treewright.inference.junction_tree import JunctionPlan, JunctionTreeEngine
from treewright.models.mixed.conditional_gaussian_network import ConditionalGaussianNetwork
from treewright.types import Floats, Names


class MixedPlan(NamedTuple):
    """A forest with room for all that numbers say, and how many numbers the page works with beside it."""

    plan: JunctionPlan | None
    cells: int


def mixed_plan(engine: ConditionalGaussianEngine, most_cells: int, most_numbers: int) -> MixedPlan:
    """The plan of the states, by position in the engine's schema; none beyond so many cells or numbers."""
    groups = engine.parts({}, engine.families)
    cells = sum(_n_states(engine, part.scope) * (2 + len(part.hidden) ** 2) for part in groups)
    if cells > most_numbers:
        return MixedPlan(None, cells)
    room = [_room(engine, part) for part in groups if part.scope]
    return MixedPlan(JunctionTreeEngine(engine.schema, [*engine.factors, *room]).plan(most_cells), cells)


def _n_states(engine: ConditionalGaussianEngine, scope: Names) -> int:
    return math.prod(engine.schema[name].cardinality for name in scope)


def _room(engine: ConditionalGaussianEngine, part: Part) -> Factor:
    scope = engine.schema.scope(part.scope)
    return Factor(scope, np.ones([engine.schema.cardinalities[v] for v in scope]))


def mixed_tables(model: ConditionalGaussianNetwork) -> tuple[dict[str, Any], Floats]:
    """Scopes of tables and lines by position in the model's schema, and all their numbers in a row."""
    engine, place = model._engine, model.schema.index
    factors = [
        {"scope": [place(name) for name in engine.schema.names_of(factor.scope)]} for factor in engine.factors
    ]
    lines, numbers = [], [factor.table.ravel() for factor in engine.factors]
    for family in engine.families.values():
        lines.append(
            {
                "child": place(family.child),
                "discrete": list(map(place, family.discrete)),
                "continuous": list(map(place, family.continuous)),
            }
        )
        numbers += [family.intercepts, family.variances, family.slopes.ravel()]
    return {"factors": factors, "lines": lines}, np.concatenate([np.zeros(0), *numbers])


def placed(model: ConditionalGaussianNetwork, plan: JunctionPlan) -> dict[str, Any]:
    """A plan of the states, by position in the model's schema."""
    names = model._engine.schema.names_of
    scopes = [list(map(model.schema.index, names(scope))) for scope in plan.scopes]
    return plan._replace(scopes=scopes)._asdict()

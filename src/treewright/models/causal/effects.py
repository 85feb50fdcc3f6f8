"""The effect of one variable on another, by surgery or by adjustment.

By surgery the treatment is set by even lot, and seeing it is then doing it: one network answers for all of
its states. By adjustment, for a set Z that blocks what is behind the treatment,
``P(y | do(x)) = sum over z of P(y | x, z) P(z)``; of lines, the coefficient of x in the regression of y on x
and Z.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from treewright.errors import GraphError, SchemaError, SingularError
from treewright.graphs.directed.adjustment import adjustment_sets, is_back_door_set
from treewright.models.causal.told import Effect, LinearEffect, Names
from treewright.models.continuous.gaussian_network import GaussianNetwork
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.labelled import LabelledTable
from treewright.types import Floats


def effect_of(
    model: BayesianNetwork | GaussianNetwork, treatment: str, outcome: str, adjust_for: Iterable[str] | None
) -> Effect | LinearEffect:
    """One effect, see `model.effect`."""
    check_ends(model, treatment, outcome)
    if adjust_for is not None:
        if isinstance(adjust_for, str):
            raise SchemaError(f"adjust_for= is several names; found the text {adjust_for!r}")
        return adjusted(model, treatment, outcome, _checked(model, treatment, outcome, adjust_for))
    sets = adjustment_sets(model.dag, treatment, outcome).back_door
    adjusted_for = sets[0] if sets else None
    if isinstance(model, GaussianNetwork):
        return _line(model, treatment, outcome, _total_slope(model, treatment, outcome), adjusted_for)
    x = model.schema[treatment]
    even = model.do({treatment: dict.fromkeys(x.states or (), 1 / x.cardinality)})
    rows = [even.query(outcome, given={treatment: state}).array for state in x.states or ()]
    return _table(model, treatment, outcome, np.array(rows), adjusted_for)


def check_ends(model: BayesianNetwork | GaussianNetwork, treatment: str, outcome: str) -> None:
    for name in (treatment, outcome):
        model.schema.index(name)
    if treatment == outcome:
        raise GraphError(f"an effect is that of one variable on another; found {treatment!r} twice")


def _checked(
    model: BayesianNetwork | GaussianNetwork, treatment: str, outcome: str, adjust_for: Iterable[str]
) -> Names:
    names = tuple(sorted(model.schema.names_of(model.schema.scope(adjust_for))))
    if not is_back_door_set(model.dag, treatment, outcome, names):
        sets = adjustment_sets(model.dag, treatment, outcome).minimal
        way_out = f"{{{', '.join(sets[0])}}} does" if sets else f"none does: {outcome} is a cause of it"
        raise GraphError(
            f"adjusting for {{{', '.join(names)}}} does not tell the effect of {treatment!r} on {outcome!r} "
            f"in this network: it has to block every path that begins with an arrow into {treatment}, and "
            f"hold nothing that follows from {treatment}; {way_out}"
        )
    return names


def adjusted(
    model: BayesianNetwork | GaussianNetwork, treatment: str, outcome: str, given: Sequence[str]
) -> Effect | LinearEffect:
    """The effect by adjusting for a set of names; no effect where the outcome is one of them."""
    names = tuple(given)
    if isinstance(model, GaussianNetwork):
        slope = 0.0 if outcome in names else _regression_slope(model, treatment, outcome, names)
        return _line(model, treatment, outcome, slope, None if outcome in names else names)
    if outcome in names:
        rows = np.tile(model.query(outcome).array, (model.schema[treatment].cardinality, 1))
        return _table(model, treatment, outcome, rows, None)
    joint = model.query([treatment, outcome, *names]).array
    joint = joint.reshape(*joint.shape[:2], -1)  # treatment, outcome, configuration of the set
    of_set, seen = joint.sum(axis=(0, 1)), joint.sum(axis=1, keepdims=True)
    occurs = of_set > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        rows = (joint[:, :, occurs] / seen[:, :, occurs]) @ of_set[occurs]
    return _table(model, treatment, outcome, rows, names)


def _table(model: BayesianNetwork, x: str, y: str, rows: Floats, adjusted_for: Names | None) -> Effect:
    rows.setflags(write=False)
    return Effect(x, y, LabelledTable(rows, [model.schema[x], model.schema[y]]), adjusted_for)


def _line(model: GaussianNetwork, x: str, y: str, slope: float, adjusted_for: Names | None) -> LinearEffect:
    mean = dict(zip(model.schema.names, model.mean().tolist(), strict=True))
    return LinearEffect(x, y, slope, mean[y] - slope * mean[x], adjusted_for)


def _total_slope(model: GaussianNetwork, treatment: str, outcome: str) -> float:
    """The sum over directed paths of the products of their coefficients."""
    moved = {treatment: 1.0}
    for name in model.schema.names_of(model.dag.topological_order):
        if name != treatment:
            moved[name] = sum(
                c * moved.get(parent, 0.0) for parent, c in sorted(model.coefficients(name).items())
            )
    return moved[outcome]


def _regression_slope(model: GaussianNetwork, treatment: str, outcome: str, given: Names) -> float:
    joint = model.query([treatment, *given, outcome]).covariance
    try:
        return float(np.linalg.solve(joint[:-1, :-1], joint[:-1, -1])[0])
    except np.linalg.LinAlgError:
        named = ", ".join(map(repr, given)) or "nothing"
        raise SingularError(
            f"{treatment!r} does not vary once {named} is known, so that adjusting for it tells no effect"
        ) from None

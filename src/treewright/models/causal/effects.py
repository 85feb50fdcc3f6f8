"""The effect of one variable on another, by the set that it names.

By adjustment, for a set Z that blocks what is behind the treatment,
``P(y | do(x)) = sum over z of P(y | x, z) P(z)``; of lines, the coefficient of x in the regression of y on x
and Z. Where no such set is measured, by the front door. Where no set tells it, because some of its states
never meet, by surgery: the treatment is set by even lot, and seeing it is then doing it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from treewright.errors import GraphError, SchemaError, SingularError, TableTooLarge
from treewright.graphs.directed.adjustment import adjustment_sets, is_back_door_set
from treewright.models.causal.front_door import slope_through_front_door, through_front_door
from treewright.models.causal.told import Effect, LinearEffect, Names
from treewright.models.continuous.gaussian_network import GaussianNetwork
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.labelled import LabelledTable
from treewright.types import Floats

_LIMIT = 8  # sets of either kind that are tried


def effect_of(
    model: BayesianNetwork | GaussianNetwork,
    treatment: str,
    outcome: str,
    adjust_for: Iterable[str] | None,
    hidden: Iterable[str],
) -> Effect | LinearEffect:
    """One effect, see `model.effect`."""
    check_ends(model, treatment, outcome)
    out_of_sight = _names(model, "hidden", hidden)
    if adjust_for is not None:
        names = _checked(model, treatment, outcome, _names(model, "adjust_for", adjust_for))
        unseen = [name for name in names if name in out_of_sight]
        if unseen:
            raise GraphError(f"adjust_for= names {unseen[0]!r}, which is hidden; adjust for what is measured")
        return adjusted(model, treatment, outcome, names)
    sets = adjustment_sets(model.dag, treatment, outcome, hidden=out_of_sight, limit=_LIMIT)
    follows = model.dag.descendants(model.schema.index(outcome))
    front_doors = () if model.schema.index(treatment) in follows else sets.front_door
    for ways, told in ((sets.back_door, adjusted), (front_doors, _two_steps)):
        for names in ways:
            found = _if_it_tells(told, model, treatment, outcome, names)
            if found is not None:
                return found
    if model.schema.index(treatment) in follows:
        return adjusted(model, treatment, outcome, (outcome,))
    if out_of_sight:
        raise GraphError(
            f"without {{{', '.join(sorted(out_of_sight))}}} no back-door and no front-door set tells the "
            f"effect of {treatment!r} on {outcome!r}; measure one of these, or leave hidden= out to read it "
            "off the network by surgery"
        )
    return _by_surgery(model, treatment, outcome)


def _names(model: BayesianNetwork | GaussianNetwork, what: str, given: Iterable[str]) -> Names:
    if isinstance(given, str):
        raise SchemaError(f"{what}= is several names; found the text {given!r}")
    return tuple(sorted(model.schema.names_of(model.schema.scope(given))))


def _if_it_tells(
    told: Callable[..., Effect | LinearEffect],
    model: BayesianNetwork | GaussianNetwork,
    treatment: str,
    outcome: str,
    names: Names,
) -> Effect | LinearEffect | None:
    """The effect by a set, unless some of its states never meet, or its table would not fit."""
    try:
        found = told(model, treatment, outcome, names)
    except (SingularError, np.linalg.LinAlgError, TableTooLarge):
        return None
    numbers = found.slope if isinstance(found, LinearEffect) else np.asarray(found.table)
    return found if np.isfinite(numbers).all() else None


def _two_steps(
    model: BayesianNetwork | GaussianNetwork, treatment: str, outcome: str, between: Names
) -> Effect | LinearEffect:
    """The effect by the front-door formula."""
    if isinstance(model, GaussianNetwork):
        slope = slope_through_front_door(model, treatment, outcome, between)
        return replace(_line(model, treatment, outcome, slope, None), front_door=between)
    rows = through_front_door(model, treatment, outcome, between)
    return replace(_table(model, treatment, outcome, rows, None), front_door=between)


def _by_surgery(
    model: BayesianNetwork | GaussianNetwork, treatment: str, outcome: str
) -> Effect | LinearEffect:
    """Where no set tells it: the network with the treatment set by even lot, asked for each of its states."""
    if isinstance(model, GaussianNetwork):
        slope = _total_slope(model, treatment, outcome)
        return replace(_line(model, treatment, outcome, slope, None), by_surgery=True)
    x = model.schema[treatment]
    even = model.do({treatment: dict.fromkeys(x.states or (), 1 / x.cardinality)})
    rows = [even.query(outcome, given={treatment: state}).array for state in x.states or ()]
    return replace(_table(model, treatment, outcome, np.array(rows), None), by_surgery=True)


def check_ends(model: BayesianNetwork | GaussianNetwork, treatment: str, outcome: str) -> None:
    for name in (treatment, outcome):
        model.schema.index(name)
    if treatment == outcome:
        raise GraphError(f"an effect is that of one variable on another; found {treatment!r} twice")


def _checked(model: BayesianNetwork | GaussianNetwork, treatment: str, outcome: str, names: Names) -> Names:
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

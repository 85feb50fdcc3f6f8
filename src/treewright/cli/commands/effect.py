"""`treewright effect`: what setting one variable does to another, if the arcs are causes."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from treewright.cli import options as opt
from treewright.cli.answers.output import Lines, Output, heading, remark
from treewright.cli.model_files import open_model
from treewright.errors import SchemaError
from treewright.models import BayesianNetwork, Effect, GaussianNetwork, LinearEffect

Treatment = Annotated[str, typer.Argument(help="What is set.", show_default=False)]
Outcome = Annotated[str, typer.Argument(help="What is watched.", show_default=False)]
AdjustFor = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="Adjust for this variable; repeat for more."),
]
Hidden = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="Nobody measures this variable; repeat for more.")
]
OfClass = Annotated[
    bool, typer.Option("--class", help="The effects in all networks that the rows could not tell apart.")
]


@opt.command("threads", "memory")
def effect(
    out: Output,
    model: opt.Model,
    treatment: Treatment,
    outcome: Outcome,
    *,
    adjust_for: AdjustFor = None,
    hidden: Hidden = None,
    of_class: OfClass = False,
) -> None:
    """Tell what setting one variable does to another, if the arcs are causes, and what that rests on.

    Example: treewright effect asia smoke dysp
    """
    network = open_model(model)
    if not isinstance(network, BayesianNetwork | GaussianNetwork):
        raise SchemaError(
            f"effects are those of networks of tables or lines; found a {type(network).__name__}"
        )
    found: Any
    if of_class:
        if adjust_for or hidden:
            option = "--adjust-for" if adjust_for else "--hidden"
            raise SchemaError(f"--class adjusts for the parents of each member; leave {option} out")
        found = network.effects(treatment, outcome)
        effects = [{"parents": one.parents, "members": one.members, **_numbers(one.effect)} for one in found]
        told = {"members": found.members, "effects": effects}
    else:
        found = network.effect(treatment, outcome, adjust_for=adjust_for or None, hidden=hidden or ())
        told = {"adjusted_for": found.adjusted_for, "front_door": found.front_door, **_numbers(found)}
    ends = {"treatment": treatment, "outcome": outcome}
    out.answer(
        lambda: {**ends, **told, "assumptions": found.assumptions},
        shown=lambda: _shown(repr(found)),
        bare=lambda: [(line.strip(),) for line in repr(found).splitlines()],
    )


def _numbers(found: Effect | LinearEffect) -> dict[str, Any]:
    if isinstance(found, LinearEffect):
        return {"slope": found.slope, "intercept": found.intercept}
    states = found.table.variables[0].states or ()
    return {"distributions": {str(state): found[state].dict() for state in states}}


def _shown(text: str) -> Lines:
    head, *lines = text.splitlines()
    yield heading(head)
    for line in lines:
        yield remark(line) if line.startswith("  if ") else heading(line, "")

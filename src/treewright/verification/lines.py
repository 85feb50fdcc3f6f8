"""Lines of mixed networks: a table for each discrete variable, a line in each joint state for the others."""

from __future__ import annotations

import math
from typing import Any

from treewright.verification.content import Variables
from treewright.verification.report import Findings
from treewright.verification.tables import Parents, check_conditional_tables

KEYS = {"intercepts", "coefficients", "variances"}


def check_mixed(content: dict[str, Any], parents: Parents, variables: Variables, findings: Findings) -> None:
    """Tables are about states alone; lines have a finite number for each joint state of discrete parents."""
    discrete = {name: states for name, states in variables.states.items() if states is not None}
    for name, found in parents.items():
        for parent in found if name in discrete else ():
            message = f"{name!r} has states, and {parent!r}, a parent of it, has none"
            findings.expect(parent in discrete, "arcs", message, (parent, name))
    if findings.broken("variables") or findings.broken("arcs"):
        return
    among_states = {name: found for name, found in parents.items() if name in discrete}
    check_conditional_tables(content.get("tables"), among_states, Variables({**discrete}), findings)
    findings.begin("families")
    families = content.get("families")
    if not isinstance(families, dict):
        findings.add("families", '"families" is not an object')
        return
    for name in families:
        known = name in parents and name not in discrete
        message = f"there is a family of {name!r}, which is no continuous variable"
        findings.expect(known, "families", message, (name,))
    for name in variables.names:
        if name not in discrete:
            _check_lines(name, families.get(name), parents[name], discrete, findings)


def labels_around_numbers(parents: Parents, variables: Variables) -> list[tuple[str, ...]]:
    """The labels that are joined when numbers go first, for each set of numbers that hang together.

    Numbers hang together where one is a parent of the other, or both of a third; around them are the labels
    beside them in a family.
    """
    numbers = [name for name in parents if variables.states.get(name) is None]
    near: dict[str, set[str]] = {name: set() for name in numbers}
    for name, found in parents.items():
        family = {name, *found}
        for one in family & near.keys():
            near[one] |= family
    joined, done = [], set[str]()
    for start in numbers:
        together, waiting = set[str](), [start]
        while waiting and start not in done:
            one = waiting.pop()
            if one not in together:
                together.add(one)
                waiting += near[one] & near.keys()
        around = set[str]().union(*(near[one] for one in together)) - near.keys()
        done |= together
        if len(around) > 1:
            joined.append(tuple(sorted(around)))
    return joined


def _check_lines(
    name: str, family: Any, parents: list[str], discrete: dict[str, list[Any]], findings: Findings
) -> None:
    if not isinstance(family, dict) or family.keys() != KEYS:
        findings.add("families", f"the family of {name!r} has not just {', '.join(sorted(KEYS))}", (name,))
        return
    n_lines = math.prod(len(discrete[p]) for p in parents if p in discrete)
    numbers = [p for p in parents if p not in discrete]
    slopes = family["coefficients"]
    if not isinstance(slopes, dict) or slopes.keys() != set(numbers):
        message = f"coefficients of {name!r} are not a list for each of its continuous parents"
        findings.add("families", message, (name, *numbers))
        return
    lists = {"intercepts": family["intercepts"], "variances": family["variances"]}
    lists |= {f"coefficients for {parent!r}": values for parent, values in slopes.items()}
    for what, values in lists.items():
        fits = (
            isinstance(values, list)
            and len(values) == n_lines
            and all(type(x) is float and math.isfinite(x) for x in values)
        )
        message = f"the {what} of {name!r} are not {n_lines} finite numbers"
        findings.expect(fits, "families", message, (name,))
        if fits and what == "variances" and any(x <= 0 for x in values):
            findings.add(
                "families", f"a variance of {name!r} is {min(values)!r}, and no variance is", (name,)
            )

"""Families of continuous models: one object of finite numbers per variable, some of them by parent."""

from __future__ import annotations

import math
from typing import Any

from treewright.verification.content import Variables
from treewright.verification.directed import Parents
from treewright.verification.report import Findings


def check_families(
    content: dict[str, Any],
    parents: Parents,
    findings: Findings,
    numbers: tuple[str, ...],
    *,
    spread: str,
    by_parent: str,
) -> None:
    """Check the keys, that `spread` is no negative variance, and that `by_parent` names just the parents."""
    findings.begin("families")
    value = content.get("families")
    if not isinstance(value, dict):
        findings.add("families", '"families" is not an object')
        return
    for name in value:
        known = name in parents
        findings.expect(known, "families", f"there is a family of {name!r}, which is no variable", (name,))
    keys = {*numbers, spread, by_parent}
    for name, wanted in parents.items():
        family = value.get(name)
        if not isinstance(family, dict) or family.keys() != keys:
            listed = ", ".join(sorted(keys))
            findings.add("families", f"the family of {name!r} has not just {listed}", (name,))
            continue
        for key in (*numbers, spread):
            _check_number(f"{key} of {name!r}", family[key], findings, (name,))
        variance = family[spread]
        if type(variance) is float and variance < 0:
            findings.add("families", f"{spread} of {name!r} is {variance!r}, and no variance is", (name,))
        _check_by_parent(name, by_parent, family[by_parent], wanted, findings)


def _check_by_parent(name: str, key: str, value: Any, parents: list[str], findings: Findings) -> None:
    if not isinstance(value, dict) or value.keys() != set(parents):
        message = f"{key} of {name!r} is not one number for each of its parents"
        findings.add("families", message, (name, *parents))
        return
    for parent, number in value.items():
        _check_number(f"{key} of {name!r} for {parent!r}", number, findings, (name, parent))


def _check_number(what: str, value: object, findings: Findings, names: tuple[str, ...]) -> None:
    if type(value) is not float or not math.isfinite(value):
        findings.add("families", f"{what} is {value!r}, which is no finite number", names)


def check_continuous(variables: Variables, findings: Findings) -> None:
    for name, states in variables.states.items():
        findings.expect(
            states is None, "variables", f"{name!r} has states, and this model is of numbers", (name,)
        )


def check_name_lists(content: dict[str, Any], variables: Variables, findings: Findings) -> None:
    """Remarks of a fit: variables whose variance was raised, parents that say nothing new."""
    lists = [content.get("floored", [])]
    redundant = content.get("redundant", {})
    lists += list(redundant.values()) if isinstance(redundant, dict) else []
    lists.append(list(redundant) if isinstance(redundant, dict) else None)
    good = all(isinstance(item, list) and _known(item, variables) for item in lists)
    findings.expect(good, "kind", '"floored" or "redundant" names something that is no variable')


def _known(names: list[Any], variables: Variables) -> bool:
    return all(isinstance(name, str) and name in variables.states for name in names)

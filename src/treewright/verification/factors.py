"""Factors of an undirected model: scopes of known variables, with tables of non-negative numbers."""

from __future__ import annotations

import math

from treewright.verification.content import Variables, are_names
from treewright.verification.numbers import check_numbers
from treewright.verification.report import Findings, braced


def read_scopes(value: object, variables: Variables, findings: Findings) -> list[tuple[str, ...]]:
    """The scopes of the factors, each with its table checked."""
    findings.begin("factors")
    if not isinstance(value, list):
        findings.add("factors", '"factors" is not a list')
        return []
    scopes = []
    for position, item in enumerate(value):
        scope = read_scope(item, position, variables, findings)
        if scope is not None:
            scopes.append(scope)
            if not findings.broken("variables"):
                check_table(item["table"], scope, variables, findings)
    return scopes


def read_scope(
    item: object, position: int, variables: Variables, findings: Findings
) -> tuple[str, ...] | None:
    if not isinstance(item, dict) or item.keys() != {"scope", "table"}:
        findings.add("factors", f'factor {position} has not just the keys "scope" and "table"')
        return None
    scope = item["scope"]
    if not are_names(scope):
        findings.add("factors", f"the scope of factor {position} is not a list of names")
        return None
    unknown = sorted(set(scope) - variables.states.keys())
    if unknown:
        findings.add("factors", f"factor {position} is about {unknown[0]!r}, which is no variable", unknown)
        return None
    if len(set(scope)) < len(scope):
        message = f"factor {position} lists a variable twice: {braced(scope)}"
        findings.add("factors", message, sorted(set(scope)))
        return None
    return tuple(scope)


def check_table(value: object, scope: tuple[str, ...], variables: Variables, findings: Findings) -> None:
    what = f"the factor over {braced(scope)}"
    if not check_numbers(what, value, math.prod(map(variables.size, scope)), findings, scope):
        return
    assert isinstance(value, list)
    strange = next((x for x in value if not 0 <= x < math.inf), None)
    if strange is not None:
        findings.add("tables", f"{what} holds {strange!r}, which is negative", scope)
    elif not any(value):
        findings.add("tables", f"{what} is zero everywhere", scope)

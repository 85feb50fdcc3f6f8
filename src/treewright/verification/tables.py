"""Tables: as many numbers as the states ask for, non-negative; rows of a directed model sum to one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from treewright.verification.content import Variables, are_names
from treewright.verification.directed import Parents
from treewright.verification.report import Findings, braced

ROW_SUM_TOLERANCE = 1e-6


def check_conditional_tables(
    tables: object, parents: Parents, variables: Variables, findings: Findings
) -> None:
    """One table per variable: a row for every configuration of its parents, a column for each state."""
    findings.begin("tables")
    found = tables_by_name(tables, variables, findings)
    for name in variables.names:
        if name not in found:
            continue
        shape = [variables.size(v) for v in (*parents[name], name)]
        if not check_numbers(f"the table of {name!r}", found[name], math.prod(shape), findings, (name,)):
            continue
        for row in range(math.prod(shape[:-1])):
            message = check_row(found[name][row * shape[-1] : (row + 1) * shape[-1]])
            if message:
                where = configuration(row, parents[name], variables)
                findings.add("tables", f"the row of {name!r}{where} {message}", (name, *parents[name]))
                break  # one row is enough to know that this table is none


def tables_by_name(tables: object, variables: Variables, findings: Findings) -> Mapping[str, Any]:
    if not isinstance(tables, dict):
        findings.add("tables", '"tables" is not an object')
        return {}
    for name in variables.names:
        findings.expect(name in tables, "tables", f"there is no table of {name!r}", (name,))
    for name in tables:
        known = name in variables.states
        findings.expect(known, "tables", f"there is a table of {name!r}, which is no variable", (name,))
    return tables


def check_numbers(what: str, values: object, wanted: int, findings: Findings, names: Sequence[str]) -> bool:
    """Whether this is a list of so many non-negative numbers."""
    if not isinstance(values, list) or not all(type(x) is float for x in values):
        findings.add("tables", f"{what} is not a list of numbers with a decimal point", names)
        return False
    if len(values) != wanted:
        findings.add("tables", f"{what} has {len(values)} numbers; the states ask for {wanted}", names)
        return False
    return True


def check_row(row: Sequence[float]) -> str | None:
    """What is wrong with a distribution, if anything."""
    strange = next((x for x in row if not 0 <= x < math.inf), None)
    if strange is not None:
        return f"holds {strange!r}, which is no probability"
    total = math.fsum(row)
    return f"sums to {total!r}, not to 1" if abs(total - 1) > ROW_SUM_TOLERANCE else None


def configuration(row: int, parents: Sequence[str], variables: Variables) -> str:
    """The states of the parents in a row of a table, the last parent fastest."""
    texts = []
    for name in reversed(parents):
        row, code = divmod(row, variables.size(name))
        texts.append(f"{name}={(variables.states[name] or [])[code]!r}")
    return f" given {', '.join(reversed(texts))}" if texts else ""


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

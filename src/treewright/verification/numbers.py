"""Numbers of tables: as many as the states ask for, non-negative, rows that sum to one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from treewright.verification.content import Variables
from treewright.verification.directed import Parents
from treewright.verification.report import Findings

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

"""Arcs and tables.

Arcs are pairs of known names, each once, without a directed cycle. Tables hold as many numbers as the states
ask for, non-negative; rows of a directed model sum to one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from treewright.verification.content import Variables, are_names
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


Parents = dict[str, list[str]]


def read_parents(value: object, variables: Variables, findings: Findings) -> Parents:
    """The parents of each variable, in the order of the variables, from the arcs that are arcs at all."""
    findings.begin("arcs")
    parents: dict[str, set[str]] = {name: set() for name in variables.names}
    if not isinstance(value, list):
        findings.add("arcs", '"arcs" is not a list')
        return {name: [] for name in parents}
    for item in value:
        if not are_names(item) or len(item) != 2:
            findings.add("arcs", f"{item!r} is not a pair of names")
            continue
        source, target = item
        unknown = [end for end in item if end not in parents]
        if unknown:
            findings.add("arcs", f"{source!r} -> {target!r}: {unknown[0]!r} is no variable", unknown)
        elif source in parents[target]:
            findings.add("arcs", f"{source!r} -> {target!r} is there twice", item)
        else:
            parents[target].add(source)
    place = {name: position for position, name in enumerate(variables.names)}
    ordered = {name: sorted(found, key=place.__getitem__) for name, found in parents.items()}
    check_acyclic(ordered, findings)
    return ordered


def check_acyclic(parents: Parents, findings: Findings) -> None:
    """Name one directed cycle, if there is any."""
    findings.begin("acyclic")
    cycle = find_cycle(parents)
    if cycle:
        way = " -> ".join(map(repr, [*cycle, cycle[0]]))
        findings.add("acyclic", f"the arcs close a cycle: {way}", cycle)


def find_cycle(parents: Mapping[str, Sequence[str]]) -> list[str]:
    """The variables of a directed cycle in the direction of its arcs, from the smallest name on; or none.

    Whoever has no parent left is taken away, again and again. Each of those that remain has a parent among
    them, so walking from parent to parent must come back to where it has been.
    """
    missing = {name: len(found) for name, found in parents.items()}
    children: dict[str, list[str]] = {name: [] for name in parents}
    for child, found in parents.items():
        for parent in found:
            children[parent].append(child)
    free = [name for name, n in missing.items() if n == 0]
    while free:
        for child in children[free.pop()]:
            missing[child] -= 1
            if missing[child] == 0:
                free.append(child)
    left = {name for name, n in missing.items() if n > 0}
    if not left:
        return []
    walk = [min(left)]
    seen = {walk[0]: 0}
    while True:
        step = min(parent for parent in parents[walk[-1]] if parent in left)
        if step in seen:
            cycle = list(reversed(walk[seen[step] :]))
            first = cycle.index(min(cycle))
            return cycle[first:] + cycle[:first]
        seen[step] = len(walk)
        walk.append(step)

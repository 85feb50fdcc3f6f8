"""Arcs: pairs of known names, each once, without a directed cycle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treewright.verification.content import Variables, are_names
from treewright.verification.report import Findings

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

"""Whether edges may really point either way.

A learned network may list edges *without direction*. Turning some of them must lead to networks that promise
the same independences, so that no row could tell them apart. That holds when

- no such edge is part of a v-structure (two arcs into one variable from ends that are not joined), and
- what is left directed is closed under Meek's rules: nothing forces such an edge into one direction, neither
  to avoid a new v-structure (rules 1, 3 and 4) nor to avoid a cycle (rule 2).

The directed rest then holds every arc that all networks of the class share (Meek 1995); it may hold more,
which somebody knew beforehand.
"""

from __future__ import annotations

from itertools import combinations

from treewright.verification.content import are_names
from treewright.verification.report import Findings
from treewright.verification.tables import Parents

Sets = dict[str, set[str]]


def check_pattern(value: object, parents: Parents, findings: Findings) -> None:
    """Check the list of edges without direction of a network; the first one that is forced is enough."""
    findings.begin("pattern")
    if not isinstance(value, list):
        findings.add("pattern", '"undirected" is not a list')
        return
    joined: Sets = {name: set(above) for name, above in parents.items()}
    for child, above in parents.items():
        for parent in above:
            joined[parent].add(child)
    lines: Sets = {name: set() for name in parents}
    for item in value:
        if not are_names(item) or len(item) != 2 or item[1] not in joined.get(item[0], ()):
            findings.add("pattern", f"{item!r} is not a pair of names that an arc joins")
        elif item[1] in lines[item[0]]:
            findings.add("pattern", f"{item[0]!r} - {item[1]!r} is there twice", item)
        else:
            lines[item[0]].add(item[1])
            lines[item[1]].add(item[0])
    if not findings.broken("pattern") and not findings.broken("acyclic"):
        into = {name: set(above) - lines[name] for name, above in parents.items()}
        _check_directions(Marks(joined, lines, into), parents, findings)


class Marks:
    """Who is joined with whom, by an edge without direction, and by an arc from where."""

    def __init__(self, joined: Sets, lines: Sets, into: Sets) -> None:
        self.joined, self.lines, self.into = joined, lines, into

    def why_forced(self, a: str, b: str) -> str | None:
        """What forces a - b to be a -> b, if anything does."""
        joined, lines, into = self.joined, self.lines, self.into
        third = min(into[a] - joined[b] - {b}, default=None)
        if third is not None:
            return f"{third!r} points at {a!r} and is not joined with {b!r}"
        between = min((c for c in into[b] & joined[a] if a in into[c]), default=None)
        if between is not None:
            return f"there is a way from {a!r} over {between!r} to {b!r}"
        beside = into[b] & joined[a]
        for c, d in combinations(sorted(beside & lines[a]), 2):
            if d not in joined[c]:
                return f"{c!r} and {d!r}, which are not joined, both point at {b!r}"
        for c in sorted(beside):
            far = min((into[c] & lines[a]) - joined[b], default=None)
            if far is not None:
                return f"there is a way from {far!r} over {c!r} to {b!r}, which is not joined with {far!r}"
        return None


def _check_directions(marks: Marks, parents: Parents, findings: Findings) -> None:
    for child, above in parents.items():
        for u in above:
            apart = min(set(above) - marks.joined[u] - {u}, default=None) if u in marks.lines[child] else None
            if apart is not None:
                message = f"{u!r} - {child!r} has a direction: {apart!r} points at {child!r} as well"
                findings.add("pattern", f"{message} and is not joined with {u!r}", (u, child))
                return
    for a in sorted(marks.lines):
        for b in sorted(marks.lines[a]):
            why = marks.why_forced(a, b)
            if why is not None:
                findings.add("pattern", f"{a!r} - {b!r} has a direction: {why}", (a, b))
                return

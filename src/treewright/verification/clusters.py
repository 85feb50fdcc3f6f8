"""Whether clusters prove a width.

A set of clusters that are joined to a tree (or a forest) proves that the treewidth of a model is at most the
size of its largest cluster less one, if three things hold:

- *cover*: every family or factor lies within one cluster;
- *forest*: the edges close no cycle;
- *running intersection*: the clusters that hold a variable hang together.

Each is checked from its definition.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from treewright.verification.content import are_names
from treewright.verification.report import Findings, braced

Cluster = frozenset[str]


@dataclass(frozen=True)
class Proof:
    """What a certificate claims, and the width that it proves if it holds."""

    n_clusters: int = 0
    bound: int | None = None
    width: int | None = None


def check_certificate(
    section: object, names: Sequence[str], scopes: Iterable[Sequence[str]], findings: Findings
) -> Proof:
    """Check every rule, and go on after a violation as far as that makes sense."""
    before = len(findings.violations)
    findings.begin("certificate")
    if not isinstance(section, dict) or section.keys() != {"clusters", "edges", "bound"}:
        findings.add("certificate", 'it has not just the keys "clusters", "edges" and "bound"')
        return Proof()
    clusters = read_clusters(section["clusters"], set(names), findings)
    if clusters is None:
        return Proof()
    neighbours = read_edges(section["edges"], clusters, findings)
    holders: dict[str, set[int]] = {name: set() for name in names}
    for i, cluster in enumerate(clusters):
        for name in cluster:
            holders[name].add(i)
    check_cover(holders, scopes, findings)
    check_running_intersection(clusters, holders, neighbours, findings)
    width = max(map(len, clusters), default=0) - 1
    holds = len(findings.violations) == before
    bound = check_bound(section["bound"], width, clusters, findings)
    return Proof(len(clusters), bound, width if holds else None)


def read_clusters(value: object, names: set[str], findings: Findings) -> list[Cluster] | None:
    if not isinstance(value, list):
        findings.add("certificate", "its clusters are not a list")
        return None
    clusters: list[Cluster] = []
    first: dict[Cluster, int] = {}
    for i, item in enumerate(value):
        if not are_names(item):
            findings.add("certificate", f"cluster {i} is not a list of names")
            return None
        cluster = frozenset(item) & names
        clusters.append(cluster)
        unknown = sorted(set(item) - names)
        if unknown:
            findings.add("certificate", f"cluster {i} holds {unknown[0]!r}, which is no variable", unknown)
        if len(set(item)) < len(item):
            twice = sorted(name for name, times in Counter(item).items() if times > 1)
            findings.add("certificate", f"cluster {i} holds {twice[0]!r} twice", twice)
        if not item:
            findings.add("certificate", f"cluster {i} is empty")
        elif cluster in first:
            message = f"clusters {first[cluster]} and {i} are the same, {braced(cluster)}"
            findings.add("certificate", message, sorted(cluster))
        first.setdefault(cluster, i)
    return clusters


def read_edges(value: object, clusters: Sequence[Cluster], findings: Findings) -> list[set[int]]:
    """The neighbours of each cluster, by the edges that are edges at all."""
    findings.begin("forest")
    neighbours: list[set[int]] = [set() for _ in clusters]
    part = list(range(len(clusters)))  # of two joined parts, the smaller number leads

    def leader(i: int) -> int:
        while part[i] != i:
            part[i] = part[part[i]]
            i = part[i]
        return i

    if not isinstance(value, list):
        findings.add("forest", "the edges are not a list")
        return neighbours
    for item in value:
        ends = _pair(item, len(clusters))
        if ends is None:
            findings.add(
                "forest", f"{item!r} is not a pair of two of the {len(clusters)} clusters (from 0 on)"
            )
            continue
        i, j = ends
        if leader(i) == leader(j):
            again = "is there twice" if j in neighbours[i] else "closes a cycle"
            message = f"the edge between {braced(clusters[i])} and {braced(clusters[j])} {again}"
            findings.add("forest", message, sorted(clusters[i] | clusters[j]))
        part[max(leader(i), leader(j))] = min(leader(i), leader(j))
        neighbours[i].add(j)
        neighbours[j].add(i)
    return neighbours


def _pair(item: Any, n: int) -> tuple[int, int] | None:
    if not isinstance(item, list) or len(item) != 2 or not all(type(i) is int for i in item):
        return None
    i, j = item
    return (i, j) if i != j and 0 <= i < n and 0 <= j < n else None


def check_cover(holders: dict[str, set[int]], scopes: Iterable[Sequence[str]], findings: Findings) -> None:
    findings.begin("cover")
    for name, where in holders.items():
        findings.expect(bool(where), "cover", f"no cluster holds {name!r}", (name,))
    for scope in scopes:
        wanted = [holders[name] for name in scope]
        if len(wanted) > 1 and all(wanted) and not set.intersection(*wanted):
            findings.add("cover", f"no cluster holds {braced(scope)} together", sorted(scope))


def check_running_intersection(
    clusters: Sequence[Cluster],
    holders: dict[str, set[int]],
    neighbours: Sequence[set[int]],
    findings: Findings,
) -> None:
    """Walk from one cluster of a variable through clusters that hold it: that has to reach all of them."""
    findings.begin("running intersection")
    for name, where in holders.items():
        if not where:
            continue
        start = min(where)
        reached = {start}
        frontier = [start]
        while frontier:
            fresh = (neighbours[frontier.pop()] & where) - reached
            reached |= fresh
            frontier.extend(fresh)
        if reached != where:
            far = min(where - reached)
            message = (
                f"the clusters that hold {name!r} do not hang together: no way from "
                f"{braced(clusters[start])} to {braced(clusters[far])}"
            )
            findings.add("running intersection", message, (name,))


def check_bound(value: object, width: int, clusters: Sequence[Cluster], findings: Findings) -> int | None:
    findings.begin("bound")
    if value is None:
        return None
    if type(value) is not int or value < 0:
        findings.add("bound", f"{value!r} is not a treewidth")
        return None
    if width > value:
        widest = max(clusters, key=len)
        message = f"a width of {value} is claimed; the cluster {braced(widest)} makes it {width}"
        findings.add("bound", message, sorted(widest))
    return value

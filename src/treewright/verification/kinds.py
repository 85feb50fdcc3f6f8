"""Whether a content is a model: one function for each kind that a file can hold.

A kind checks its own sections and says which sets of variables (*scopes*) the clusters of a certificate
have to hold together: the families of a directed model, the factors of an undirected one, in mixed models
also the labels that eliminating numbers joins. A new kind is one more entry of `KINDS`. Families of
continuous models are one object of finite numbers per variable, some of them by parent.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from treewright.verification.content import Variables
from treewright.verification.features import check_nodes
from treewright.verification.lines import check_mixed, labels_around_numbers
from treewright.verification.pattern import check_pattern
from treewright.verification.remarks import (
    check_counts,
    check_fitting,
    check_forms,
    check_groups,
    check_name_lists,
    check_unseen,
)
from treewright.verification.report import Findings
from treewright.verification.tables import Parents, check_conditional_tables, read_parents, read_scopes

Scopes = list[tuple[str, ...]]

COMMON = frozenset({"format", "version", "kind", "variables", "checksum"})
BESIDE = frozenset({"provenance", "certificate", "raw"})
GRAPH = frozenset({"clusters", "undirected"})  # of a directed model, where they are known


@dataclass(frozen=True)
class Kind:
    """The sections of a kind of model, and how they are checked."""

    required: frozenset[str]
    optional: frozenset[str]
    check: Callable[[dict[str, Any], Variables, Findings], Scopes]


def check_model(content: dict[str, Any], variables: Variables, findings: Findings) -> Scopes | None:
    """The scopes of a model of any known kind."""
    name = content.get("kind")
    kind = KINDS.get(name) if isinstance(name, str) else None
    findings.begin("kind")
    if kind is None:
        findings.add("kind", f"a model of kind {name!r} is not known here; known are {', '.join(KINDS)}")
        return None
    for key in sorted((COMMON | kind.required) - content.keys() - {"checksum"}):
        findings.add("kind", f"a {name} has a section {key!r}; there is none")
    for key in sorted(content.keys() - COMMON - BESIDE - kind.required - kind.optional):
        findings.add("kind", f"a {name} has no section {key!r}; there is one")
    provenance = content.get("provenance", {})
    findings.expect(isinstance(provenance, dict), "kind", "the provenance is not an object")
    check_forms(content.get("raw", {}), variables, findings)
    return kind.check(content, variables, findings)


def check_bayesian_network(content: dict[str, Any], variables: Variables, findings: Findings) -> Scopes:
    check_discrete(variables, findings)
    parents = read_parents(content.get("arcs"), variables, findings)
    if not findings.broken("variables"):
        check_conditional_tables(content.get("tables"), parents, variables, findings)
        check_counts(content, parents, variables, findings)
    check_unseen(content.get("unseen", {}), variables, findings)
    check_groups(content, variables, findings)
    return families(content, parents, findings)


def check_markov_network(content: dict[str, Any], variables: Variables, findings: Findings) -> Scopes:
    check_discrete(variables, findings)
    if "fitting" in content:
        check_fitting(content["fitting"], findings)
    return read_scopes(content.get("factors"), variables, findings)


def check_feature_network(content: dict[str, Any], variables: Variables, findings: Findings) -> Scopes:
    check_discrete(variables, findings)
    return [] if findings.broken("variables") else check_nodes(content.get("nodes"), variables, findings)


def check_gaussian_network(content: dict[str, Any], variables: Variables, findings: Findings) -> Scopes:
    check_continuous(variables, findings)
    parents = read_parents(content.get("arcs"), variables, findings)
    check_families(content, parents, findings, ("intercept",), spread="variance", by_parent="coefficients")
    check_name_lists(content, variables, findings)
    check_groups(content, variables, findings)
    return families(content, parents, findings)


def check_sigmoid_network(content: dict[str, Any], variables: Variables, findings: Findings) -> Scopes:
    check_continuous(variables, findings)
    parents = read_parents(content.get("arcs"), variables, findings)
    check_families(content, parents, findings, ("th0", "th1", "b"), spread="s2", by_parent="w")
    check_groups(content, variables, findings)
    return families(content, parents, findings)


def check_mixed_network(content: dict[str, Any], variables: Variables, findings: Findings) -> Scopes:
    parents = read_parents(content.get("arcs"), variables, findings)
    check_mixed(content, parents, variables, findings)
    check_groups(content, variables, findings)
    return [*families(content, parents, findings), *labels_around_numbers(parents, variables)]


def families(content: dict[str, Any], parents: Parents, findings: Findings) -> Scopes:
    """Each variable with its parents: what a term of a directed model is about; the class is checked."""
    if "undirected" in content:
        check_pattern(content["undirected"], parents, findings)
    return [(*found, name) for name, found in parents.items()]


def check_discrete(variables: Variables, findings: Findings) -> None:
    for name, states in variables.states.items():
        message = f"{name!r} has no states, and a table needs some"
        findings.expect(states is not None, "variables", message, (name,))


KINDS = {
    "bayesian network": Kind(
        frozenset({"arcs", "tables"}), GRAPH | {"unseen", "counts"}, check_bayesian_network
    ),
    "markov network": Kind(frozenset({"factors"}), frozenset({"fitting"}), check_markov_network),
    "feature network": Kind(frozenset({"nodes"}), frozenset(), check_feature_network),
    "gaussian network": Kind(
        frozenset({"arcs", "families"}),
        GRAPH | {"floored", "redundant"},
        check_gaussian_network,
    ),
    "conditional gaussian network": Kind(
        frozenset({"arcs", "tables", "families"}), GRAPH, check_mixed_network
    ),
    "sigmoid network": Kind(frozenset({"arcs", "families"}), GRAPH, check_sigmoid_network),
}


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
        if type(variance) is float and (variance < 0 or (variance == 0 and spread == "s2")):
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
        message = f"{name!r} has states, and this model is of numbers"
        findings.expect(states is None, "variables", message, (name,))

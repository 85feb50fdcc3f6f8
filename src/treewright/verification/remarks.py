"""What a file tells beside its model: counts, groups of variables, remarks of a fit, forms of raw cells."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from treewright.verification.content import Variables, are_names
from treewright.verification.report import Findings
from treewright.verification.tables import Parents

_GROUPS = {"centres", "disjoint", "grown_from", "overlapping", "bridges"}
_TEXTS = {"column", "sign", "decimal", "part", "order"}  # of a raw form


def check_counts(content: dict[str, Any], parents: Parents, variables: Variables, findings: Findings) -> None:
    """Counts behind the tables: of every cell one, at least zero; and the weight of the prior."""
    if "counts" not in content or findings.broken("variables"):
        return
    findings.begin("counts")
    value = content["counts"]
    if not isinstance(value, dict) or value.keys() != {"ess", "tables"}:
        findings.add("counts", 'counts have the keys "ess" and "tables"')
        return
    ess, tables = value["ess"], value["tables"]
    weighed = ess is None or (type(ess) is float and 0 < ess < math.inf)
    findings.expect(weighed, "counts", "the weight of the prior is no positive number and not null")
    if not isinstance(tables, dict) or tables.keys() != variables.states.keys():
        findings.add("counts", "there are not counts for each variable")
        return
    for name, cells in tables.items():
        wanted = math.prod(variables.size(v) for v in (*parents[name], name))
        good = isinstance(cells, list) and len(cells) == wanted and all(map(_is_count, cells))
        findings.expect(good, "counts", f"the counts of {name!r} are not {wanted} numbers from 0 on", (name,))


def _is_count(value: object) -> bool:
    if type(value) is int:
        return 0 <= value < 2**63
    return type(value) is float and 0 <= value < math.inf


def check_unseen(value: object, variables: Variables, findings: Findings) -> None:
    """Counts of parent configurations without a row behind them."""
    good = isinstance(value, dict) and all(
        name in variables.states and type(n) is int and n > 0 for name, n in value.items()
    )
    findings.expect(good, "kind", "unseen configurations are not counts by variable")


def check_fitting(value: object, findings: Findings) -> None:
    """How the factors were found."""
    types: dict[str, Callable[[Any], bool]] = {
        "method": lambda told: isinstance(told, str),
        "note": lambda told: isinstance(told, str),
        "sweeps": lambda told: type(told) is int and told >= 0,
        "residual": lambda told: type(told) is float and math.isfinite(told),
        "converged": lambda told: isinstance(told, bool),
    }
    good = (
        isinstance(value, dict)
        and types.keys() - {"note"} <= value.keys() <= types.keys()
        and all(types[key](told) for key, told in value.items())
    )
    told = '"fitting" does not tell how the factors were found'
    findings.expect(good, "kind", told if isinstance(value, dict) else '"fitting" is not an object')


def check_groups(content: dict[str, Any], variables: Variables, findings: Findings) -> None:
    """A map of the variables: each in one star, and clusters that grew from stars."""
    if "clusters" in content:
        good = _is_map(content["clusters"], variables)
        findings.expect(good, "kind", "the clusters are no map in which every variable has one group")


def _is_map(told: Any, variables: Variables) -> bool:
    if not isinstance(told, dict) or not _GROUPS <= told.keys() <= _GROUPS | {"overlaps", "regions"}:
        return False
    centres, stars, origins, clusters = (
        told[key] for key in ("centres", "disjoint", "grown_from", "overlapping")
    )
    if not are_names(centres) or not _are_sets(stars, variables) or not _are_sets(clusters, variables):
        return False
    numbered = isinstance(origins, list) and all(type(i) is int and 0 <= i < len(stars) for i in origins)
    if not numbered or len(set(origins)) != len(origins):
        return False
    if len(centres) != len(stars) or len(origins) != len(clusters) or not isinstance(told["bridges"], list):
        return False
    return (
        sorted(name for star in stars for name in star) == sorted(variables.states)
        and all(centre in star for centre, star in zip(centres, stars, strict=True))
        and all(set(stars[i]) <= set(cluster) for i, cluster in zip(origins, clusters, strict=True))
        and all(_is_bridge(bridge, variables) for bridge in told["bridges"])
    )


def _are_sets(value: object, variables: Variables) -> bool:
    """Whether this is a list of lists of different variables."""
    return isinstance(value, list) and all(
        are_names(one) and len(set(one)) == len(one) and variables.states.keys() >= set(one) for one in value
    )


def _is_bridge(value: object, variables: Variables) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 3
        and _known(value[:2], variables)
        and type(value[2]) in (int, float)
    )


def check_name_lists(content: dict[str, Any], variables: Variables, findings: Findings) -> None:
    """Remarks of a fit: variables whose variance was raised, parents that say nothing new."""
    lists = [content.get("floored", [])]
    redundant = content.get("redundant", {})
    lists += list(redundant.values()) if isinstance(redundant, dict) else []
    lists.append(list(redundant) if isinstance(redundant, dict) else None)
    good = all(
        isinstance(item, list) and _known(item, variables) and len(set(item)) == len(item) for item in lists
    )
    findings.expect(good, "kind", '"floored" or "redundant" names something that is no variable, or twice')


def _known(names: Iterable[Any], variables: Variables) -> bool:
    return all(isinstance(name, str) and name in variables.states for name in names)


def check_forms(forms: object, variables: Variables, findings: Findings) -> None:
    """How cells become values: for some variables an object of texts, marks and a truth value."""
    good = isinstance(forms, dict) and forms.keys() <= variables.states.keys()
    findings.expect(good, "kind", "the forms of raw cells are not of known variables")
    for name, told in forms.items() if isinstance(forms, dict) else ():
        fits = isinstance(told, dict) and all(_fits_form(key, value) for key, value in told.items())
        findings.expect(fits, "kind", f"the form of the raw cells of {name!r} is none", (name,))


def _fits_form(key: str, value: object) -> bool:
    if key == "marks":
        return isinstance(value, list) and all(_is_mark(mark) for mark in value)
    return isinstance(value, bool) if key == "mended" else key in _TEXTS and isinstance(value, str)


def _is_mark(mark: object) -> bool:
    infinite = ({"number": "Infinity"}, {"number": "-Infinity"})
    return isinstance(mark, str | int | float) or mark in infinite

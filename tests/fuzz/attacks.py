"""Files that are made to stop a reader: little text that asks for much work or much memory.

Each attack fills a file of so many bytes with one idea: nested structures, repeated sections, variables
without tables, huge declared sizes, many arcs, long names. What such a file may cost is in `costs`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations, count, islice
from typing import Any

from tests.verification.signed import sign

Attack = Callable[[int], bytes]
ATTACKS: dict[str, Attack] = {}  # by the name of the file: its ending says who reads it


def attack(ending: str) -> Callable[[Attack], Attack]:
    def enter(make: Attack) -> Attack:
        ATTACKS[f"{make.__name__}.{ending}"] = make
        return make

    return enter


# our own file


def filled(size: int, make: Callable[[int], dict[str, Any]], of_each: int) -> bytes:
    """A signed document of a kind that grows with n, as large as fits."""
    n = max(size // of_each, 1)
    while len(data := sign({"format": "treewright model", "version": 1, **make(n)})) > size and n > 1:
        n = min(n - 1, n * size // len(data))
    return data


def pairs(n_pairs: int) -> tuple[list[str], list[list[str]]]:
    """Names, and so many pairs of them, the first before the second."""
    n = next(n for n in count(2) if n * (n - 1) // 2 >= n_pairs)
    names = [f"{v:x}" for v in range(n)]
    return names, [list(pair) for pair in islice(combinations(names, 2), n_pairs)]


def variables(names: Iterable[str], states: Iterable[str] = ("y",)) -> list[dict[str, Any]]:
    return [{"name": name, "states": list(states), "ordered": False} for name in names]


def bayesian(names: list[str], arcs: list[list[str]], **more: Any) -> dict[str, Any]:
    """A network of variables of one state each, whose tables have one cell for any number of parents."""
    tables = {name: [1.0] for name in names}
    return {"kind": "bayesian network", "variables": variables(names), "arcs": arcs, "tables": tables, **more}


def numbered(n: int, start: str = "") -> list[str]:
    return [f"{start}{v:x}" for v in range(n)]


@attack("twm")
def many_variables(size: int) -> bytes:
    return filled(size, lambda n: bayesian(numbered(n), []), 80)


@attack("twm")
def many_arcs(size: int) -> bytes:
    return filled(size, lambda n: bayesian(*pairs(n)), 14)


@attack("twm")
def one_child(size: int) -> bytes:
    return filled(size, lambda n: bayesian(numbered(n), [[v, "0"] for v in numbered(n)[1:]]), 90)


@attack("twm")
def long_chain(size: int) -> bytes:
    names = numbered(size)
    return filled(size, lambda n: bayesian(names[:n], [[names[v], names[v + 1]] for v in range(n - 1)]), 90)


@attack("twm")
def long_cycle(size: int) -> bytes:
    names = numbered(size)
    return filled(size, lambda n: bayesian(names[:n], [[names[v - 1], names[v]] for v in range(n)]), 90)


@attack("twm")
def no_direction(size: int) -> bytes:
    """A clique of lines: every direction of the class is open."""

    def make(n: int) -> dict[str, Any]:
        names, arcs = pairs(n)
        return bayesian(names, arcs, undirected=arcs)

    return filled(size, make, 28)


@attack("twm")
def lines_from_one(size: int) -> bytes:
    def make(n: int) -> dict[str, Any]:
        arcs = [["0", v] for v in numbered(n)[1:]]
        return bayesian(numbered(n), arcs, undirected=arcs)

    return filled(size, make, 100)


@attack("twm")
def arrows_to_one(size: int) -> bytes:
    def make(n: int) -> dict[str, Any]:
        return bayesian(numbered(n), [[v, "0"] for v in numbered(n)[1:]], undirected=[])

    return filled(size, make, 90)


@attack("twm")
def two_sides(size: int) -> bytes:
    """Every variable of one half is a parent of every one of the other: as many v-structures as can be."""

    def make(n: int) -> dict[str, Any]:
        half = max(int(n**0.5), 1)
        arcs = [[f"a{u:x}", f"b{v:x}"] for u in range(half) for v in range(half)]
        return bayesian(numbered(half, "a") + numbered(half, "b"), arcs, undirected=[])

    return filled(size, make, 14)


@attack("twm")
def half_lines(size: int) -> bytes:
    """A long chain of lines behind an arrow: each gets its direction from the one before."""

    def make(n: int) -> dict[str, Any]:
        names = numbered(n)
        arcs = [[names[v], names[v + 1]] for v in range(n - 1)]
        return bayesian(names, arcs, undirected=arcs[1:])

    return filled(size, make, 100)


@attack("twm")
def unknown_names(size: int) -> bytes:
    """The last arc names a variable that is not there, among many that look like it."""
    return filled(size, lambda n: bayesian(numbered(n, "a" * 60), [["a" * 60, "a" * 61]]), 300)


@attack("twm")
def repeated_arcs(size: int) -> bytes:
    return filled(size, lambda n: bayesian(["a", "b"], [["a", "b"]] * n), 12)


@attack("twm")
def many_stars(size: int) -> bytes:
    """Clusters that all hold one variable, each of them inside none of the others."""

    def make(n: int) -> dict[str, Any]:
        names = numbered(n)
        told = {
            "centres": names,
            "disjoint": [[name] for name in names],
            "grown_from": list(range(n)),
            "overlapping": [sorted({name, "0", names[v - 1]}) for v, name in enumerate(names)],
            "bridges": [],
            "overlaps": [],
            "regions": [],
        }
        return bayesian(names, [], clusters=told)

    return filled(size, make, 150)


@attack("twm")
def wide_clusters(size: int) -> bytes:
    def make(n: int) -> dict[str, Any]:
        side = max(int(n**0.5), 1)
        names = numbered(side)
        told = {
            "centres": names,
            "disjoint": [[name] for name in names],
            "grown_from": list(range(side)),
            "overlapping": [names] * side,
            "bridges": [],
            "overlaps": [],
            "regions": [],
        }
        return bayesian(names, [], clusters=told)

    return filled(size, make, 8)


@attack("twm")
def a_certificate(size: int) -> bytes:
    """Clusters along a chain, which all hold one variable."""

    def make(n: int) -> dict[str, Any]:
        names = numbered(n)
        clusters = [["0", names[v], names[v - 1]] for v in range(2, n)] or [["0"]]
        edges = [[i, i + 1] for i in range(len(clusters) - 1)]
        proof = {"clusters": clusters, "edges": edges, "bound": 2}
        return bayesian(names, [], certificate=proof)

    return filled(size, make, 130)


@attack("twm")
def deep_provenance(size: int) -> bytes:
    deep: Any = []
    for _ in range(900):
        deep = [deep]
    return filled(size, lambda n: bayesian(["a"], [], provenance={"deep": [deep] * n}), 1900)


@attack("twm")
def deep_lists(size: int) -> bytes:
    return b'{"format": "treewright model", "version": 1, "kind": ' + b"[" * size


@attack("twm")
def deep_objects(size: int) -> bytes:
    return b'{"a":' * (size // 5)


@attack("twm")
def repeated_keys(size: int) -> bytes:
    return b"{" + b'"a":1,' * (size // 6) + b'"a":1}'


@attack("twm")
def a_long_number(size: int) -> bytes:
    return b'{"format": ' + b"9" * size + b"}"


@attack("twm")
def a_long_name(size: int) -> bytes:
    return filled(size, lambda n: bayesian(["a" * n, "b" * n], [["a" * n, "c" * n]]), 8)


@attack("twm")
def many_states(size: int) -> bytes:
    def make(n: int) -> dict[str, Any]:
        tables = {"a": [0.0] * (n - 1) + [1.0]}
        told = {"variables": variables("a", numbered(n)), "arcs": [], "tables": tables}
        return {"kind": "bayesian network", **told}

    return filled(size, make, 16)


@attack("twm")
def a_wide_scope(size: int) -> bytes:
    """Factors over hundreds of variables of one state, which have one cell each."""

    def make(n: int) -> dict[str, Any]:
        names = numbered(60)
        factors = [{"scope": names, "table": [1.0]}] * n
        return {"kind": "markov network", "variables": variables(names), "factors": factors}

    return filled(size, make, 400)


@attack("twm")
def many_factors(size: int) -> bytes:
    def make(n: int) -> dict[str, Any]:
        names, scopes = pairs(n)
        factors = [{"scope": scope, "table": [1.0]} for scope in scopes]
        return {"kind": "markov network", "variables": variables(names), "factors": factors}

    return filled(size, make, 45)


@attack("twm")
def lone_factors(size: int) -> bytes:
    def make(n: int) -> dict[str, Any]:
        factors = [{"scope": [name], "table": [1.0]} for name in numbered(n)]
        return {"kind": "markov network", "variables": variables(numbered(n)), "factors": factors}

    return filled(size, make, 100)


def gaussian(names: list[str], arcs: list[list[str]]) -> dict[str, Any]:
    weights: dict[str, dict[str, float]] = {name: {} for name in names}
    for tail, head in arcs:
        weights[head][tail] = 1.0
    families = {
        name: {"intercept": 0.0, "variance": 1.0, "coefficients": found} for name, found in weights.items()
    }
    return {"kind": "gaussian network", "variables": names, "arcs": arcs, "families": families}


@attack("twm")
def many_numbers(size: int) -> bytes:
    return filled(size, lambda n: gaussian(numbered(n), []), 80)


@attack("twm")
def many_coefficients(size: int) -> bytes:
    return filled(size, lambda n: gaussian(*pairs(n)), 24)


@attack("twm")
def many_lines(size: int) -> bytes:
    """Of a mixed network: a label above many numbers, two lines each."""

    def make(n: int) -> dict[str, Any]:
        names = numbered(n)
        lines = {"intercepts": [0.0, 1.0], "coefficients": {}, "variances": [1.0, 1.0]}
        label = {"name": "label", "states": ["no", "yes"], "ordered": False}
        return {
            "kind": "conditional gaussian network",
            "variables": [label, *names],
            "arcs": [["label", name] for name in names],
            "tables": {"label": [0.5, 0.5]},
            "families": dict.fromkeys(names, lines),
        }

    return filled(size, make, 110)


@attack("twm")
def many_curves(size: int) -> bytes:
    def make(n: int) -> dict[str, Any]:
        names, arcs = pairs(n)
        weights: dict[str, dict[str, float]] = {name: {} for name in names}
        for tail, head in arcs:
            weights[head][tail] = 1.0
        families = {
            name: {"th0": 0.0, "th1": 1.0, "b": 0.0, "s2": 1.0, "w": w} for name, w in weights.items()
        }
        return {"kind": "sigmoid network", "variables": names, "arcs": arcs, "families": families}

    return filled(size, make, 24)


def features(names: list[str], nodes: list[dict[str, Any]]) -> dict[str, Any]:
    return {"kind": "feature network", "variables": variables(names, "ny"), "nodes": nodes}


@attack("twm")
def deep_splits(size: int) -> bytes:
    """A split within a split within a split, whose scopes grow by one each."""

    def make(n: int) -> dict[str, Any]:
        nodes = [{"kind": "one"}]
        for v in range(n):
            nodes.append(
                {"kind": "split", "children": [v, v], "integers": [v], "numbers": [-0.6931471805599453] * 2}
            )
        return features(numbered(n), nodes)

    return filled(size, make, 150)


@attack("twm")
def deep_products(size: int) -> bytes:
    """Products of a product and a table: as many scopes as nodes, each one longer than the last."""

    def make(n: int) -> dict[str, Any]:
        half = -0.6931471805599453
        nodes: list[dict[str, Any]] = [{"kind": "table", "integers": [0], "numbers": [half] * 2}]
        for v in range(1, n):
            nodes.append({"kind": "table", "integers": [v], "numbers": [half] * 2})
            nodes.append({"kind": "and", "children": [len(nodes) - 2, len(nodes) - 1]})
        return features(numbered(n), nodes)

    return filled(size, make, 200)


@attack("twm")
def deep_mixtures(size: int) -> bytes:
    def make(n: int) -> dict[str, Any]:
        half = -0.6931471805599453
        nodes: list[dict[str, Any]] = [{"kind": "table", "integers": [0], "numbers": [half] * 2}]
        for v in range(n):
            nodes.append({"kind": "mix", "children": [v, v], "numbers": [half] * 2})
        return features(["a"], nodes)

    return filled(size, make, 90)


@attack("twm")
def one_product(size: int) -> bytes:
    def make(n: int) -> dict[str, Any]:
        half = -0.6931471805599453
        nodes: list[dict[str, Any]] = [
            {"kind": "table", "integers": [v], "numbers": [half] * 2} for v in range(n)
        ]
        nodes.append({"kind": "and", "children": list(range(n))})
        return features(numbered(n), nodes)

    return filled(size, make, 150)


@attack("twm")
def not_signed(size: int) -> bytes:
    """A damaged file: whatever it holds, the checksum says so first."""
    return many_arcs(size).replace(b"sha256:", b"sha255:")

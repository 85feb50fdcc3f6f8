"""The parts of the native file about Gaussian and sigmoid networks: an object of numbers per variable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treewright.errors import FormatError
from treewright.graphs.directed.dag import Dag
from treewright.models.continuous.gaussian_network import GaussianNetwork
from treewright.models.continuous.sigmoid_network import SigmoidNetwork
from treewright.models.formats.twm.content import (
    GRAPH_SECTIONS,
    Content,
    are_names,
    expect,
    read_graph,
    write_graph,
)
from treewright.statistics.sigmoid_families import SigmoidFamily
from treewright.tables.schema import Schema, Variable


def write_gaussian(model: GaussianNetwork) -> dict[str, Any]:
    content: dict[str, Any] = {
        "variables": list(model.schema.names),
        **write_graph(model.dag),
        "families": {
            name: {
                "intercept": model.intercept(name),
                "variance": model.variance(name),
                "coefficients": model.coefficients(name),
            }
            for name in model.schema.names
        },
    }
    if model.floored:
        content["floored"] = list(model.floored)
    if model.redundant:
        content["redundant"] = {child: list(parents) for child, parents in model.redundant.items()}
    return content


def read_gaussian(document: Mapping[str, Any]) -> GaussianNetwork:
    dag = _read_dag(document)
    families = _read_families(document["families"], dag, ("intercept", "variance", "coefficients"))
    floored, redundant = document.get("floored", []), document.get("redundant", {})
    expect(are_names(floored), "floored variables are a list of names")
    expect(
        isinstance(redundant, dict) and all(map(are_names, redundant.values())),
        "redundant parents are lists of names by child",
    )
    intercepts, coefficients, variances = (
        {name: family[key] for name, family in families.items()}
        for key in ("intercept", "coefficients", "variance")
    )
    return GaussianNetwork(dag, intercepts, coefficients, variances, floored=floored, redundant=redundant)


def write_sigmoid(model: SigmoidNetwork) -> dict[str, Any]:
    return {
        "variables": list(model.schema.names),
        **write_graph(model.dag),
        "families": {
            f.child: {key: getattr(f, key) for key in ("th0", "th1", "b", "s2")}
            | {"w": dict(zip(f.parents, f.w, strict=True))}
            for f in model.families
        },
    }


def read_sigmoid(document: Mapping[str, Any]) -> SigmoidNetwork:
    dag = _read_dag(document)
    return SigmoidNetwork(
        dag,
        [
            SigmoidFamily(name, tuple(f["w"]), f["th0"], f["th1"], f["b"], tuple(f["w"].values()), f["s2"])
            for name, f in _read_families(document["families"], dag, ("th0", "th1", "b", "s2", "w")).items()
        ],
    )


def _read_dag(document: Mapping[str, Any]) -> Dag:
    names = document["variables"]
    expect(are_names(names), "variables is not a list of names")
    return read_graph(Schema(Variable(name) for name in names), document)


def _read_families(families: object, dag: Dag, keys: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """One object per variable: numbers, and under the last key numbers by parent."""
    if not isinstance(families, dict) or families.keys() != set(dag.schema.names):
        raise FormatError("there is not one family per variable")
    for name, family in families.items():
        fits = (
            isinstance(family, dict)
            and family.keys() == set(keys)
            and all(type(family[key]) is float for key in keys[:-1])
            and isinstance(family[keys[-1]], dict)
            and all(type(number) is float for number in family[keys[-1]].values())
        )
        expect(fits, f"the family of {name!r} is not made of numbers under {', '.join(keys)}")
    return families


_NEEDED, _OPTIONAL = {"arcs", "families"}, GRAPH_SECTIONS | {"floored", "redundant"}
GAUSSIAN = Content("gaussian network", GaussianNetwork, _NEEDED, _OPTIONAL, write_gaussian, read_gaussian)
SIGMOID = Content("sigmoid network", SigmoidNetwork, _NEEDED, GRAPH_SECTIONS, write_sigmoid, read_sigmoid)

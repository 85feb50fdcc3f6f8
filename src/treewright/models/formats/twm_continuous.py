"""What a native file says about networks of continuous variables: one object of numbers per variable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treewright.errors import FormatError
from treewright.graphs.dag import Dag
from treewright.models.gaussian_network import GaussianNetwork
from treewright.models.sigmoid_network import SigmoidNetwork
from treewright.statistics.sigmoid_families import SigmoidFamily
from treewright.tables.schema import Schema, Variable

GAUSSIAN = "gaussian network"
SIGMOID = "sigmoid network"

_LINE = ("intercept", "variance", "coefficients")
_BEND = ("th0", "th1", "b", "s2", "w")


def write_gaussian(model: GaussianNetwork) -> dict[str, Any]:
    content: dict[str, Any] = {
        "variables": list(model.schema.names),
        "arcs": [list(arc) for arc in model.dag.edges()],
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
    families = _read_families(document["families"], dag, _LINE)
    floored, redundant = document.get("floored", []), document.get("redundant", {})
    _expect(_are_names(floored), "floored variables are a list of names")
    _expect(
        isinstance(redundant, dict) and all(map(_are_names, redundant.values())),
        "redundant parents are lists of names by child",
    )
    return GaussianNetwork(
        dag,
        {name: family["intercept"] for name, family in families.items()},
        {name: family["coefficients"] for name, family in families.items()},
        {name: family["variance"] for name, family in families.items()},
        floored=floored,
        redundant=redundant,
    )


def write_sigmoid(model: SigmoidNetwork) -> dict[str, Any]:
    return {
        "variables": list(model.schema.names),
        "arcs": [list(arc) for arc in model.dag.edges()],
        "families": {
            f.child: {
                "th0": f.th0,
                "th1": f.th1,
                "b": f.b,
                "s2": f.s2,
                "w": dict(zip(f.parents, f.w, strict=True)),
            }
            for f in model.families
        },
    }


def read_sigmoid(document: Mapping[str, Any]) -> SigmoidNetwork:
    dag = _read_dag(document)
    return SigmoidNetwork(
        dag,
        [
            SigmoidFamily(name, tuple(f["w"]), f["th0"], f["th1"], f["b"], tuple(f["w"].values()), f["s2"])
            for name, f in _read_families(document["families"], dag, _BEND).items()
        ],
    )


def _read_dag(document: Mapping[str, Any]) -> Dag:
    names, arcs = document["variables"], document["arcs"]
    _expect(_are_names(names), "variables is not a list of names")
    _expect(
        isinstance(arcs, list) and all(_are_names(arc) and len(arc) == 2 for arc in arcs),
        "an arc is a pair of names",
    )
    return Dag(Schema(Variable(name) for name in names), [(tail, head) for tail, head in arcs])


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
        _expect(fits, f"the family of {name!r} is not made of numbers under {', '.join(keys)}")
    return families


def _are_names(item: object) -> bool:
    return isinstance(item, list) and all(isinstance(name, str) for name in item)


def _expect(condition: bool, message: str) -> None:
    if not condition:
        raise FormatError(message)

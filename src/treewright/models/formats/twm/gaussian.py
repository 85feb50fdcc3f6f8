"""The part of the native file that is about a linear-Gaussian network: a line per variable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treewright.models.continuous.gaussian_network import GaussianNetwork
from treewright.models.formats.continuous import are_names, read_dag, read_families
from treewright.models.formats.twm.clusters import KEY, with_clusters, write_clusters
from treewright.models.formats.twm.content import expect

KIND = "gaussian network"
REQUIRED = frozenset({"arcs", "families"})
OPTIONAL = frozenset({"floored", "redundant", KEY})

_LINE = ("intercept", "variance", "coefficients")


def write(model: GaussianNetwork) -> dict[str, Any]:
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
        **write_clusters(model.dag),
    }
    if model.floored:
        content["floored"] = list(model.floored)
    if model.redundant:
        content["redundant"] = {child: list(parents) for child, parents in model.redundant.items()}
    return content


def read(document: Mapping[str, Any]) -> GaussianNetwork:
    dag = with_clusters(read_dag(document), document)
    families = read_families(document["families"], dag, _LINE)
    floored, redundant = document.get("floored", []), document.get("redundant", {})
    expect(are_names(floored), "floored variables are a list of names")
    expect(
        isinstance(redundant, dict) and all(map(are_names, redundant.values())),
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

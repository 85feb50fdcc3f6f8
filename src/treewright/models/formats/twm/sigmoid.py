"""The part of the native file that is about a sigmoid network: a bend per variable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treewright.models.continuous.sigmoid_network import SigmoidNetwork
from treewright.models.formats.continuous import read_dag, read_families
from treewright.statistics.sigmoid_families import SigmoidFamily

KIND = "sigmoid network"
REQUIRED = frozenset({"arcs", "families"})
OPTIONAL: frozenset[str] = frozenset()

_BEND = ("th0", "th1", "b", "s2", "w")


def write(model: SigmoidNetwork) -> dict[str, Any]:
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


def read(document: Mapping[str, Any]) -> SigmoidNetwork:
    dag = read_dag(document)
    return SigmoidNetwork(
        dag,
        [
            SigmoidFamily(name, tuple(f["w"]), f["th0"], f["th1"], f["b"], tuple(f["w"].values()), f["s2"])
            for name, f in read_families(document["families"], dag, _BEND).items()
        ],
    )

"""Propagate numbers over a tree of tables, exactly."""

from treewright.inference.cost import Cost
from treewright.inference.evidence import Evidence, EvidenceReader
from treewright.inference.factor import Factor
from treewright.inference.junction_tree import JunctionTreeEngine
from treewright.inference.linear_gaussian import GaussianCost, LinearGaussianEngine

__all__ = [
    "Cost",
    "Evidence",
    "EvidenceReader",
    "Factor",
    "GaussianCost",
    "JunctionTreeEngine",
    "LinearGaussianEngine",
]

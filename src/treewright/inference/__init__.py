"""Propagate numbers over a tree of tables or a feature graph, exactly."""

from treewright.inference.engine import Cost, Engine, Factor
from treewright.inference.evidence import Evidence, EvidenceReader
from treewright.inference.feature_graph import FeatureGraphEngine
from treewright.inference.junction_tree import JunctionTreeEngine
from treewright.inference.linear_gaussian import GaussianCost, LinearGaussianEngine

"""Hold shapes whose very type is a proof: acyclic, chordal, running intersection."""

from treewright.graphs.colliders import find_colliders, point_colliders
from treewright.graphs.compare import Comparison, SkeletonComparison, compare, irregularity, shd
from treewright.graphs.cpdag import Cpdag
from treewright.graphs.d_separation import d_separated_from_all, d_separated_many, is_d_separated
from treewright.graphs.dag import Collider, Dag
from treewright.graphs.dag_builder import DagBuilder
from treewright.graphs.extension import consistent_extension, nearest_extension
from treewright.graphs.meek import MeekClosure, close_under_meek, meek_closure
from treewright.graphs.orientation import Orientation, orient_consistently
from treewright.graphs.pdag import Pdag
from treewright.graphs.spanning import maximum_branching, maximum_spanning_forest
from treewright.graphs.undirected import UndirectedGraph

__all__ = [
    "Collider",
    "Comparison",
    "Cpdag",
    "Dag",
    "DagBuilder",
    "MeekClosure",
    "Orientation",
    "Pdag",
    "SkeletonComparison",
    "UndirectedGraph",
    "close_under_meek",
    "compare",
    "consistent_extension",
    "d_separated_from_all",
    "d_separated_many",
    "find_colliders",
    "irregularity",
    "is_d_separated",
    "maximum_branching",
    "maximum_spanning_forest",
    "meek_closure",
    "nearest_extension",
    "orient_consistently",
    "point_colliders",
    "shd",
]

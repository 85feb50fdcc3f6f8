"""Hold shapes whose very type is a proof: acyclic, chordal, running intersection."""

from treewright.graphs.compare import Comparison, SkeletonComparison, compare, irregularity, shd
from treewright.graphs.directed.adjustment import AdjustmentSets, adjustment_sets, is_back_door_set
from treewright.graphs.directed.cpdag import Cpdag, find_colliders, point_colliders
from treewright.graphs.directed.d_separation import d_separated_from_all, d_separated_many, is_d_separated
from treewright.graphs.directed.dag import Collider, Dag, DagBuilder
from treewright.graphs.directed.members import count_members, possible_parents
from treewright.graphs.directed.orientation import Orientation, orient_consistently, orient_greedily
from treewright.graphs.directed.pdag import (
    MeekClosure,
    Pdag,
    close_under_meek,
    consistent_extension,
    meek_closure,
    nearest_extension,
)
from treewright.graphs.edges import Edge, edge
from treewright.graphs.feature_graph import FeatureGraph, FeatureGraphBuilder
from treewright.graphs.knowledge.database_design import DatabaseDesign, design_databases
from treewright.graphs.knowledge.hypergraphs import (
    check_legitimate,
    check_tree,
    separation_tree_from_hypergraph,
    two_section,
)
from treewright.graphs.knowledge.knowledge import BoundKnowledge, Knowledge, bind_knowledge
from treewright.graphs.undirected.blocks import BlockPath, BlockTree, induced_nodes
from treewright.graphs.undirected.cluster_trees import ClusterTree, DSeparationTree, JunctionTree
from treewright.graphs.undirected.clusters import Bridge, ClusteredDag, Clusters, Star
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.graphs.undirected.spanning import maximum_branching, maximum_spanning_forest
from treewright.graphs.undirected.triangulation import (
    Triangulation,
    chordless_cycle,
    degeneracy,
    eliminate,
    elimination_order,
    exact_treewidth,
    fits,
    is_chordal,
    make_minimal,
    maximal_cliques,
    minimal_triangulation,
    narrow_triangulation,
    optimal_triangulation,
    perfect_elimination_order,
    treewidth_lower_bound,
    treewidth_upper_bound,
    triangulate,
)

"""Hold shapes whose very type is a proof: acyclic, chordal, running intersection."""

from treewright.graphs.compare import Comparison, SkeletonComparison, compare, irregularity, shd
from treewright.graphs.directed.adjustment import AdjustmentSets, adjustment_sets, is_back_door_set
from treewright.graphs.directed.cpdag import Cpdag, find_colliders, point_colliders
from treewright.graphs.directed.d_separation import d_separated_from_all, d_separated_many, is_d_separated
from treewright.graphs.directed.dag import Collider, Dag, DagBuilder
from treewright.graphs.directed.members import count_members, find_possible_parents
from treewright.graphs.directed.orientation import Orientation, orient_consistently, orient_greedily
from treewright.graphs.directed.pdag import (
    MeekClosure,
    Pdag,
    apply_meek_rules,
    close_under_meek,
    find_consistent_extension,
    find_nearest_extension,
)
from treewright.graphs.edges import Edge, edge
from treewright.graphs.feature_graph import FeatureGraph, FeatureGraphBuilder
from treewright.graphs.knowledge.database_design import DatabaseDesign, design_databases
from treewright.graphs.knowledge.hypergraphs import (
    build_two_section,
    check_legitimate,
    check_tree,
    separation_tree_from_hypergraph,
)
from treewright.graphs.knowledge.knowledge import BoundKnowledge, Knowledge, bind_knowledge
from treewright.graphs.undirected.blocks import BlockPath, BlockTree, find_induced_nodes
from treewright.graphs.undirected.cluster_trees import ClusterTree, DSeparationTree, JunctionTree
from treewright.graphs.undirected.clusters import Bridge, ClusteredDag, Clusters, Star
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.graphs.undirected.spanning import find_maximum_branching, find_maximum_spanning_forest
from treewright.graphs.undirected.strong import (
    build_strong_graph,
    triangulate_strongly,
    triangulate_strongly_and_narrowly,
)
from treewright.graphs.undirected.triangulation import (
    Triangulation,
    bound_treewidth_above,
    bound_treewidth_below,
    degeneracy,
    eliminate,
    find_chordless_cycle,
    find_elimination_order,
    find_maximal_cliques,
    find_perfect_elimination_order,
    fits,
    is_chordal,
    make_minimal,
    prove_treewidth,
    triangulate,
    triangulate_minimally,
    triangulate_narrowly,
    triangulate_optimally,
)

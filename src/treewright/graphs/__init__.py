"""Hold shapes whose very type is a proof: acyclic, chordal, running intersection."""

from treewright.graphs.compare import Comparison, SkeletonComparison, compare, irregularity, shd
from treewright.graphs.directed.clustered_dag import ClusteredDag
from treewright.graphs.directed.colliders import find_colliders, point_colliders
from treewright.graphs.directed.cpdag import Cpdag
from treewright.graphs.directed.d_separation import d_separated_from_all, d_separated_many, is_d_separated
from treewright.graphs.directed.dag import Collider, Dag
from treewright.graphs.directed.dag_builder import DagBuilder
from treewright.graphs.directed.extension import consistent_extension, nearest_extension
from treewright.graphs.directed.meek import MeekClosure, close_under_meek, meek_closure
from treewright.graphs.directed.orientation import Orientation, orient_consistently, orient_greedily
from treewright.graphs.directed.pdag import Pdag
from treewright.graphs.edges import Edge, edge
from treewright.graphs.feature_builder import FeatureGraphBuilder
from treewright.graphs.feature_graph import FeatureGraph
from treewright.graphs.knowledge.database_design import DatabaseDesign, design_databases
from treewright.graphs.knowledge.hypergraphs import separation_tree_from_hypergraph, two_section
from treewright.graphs.knowledge.knowledge import BoundKnowledge, Knowledge, bind_knowledge
from treewright.graphs.knowledge.legitimacy import check_legitimate, check_tree
from treewright.graphs.undirected.blocks import BlockPath, BlockTree, induced_nodes
from treewright.graphs.undirected.cluster_trees import ClusterTree
from treewright.graphs.undirected.clusters import Bridge, Clusters, Star
from treewright.graphs.undirected.d_separation_trees import DSeparationTree
from treewright.graphs.undirected.elimination import (
    chordless_cycle,
    elimination_order,
    is_chordal,
    maximal_cliques,
    perfect_elimination_order,
)
from treewright.graphs.undirected.graph import UndirectedBuilder, UndirectedGraph
from treewright.graphs.undirected.junction_trees import JunctionTree
from treewright.graphs.undirected.spanning import maximum_branching, maximum_spanning_forest
from treewright.graphs.undirected.treewidth import (
    degeneracy,
    exact_treewidth,
    fits,
    narrow_triangulation,
    optimal_triangulation,
    treewidth_lower_bound,
    treewidth_upper_bound,
)
from treewright.graphs.undirected.triangulation import (
    Triangulation,
    eliminate,
    make_minimal,
    minimal_triangulation,
    triangulate,
)

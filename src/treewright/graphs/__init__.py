"""Hold shapes whose very type is a proof: acyclic, chordal, running intersection."""

# undirected shapes
from treewright.graphs.blocks import BlockPath, BlockTree, induced_nodes
from treewright.graphs.cluster_trees import (
    ClusterTree,
    DSeparationTree,
    JunctionTree,
    separation_tree_from_hypergraph,
)
from treewright.graphs.edges import Edge, edge
from treewright.graphs.elimination import (
    chordless_cycle,
    elimination_order,
    is_chordal,
    maximal_cliques,
    perfect_elimination_order,
)
from treewright.graphs.treewidth import (
    degeneracy,
    exact_treewidth,
    fits,
    narrow_triangulation,
    optimal_triangulation,
    treewidth_lower_bound,
    treewidth_upper_bound,
)
from treewright.graphs.triangulation import (
    Triangulation,
    eliminate,
    make_minimal,
    minimal_triangulation,
    triangulate,
)
from treewright.graphs.undirected import UndirectedBuilder, UndirectedGraph

__all__ = [
    "BlockPath",
    "BlockTree",
    "ClusterTree",
    "DSeparationTree",
    "Edge",
    "JunctionTree",
    "Triangulation",
    "UndirectedBuilder",
    "UndirectedGraph",
    "chordless_cycle",
    "degeneracy",
    "edge",
    "eliminate",
    "elimination_order",
    "exact_treewidth",
    "fits",
    "induced_nodes",
    "is_chordal",
    "make_minimal",
    "maximal_cliques",
    "minimal_triangulation",
    "narrow_triangulation",
    "optimal_triangulation",
    "perfect_elimination_order",
    "separation_tree_from_hypergraph",
    "treewidth_lower_bound",
    "treewidth_upper_bound",
    "triangulate",
]

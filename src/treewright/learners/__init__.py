"""Search for a shape with a criterion, one file per paper."""

from treewright.learners.aggressive import learn_aggressive
from treewright.learners.blankets import ThreePhases, learn_blankets
from treewright.learners.block_learning import learn_blocks
from treewright.learners.bootstrap import edge_confidence
from treewright.learners.bounded_treewidth import learn_bounded_treewidth
from treewright.learners.certified import Certified, Iteration
from treewright.learners.chow_liu import learn_chow_liu
from treewright.learners.class_search import LearnedClass, class_search
from treewright.learners.cluster_expansion import expand_clusters, find_clusters
from treewright.learners.cutset import learn_cutset_bag, learn_cutset_network
from treewright.learners.dag_climbing import learn_dag_climbing, learn_tabu
from treewright.learners.dependency_tree import Dependencies, measure_dependencies
from treewright.learners.edge_confidence import EdgeConfidence
from treewright.learners.edge_posterior import EdgePosterior, sample_edges
from treewright.learners.efficient_markov import learn_efficient_markov, low_information_blocks
from treewright.learners.exact_search import LearnedExactly, learn_exact
from treewright.learners.feature_induction import Induction, LearnedFeatures, learn_feature_induction
from treewright.learners.from_databases import learn_from_databases
from treewright.learners.graph_searches import (
    ExhaustiveSearch,
    WorstPairClimb,
    WorstPairTabu,
    WorstPairWalk,
)
from treewright.learners.graphical_lasso import LearnedPrecision, learn_graphical_lasso
from treewright.learners.grow_shrink_network import learn_grow_shrink_network
from treewright.learners.hidden_tree import learn_hidden_tree
from treewright.learners.hill_climbing import learn_hill_climbing
from treewright.learners.hybrid import LearnedHybrid, learn_hybrid
from treewright.learners.hypergraph_search import learn_in_hypergraph
from treewright.learners.independence_graph import estimate_independence_graph
from treewright.learners.knot_engines import Knot
from treewright.learners.knot_learning import LearnedPaperKnots, learn_paper_knots
from treewright.learners.knots import learn_knots
from treewright.learners.knots_report import KnotsReport, LearnedKnots
from treewright.learners.l1_neighbourhoods import learn_l1_neighbourhoods
from treewright.learners.learned import Learned, Phase, Trace, TraceBuilder
from treewright.learners.learned_blocks import LearnedBlocks
from treewright.learners.learned_from_databases import LearnedFromDatabases
from treewright.learners.learned_graph import FlippedEdge, LearnedGraph
from treewright.learners.learned_neighbourhoods import LearnedNeighbourhoods
from treewright.learners.learned_separation_tree import Absence, LearnedSeparationTree, Separation
from treewright.learners.markov_blankets import LearnedBlankets, grow_shrink, interleaved, markov_blankets
from treewright.learners.mixture import Member, Mixed, learn_mixture
from treewright.learners.mixture_components import CutsetComponents, TreeComponents
from treewright.learners.pac_junction_tree import LearnedJunctionTree, learn_pac_junction_tree
from treewright.learners.pc import LearnedPc, learn_pc
from treewright.learners.pooled_judges import pooled_test
from treewright.learners.refined_separation_tree import learn_separation_tree
from treewright.learners.score_choice import ScoreChoice, choose_score
from treewright.learners.separation_tree import learn_by_separation_tree
from treewright.learners.separator_audit import Contradiction, SeparatorAudit, audit_separators
from treewright.learners.star_discovery import discover_stars
from treewright.learners.thin_junction_tree import learn_thin_junction_tree
from treewright.learners.tpda import LearnedTpda, learn_tpda
from treewright.learners.treewidth_chains import learn_treewidth_chains
from treewright.learners.treewidth_path import choose_width, learn_path
from treewright.learners.validated import LearnedFeatureGraph

__all__ = [
    "Absence",
    "Certified",
    "Contradiction",
    "CutsetComponents",
    "Dependencies",
    "EdgeConfidence",
    "EdgePosterior",
    "ExhaustiveSearch",
    "FlippedEdge",
    "Induction",
    "Iteration",
    "Knot",
    "KnotsReport",
    "Learned",
    "LearnedBlankets",
    "LearnedBlocks",
    "LearnedClass",
    "LearnedExactly",
    "LearnedFeatureGraph",
    "LearnedFeatures",
    "LearnedFromDatabases",
    "LearnedGraph",
    "LearnedHybrid",
    "LearnedJunctionTree",
    "LearnedKnots",
    "LearnedNeighbourhoods",
    "LearnedPaperKnots",
    "LearnedPc",
    "LearnedPrecision",
    "LearnedSeparationTree",
    "LearnedTpda",
    "Member",
    "Mixed",
    "Phase",
    "ScoreChoice",
    "Separation",
    "SeparatorAudit",
    "ThreePhases",
    "Trace",
    "TraceBuilder",
    "TreeComponents",
    "WorstPairClimb",
    "WorstPairTabu",
    "WorstPairWalk",
    "audit_separators",
    "choose_score",
    "choose_width",
    "class_search",
    "discover_stars",
    "edge_confidence",
    "estimate_independence_graph",
    "expand_clusters",
    "find_clusters",
    "grow_shrink",
    "interleaved",
    "learn_aggressive",
    "learn_blankets",
    "learn_blocks",
    "learn_bounded_treewidth",
    "learn_by_separation_tree",
    "learn_chow_liu",
    "learn_cutset_bag",
    "learn_cutset_network",
    "learn_dag_climbing",
    "learn_efficient_markov",
    "learn_exact",
    "learn_feature_induction",
    "learn_from_databases",
    "learn_graphical_lasso",
    "learn_grow_shrink_network",
    "learn_hidden_tree",
    "learn_hill_climbing",
    "learn_hybrid",
    "learn_in_hypergraph",
    "learn_knots",
    "learn_l1_neighbourhoods",
    "learn_mixture",
    "learn_pac_junction_tree",
    "learn_paper_knots",
    "learn_path",
    "learn_pc",
    "learn_separation_tree",
    "learn_tabu",
    "learn_thin_junction_tree",
    "learn_tpda",
    "learn_treewidth_chains",
    "low_information_blocks",
    "markov_blankets",
    "measure_dependencies",
    "pooled_test",
    "sample_edges",
]

"""Search for a shape with a criterion, one file per paper."""

from treewright.learners.aggressive import learn_aggressive
from treewright.learners.blankets import FlippedEdge, LearnedGraph, ThreePhases, learn_blankets
from treewright.learners.bootstrap import edge_confidence
from treewright.learners.bounded_treewidth import learn_bounded_treewidth
from treewright.learners.certified import Certified, Iteration
from treewright.learners.chow_liu import learn_chow_liu
from treewright.learners.class_search import LearnedClass, class_search
from treewright.learners.cutset import learn_cutset_bag, learn_cutset_network
from treewright.learners.dag_climbing import learn_dag_climbing, learn_tabu
from treewright.learners.edge_confidence import EdgeConfidence
from treewright.learners.edge_posterior import EdgePosterior, sample_edges
from treewright.learners.efficient_markov import learn_efficient_markov, low_information_blocks
from treewright.learners.feature_induction import Induction, LearnedFeatures, learn_feature_induction
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
from treewright.learners.l1_neighbourhoods import learn_l1_neighbourhoods
from treewright.learners.learned import Learned, Phase, Trace, TraceBuilder
from treewright.learners.learned_neighbourhoods import LearnedNeighbourhoods
from treewright.learners.markov_blankets import LearnedBlankets, grow_shrink, interleaved, markov_blankets
from treewright.learners.mixture import Member, Mixed, learn_mixture
from treewright.learners.mixture_components import CutsetComponents, TreeComponents
from treewright.learners.pac_junction_tree import LearnedJunctionTree, learn_pac_junction_tree
from treewright.learners.pc import LearnedPc, learn_pc
from treewright.learners.score_choice import ScoreChoice, choose_score
from treewright.learners.thin_junction_tree import learn_thin_junction_tree
from treewright.learners.treewidth_chains import learn_treewidth_chains
from treewright.learners.treewidth_path import choose_width, learn_path
from treewright.learners.validated import LearnedFeatureGraph

__all__ = [
    "Certified",
    "CutsetComponents",
    "EdgeConfidence",
    "EdgePosterior",
    "ExhaustiveSearch",
    "FlippedEdge",
    "Induction",
    "Iteration",
    "Learned",
    "LearnedBlankets",
    "LearnedClass",
    "LearnedFeatureGraph",
    "LearnedFeatures",
    "LearnedGraph",
    "LearnedHybrid",
    "LearnedJunctionTree",
    "LearnedNeighbourhoods",
    "LearnedPc",
    "LearnedPrecision",
    "Member",
    "Mixed",
    "Phase",
    "ScoreChoice",
    "ThreePhases",
    "Trace",
    "TraceBuilder",
    "TreeComponents",
    "WorstPairClimb",
    "WorstPairTabu",
    "WorstPairWalk",
    "choose_score",
    "choose_width",
    "class_search",
    "edge_confidence",
    "grow_shrink",
    "interleaved",
    "learn_aggressive",
    "learn_blankets",
    "learn_bounded_treewidth",
    "learn_chow_liu",
    "learn_cutset_bag",
    "learn_cutset_network",
    "learn_dag_climbing",
    "learn_efficient_markov",
    "learn_feature_induction",
    "learn_graphical_lasso",
    "learn_grow_shrink_network",
    "learn_hidden_tree",
    "learn_hill_climbing",
    "learn_hybrid",
    "learn_l1_neighbourhoods",
    "learn_mixture",
    "learn_pac_junction_tree",
    "learn_path",
    "learn_pc",
    "learn_tabu",
    "learn_thin_junction_tree",
    "learn_treewidth_chains",
    "low_information_blocks",
    "markov_blankets",
    "sample_edges",
]

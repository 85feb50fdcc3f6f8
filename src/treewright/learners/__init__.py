"""Search for a shape with a criterion, one file per paper."""

from treewright.learners.aggressive import learn_aggressive
from treewright.learners.blankets import FlippedEdge, LearnedGraph, ThreePhases, learn_blankets
from treewright.learners.bootstrap import edge_confidence
from treewright.learners.bounded_treewidth import learn_bounded_treewidth
from treewright.learners.certified import Certified, Iteration
from treewright.learners.chow_liu import learn_chow_liu
from treewright.learners.class_search import LearnedClass, class_search
from treewright.learners.dag_climbing import learn_dag_climbing, learn_tabu
from treewright.learners.edge_confidence import EdgeConfidence
from treewright.learners.edge_posterior import EdgePosterior, sample_edges
from treewright.learners.graph_searches import (
    ExhaustiveSearch,
    WorstPairClimb,
    WorstPairTabu,
    WorstPairWalk,
)
from treewright.learners.hill_climbing import learn_hill_climbing
from treewright.learners.hybrid import LearnedHybrid, learn_hybrid
from treewright.learners.learned import Learned, Phase, Trace, TraceBuilder
from treewright.learners.markov_blankets import LearnedBlankets, grow_shrink, interleaved, markov_blankets
from treewright.learners.pc import LearnedPc, learn_pc
from treewright.learners.thin_junction_tree import learn_thin_junction_tree
from treewright.learners.treewidth_chains import learn_treewidth_chains
from treewright.learners.treewidth_path import choose_width, learn_path

__all__ = [
    "Certified",
    "EdgeConfidence",
    "EdgePosterior",
    "ExhaustiveSearch",
    "FlippedEdge",
    "Iteration",
    "Learned",
    "LearnedBlankets",
    "LearnedClass",
    "LearnedGraph",
    "LearnedHybrid",
    "LearnedPc",
    "Phase",
    "ThreePhases",
    "Trace",
    "TraceBuilder",
    "WorstPairClimb",
    "WorstPairTabu",
    "WorstPairWalk",
    "choose_width",
    "class_search",
    "edge_confidence",
    "grow_shrink",
    "interleaved",
    "learn_aggressive",
    "learn_blankets",
    "learn_bounded_treewidth",
    "learn_chow_liu",
    "learn_dag_climbing",
    "learn_hill_climbing",
    "learn_hybrid",
    "learn_path",
    "learn_pc",
    "learn_tabu",
    "learn_thin_junction_tree",
    "learn_treewidth_chains",
    "markov_blankets",
    "sample_edges",
]

"""Search for a shape with a criterion, one file per paper."""

from treewright.learners.aggressive import learn_aggressive
from treewright.learners.bootstrap import edge_confidence
from treewright.learners.bounded_treewidth import learn_bounded_treewidth
from treewright.learners.certified import Certified, Iteration
from treewright.learners.chow_liu import learn_chow_liu
from treewright.learners.class_search import LearnedClass, class_search
from treewright.learners.cutset import learn_cutset_bag, learn_cutset_network
from treewright.learners.dag_climbing import learn_dag_climbing, learn_tabu
from treewright.learners.edge_confidence import EdgeConfidence
from treewright.learners.efficient_markov import learn_efficient_markov, low_information_blocks
from treewright.learners.hidden_tree import learn_hidden_tree
from treewright.learners.hill_climbing import learn_hill_climbing
from treewright.learners.hybrid import LearnedHybrid, learn_hybrid
from treewright.learners.learned import Learned, Phase, Trace, TraceBuilder
from treewright.learners.markov_blankets import LearnedBlankets, grow_shrink, interleaved, markov_blankets
from treewright.learners.mixture import Member, Mixed, learn_mixture
from treewright.learners.mixture_components import CutsetComponents, TreeComponents
from treewright.learners.pc import LearnedPc, learn_pc
from treewright.learners.thin_junction_tree import learn_thin_junction_tree
from treewright.learners.treewidth_chains import learn_treewidth_chains
from treewright.learners.treewidth_path import choose_width, learn_path
from treewright.learners.validated import LearnedGraph

__all__ = [
    "Certified",
    "CutsetComponents",
    "EdgeConfidence",
    "Iteration",
    "Learned",
    "LearnedBlankets",
    "LearnedClass",
    "LearnedGraph",
    "LearnedHybrid",
    "LearnedPc",
    "Member",
    "Mixed",
    "Phase",
    "Trace",
    "TraceBuilder",
    "TreeComponents",
    "choose_width",
    "class_search",
    "edge_confidence",
    "grow_shrink",
    "interleaved",
    "learn_aggressive",
    "learn_bounded_treewidth",
    "learn_chow_liu",
    "learn_cutset_bag",
    "learn_cutset_network",
    "learn_dag_climbing",
    "learn_efficient_markov",
    "learn_hidden_tree",
    "learn_hill_climbing",
    "learn_hybrid",
    "learn_mixture",
    "learn_path",
    "learn_pc",
    "learn_tabu",
    "learn_thin_junction_tree",
    "learn_treewidth_chains",
    "low_information_blocks",
    "markov_blankets",
]

"""Search for a shape with a criterion, one file per paper."""

import treewright.origins
from treewright.learners import learned
from treewright.learners.bayesian_knots.blocks import LearnedBlocks, learn_blocks
from treewright.learners.bayesian_knots.dependency_tree import Dependencies, measure_dependencies
from treewright.learners.bayesian_knots.engines import Knot, KnotSettings
from treewright.learners.bayesian_knots.expansion import expand_clusters, find_clusters
from treewright.learners.bayesian_knots.knots import learn_knots
from treewright.learners.bayesian_knots.pipeline import LearnedPaperKnots, learn_paper_knots
from treewright.learners.bayesian_knots.report import KnotsReport, LearnedKnots
from treewright.learners.bayesian_knots.stars import discover_stars
from treewright.learners.blanket_scores.learn import ThreePhases, learn_blankets
from treewright.learners.blanket_scores.posterior import EdgePosterior, sample_edges
from treewright.learners.blanket_scores.searches import (
    ExhaustiveSearch,
    FlippedEdge,
    LearnedGraph,
    WorstPairClimb,
    WorstPairTabu,
    WorstPairWalk,
)
from treewright.learners.bounded_treewidth.certified import Certified, Iteration
from treewright.learners.bounded_treewidth.chains import ChainVariants, learn_treewidth_chains
from treewright.learners.bounded_treewidth.default_search import (
    choose_width,
    learn_bounded_treewidth,
    trace_widths,
)
from treewright.learners.bounded_treewidth.mixed import learn_bounded_mixed
from treewright.learners.bounded_treewidth.thin_junction_tree import learn_thin_junction_tree
from treewright.learners.classes.bootstrap import EdgeConfidence, edge_confidence
from treewright.learners.classes.chow_liu import learn_chow_liu
from treewright.learners.classes.class_search import LearnedClass, class_search
from treewright.learners.classes.dag_climbing import learn_aggressive, learn_dag_climbing, learn_tabu
from treewright.learners.classes.exact_search import LearnedExactly, learn_exact
from treewright.learners.classes.experiments import learn_from_experiments
from treewright.learners.classes.hill_climbing import learn_hill_climbing
from treewright.learners.classes.hybrid import LearnedHybrid, learn_hybrid
from treewright.learners.classes.mixed_climbing import learn_mixed
from treewright.learners.classes.pair_schedule import PairSchedule
from treewright.learners.classes.score_choice import ScoreChoice, choose_score
from treewright.learners.classifiers.blanket import learn_class_blanket
from treewright.learners.classifiers.structures import (
    learn_k_dependence,
    learn_naive_bayes,
    learn_tree_augmented,
)
from treewright.learners.efficient_markov.cutset import CutsetSettings, learn_cutset_bag, learn_cutset_network
from treewright.learners.efficient_markov.hidden_tree import learn_hidden_tree
from treewright.learners.efficient_markov.lem import (
    MarkovSettings,
    find_low_information_blocks,
    learn_efficient_markov,
)
from treewright.learners.efficient_markov.mixture import Member, Mixed, learn_mixture
from treewright.learners.efficient_markov.mixture_plan import CutsetComponents, TreeComponents
from treewright.learners.efficient_markov.validated import LearnedFeatureGraph
from treewright.learners.independence.markov_blankets import (
    LearnedBlankets,
    find_blankets,
    grow_shrink,
    interleaved,
    learn_grow_shrink_network,
)
from treewright.learners.independence.pc import LearnedPc, learn_pc
from treewright.learners.independence.tpda import LearnedTpda, learn_tpda
from treewright.learners.learned import (
    Learned,
    LearnedNetwork,
    LearnedPattern,
    Phase,
    Trace,
    TraceBuilder,
)
from treewright.learners.markov_baselines.feature_induction import (
    Induction,
    LearnedFeatures,
    learn_feature_induction,
)
from treewright.learners.markov_baselines.graphical_lasso import LearnedPrecision, learn_graphical_lasso
from treewright.learners.markov_baselines.l1_neighbourhoods import (
    LearnedNeighbourhoods,
    learn_l1_neighbourhoods,
)
from treewright.learners.markov_baselines.pac_junction_tree import (
    LearnedJunctionTree,
    learn_pac_junction_tree,
)
from treewright.learners.separation_trees.algorithm import learn_by_separation_tree
from treewright.learners.separation_trees.audit import Contradiction, SeparatorAudit, audit_separators
from treewright.learners.separation_trees.databases import learn_from_databases
from treewright.learners.separation_trees.hypergraph_search import learn_in_hypergraph
from treewright.learners.separation_trees.independence_graph import estimate_independence_graph
from treewright.learners.separation_trees.learned_databases import LearnedFromDatabases
from treewright.learners.separation_trees.learned_tree import Absence, LearnedSeparationTree, Separation
from treewright.learners.separation_trees.pooled_judges import make_pooled_test
from treewright.learners.separation_trees.refinement import FoundTree, find_separation_tree
from treewright.learners.separation_trees.settings import DatabaseSettings, NodeSearch, TreeSettings

# who calls a learner by its public name finds its settings on what it returns
for _name in [name for name in globals() if name.startswith("learn_")]:
    globals()[_name] = treewright.origins.recorded(learned.tallied(globals()[_name]))

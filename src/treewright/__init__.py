"""treewright learns the structure of probabilistic graphical models from tables, and asks them exactly.

Four verbs, in this order: **count**, **learn**, **fit**, **ask**.

>>> import numpy as np
>>> import treewright as tw
>>> table = tw.load_network("asia").sample(5_000, rng=np.random.default_rng(0))
>>> counter = tw.count(table)
>>> learned = tw.learn_chow_liu(tw.BIC(counter))
>>> model = tw.fit(learned.structure, counter)
>>> 0 < model.query("dysp", given={"smoke": "yes"})["yes"] < 1
True
"""

from importlib import import_module
from typing import TYPE_CHECKING

from treewright.criteria import (
    AIC,
    BIC,
    K2,
    QNML,
    AuditedTest,
    BDe,
    BDeu,
    BlanketsJointPosterior,
    CachedScore,
    ChiSquareTest,
    DSeparationOracle,
    EdgePrior,
    FisherZTest,
    GaussianBIC,
    GTest,
    IndependenceBasedScore,
    LogLikelihood,
    MarginalPseudoLikelihood,
    PermutationTest,
    PosteriorTest,
    SigmoidBIC,
    SparseQNML,
    UniformPrior,
)
from treewright.graphs import (
    Cpdag,
    Dag,
    DSeparationTree,
    JunctionTree,
    Knowledge,
    Pdag,
    UndirectedGraph,
    compare,
    separation_tree_from_hypergraph,
    shd,
    triangulate,
)
from treewright.inference import JunctionTreeEngine
from treewright.learners import (
    Certified,
    EdgeConfidence,
    EdgePosterior,
    ExhaustiveSearch,
    Learned,
    LearnedBlankets,
    LearnedClass,
    LearnedGraph,
    LearnedHybrid,
    LearnedPc,
    ThreePhases,
    Trace,
    WorstPairClimb,
    WorstPairTabu,
    WorstPairWalk,
    choose_width,
    class_search,
    edge_confidence,
    grow_shrink,
    interleaved,
    learn_aggressive,
    learn_blankets,
    learn_bounded_treewidth,
    learn_chow_liu,
    learn_dag_climbing,
    learn_hill_climbing,
    learn_hybrid,
    learn_path,
    learn_pc,
    learn_tabu,
    learn_thin_junction_tree,
    learn_treewidth_chains,
    markov_blankets,
    sample_edges,
)
from treewright.limits import memory_limit, set_memory_limit
from treewright.models import (
    BayesianNetwork,
    BestFitting,
    DecomposableCover,
    Dirichlet,
    FamilyCounts,
    FittedByEm,
    GaussianNetwork,
    GaussianPrior,
    IterativeFitting,
    LogLinearModel,
    MarkovNetwork,
    PseudoLikelihoodFitting,
    SigmoidNetwork,
    WeightPrior,
    fit,
    fit_em,
    fit_pseudolikelihood,
    fit_sigmoid,
    fit_weights,
    sample_gibbs,
)
from treewright.statistics import (
    CachedCounter,
    Counter,
    JointCounts,
    Moments,
    ShardedCounter,
    SigmoidFamily,
    count,
    entropy,
    moments,
    mutual_information,
    pairwise_information,
)
from treewright.tables import Feature, Schema, ShardedTable, Table, Variable, align_schemas, read_table

if TYPE_CHECKING:
    from treewright.estimators import PC, BlanketMarkov, BoundedTreewidth, ChowLiuTree, HillClimbing
    from treewright.models.convert import from_dot, from_networkx, from_pgmpy, from_pyagrum
    from treewright.models.formats import convert_model, read_model, read_model_with_report, write_model
    from treewright.models.formats.twm import load
    from treewright.networks import example_networks, load_network, random_dag, random_network
    from treewright.reports import notebook_picture, to_html, to_svg
    from treewright.verification import verify

__version__ = "0.1.0"

# Doors that are opened when somebody walks through them: importing the package stays quick.
_LAZY = {
    "treewright.estimators": ("PC", "BlanketMarkov", "BoundedTreewidth", "ChowLiuTree", "HillClimbing"),
    "treewright.models.convert": ("from_dot", "from_networkx", "from_pgmpy", "from_pyagrum"),
    "treewright.models.formats": ("convert_model", "read_model", "read_model_with_report", "write_model"),
    "treewright.models.formats.twm": ("load",),
    "treewright.networks": ("example_networks", "load_network", "random_dag", "random_network"),
    "treewright.reports": ("notebook_picture", "to_html", "to_svg"),
    "treewright.verification": ("verify",),
}
_HOME = {name: module for module, names in _LAZY.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'treewright' has no attribute {name!r}")
    value: object = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})


__all__ = [
    "AIC",
    "BIC",
    "K2",
    "PC",
    "QNML",
    "AuditedTest",
    "BDe",
    "BDeu",
    "BayesianNetwork",
    "BestFitting",
    "BlanketMarkov",
    "BlanketsJointPosterior",
    "BoundedTreewidth",
    "CachedCounter",
    "CachedScore",
    "Certified",
    "ChiSquareTest",
    "ChowLiuTree",
    "Counter",
    "Cpdag",
    "DSeparationOracle",
    "DSeparationTree",
    "Dag",
    "DecomposableCover",
    "Dirichlet",
    "EdgeConfidence",
    "EdgePosterior",
    "EdgePrior",
    "ExhaustiveSearch",
    "FamilyCounts",
    "Feature",
    "FisherZTest",
    "FittedByEm",
    "GTest",
    "GaussianBIC",
    "GaussianNetwork",
    "GaussianPrior",
    "HillClimbing",
    "IndependenceBasedScore",
    "IterativeFitting",
    "JointCounts",
    "JunctionTree",
    "JunctionTreeEngine",
    "Knowledge",
    "Learned",
    "LearnedBlankets",
    "LearnedClass",
    "LearnedGraph",
    "LearnedHybrid",
    "LearnedPc",
    "LogLikelihood",
    "LogLinearModel",
    "MarginalPseudoLikelihood",
    "MarkovNetwork",
    "Moments",
    "Pdag",
    "PermutationTest",
    "PosteriorTest",
    "PseudoLikelihoodFitting",
    "Schema",
    "ShardedCounter",
    "ShardedTable",
    "SigmoidBIC",
    "SigmoidFamily",
    "SigmoidNetwork",
    "SparseQNML",
    "Table",
    "ThreePhases",
    "Trace",
    "UndirectedGraph",
    "UniformPrior",
    "Variable",
    "WeightPrior",
    "WorstPairClimb",
    "WorstPairTabu",
    "WorstPairWalk",
    "align_schemas",
    "choose_width",
    "class_search",
    "compare",
    "convert_model",
    "count",
    "edge_confidence",
    "entropy",
    "example_networks",
    "fit",
    "fit_em",
    "fit_pseudolikelihood",
    "fit_sigmoid",
    "fit_weights",
    "from_dot",
    "from_networkx",
    "from_pgmpy",
    "from_pyagrum",
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
    "load",
    "load_network",
    "markov_blankets",
    "memory_limit",
    "moments",
    "mutual_information",
    "notebook_picture",
    "pairwise_information",
    "random_dag",
    "random_network",
    "read_model",
    "read_model_with_report",
    "read_table",
    "sample_edges",
    "sample_gibbs",
    "separation_tree_from_hypergraph",
    "set_memory_limit",
    "shd",
    "to_html",
    "to_svg",
    "triangulate",
    "verify",
    "write_model",
]

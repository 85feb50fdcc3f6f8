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

from treewright.criteria import (
    AIC,
    BIC,
    K2,
    QNML,
    AuditedTest,
    BDe,
    BDeu,
    CachedScore,
    ChiSquareTest,
    DSeparationOracle,
    EdgePrior,
    FisherZTest,
    GaussianBIC,
    GTest,
    LogLikelihood,
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
    Pdag,
    UndirectedGraph,
    compare,
    separation_tree_from_hypergraph,
    shd,
    triangulate,
)
from treewright.learners import Learned, Trace, learn_chow_liu
from treewright.limits import memory_limit, set_memory_limit
from treewright.models import BayesianNetwork, Dirichlet, fit, load
from treewright.networks import example_networks, load_network, random_dag, random_network
from treewright.reports import to_html, to_svg
from treewright.statistics import (
    CachedCounter,
    Counter,
    JointCounts,
    Moments,
    ShardedCounter,
    count,
    entropy,
    moments,
    mutual_information,
    pairwise_information,
)
from treewright.tables import Feature, Schema, ShardedTable, Table, Variable, align_schemas, read_table

__version__ = "0.1.0"

__all__ = [
    "AIC",
    "BIC",
    "K2",
    "QNML",
    "AuditedTest",
    "BDe",
    "BDeu",
    "BayesianNetwork",
    "CachedCounter",
    "CachedScore",
    "ChiSquareTest",
    "Counter",
    "Cpdag",
    "DSeparationOracle",
    "DSeparationTree",
    "Dag",
    "Dirichlet",
    "EdgePrior",
    "Feature",
    "FisherZTest",
    "GTest",
    "GaussianBIC",
    "JointCounts",
    "JunctionTree",
    "Learned",
    "LogLikelihood",
    "Moments",
    "Pdag",
    "PermutationTest",
    "PosteriorTest",
    "Schema",
    "ShardedCounter",
    "ShardedTable",
    "SigmoidBIC",
    "SparseQNML",
    "Table",
    "Trace",
    "UndirectedGraph",
    "UniformPrior",
    "Variable",
    "align_schemas",
    "compare",
    "count",
    "entropy",
    "example_networks",
    "fit",
    "learn_chow_liu",
    "load",
    "load_network",
    "memory_limit",
    "moments",
    "mutual_information",
    "pairwise_information",
    "random_dag",
    "random_network",
    "read_table",
    "separation_tree_from_hypergraph",
    "set_memory_limit",
    "shd",
    "to_html",
    "to_svg",
    "triangulate",
]

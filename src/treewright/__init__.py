"""treewright learns the structure of probabilistic graphical models from tables, and asks them exactly.

Four verbs, in this order: **count**, **learn**, **fit**, **ask**.
"""

from treewright.criteria import (
    AIC,
    BIC,
    K2,
    QNML,
    BDe,
    BDeu,
    CachedScore,
    ChiSquareTest,
    EdgePrior,
    GTest,
    LogLikelihood,
    PermutationTest,
    PosteriorTest,
    SparseQNML,
)
from treewright.limits import memory_limit, set_memory_limit
from treewright.statistics import (
    CachedCounter,
    Counter,
    ShardedCounter,
    count,
    entropy,
    mutual_information,
    pairwise_information,
)
from treewright.tables import Feature, Schema, ShardedTable, Table, Variable, read_table

__version__ = "0.1.0"

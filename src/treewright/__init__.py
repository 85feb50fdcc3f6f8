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
from typing import Any

__version__ = "0.1.0"

# The names at the top and where each is defined. A module is imported when one of its names is first used;
# all else is reached through its room, as in `tw.graphs.Pdag`. The type checker's view, __init__.pyi, is made
# from this table by `python docs/make_reference.py`.
_NAMES = {
    "treewright.tables": """
        Feature open_table pack read_databases read_table Schema ShardedTable Table Variable
    """,
    "treewright.statistics": """
        count Counter Moments moments mutual_information open_source ShardedCounter
    """,
    "treewright.graphs": """
        adjustment_sets compare Cpdag Dag FeatureGraph JunctionTree Knowledge
        separation_tree_from_hypergraph shd UndirectedGraph
    """,
    "treewright.criteria": """
        AIC BDe BDeu BIC BlanketsJointPosterior ChiSquareTest DSeparationOracle FisherZTest GaussianBIC
        GTest IndependenceBasedScore K2 LogLikelihood MarginalPseudoLikelihood MixedBIC PermutationTest
        PosteriorTest QNML SigmoidBIC SparseQNML
    """,
    "treewright.learners": """
        choose_score edge_confidence learn_aggressive learn_blankets learn_blocks
        learn_bounded_treewidth learn_by_separation_tree learn_chow_liu learn_cutset_network
        learn_efficient_markov learn_feature_induction learn_from_databases learn_hidden_tree
        learn_hill_climbing learn_hybrid learn_knots learn_l1_neighbourhoods learn_mixed learn_mixture
        learn_pc learn_thin_junction_tree learn_tpda learn_treewidth_chains Learned
    """,
    "treewright.models": """
        BayesianNetwork ConditionalGaussianNetwork Dirichlet FeatureNetwork fit fit_em GaussianNetwork
        load MarkovNetwork read_model write_model
    """,
    "treewright.networks": """
        load_network random_network
    """,
    "treewright.automatic": """
        learn
    """,
    "treewright.reports": """
        cross_validate draw_comparison to_html to_svg
    """,
    "treewright.verification": """
        verify
    """,
    "treewright.estimators": """
        BayesianClassifier BlanketMarkov BoundedTreewidth ChowLiuTree EfficientMarkov HillClimbing Knots
        PC SeparationTree
    """,
    "treewright.limits": """
        memory_limit set_memory_limit
    """,
}
_ROOMS = {
    *("tables", "statistics", "graphs", "criteria", "learners", "inference", "models"),
    *("automatic", "networks", "reports", "verification", "estimators", "errors", "limits", "cli"),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(_HOMES)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    elif name in _ROOMS:
        value = import_module(f"treewright.{name}")
    else:
        raise AttributeError(f"module 'treewright' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES, *_ROOMS})

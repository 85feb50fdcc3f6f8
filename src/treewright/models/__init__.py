"""Put parameters on a shape and answer questions with it."""

from treewright.models.answers import Distribution, Explanation, ManyMarginals, Marginals
from treewright.models.bayesian_network import BayesianNetwork
from treewright.models.dirichlet import Dirichlet
from treewright.models.em import EmTrace, FittedByEm, fit_em, observed_score
from treewright.models.family_counts import FamilyCounts
from treewright.models.fit import fit
from treewright.models.model import Model

__all__ = [
    "BayesianNetwork",
    "Dirichlet",
    "Distribution",
    "EmTrace",
    "Explanation",
    "FamilyCounts",
    "FittedByEm",
    "ManyMarginals",
    "Marginals",
    "Model",
    "fit",
    "fit_em",
    "observed_score",
]

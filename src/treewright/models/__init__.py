"""Put parameters on a shape and answer questions with it."""

from treewright.models.answers import Distribution, Explanation, ManyMarginals, Marginals
from treewright.models.bayesian_network import BayesianNetwork
from treewright.models.fit import Dirichlet, fit
from treewright.models.model import Model

__all__ = [
    "BayesianNetwork",
    "Dirichlet",
    "Distribution",
    "Explanation",
    "ManyMarginals",
    "Marginals",
    "Model",
    "fit",
]

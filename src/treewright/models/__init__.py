"""Put parameters on a shape and answer questions with it."""

from treewright.models.answers import Distribution, Explanation, ManyMarginals, Marginals
from treewright.models.bayesian_network import BayesianNetwork
from treewright.models.fit import Dirichlet, fit
from treewright.models.gibbs import GibbsSample, sample_gibbs
from treewright.models.log_linear import LogLinearModel
from treewright.models.markov_fitting import DecomposableCover, IterativeFitting
from treewright.models.markov_network import Fitting, MarkovNetwork
from treewright.models.model import Model
from treewright.models.pseudolikelihood import fit_pseudolikelihood
from treewright.models.weight_fitting import GaussianPrior, fit_weights

__all__ = [
    "BayesianNetwork",
    "DecomposableCover",
    "Dirichlet",
    "Distribution",
    "Explanation",
    "Fitting",
    "GaussianPrior",
    "GibbsSample",
    "IterativeFitting",
    "LogLinearModel",
    "ManyMarginals",
    "Marginals",
    "MarkovNetwork",
    "Model",
    "fit",
    "fit_pseudolikelihood",
    "fit_weights",
    "sample_gibbs",
]

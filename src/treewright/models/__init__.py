"""Put parameters on a shape and answer questions with it."""

from treewright.models.answers import Distribution, Explanation, ManyMarginals, Marginals
from treewright.models.bayesian_network import BayesianNetwork
from treewright.models.dirichlet import Dirichlet
from treewright.models.em import EmTrace, FittedByEm, fit_em, observed_score
from treewright.models.family_counts import FamilyCounts
from treewright.models.fit import fit
from treewright.models.gaussian_fit import GaussianPrior, fit_gaussian
from treewright.models.gaussian_network import GaussianNetwork
from treewright.models.model import Model
from treewright.models.normal_answers import JointNormal, Normal, NormalMarginals
from treewright.models.sampled_answers import SampledAnswer
from treewright.models.sigmoid_network import SigmoidNetwork, fit_sigmoid

__all__ = [
    "BayesianNetwork",
    "Dirichlet",
    "Distribution",
    "EmTrace",
    "Explanation",
    "FamilyCounts",
    "FittedByEm",
    "GaussianNetwork",
    "GaussianPrior",
    "JointNormal",
    "ManyMarginals",
    "Marginals",
    "Model",
    "Normal",
    "NormalMarginals",
    "SampledAnswer",
    "SigmoidNetwork",
    "fit",
    "fit_em",
    "observed_score",
    "fit_gaussian",
    "fit_sigmoid",
]

"""Put parameters on a shape and answer questions with it."""

from treewright.models.answers import (
    BoundedExplanation,
    Distribution,
    Explanation,
    ManyMarginals,
    Marginals,
)
from treewright.models.bayesian_network import BayesianNetwork
from treewright.models.dirichlet import Dirichlet
from treewright.models.em import EmTrace, FittedByEm, fit_em, observed_score
from treewright.models.family_counts import FamilyCounts
from treewright.models.feature_fitting import FittedFeatures
from treewright.models.feature_network import EstimatedEntropy, FeatureNetwork
from treewright.models.fit import fit
from treewright.models.gaussian_fit import GaussianPrior, fit_gaussian
from treewright.models.gaussian_network import GaussianNetwork
from treewright.models.gibbs import GibbsSample, sample_gibbs
from treewright.models.log_linear import LogLinearModel
from treewright.models.loopy import LoopyBeliefs, loopy_beliefs, pseudo_log_likelihood
from treewright.models.markov_choice import BestFitting, PseudoLikelihoodFitting
from treewright.models.markov_fitting import DecomposableCover, IterativeFitting
from treewright.models.markov_network import Fitting, MarkovNetwork
from treewright.models.model import Model
from treewright.models.normal_answers import JointNormal, Normal, NormalMarginals
from treewright.models.pseudolikelihood import fit_pseudolikelihood
from treewright.models.sampled_answers import SampledAnswer
from treewright.models.sigmoid_fit import fit_sigmoid
from treewright.models.sigmoid_network import SigmoidNetwork
from treewright.models.weight_fitting import WeightPrior, fit_weights

__all__ = [
    "BayesianNetwork",
    "BestFitting",
    "BoundedExplanation",
    "DecomposableCover",
    "Dirichlet",
    "Distribution",
    "EmTrace",
    "EstimatedEntropy",
    "Explanation",
    "FamilyCounts",
    "FeatureNetwork",
    "FittedByEm",
    "FittedFeatures",
    "Fitting",
    "GaussianNetwork",
    "GaussianPrior",
    "GibbsSample",
    "IterativeFitting",
    "JointNormal",
    "LogLinearModel",
    "LoopyBeliefs",
    "ManyMarginals",
    "Marginals",
    "MarkovNetwork",
    "Model",
    "Normal",
    "NormalMarginals",
    "PseudoLikelihoodFitting",
    "SampledAnswer",
    "SigmoidNetwork",
    "WeightPrior",
    "fit",
    "fit_em",
    "fit_gaussian",
    "fit_pseudolikelihood",
    "fit_sigmoid",
    "fit_weights",
    "loopy_beliefs",
    "observed_score",
    "pseudo_log_likelihood",
    "sample_gibbs",
]

"""Put parameters on a shape and answer questions with it."""

from treewright.models.answers import (
    BoundedExplanation,
    Distribution,
    Explanation,
    ManyMarginals,
    Marginals,
    Predictions,
)
from treewright.models.causal.possible import PossibleEffect, PossibleEffects
from treewright.models.causal.told import Effect, LinearEffect
from treewright.models.continuous.gaussian_fit import GaussianPrior, fit_gaussian
from treewright.models.continuous.gaussian_network import GaussianNetwork
from treewright.models.continuous.normal_answers import (
    JointNormal,
    Normal,
    NormalMarginals,
    NormalPredictions,
    SampledAnswer,
)
from treewright.models.continuous.sigmoid_network import SigmoidNetwork, fit_sigmoid
from treewright.models.convert import from_dot, from_networkx, from_pgmpy, from_pyagrum
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.discrete.family_counts import Dirichlet, FamilyCounts
from treewright.models.features.feature_fitting import FittedFeatures
from treewright.models.features.feature_network import EstimatedEntropy, FeatureNetwork
from treewright.models.fitting.em import EmTrace, FittedByEm, fit_em, score_observed
from treewright.models.fitting.em_mixed import MixedFittedByEm, fit_mixed_em
from treewright.models.fitting.expected import ExpectedCounter
from treewright.models.fitting.fit import fit
from treewright.models.formats import convert_model, read_model, read_model_with_report, write_model
from treewright.models.formats.twm import load
from treewright.models.labelled import LabelledTable
from treewright.models.mixed.conditional_gaussian_network import ConditionalGaussianNetwork
from treewright.models.mixed.lines import Lines
from treewright.models.mixed.mixtures import MixedMarginals, NormalMixture
from treewright.models.model import Model
from treewright.models.undirected.gibbs import GibbsSample, sample_gibbs
from treewright.models.undirected.log_linear import LogLinearModel
from treewright.models.undirected.loopy import LoopyBeliefs, propagate_loopy_beliefs, pseudo_log_likelihood
from treewright.models.undirected.markov_choice import BestFitting, PseudoLikelihoodFitting
from treewright.models.undirected.markov_fitting import DecomposableCover, IterativeFitting
from treewright.models.undirected.markov_network import Fitting, MarkovNetwork
from treewright.models.undirected.weight_fitting import WeightPrior, fit_pseudolikelihood, fit_weights

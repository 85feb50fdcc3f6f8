"""Judge a claim (independent? better?) from statistics, or from a graph as oracle."""

from treewright.criteria.at_level import at_level
from treewright.criteria.audited import AuditedTest
from treewright.criteria.blankets_joint_posterior import BlanketsJointPosterior
from treewright.criteria.cached_score import CachedScore
from treewright.criteria.dirichlet_scores import K2, BDe, BDeu, UniformPrior
from treewright.criteria.discrete_tests import ChiSquareTest, GTest
from treewright.criteria.edge_prior import EdgePrior, SparseQNML
from treewright.criteria.gaussian_scores import GaussianBIC
from treewright.criteria.gaussian_tests import FisherZTest
from treewright.criteria.grouped_score import GroupedQNML, GroupedScore
from treewright.criteria.independence import IndependenceTest, TestResult, TestResults, canonical_query
from treewright.criteria.independence_based_score import IndependenceBasedScore
from treewright.criteria.likelihood_scores import AIC, BIC, QNML, LogLikelihood
from treewright.criteria.marginal_pseudo_likelihood import MarginalPseudoLikelihood
from treewright.criteria.oracle import DSeparationOracle
from treewright.criteria.permutation_test import PermutationTest
from treewright.criteria.pooled_score import PooledScore
from treewright.criteria.pooled_tests import PooledFisherZTest
from treewright.criteria.posterior_test import PosteriorTest
from treewright.criteria.score import LocalScore
from treewright.criteria.sigmoid_score import SigmoidBIC
from treewright.criteria.structure_score import StructureScore

__all__ = [
    "AIC",
    "BIC",
    "K2",
    "QNML",
    "AuditedTest",
    "BDe",
    "BDeu",
    "BlanketsJointPosterior",
    "CachedScore",
    "ChiSquareTest",
    "DSeparationOracle",
    "EdgePrior",
    "FisherZTest",
    "GTest",
    "GaussianBIC",
    "GroupedQNML",
    "GroupedScore",
    "IndependenceBasedScore",
    "IndependenceTest",
    "LocalScore",
    "LogLikelihood",
    "MarginalPseudoLikelihood",
    "PermutationTest",
    "PooledFisherZTest",
    "PooledScore",
    "PosteriorTest",
    "SigmoidBIC",
    "SparseQNML",
    "StructureScore",
    "TestResult",
    "TestResults",
    "UniformPrior",
    "at_level",
    "canonical_query",
]

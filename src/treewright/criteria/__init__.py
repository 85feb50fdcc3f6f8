"""Judge a claim (independent? better?) from statistics, or from a graph as oracle."""

from treewright.criteria.graph_scores.blanket_posterior import BlanketsJointPosterior, IndependenceBasedScore
from treewright.criteria.graph_scores.marginal_pseudo_likelihood import (
    MarginalPseudoLikelihood,
    StructureScore,
)
from treewright.criteria.scores.dirichlet_scores import K2, BDe, BDeu, UniformPrior
from treewright.criteria.scores.discrete_score import AIC, BIC, QNML, LogLikelihood
from treewright.criteria.scores.edge_prior import EdgePrior, GroupedQNML, GroupedScore, SparseQNML
from treewright.criteria.scores.experiment_score import ExperimentScore
from treewright.criteria.scores.gaussian_scores import GaussianBIC, SigmoidBIC
from treewright.criteria.scores.mixed_scores import MixedBIC, make_sparse_mixed_score
from treewright.criteria.scores.pooled_score import PooledScore
from treewright.criteria.scores.score import CachedScore, LocalScore
from treewright.criteria.tests.audited import AuditedTest, at_level
from treewright.criteria.tests.discrete_tests import ChiSquareTest, GTest, PermutationTest
from treewright.criteria.tests.gaussian_tests import FisherZTest, PooledFisherZTest
from treewright.criteria.tests.independence import IndependenceTest, TestResult, TestResults, sort_query
from treewright.criteria.tests.mixed_tests import MixedTest
from treewright.criteria.tests.oracle import DSeparationOracle
from treewright.criteria.tests.posterior_test import PosteriorTest

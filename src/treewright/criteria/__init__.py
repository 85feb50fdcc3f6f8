"""Judge a claim (independent? better?) from statistics, or from a graph as oracle."""

from treewright.criteria.graph_scores.blankets_joint_posterior import BlanketsJointPosterior
from treewright.criteria.graph_scores.independence_based_score import IndependenceBasedScore
from treewright.criteria.graph_scores.marginal_pseudo_likelihood import MarginalPseudoLikelihood
from treewright.criteria.graph_scores.structure_score import StructureScore
from treewright.criteria.scores.cached_score import CachedScore
from treewright.criteria.scores.dirichlet_scores import K2, BDe, BDeu, UniformPrior
from treewright.criteria.scores.edge_prior import EdgePrior, SparseQNML
from treewright.criteria.scores.gaussian_scores import GaussianBIC
from treewright.criteria.scores.grouped_score import GroupedQNML, GroupedScore
from treewright.criteria.scores.likelihood_scores import AIC, BIC, QNML, LogLikelihood
from treewright.criteria.scores.pooled_score import PooledScore
from treewright.criteria.scores.score import LocalScore
from treewright.criteria.scores.sigmoid_score import SigmoidBIC
from treewright.criteria.tests.at_level import at_level
from treewright.criteria.tests.audited import AuditedTest
from treewright.criteria.tests.discrete_tests import ChiSquareTest, GTest
from treewright.criteria.tests.gaussian_tests import FisherZTest
from treewright.criteria.tests.independence import IndependenceTest, TestResult, TestResults, canonical_query
from treewright.criteria.tests.oracle import DSeparationOracle
from treewright.criteria.tests.permutation_test import PermutationTest
from treewright.criteria.tests.pooled_tests import PooledFisherZTest
from treewright.criteria.tests.posterior_test import PosteriorTest

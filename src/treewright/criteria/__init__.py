"""Judge a claim (independent? better?) from statistics, or from a graph as oracle."""

from treewright.criteria.gaussian_scores import GaussianBIC
from treewright.criteria.gaussian_tests import FisherZTest, SingularError
from treewright.criteria.sigmoid_score import SigmoidBIC, SigmoidFit

__all__ = [
    "FisherZTest",
    "GaussianBIC",
    "SigmoidBIC",
    "SigmoidFit",
    "SingularError",
]

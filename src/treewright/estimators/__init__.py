"""The scikit-learn door: one thin class per learner, over the four verbs.

They work with scikit-learn's `clone`, `Pipeline` and `GridSearchCV`, and without scikit-learn installed.
"""

from treewright.estimators.checks import expected_failed_checks
from treewright.estimators.classifier import BayesianClassifier
from treewright.estimators.estimator import Estimator
from treewright.estimators.markov import BlanketMarkov, EfficientMarkov
from treewright.estimators.networks import PC, BoundedTreewidth, ChowLiuTree, HillClimbing, Knots
from treewright.estimators.separation_tree import SeparationTree

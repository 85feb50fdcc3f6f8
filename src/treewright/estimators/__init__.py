"""The scikit-learn door: one thin class per learner, over the four verbs.

They work with scikit-learn's `clone`, `Pipeline` and `GridSearchCV`, and without scikit-learn installed.
"""

from treewright.estimators.blanket_markov import BlanketMarkov
from treewright.estimators.bounded_treewidth import BoundedTreewidth
from treewright.estimators.chow_liu import ChowLiuTree
from treewright.estimators.efficient_markov import EfficientMarkov
from treewright.estimators.estimator import Estimator
from treewright.estimators.hill_climbing import HillClimbing
from treewright.estimators.knots import Knots
from treewright.estimators.pc import PC
from treewright.estimators.separation_tree import SeparationTree

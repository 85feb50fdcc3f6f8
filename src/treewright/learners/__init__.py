"""Search for a shape with a criterion, one file per paper."""

from treewright.learners.chow_liu import learn_chow_liu
from treewright.learners.dag_climbing import learn_dag_climbing, learn_tabu
from treewright.learners.learned import Learned, Phase, Trace, TraceBuilder

__all__ = ["Learned", "Phase", "Trace", "TraceBuilder", "learn_chow_liu", "learn_dag_climbing", "learn_tabu"]

"""Search for a shape with a criterion, one file per paper."""

from treewright.learners.chow_liu import learn_chow_liu
from treewright.learners.class_search import LearnedClass, class_search
from treewright.learners.hill_climbing import learn_hill_climbing
from treewright.learners.learned import Learned, Phase, Trace, TraceBuilder

__all__ = [
    "Learned",
    "LearnedClass",
    "Phase",
    "Trace",
    "TraceBuilder",
    "class_search",
    "learn_chow_liu",
    "learn_hill_climbing",
]

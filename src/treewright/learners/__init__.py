"""Search for a shape with a criterion, one file per paper."""

from treewright.learners.chow_liu import learn_chow_liu
from treewright.learners.class_search import LearnedClass, class_search
from treewright.learners.hill_climbing import learn_hill_climbing
from treewright.learners.learned import Learned, Phase, Trace, TraceBuilder
from treewright.learners.markov_blankets import LearnedBlankets, grow_shrink, interleaved, markov_blankets
from treewright.learners.pc import LearnedPc, learn_pc

__all__ = [
    "Learned",
    "LearnedBlankets",
    "LearnedClass",
    "LearnedPc",
    "Phase",
    "Trace",
    "TraceBuilder",
    "class_search",
    "grow_shrink",
    "interleaved",
    "learn_chow_liu",
    "learn_hill_climbing",
    "learn_pc",
    "markov_blankets",
]

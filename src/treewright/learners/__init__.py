"""Search for a shape with a criterion, one file per paper."""

from treewright.learners.chow_liu import learn_chow_liu
from treewright.learners.learned import Learned, Phase, Trace, TraceBuilder
from treewright.learners.pc import LearnedPc, learn_pc

__all__ = ["Learned", "LearnedPc", "Phase", "Trace", "TraceBuilder", "learn_chow_liu", "learn_pc"]

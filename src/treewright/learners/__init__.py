"""Search for a shape with a criterion, one file per paper."""

from treewright.learners.certified import Certified, Iteration
from treewright.learners.chow_liu import learn_chow_liu
from treewright.learners.learned import Learned, Phase, Trace, TraceBuilder
from treewright.learners.thin_junction_tree import learn_thin_junction_tree
from treewright.learners.treewidth_chains import learn_treewidth_chains

__all__ = [
    "Certified",
    "Iteration",
    "Learned",
    "Phase",
    "Trace",
    "TraceBuilder",
    "learn_chow_liu",
    "learn_thin_junction_tree",
    "learn_treewidth_chains",
]

"""Turn blocks of rows into additive counts and moments."""

from treewright.statistics.moments import Moments, moments

__all__ = ["Moments", "moments"]

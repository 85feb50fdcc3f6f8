"""Where to cut numbers into intervals when other columns have a say in it."""

from treewright.tables.cuts.hartemink import hartemink_cuts
from treewright.tables.cuts.mdl import mdl_cuts

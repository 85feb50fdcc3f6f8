"""Where to cut numbers into intervals when other columns have a say in it."""

from treewright.tables.cuts.hartemink import cut_by_hartemink
from treewright.tables.cuts.mdl import cut_by_mdl

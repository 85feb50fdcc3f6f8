"""The way in: look at a table, take the learner that suits it, and say why."""

from treewright.automatic.densities_em import DensityFilled, fill_density
from treewright.automatic.gaps import ColumnGaps, GapsReport, describe_gaps
from treewright.automatic.learn import LearnedModel, learn
from treewright.automatic.search import LearnedAutomatically, learn_suited

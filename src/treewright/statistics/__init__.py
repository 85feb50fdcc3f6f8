"""Turn blocks of rows into additive counts and moments."""

from treewright.statistics.cached import CachedCounter
from treewright.statistics.cluster import ClusterCounter
from treewright.statistics.counter import Counter, Counts, SparseCounts
from treewright.statistics.experiments import Experiments
from treewright.statistics.families import FromTables, as_family_statistics
from treewright.statistics.gaps.available import AvailableCounter, count_shown
from treewright.statistics.in_database.counter import DatabaseCounter
from treewright.statistics.information import entropy, mutual_information, pairwise_information
from treewright.statistics.joint import JointCounts
from treewright.statistics.kept import KeptCounter
from treewright.statistics.merged import MergedCounter
from treewright.statistics.mixed.state_moments import MixedMoments, StateMoments, mixed_moments
from treewright.statistics.moments import Moments, moments
from treewright.statistics.rows import Digested, DistinctRows, RowSource, distinct_rows
from treewright.statistics.several.homogeneity import Homogeneity, MarginTest, check_homogeneity
from treewright.statistics.several.pooled import Completion, PooledCounter
from treewright.statistics.several.pooled_moments import PooledMoments
from treewright.statistics.sharded import ShardedCounter
from treewright.statistics.sigmoid_families import SigmoidFamilies, SigmoidFamily, SigmoidFit
from treewright.statistics.state_merging import merge_states
from treewright.statistics.whole import WholeCounter, count, open_source

"""Count rows on many machines: workers have the files, and what comes back are sums."""

from treewright.statistics.cluster.counter import ClusterCounter, open_cluster
from treewright.statistics.cluster.pieces import Piece, cut_into_pieces
from treewright.statistics.cluster.pools import DaskPool, HerePool, LocalPool, Pool, as_pool
from treewright.statistics.cluster.rounds import each_on

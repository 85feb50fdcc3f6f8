"""Junction trees put together from conditional independences: LPACJT.

If a distribution has a junction tree of width k, each of its separators S (k variables) parts the others into
blocks that are independent given S. So look at every set of k variables: join what stays dependent given it,
which gives its blocks; then put a junction tree together whose separators all part as their blocks say, by
dynamic programming over pairs of a separator and a block (Chechetka & Guestrin 2007). Dependent means a
conditional mutual information above a threshold. The smaller the threshold at which there is a tree, the less
its independences are wrong, so the smallest one is looked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.arguments import COUNTS, require
from treewright.errors import SettingError, TreewidthError
from treewright.graphs import JunctionTree, UndirectedGraph
from treewright.learners.learned import Learned, TraceBuilder
from treewright.limits import format_count
from treewright.ranges import in_range
from treewright.statistics.counter import Counter
from treewright.statistics.families import TestSettings, as_family_statistics
from treewright.types import Floats, Progress, Step

MOST_VARIABLES = 64
MOST_TESTS = 2_000_000


@dataclass(frozen=True)
class LearnedJunctionTree(Learned[UndirectedGraph]):
    """A chordal graph, its junction tree, and how dependent its separators leave what they part.

    Attributes
    ----------
    structure
        A chordal graph.
    certificate
        Its junction tree.
    threshold
        The largest conditional mutual information, in nats, of a pair that a separator parts.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.read_table({"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 9, "c": [0, 1, 0, 1] * 9})
    >>> learned = tw.learners.learn_pac_junction_tree(tw.count(table), treewidth=1)
    >>> learned.certificate.width, round(learned.threshold, 6)
    (1, 0.0)
    """

    certificate: JunctionTree = field(kw_only=True)
    threshold: float


@in_range
def learn_pac_junction_tree(
    counter: Counter,
    *,
    treewidth: int,
    threshold: float | None = None,
    progress: Progress | None = None,
) -> LearnedJunctionTree:
    """Put a junction tree of bounded width together from conditional independences.

    Parameters
    ----------
    counter
        Counts of discrete variables, 64 at most.
    treewidth
        Variables of each separator (the paper's k); cliques have one more.
    threshold
        A pair of variables with at most this conditional mutual information (nats) given a separator counts
        as parted by it (the paper's epsilon). By default the smallest for which a tree is found, by halving.
    progress
        Called after each separator, given which all pairs were judged.

    Raises
    ------
    TreewidthError
        Where there are too many separators to look at, or no tree at the threshold given.

    References
    ----------
    .. [1] Chechetka & Guestrin (2007). Efficient principled learning of thin junction trees. NIPS 20.

    Notes
    -----
    Departures: blocks are joined by pairs of variables alone, where the paper looks at sets of up to k + 2
    (parity-like dependences without dependent pairs are not seen); and of the covers of a block by smaller
    components at most 2000 are tried.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> rows = tw.random_network(6, 1, rng=np.random.default_rng(3), concentration=0.3).sample(
    ...     5_000, rng=np.random.default_rng(1)
    ... )
    >>> learned = tw.learners.learn_pac_junction_tree(tw.count(rows), treewidth=1)
    >>> learned.structure.n_edges, learned.certificate.width
    (5, 1)
    """
    require("learn_pac_junction_tree", COUNTS, counter)
    n, order, trace = len(counter.schema), counter.schema.name_order, TraceBuilder()
    refuse_beyond_limits(n, treewidth, threshold)
    if n <= treewidth + 1:
        whole = UndirectedGraph.complete(counter.schema)
        return LearnedJunctionTree(whole, trace.build(), threshold or 0.0, certificate=JunctionTree.of(whole))
    separators = list(combinations(range(n), treewidth))  # ranks by name
    with trace.phase("conditional informations") as tallies:
        information = conditional_informations(counter, separators, progress)
        tallies["tests"] = len(separators) * math.comb(n - treewidth, 2)
    with trace.phase("junction tree") as tallies:
        masks = np.array([sum(1 << v for v in separator) for separator in separators], dtype=np.uint64)
        cliques, reached, tried = search_threshold(masks, information, n, threshold)
        tallies["thresholds"] = tried
    edges = {(order[u], order[v]) for clique in cliques for u, v in combinations(members(clique), 2)}
    graph = UndirectedGraph(counter.schema, sorted(edges))
    return LearnedJunctionTree(graph, trace.build(), reached, certificate=JunctionTree.of(graph))


def conditional_informations(
    counter: Counter, separators: list[tuple[int, ...]], progress: Progress | None = None
) -> Floats:
    """For each separator (lines) the mutual information of all pairs given it: n x n, flat, in nats."""
    order, statistics = counter.schema.name_order, as_family_statistics(counter)
    n, n_rows = len(order), float(counter.n_rows) or 1.0
    out = np.zeros((len(separators), n, n))
    for done, (line, separator) in enumerate(zip(out, separators, strict=True), 1):
        given = tuple(sorted(order[v] for v in separator))
        free = [v for v in range(n) if v not in separator]
        for i, x in enumerate(free[:-1]):
            partners = free[i + 1 :]
            found, _ = statistics.test_partners(TestSettings(), order[x], given, [order[y] for y in partners])
            line[x, partners] = line[partners, x] = found / (2 * n_rows)
        if progress is not None:
            progress(Step("separators", done, len(separators)))
    return out.reshape(len(separators), n * n)


def search_threshold(
    separators: npt.NDArray[np.uint64], information: Floats, n: int, threshold: float | None
) -> tuple[list[int], float, int]:
    """Cliques of a consistent tree as bits, the threshold that it meets, and how many were tried."""
    if threshold is not None:
        cliques = _core.consistent_tree(separators, information, n, threshold)
        if cliques is None:
            raise TreewidthError(
                f"no junction tree has separators that part all pairs of more than {threshold!r} nats; raise "
                "the threshold, or pass threshold=None to look for the smallest"
            )
        return cliques, threshold, 1
    values = np.unique(information)
    low, high, tried = 0, len(values) - 1, 1
    best = _core.consistent_tree(separators, information, n, float(values[high]))
    assert best is not None  # above every information all variables are parted
    while low < high:
        middle = (low + high) // 2
        found = _core.consistent_tree(separators, information, n, float(values[middle]))
        tried += 1
        if found is None:
            low = middle + 1
        else:
            high, best = middle, found
    return best, float(values[high]), tried


def refuse_beyond_limits(n: int, treewidth: int, threshold: float | None) -> None:
    if treewidth < 1:
        raise TreewidthError(f"treewidth is at least 1; found {treewidth}")
    if threshold is not None and not threshold >= 0:
        raise SettingError(f"the threshold is an information from 0 on, in nats; found {threshold!r}")
    if n > MOST_VARIABLES:
        raise TreewidthError(
            f"every set of {treewidth} variables is looked at as a separator, which is done for at most "
            f"{MOST_VARIABLES} variables; found {n}: use learn_bounded_treewidth"
        )
    n_tests = math.comb(n, treewidth) * math.comb(max(n - treewidth, 0), 2)
    if n_tests > MOST_TESTS:
        raise TreewidthError(
            f"{n} variables have {format_count(math.comb(n, treewidth))} separators of size {treewidth}, "
            f"which take {format_count(n_tests)} conditional informations; the most is "
            f"{format_count(MOST_TESTS)}: lower treewidth, or use learn_bounded_treewidth"
        )


def members(mask: int) -> list[int]:
    return [v for v in range(mask.bit_length()) if mask >> v & 1]

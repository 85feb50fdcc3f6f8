"""What chance pays for edges, and the prices that outbid it.

A score asks for an edge; columns that have nothing to do with each other gain something on each other all
the same. Where the gain exceeds what is asked, noise is joined. Two prices keep that out, both symmetric in
the two columns, so that structures which a score cannot tell apart still tie.

*Of a pair* with few rows for each cell, and under BDeu of a pair of rare states, which hardly ever share a
row: what chance gains there follows from the two margins.

*Of every edge*: with enough rows twice the gain is distributed as chi square, so it is known how many edges
chance pays for among all pairs. It may be three in a hundred of the edges that the pairs show, and so much of
one edge where they show none: rows of noise are joined in few data sets, and networks of many edges keep what
they find (Benjamini & Hochberg 1995).
"""

from __future__ import annotations

import math
from collections import Counter as Tally
from collections.abc import Callable

import numpy as np

from treewright import _core
from treewright.criteria.scores.dirichlet_scores import BDeu
from treewright.criteria.scores.discrete_score import QNML, resolution_of
from treewright.criteria.scores.gaussian_scores import GaussianBIC
from treewright.criteria.scores.score import LocalScore
from treewright.statistics.counter import Counter
from treewright.types import Floats

# With so many rows for each cell of two variables what chance gains is distributed as chi square.
_DENSE_ROWS = 5
# Edges that chance may pay for in a data set of sparse tables, on average.
_FALSE_EDGES = 0.1
# And in dense ones, for each edge that the pairs show.
_FALSE_SHARE = 0.03
# And of pairs of rare states: true ones are hard to tell from chance, and lost where this is less.
_RARE_SHARE = 0.1
_MEETINGS = 3  # rows that the second states of two columns share by chance, from which on neither is rare
_BLOCK = 64  # variables whose pairs are looked at together
_STEP = 0.01  # nats: how finely what is asked is told apart when pairs are counted


def chance_prices(counter: Counter, edge_price: float, *, ess: float = 0.0) -> Floats | None:
    """What edges have to cost beside qNML (BDeu, if `ess` is given) and `edge_price` to outbid chance.

    Shuffling a column leaves its margin, and the margins of two columns say how much the likelihood of one
    gains when the other, shuffled, becomes its parent: the mean and the deviation. A pair with fewer than
    five rows for each cell costs what such a gain exceeds in one of ten data sets, all pairs taken together;
    with fewer than 3.5, also what it exceeds beside other parents of up to 16 configurations. None where the
    score asks for more already, as it does for all but variables of very many states.

    Examples
    --------
    >>> import treewright as tw
    >>> rng = np.random.default_rng(0)
    >>> code, x = rng.integers(100, size=300), rng.integers(2, size=300)
    >>> table = tw.read_table({"code": code.astype(str), "x": x})
    >>> chance_prices(tw.count(table), math.log(2)).round(1).tolist()
    [[0.0, 42.4], [42.4, 0.0]]
    >>> chance_prices(tw.count(table.select(["x"])), 0.0) is None
    True
    """
    schema, n_rows = counter.schema, float(counter.n_rows)
    most = sorted(schema.cardinalities)[-2:]
    if len(most) < 2 or _DENSE_ROWS * math.prod(most) <= n_rows:
        return None
    scope = [v for v, r in enumerate(schema.cardinalities) if _DENSE_ROWS * r * most[-1] > n_rows]
    margins = [np.rint(one).astype(np.int64) for one in counter.counts_many([(v,) for v in scope])]
    level = _FALSE_EDGES / math.comb(len(schema), 2)
    step = resolution_of(n_rows)
    found = _core.chance_prices(margins, ess, edge_price, level, _DENSE_ROWS, step)
    prices = np.zeros((len(schema), len(schema)))
    prices[np.ix_(scope, scope)] = found
    return prices if found.any() else None


def rare_prices(
    score: BDeu, edge_price: float, pairs: Floats | None = None, gains_of: Callable[[], Floats] | None = None
) -> Floats | None:
    """What edges between columns of rare states have to cost beside BDeu and `edge_price` to outbid chance.

    A state of five rows in a thousand and one of ten share a row in one of twenty data sets, and BDeu joins
    them for it. Such pairs cost what the rows that their rare states share by chance gain in one of ten data
    sets, all pairs taken together; where all pairs show edges, in one for each ten of these. None where no
    states are as rare. `pairs` is what others cost already; `gains_of` gives the pair gains of the score,
    where they are wanted elsewhere too.

    Examples
    --------
    >>> import treewright as tw
    >>> fire, even = np.arange(200) < 3, np.arange(200) % 2 == 0
    >>> table = tw.read_table({"fire": fire, "flood": np.roll(fire, 2), "even": even})
    >>> rare_prices(tw.BDeu(tw.count(table)), 0.5).round(1)[0].tolist()
    [0.0, 1.0, 0.1]
    """
    counter, n = score.counter, len(score.schema)
    scopes = [(v,) for v in range(n)]
    margins = [np.rint(one).astype(np.int64) for one in counter.counts_many(scopes)]
    second = sorted(float(np.partition(one, -2)[-2]) for one in margins if np.count_nonzero(one) > 1)
    if len(second) < 2 or second[0] * second[1] >= _MEETINGS * counter.n_rows:
        return None
    step = resolution_of(float(counter.n_rows))
    gains = _left_of(gains_of or score.pair_gains, edge_price, pairs)
    n_edges = len(_forest(gains))
    while True:
        level = max(_FALSE_EDGES, _RARE_SHARE * n_edges) / max(math.comb(n, 2), 1)
        found = _core.rare_prices(margins, score.settings.ess, edge_price, level, _DENSE_ROWS, step)
        n_left = len(_forest(gains - found)) if found.any() else n_edges
        if n_left >= n_edges:
            return found if found.any() else None
        n_edges = n_left


def price_of_chance(
    score: LocalScore,
    edge_price: float,
    pairs: Floats | None = None,
    gains_of: Callable[[], Floats] | None = None,
) -> float:
    """What every edge has to cost beyond `edge_price` (and what certain pairs cost) to outbid chance.

    `gains_of` gives the pair gains of the score, where they are wanted elsewhere too.

    Examples
    --------
    >>> import treewright as tw
    >>> rng = np.random.default_rng(0)
    >>> noise = tw.count(tw.read_table({f"x{i}": rng.integers(2, size=300) for i in range(20)}))
    >>> round(price_of_chance(tw.QNML(noise), math.log(20)), 1)
    2.3
    >>> alarm = tw.count(tw.load_network("alarm").sample(300, rng=rng))
    >>> price_of_chance(tw.QNML(alarm), math.log(37))
    0.0
    """
    from scipy.special import chdtrc

    asked, degrees, times = _asked_for_pairs(score)

    def false_edges(more: float) -> float:
        return float(times @ chdtrc(degrees, 2 * (asked + edge_price + more)))

    if false_edges(0.0) <= _FALSE_SHARE:
        return 0.0
    strengths = _forest(_left_of(gains_of or score.pair_gains, edge_price, pairs))
    for n_edges in range(len(strengths), 0, -1):
        more = _least(false_edges, _FALSE_SHARE * n_edges)
        if strengths[n_edges - 1] > more:
            return more
    return _least(false_edges, _FALSE_SHARE)


def _asked_for_pairs(score: LocalScore) -> tuple[Floats, Floats, Floats]:
    """Nats that a score asks for edges of dense pairs, their degrees of freedom, and for how many of them."""
    found: list[tuple[float, float, float]] = []
    if isinstance(score, GaussianBIC):
        n = len(score.schema)
        found = [(0.5 * math.log(max(score.moments.n, 1)), 1.0, n * (n - 1) / 2)]
    elif type(score) is QNML:
        found = _asked_by_qnml(score)
    elif type(score) is BDeu:
        found = _asked_by_bdeu(score)
    asked, degrees, times = np.array(found, dtype=float).reshape(-1, 3).T.copy()
    return asked, degrees, times


def _asked_by_qnml(score: QNML) -> list[tuple[float, float, float]]:
    """It asks the same of all pairs with as many states."""
    n_rows, found = float(score.counter.n_rows), []
    of_states = sorted(Tally(score.schema.cardinalities).items())
    sizes = [r for r, _ in of_states]
    cells = sorted({*sizes, *(r * q for r in sizes for q in sizes)})
    regret = dict(zip(cells, _core.multinomial_regrets(n_rows, cells), strict=True))
    for i, (r, ours) in enumerate(of_states):
        for q, theirs in of_states[: i + 1]:
            if min(r, q) < 2 or n_rows < _DENSE_ROWS * r * q:
                continue
            asked = regret[r * q] - regret[r] - regret[q]
            times = ours * (ours - 1) / 2 if r == q else ours * theirs
            found.append((asked, (r - 1.0) * (q - 1.0), float(times)))
    return found


def _asked_by_bdeu(score: BDeu) -> list[tuple[float, float, float]]:
    """It asks less where margins are skewed."""
    scopes = [(v,) for v in range(len(score.schema))]
    margins = [np.rint(one).astype(np.int64) for one in score.counter.counts_many(scopes)]
    asked = _core.bdeu_asked(margins, score.settings.ess, _DENSE_ROWS)
    free = np.array([max(int(np.count_nonzero(one >= _DENSE_ROWS)) - 1, 1) for one in margins])
    each = int(free.max(initial=0)) ** 2 + 1
    times = np.zeros(0, dtype=np.int64)  # of each kind of pair
    for begin in range(0, len(free), _BLOCK):  # of many variables all pairs at once are large
        rows = asked[begin : begin + _BLOCK]
        i, j = np.nonzero(rows >= 0)
        kind = (rows[i, j] // _STEP).astype(np.int64) * each + free[begin + i] * free[j]
        more = np.bincount(kind, minlength=len(times))
        more[: len(times)] += times
        times = more
    kinds = np.flatnonzero(times).tolist()
    return [(kind // each * _STEP, float(kind % each), float(times[kind])) for kind in kinds]


def _left_of(gains_of: Callable[[], Floats], edge_price: float, pairs: Floats | None) -> Floats:
    """What pairs gain beyond what their edges cost."""
    left = gains_of() - edge_price
    if pairs is not None:
        left -= pairs
    return left


def _forest(gains: Floats) -> list[float]:
    """Gains of the edges of the best forest, the largest first: as many edges as pairs show."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    u, v = np.nonzero(np.triu(gains > 0, 1))
    either = np.minimum(gains[u, v], gains[v, u])  # equal but for rounding
    kept = either > 0
    pairs = coo_array((-either[kept], (u[kept], v[kept])), shape=gains.shape)
    found: Floats = minimum_spanning_tree(pairs.tocsr()).data
    return sorted((-found).tolist(), reverse=True)


def _least(falling: Callable[[float], float], goal: float) -> float:
    """Where a falling function is at most `goal`, from 0 on."""
    low, high = 0.0, 1.0
    if falling(low) <= goal:
        return low
    while falling(high) > goal:
        low, high = high, 2 * high
    while high - low > _STEP / 2:
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > goal else (low, middle)
    return high

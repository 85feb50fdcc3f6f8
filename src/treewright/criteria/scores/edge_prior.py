"""A price for every edge: the correction for having looked at many pairs.

A score that compares one family with another knows nothing of the n(n - 1)/2 pairs among which a search picks
its edges. Prior odds of 1/n for each pair, about n/2 expected edges, cost ln n nats an edge and remove most
false ones.

A score pays for every declared cell. Beside a variable of 60 to 100 states that is more than a few hundred
rows can return: its edges are missing, and false ones between its neighbours take their place. So states that
say the same about the others may be merged beforehand (:func:`~treewright.statistics.merge_states`). The
score stays a difference of set functions, those of the merged columns: structures that it cannot tell apart
still tie to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from treewright import _core
from treewright.arguments import COUNTS, SCORE, require
from treewright.criteria.scores.discrete_score import QNML, resolution_of
from treewright.criteria.scores.gaussian_scores import GaussianBIC
from treewright.criteria.scores.score import LocalScore, NamedFamily, WrappedScore, as_families, floats
from treewright.errors import SettingError
from treewright.statistics.counter import Counter
from treewright.statistics.merged import Groups, MergedCounter
from treewright.statistics.moments import Moments
from treewright.statistics.state_merging import merge_states
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Floats

# With so many rows for each cell of two variables qNML asks for more than chance can pay.
_DENSE_ROWS = 5
# Edges that chance may pay for in a data set of sparse tables, on average.
_FALSE_EDGES = 0.1


class EdgePrior(WrappedScore):
    """Any score, less a penalty for each parent.

    Parameters
    ----------
    penalty
        Nats for each edge, 0 or more. It is rounded to the resolution of the score (about 1e-9 nats at 10,000
        rows), so that exact ties stay exact.
    pairs
        What edges of certain pairs cost beyond: a symmetric matrix of multiples of the resolution.

    Examples
    --------
    >>> from treewright.criteria import BIC
    >>> from treewright.statistics.joint import JointCounts
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable("treated", ("no", "yes")), Variable("well", ("no", "yes"))])
    >>> score = BIC(JointCounts(schema, [[20, 10], [5, 25]]))
    >>> EdgePrior(score, 0.5).local("well", ["treated"]) - score.local("well", ["treated"])
    -0.5
    """

    def __init__(self, score: LocalScore, penalty: float, pairs: Floats | None = None) -> None:
        require(type(self).__name__, SCORE, score)
        if not (math.isfinite(penalty) and penalty >= 0):
            raise SettingError(
                f"the penalty for each edge must be a finite number of nats from 0 on; found {penalty!r}"
            )
        self.inner, self.pairs = score, pairs
        step = self.resolution
        self.penalty = round(penalty / step) * step if step else float(penalty)

    def __repr__(self) -> str:
        return f"EdgePrior({self.inner!r}, penalty={self.penalty:.6g})"

    def local_many(self, families: Sequence[NamedFamily]) -> Floats:
        known = as_families(self.schema, families)
        return self.inner.local_many(known) - floats(self._price(child, parents) for child, parents in known)

    def local_additions(
        self, child: NameOrIndex, parents: Iterable[NameOrIndex], candidates: Sequence[NameOrIndex]
    ) -> Floats:
        parents = tuple(parents)
        scores = self.inner.local_additions(child, parents, candidates)
        return scores - self._price(child, parents) - self._prices(child, candidates)

    def local_deletions(self, child: NameOrIndex, parents: Sequence[NameOrIndex]) -> Floats:
        scores = self.inner.local_deletions(child, parents)
        return scores - self._price(child, parents) + self._prices(child, parents)

    def pair_gains(self) -> Floats:
        more = 0.0 if self.pairs is None else self.pairs
        return self.inner.pair_gains() - self.penalty * (1 - np.eye(len(self.schema))) - more

    def _price(self, child: NameOrIndex, parents: Sequence[NameOrIndex]) -> float:
        """What the edges of a family cost."""
        return (
            self.penalty * len(parents) if self.pairs is None else float(self._prices(child, parents).sum())
        )

    def _prices(self, child: NameOrIndex, parents: Sequence[NameOrIndex]) -> Floats:
        """What each edge of a family costs."""
        own = np.full(len(parents), self.penalty)
        index = self.schema.index
        return own if self.pairs is None else own + self.pairs[index(child), [index(p) for p in parents]]


class SparseQNML(EdgePrior):
    """qNML with the price ln n for each edge, n the number of variables: the score for few rows.

    Where two variables have about as many states together as there are rows, qNML asks less for their edge
    than chance pays. There an edge costs so much more that columns which have nothing to do with each other
    are not joined (:func:`chance_prices`). The price is one of the pair, so equivalent structures still tie.

    Examples
    --------
    >>> import treewright as tw
    >>> score = SparseQNML(tw.count(tw.read_table({"a": [0] * 6 + [1] * 6, "b": [0] * 5 + [1] * 7})))
    >>> score.local("b", ["a"]) > score.local("b")
    True
    """

    def __init__(self, counter: Counter) -> None:
        super().__init__(*priced_qnml(counter))

    def __repr__(self) -> str:
        return f"SparseQNML({len(self.schema)} variables)"


def sparse_score(source: Counter | Moments) -> LocalScore:
    """A score that pays ln n nats for each edge among n variables: `SparseQNML`, or BIC of moments."""
    if isinstance(source, Moments):
        return EdgePrior(GaussianBIC(source), _log_n(source.schema))
    return SparseQNML(source)


def priced_qnml(counter: Counter, edge_price: float | None = None) -> tuple[QNML, float, Floats | None]:
    """qNML, the price of every edge (ln n by default), and what certain pairs cost beyond."""
    price = _log_n(counter.schema) if edge_price is None else edge_price
    return QNML(counter), price, chance_prices(counter, price)


def chance_prices(counter: Counter, edge_price: float) -> Floats | None:
    """What edges have to cost beside qNML and `edge_price` so that chance does not pay for them.

    Shuffling a column leaves its margin, and the margins of two columns say how much the likelihood of one
    gains when the other, shuffled, becomes its parent: the mean and the deviation. A pair with fewer than
    five rows for each cell costs what such a gain exceeds in one of ten data sets, all pairs taken together;
    with fewer than 3.5, also what it exceeds beside other parents of up to 16 configurations. None where qNML
    asks for more already, as it does for all but variables of very many states.

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
    found = _core.chance_prices(margins, edge_price, level, _DENSE_ROWS, step)
    prices = np.zeros((len(schema), len(schema)))
    prices[np.ix_(scope, scope)] = found
    return prices if found.any() else None


def _log_n(schema: Schema) -> float:
    return math.log(max(len(schema), 1))


class GroupedScore(EdgePrior):
    """Any score of counts over groups of states where a variable has many, less ln n for each edge.

    Parameters
    ----------
    make
        From a counter to a score, such as :class:`~treewright.BIC`.
    above
        Variables with more states than this are seen through groups.
    groups
        The groups by name, if they are known; by default those of
        :func:`~treewright.statistics.merge_states`.

    Attributes
    ----------
    groups
        By name, the groups of each variable that is merged. Structures and their parameters keep all states:
        the groups only decide about edges.

    Examples
    --------
    >>> import treewright as tw
    >>> codes = ["a", "b", "c", "d"] * 25
    >>> counter = tw.count(tw.read_table({"code": codes, "vowel": [code == "a" for code in codes]}))
    >>> score = tw.criteria.GroupedScore(tw.BIC, counter, above=3)
    >>> score.groups
    {'code': (('a',), ('b', 'c', 'd'))}
    """

    def __init__(
        self,
        make: Callable[[Counter], LocalScore],
        counter: Counter,
        *,
        above: int = 8,
        groups: Mapping[str, Groups] | None = None,
    ) -> None:
        require(type(self).__name__, COUNTS, counter)
        self.groups = merge_states(counter, above=above) if groups is None else dict(groups)
        seen = MergedCounter(counter, self.groups) if self.groups else counter
        self._schema = counter.schema
        inner, price = make(seen), _log_n(counter.schema)
        chance = chance_prices(seen, price) if type(inner) is QNML else None
        super().__init__(inner, price, chance)

    @property
    def schema(self) -> Schema:
        """The variables with all their states."""
        return self._schema

    def __repr__(self) -> str:
        inner = type(self.inner).__name__
        return f"GroupedScore({inner}, {len(self.schema)} variables, {len(self.groups)} of them merged)"


class GroupedQNML(GroupedScore):
    """`SparseQNML` over groups of states where a variable has many; the same score where none has.

    It has the settings and attributes of :class:`GroupedScore`.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> rng = np.random.default_rng(0)
    >>> code = rng.integers(40, size=300)
    >>> noisy = {name: (code % 2 + (rng.random(300) < 0.1)) % 2 for name in "xyz"}
    >>> counter = tw.count(tw.read_table({"code": [f"code {c}" for c in code], **noisy}))
    >>> tw.learn_hill_climbing(tw.SparseQNML(counter)).structure.n_edges
    3
    >>> score = tw.criteria.GroupedQNML(counter)
    >>> len(score.groups["code"]), tw.learn_hill_climbing(score).cpdag.undirected_edges()
    (2, [('code', 'x'), ('code', 'y'), ('code', 'z')])
    """

    def __init__(
        self, counter: Counter, *, above: int = 8, groups: Mapping[str, Groups] | None = None
    ) -> None:
        super().__init__(QNML, counter, above=above, groups=groups)

    def __repr__(self) -> str:
        return f"GroupedQNML({len(self.schema)} variables, {len(self.groups)} of them merged)"

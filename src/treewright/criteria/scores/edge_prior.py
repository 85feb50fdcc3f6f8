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
from functools import cache

import numpy as np

from treewright.arguments import COUNTS, SCORE, require
from treewright.criteria.scores.chance import chance_prices, price_of_chance, rare_prices
from treewright.criteria.scores.dirichlet_scores import BDeu
from treewright.criteria.scores.discrete_score import QNML
from treewright.criteria.scores.gaussian_scores import GaussianBIC
from treewright.criteria.scores.score import LocalScore, NamedFamily, WrappedScore, as_families, floats
from treewright.errors import SettingError
from treewright.once import cached_property
from treewright.ranges import in_range
from treewright.statistics.counter import Counter
from treewright.statistics.merged import Groups, MergedCounter
from treewright.statistics.moments import Moments
from treewright.statistics.state_merging import merge_states
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Floats


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

    @in_range
    def __init__(self, score: LocalScore, penalty: float, pairs: Floats | None = None) -> None:
        require(type(self).__name__, SCORE, score)
        if not (math.isfinite(penalty) and penalty >= 0):
            raise SettingError(
                f"the penalty for each edge must be a finite number of nats from 0 on; found {penalty!r}"
            )
        self.inner, self.pairs = score, pairs
        self.penalty = self.in_steps(penalty)

    @in_range
    def in_steps(self, penalty: float) -> float:
        """A price rounded to the resolution of the score."""
        step = self.resolution
        return round(penalty / step) * step if step else float(penalty)

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
    are not joined. Where all pairs together show hardly more edges than chance pays for, every edge costs
    more (:mod:`~treewright.criteria.scores.chance`). Both are prices of pairs: equivalent structures tie.

    Examples
    --------
    >>> import treewright as tw
    >>> score = SparseQNML(tw.count(tw.read_table({"a": [0] * 6 + [1] * 6, "b": [0] * 5 + [1] * 7})))
    >>> score.local("b", ["a"]) > score.local("b")
    True
    """

    def __init__(self, counter: Counter) -> None:
        require("SparseQNML", COUNTS, counter)
        inner, price, pairs = priced_qnml(counter)
        super().__init__(inner, price + price_of_chance(inner, price, pairs), pairs)

    def __repr__(self) -> str:
        return f"SparseQNML({len(self.schema)} variables)"


def make_sparse_score(source: Counter | Moments) -> LocalScore:
    """A score that pays ln n nats for each edge among n variables: `SparseQNML`, or BIC of moments."""
    if isinstance(source, Moments):
        inner, price = GaussianBIC(source), _log_n(source.schema)
        return EdgePrior(inner, price + price_of_chance(inner, price))
    return SparseQNML(source)


def priced_qnml(counter: Counter, edge_price: float | None = None) -> tuple[QNML, float, Floats | None]:
    """qNML, the price of every edge (ln n by default), and what certain pairs cost beyond."""
    price = _log_n(counter.schema) if edge_price is None else edge_price
    return QNML(counter), price, chance_prices(counter, price)


def _log_n(schema: Schema) -> float:
    return math.log(max(len(schema), 1))


class GroupedScore(EdgePrior):
    """Any score of counts over groups of states where a variable has many, less ln n for each edge.

    qNML and BDeu carry the prices of chance as :class:`~treewright.SparseQNML` does.

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

    @in_range
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
        self.inner, self._seen = make(seen), seen

    @property
    def pairs(self) -> Floats | None:  # type: ignore[override]  # computed where somebody searches with it
        """What edges of certain pairs cost beyond the price of an edge."""
        return self._prices_of_chance[0]

    @property
    def penalty(self) -> float:  # type: ignore[override]
        """Nats for each edge."""
        return self._prices_of_chance[1]

    @cached_property
    def _prices_of_chance(self) -> tuple[Floats | None, float]:
        """Both prices, from one pass over the pairs."""
        inner, price, pairs = self.inner, _log_n(self.schema), None
        gains_of = cache(inner.pair_gains)
        if type(inner) is QNML:
            pairs = chance_prices(self._seen, price)
        elif isinstance(inner, BDeu):
            pairs = chance_prices(self._seen, price, ess=inner.settings.ess)
            rare = rare_prices(inner, price, pairs, gains_of)
            pairs = pairs if rare is None else rare if pairs is None else pairs + rare
        return pairs, self.in_steps(price + price_of_chance(inner, price, pairs, gains_of))

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

    @in_range
    def __init__(
        self, counter: Counter, *, above: int = 8, groups: Mapping[str, Groups] | None = None
    ) -> None:
        super().__init__(QNML, counter, above=above, groups=groups)

    def __repr__(self) -> str:
        return f"GroupedQNML({len(self.schema)} variables, {len(self.groups)} of them merged)"

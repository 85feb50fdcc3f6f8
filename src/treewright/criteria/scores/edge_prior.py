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

from treewright.arguments import COUNTS, SCORE, require
from treewright.criteria.scores.discrete_score import QNML
from treewright.criteria.scores.gaussian_scores import GaussianBIC
from treewright.criteria.scores.score import LocalScore, NamedFamily, WrappedScore, as_families
from treewright.errors import SettingError
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

    def __init__(self, score: LocalScore, penalty: float) -> None:
        require(type(self).__name__, SCORE, score)
        if not (math.isfinite(penalty) and penalty >= 0):
            raise SettingError(
                f"the penalty for each edge must be a finite number of nats from 0 on; found {penalty!r}"
            )
        self.inner = score
        step = self.resolution
        self.penalty = round(penalty / step) * step if step else float(penalty)

    def __repr__(self) -> str:
        return f"EdgePrior({self.inner!r}, penalty={self.penalty:.6g})"

    def local_many(self, families: Sequence[NamedFamily]) -> Floats:
        known = as_families(self.schema, families)
        n_parents = np.array([len(parents) for _, parents in known], dtype=np.float64)
        return self.inner.local_many(known) - self.penalty * n_parents

    def local_additions(
        self, child: NameOrIndex, parents: Iterable[NameOrIndex], candidates: Sequence[NameOrIndex]
    ) -> Floats:
        parents = tuple(parents)
        return self.inner.local_additions(child, parents, candidates) - self.penalty * (len(parents) + 1)

    def local_deletions(self, child: NameOrIndex, parents: Sequence[NameOrIndex]) -> Floats:
        return self.inner.local_deletions(child, parents) - self.penalty * (len(parents) - 1)

    def pair_gains(self) -> Floats:
        return self.inner.pair_gains() - self.penalty * (1 - np.eye(len(self.schema)))


class SparseQNML(EdgePrior):
    """qNML with the price ln n for each edge, n the number of variables: the score for few rows.

    Examples
    --------
    >>> import treewright as tw
    >>> score = SparseQNML(tw.count(tw.read_table({"a": [0] * 6 + [1] * 6, "b": [0] * 5 + [1] * 7})))
    >>> score.local("b", ["a"]) > score.local("b")
    True
    """

    def __init__(self, counter: Counter) -> None:
        super().__init__(QNML(counter), math.log(max(len(counter.schema), 1)))

    def __repr__(self) -> str:
        return f"SparseQNML({len(self.schema)} variables)"


def sparse_score(source: Counter | Moments) -> LocalScore:
    """A score that pays ln n nats for each edge among n variables: `SparseQNML`, or BIC of moments."""
    if isinstance(source, Moments):
        return EdgePrior(GaussianBIC(source), math.log(max(len(source.schema), 1)))
    return SparseQNML(source)


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
        super().__init__(make(seen), math.log(max(len(counter.schema), 1)))

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

"""A price for every edge: the correction for having looked at many pairs.

A score that compares one family with another knows nothing of the n(n - 1)/2 pairs among which a search picks
its edges. Prior odds of 1/n for each pair, about n/2 expected edges, cost ln n nats an edge and remove most
false ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from treewright.arguments import SCORE, require
from treewright.criteria.scores.gaussian_scores import GaussianBIC
from treewright.criteria.scores.likelihood_scores import QNML
from treewright.criteria.scores.score import LocalScore, NamedFamily, WrappedScore, as_families
from treewright.errors import SettingError
from treewright.statistics.counter import Counter
from treewright.statistics.moments import Moments
from treewright.tables.schema import NameOrIndex
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

    @property
    def resolution(self) -> float:
        """The step of which every local score is a multiple; 0 when the wrapped score has none."""
        return float(getattr(self.inner, "resolution", 0.0) or getattr(self.inner, "unit", 0.0))

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

"""A score restricted to some of its variables, for searches over clusters."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

from treewright.criteria.scores.cached_score import CachedScore
from treewright.criteria.scores.discrete_score import DiscreteScore
from treewright.criteria.scores.edge_prior import EdgePrior
from treewright.criteria.scores.gaussian_scores import GaussianBIC
from treewright.criteria.scores.score import LocalScore, NamedFamily, WrappedScore, as_families
from treewright.statistics.families import family_statistics
from treewright.statistics.whole import WholeCounter, count
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Floats


def restrict_score(score: LocalScore, variables: Sequence[NameOrIndex]) -> LocalScore:
    """The same scores of families inside some of the variables, in the order given.

    A score of a table in memory becomes a score of the columns alone, which has fewer distinct rows; any
    other is asked for the same families.

    Examples
    --------
    >>> import treewright as tw
    >>> score = tw.SparseQNML(tw.count(tw.read_table({"a": [0, 1, 1], "b": [0, 1, 0], "c": [1, 1, 0]})))
    >>> part = restrict_score(score, ("c", "a"))
    >>> part.schema.names, part.local("a", ["c"]) == score.local("a", ["c"])
    (('c', 'a'), True)
    """
    if isinstance(score, CachedScore):
        return restrict_score(score.inner, variables)
    if isinstance(score, EdgePrior) and type(score).local_many is EdgePrior.local_many:
        return EdgePrior(restrict_score(score.inner, variables), score.penalty)
    if type(score) is GaussianBIC:
        return GaussianBIC(score.moments.select(variables))
    if isinstance(score, DiscreteScore) and type(score).local_many is DiscreteScore.local_many:
        whole = family_statistics(score.counter)
        if isinstance(whole, WholeCounter):
            part = copy(score)
            part.counter = count(whole.table.select(variables))
            part._statistics = family_statistics(part.counter)
            return part
    return PartScore(score, variables)


class PartScore(WrappedScore):
    """Any score, asked about some of its variables only."""

    def __init__(self, score: LocalScore, variables: Sequence[NameOrIndex]) -> None:
        self.inner = score
        self.members = score.schema.scope(variables)
        self._schema = score.schema.select(self.members)

    def __repr__(self) -> str:
        return f"PartScore({self.inner!r}, {len(self.members)} variables)"

    @property
    def schema(self) -> Schema:
        return self._schema

    def local_many(self, families: Sequence[NamedFamily]) -> Floats:
        known = as_families(self.schema, families)
        return self.inner.local_many([(self.members[v], [self.members[p] for p in ps]) for v, ps in known])

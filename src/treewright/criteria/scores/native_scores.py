"""The way from a score to the native searches.

Searches in the core ask an abstract `LocalScores`. A score of a table in memory, or of moments, is answered
in the core, its wrappers seen through; every other score (a database, one of your own) is called back. A
score restricted to some of its variables serves searches over clusters in the same way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from numbers import Integral

import numpy as np

from treewright import _core
from treewright.criteria.scores.discrete_score import is_native_score
from treewright.criteria.scores.edge_prior import EdgePrior
from treewright.criteria.scores.gaussian_scores import GaussianBIC
from treewright.criteria.scores.pooled_score import PooledScore
from treewright.criteria.scores.score import CachedScore, LocalScore, NamedFamily, WrappedScore, as_families
from treewright.graphs.ranked import rank_matrix
from treewright.statistics.counter import Counter
from treewright.statistics.families import as_family_statistics
from treewright.statistics.memory import ROWS_TO_REMEMBER, memory_of
from treewright.statistics.whole import WholeCounter, count
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Floats

# Scores without a resolution of their own are rounded to this share of the score of the empty graph.
_RELATIVE_STEP = 2.0**-36
# Four roundings meet in a gain: fewer steps than these may be rounding alone.
_STEPS_OF_NOISE = 4
# The core tells so many tables apart.
_MOST_TABLES = 64


def native_scores(score: LocalScore) -> _core.LocalScores:
    """The score as native searches ask it; its variables are numbered by the rank of their names.

    Examples
    --------
    >>> import treewright as tw
    >>> score = tw.BIC(tw.count(tw.read_table({"b": [0, 0, 1, 1], "a": [0, 0, 1, 1]})))
    >>> native = native_scores(score)
    >>> native.local(0, [1]) == score.local("a", ["b"])
    True
    """
    return _counted(score) or _gaussian(score) or _pooled(score) or _callback(score)


@dataclass(frozen=True, eq=False)
class CountedScore:
    """A score with what searches counted for it (`native`), for one search after the other.

    Examples
    --------
    >>> import treewright as tw
    >>> score = tw.BIC(tw.count(tw.read_table({"b": [0, 0, 1, 1], "a": [0, 0, 1, 1]})))
    >>> counted = CountedScore(score)
    >>> tw.learners.class_search(score, counted=counted).trace.total("tables")
    0
    """

    score: LocalScore
    native: _core.LocalScores = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "native", native_scores(self.score))


def _counted(score: LocalScore) -> _core.LocalScores | None:
    """A discrete score, with the prices of its edges added up.

    It is counted from rows that are at hand, or from tables that are remembered where rows are many or far.
    """
    inner, price, pairs = without_price(score)
    schema, members = inner.schema, tuple(range(len(inner.schema)))
    part = inner
    if isinstance(part, PartScore):
        inner, members = part.inner, part.members
    if not is_native_score(inner):
        return None
    counter = as_family_statistics(inner.counter)
    order = [members[v] for v in schema.name_order]
    ranked = None if pairs is None else rank_matrix(schema, pairs)
    settings = (inner.settings.kind, inner.settings.ess, price, order, ranked)
    whole = counter if isinstance(counter, WholeCounter) else None
    source: Counter = inner.counter if whole is None else whole
    is_small = whole is not None and whole.table.n_rows < ROWS_TO_REMEMBER
    memory = None if is_small else memory_of(source)
    if memory is not None:
        return _core.counted_scores(memory, source, *settings)
    return None if whole is None else _core.packed_scores(whole.packed, *settings)


def without_price(score: LocalScore) -> tuple[LocalScore, float, Floats | None]:
    """The score inside its wrappers, what these charge for an edge, and for some pairs beyond that."""
    price, inner, pairs = 0.0, score, None
    while True:
        if type(inner) is CachedScore:  # the core counts faster than Python remembers
            inner = inner.inner
        elif isinstance(inner, EdgePrior) and type(inner).local_many is EdgePrior.local_many:
            if inner.pairs is not None:
                pairs = inner.pairs if pairs is None else pairs + inner.pairs
            price, inner = price + inner.penalty, inner.inner
        else:
            return inner, price, pairs


def _gaussian(score: LocalScore) -> _core.LocalScores | None:
    inner, price, pairs = without_price(score)
    if type(inner) is not GaussianBIC or pairs is not None:
        return None
    scatter = rank_matrix(inner.schema, inner.moments.scatter)
    return _core.gaussian_scores(scatter, float(inner.moments.n), price)


def _pooled(score: LocalScore) -> _core.LocalScores | None:
    """A score of several tables; their variables are in name order already."""
    if type(score) is not PooledScore or len(score.databases) > _MOST_TABLES:
        return None

    def make(tables: int) -> tuple[_core.LocalScores, list[int], float]:
        inside = score.in_tables(tables)
        place = [inside.place.get(v, 0) for v in range(len(score.schema))]
        return native_scores(inside.score), place, inside.n_rows

    step = _step_for(score)
    rows = [float(rows) for rows in score.databases.weights]
    return _core.pooled_scores(score.databases.masks, rows, score.scale, step, _STEPS_OF_NOISE * step, make)


def _callback(score: LocalScore) -> _core.LocalScores:
    step = float(getattr(score, "resolution", 0.0) or getattr(score, "unit", 0.0))
    counter = getattr(without_price(score)[0], "counter", None)
    # sums of real counts depend on their order, so a set that is counted in two ways may differ by a step
    noise = 0.0 if counter is None or isinstance(counter.n_rows, Integral) else _STEPS_OF_NOISE * step
    if not step:
        step = _step_for(score)
        noise = _STEPS_OF_NOISE * step
    order = list(score.schema.name_order)
    return _core.callback_scores(score, order, step, noise, bool(score.is_score_equivalent))


def _step_for(score: LocalScore) -> float:
    """A power of two, small beside the score of the empty graph."""
    own = np.abs(score.local_many([(v, ()) for v in range(len(score.schema))]))
    size = max(1.0, float(own[np.isfinite(own)].sum()))
    return float(2.0 ** math.ceil(math.log2(size * _RELATIVE_STEP)))


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
        at = score.schema.scope(variables)
        pairs = None if score.pairs is None else score.pairs[np.ix_(at, at)]
        return EdgePrior(restrict_score(score.inner, variables), score.penalty, pairs)
    if type(score) is GaussianBIC:
        return GaussianBIC(score.moments.select(variables))
    if is_native_score(score):
        whole = as_family_statistics(score.counter)
        if isinstance(whole, WholeCounter) and whole.table.n_rows < ROWS_TO_REMEMBER:
            part = copy(score)
            part.counter = count(whole.table.select(variables))
            part._statistics = as_family_statistics(part.counter)
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

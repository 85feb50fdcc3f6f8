"""The common body of the scores that the core computes from counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import ClassVar, cast

from treewright import _core
from treewright.criteria.scores.score import (
    LocalScore,
    NamedFamily,
    PluralScore,
    as_candidates,
    as_families,
    as_family,
)
from treewright.criteria.tests.queries import require_discrete
from treewright.statistics.counter import Counter
from treewright.statistics.families import (
    NOT_INDICES,
    Family,
    FromTables,
    ScoreKind,
    ScoreSettings,
    family_statistics,
    is_native,
)
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Floats


class DiscreteScore(PluralScore):
    """A score of discrete families, counted and judged in batches.

    Every local score is a multiple of :attr:`resolution`, a power of two chosen so that sums and differences
    of local scores do not round: structures that the score cannot tell apart tie exactly.
    """

    is_score_equivalent: bool = True

    def __init__(self, counter: Counter, settings: ScoreSettings) -> None:
        require_discrete(type(self).__name__, counter)
        self.counter = counter
        self.settings = settings
        self._statistics = family_statistics(counter)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.schema)} variables, {self.counter.n_rows} rows)"

    @property
    def schema(self) -> Schema:
        return self.counter.schema

    @property
    def resolution(self) -> float:
        """The step, in nats, of which every local score is a multiple."""
        return _core.score_resolution(float(self.counter.n_rows))

    def local_many(self, families: Sequence[NamedFamily]) -> Floats:
        if is_native(self._statistics):
            with suppress(*NOT_INDICES):  # the core checks indices faster than a loop here would
                return self._statistics.score_families(self.settings, cast("Sequence[Family]", families))
        return self._statistics.score_families(self.settings, as_families(self.schema, families))

    def local_additions(
        self, child: NameOrIndex, parents: Iterable[NameOrIndex], candidates: Sequence[NameOrIndex]
    ) -> Floats:
        target, known = as_family(self.schema, child, parents)
        if is_native(self._statistics):
            with suppress(*NOT_INDICES):
                added = cast("Sequence[int]", candidates)
                return self._statistics.score_additions(self.settings, target, known, added)
        added = as_candidates(self.schema, target, known, candidates)
        return self._statistics.score_additions(self.settings, target, known, added)

    def local_deletions(self, child: NameOrIndex, parents: Sequence[NameOrIndex]) -> Floats:
        target, _ = as_family(self.schema, child, parents)
        return self._statistics.score_deletions(self.settings, target, self.schema.scope(parents))

    def pair_gains(self) -> Floats:
        return self._statistics.score_pairs(self.settings)


class CountScore(DiscreteScore):
    """A score that needs nothing but counts of discrete variables: `kind` is the core's name of it."""

    kind: ClassVar[ScoreKind]

    def __init__(self, counter: Counter) -> None:
        super().__init__(counter, ScoreSettings(self.kind))


def of_same_tables(scores: Sequence[LocalScore]) -> list[DiscreteScore]:
    """The scores, when all of them judge the tables of one counter; else none."""
    found = [
        score
        for score in scores
        if isinstance(score, DiscreteScore) and type(score).local_many is DiscreteScore.local_many
    ]
    return found if len(found) == len(scores) and len({id(score.counter) for score in found}) == 1 else []


def local_by(scores: Sequence[DiscreteScore], families: Sequence[Family]) -> list[Floats]:
    """Local scores of the same families by each score; all judge the same tables, which are counted once.

    Examples
    --------
    >>> import treewright as tw
    >>> counter = tw.count(tw.read_table({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1]}))
    >>> bic, bdeu = local_by([tw.BIC(counter), tw.BDeu(counter)], [(0, (1,))])
    >>> bic.tolist() == [tw.BIC(counter).local(0, (1,))], bdeu.tolist() == [tw.BDeu(counter).local(0, (1,))]
    (True, True)
    """
    return FromTables(scores[0].counter).score_families_by([score.settings for score in scores], families)

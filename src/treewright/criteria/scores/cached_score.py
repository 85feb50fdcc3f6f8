"""Remember local scores: searches ask for the same families again and again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence

from treewright.arguments import SCORE, require
from treewright.criteria.scores.score import (
    LocalScore,
    NamedFamily,
    WrappedScore,
    as_candidates,
    as_families,
    as_family,
    floats,
)
from treewright.errors import SettingError
from treewright.statistics.families import Family
from treewright.tables.schema import NameOrIndex
from treewright.types import Floats


class CachedScore(WrappedScore):
    """Any score, with a bounded memory of the families it was asked for.

    Questions in the plural pass on only what is not known yet, each family once.

    Parameters
    ----------
    max_entries
        Families to remember; the one not used for longest is forgotten first.

    Examples
    --------
    >>> from treewright.criteria import BIC
    >>> from treewright.statistics.joint import JointCounts
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable("treated", ("no", "yes")), Variable("well", ("no", "yes"))])
    >>> score = CachedScore(BIC(JointCounts(schema, [[20, 10], [5, 25]])))
    >>> score.local("well", ["treated"]) == score.local("well", ["treated"])
    True
    >>> score.hits, score.misses
    (1, 1)
    """

    def __init__(self, score: LocalScore, *, max_entries: int = 1_000_000) -> None:
        require("CachedScore", SCORE, score)
        if max_entries < 1:
            raise SettingError(f"a cache must hold at least one family; found max_entries={max_entries!r}")
        self.inner = score
        self.max_entries = max_entries
        self.hits = 0
        self.misses = 0
        self._known: OrderedDict[Family, float] = OrderedDict()

    def __repr__(self) -> str:
        found = f"{self.hits} hits, {self.misses} misses"
        return f"CachedScore({self.inner!r}, {len(self._known)} families, {found})"

    def local_many(self, families: Sequence[NamedFamily]) -> Floats:
        return self._look_up(as_families(self.schema, families), self.inner.local_many)

    def local_additions(
        self, child: NameOrIndex, parents: Iterable[NameOrIndex], candidates: Sequence[NameOrIndex]
    ) -> Floats:
        target, known = as_family(self.schema, child, parents)
        added = as_candidates(self.schema, target, known, candidates)
        owner = {(target, tuple(sorted((*known, candidate)))): candidate for candidate in added}
        # the wrapped score counts the common part of these families once
        return self._look_up(
            [(target, tuple(sorted((*known, candidate)))) for candidate in added],
            lambda unseen: self.inner.local_additions(target, known, [owner[family] for family in unseen]),
        )

    def pair_gains(self) -> Floats:
        return self.inner.pair_gains()  # asked once in a search

    def _look_up(self, families: list[Family], ask: Callable[[list[Family]], Floats]) -> Floats:
        unseen = list(dict.fromkeys(family for family in families if family not in self._known))
        self.misses += len(unseen)
        self.hits += len(families) - len(unseen)
        fresh = dict(zip(unseen, ask(unseen).tolist(), strict=True)) if unseen else {}
        answer = floats(fresh[family] if family in fresh else self._touch(family) for family in families)
        self._known.update(fresh)
        while len(self._known) > self.max_entries:
            self._known.popitem(last=False)
        return answer

    def _touch(self, family: Family) -> float:
        self._known.move_to_end(family)
        return self._known[family]

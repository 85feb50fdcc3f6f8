"""The tests behind scores of blankets: which settings, and who answers.

Scores of one counter with the same settings share their tests, and remember them: flipping an edge back and
forth, or judging a graph by another score, tests nothing twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from weakref import WeakKeyDictionary

import numpy as np

from treewright import _core
from treewright.criteria.scores.score import positive
from treewright.criteria.tests.queries import one_of
from treewright.errors import SettingError
from treewright.statistics.counter import Counter
from treewright.statistics.families import PosteriorSettings, Query, family_statistics
from treewright.statistics.whole import WholeCounter
from treewright.types import Floats

Slices = Literal["all", "observed"]
Margin = float | Literal["matched"]


@dataclass(frozen=True)
class BlanketTestSettings:
    """Settings of the Bayesian test of independence; `matched` margins follow from the joint prior."""

    prior: float
    alpha: Margin
    beta: Margin
    gamma: float
    slices: Slices

    def __post_init__(self) -> None:
        if not 0 < self.prior < 1:
            raise SettingError(
                f"the prior of independence must lie between 0 and 1, both excluded; found {self.prior!r}"
            )
        one_of("slices", self.slices, ("all", "observed"))
        positive("gamma", self.gamma)
        if (self.alpha == "matched") != (self.beta == "matched"):
            raise SettingError(
                'alpha and beta are both "matched" or both numbers; found '
                f"alpha={self.alpha!r} and beta={self.beta!r}"
            )
        if self.alpha != "matched" and self.beta != "matched":
            positive("alpha", self.alpha)
            positive("beta", self.beta)

    @property
    def is_matched(self) -> bool:
        return self.alpha == "matched"

    def between(self, r_x: int, r_y: int) -> PosteriorSettings:
        """The test of two variables with so many states."""
        alpha = self.gamma * r_y if self.alpha == "matched" else self.alpha
        beta = self.gamma * r_x if self.beta == "matched" else self.beta
        return PosteriorSettings(self.prior, float(alpha), float(beta), float(self.gamma), self.slices)


_shared: WeakKeyDictionary[Counter, dict[BlanketTestSettings, _core.BlanketTests]] = WeakKeyDictionary()


def blanket_tests(counter: Counter, settings: BlanketTestSettings) -> _core.BlanketTests:
    """The tests of a counter: native for a table in memory, by its tables for any other."""
    try:
        known = _shared.setdefault(counter, {})
    except TypeError:  # a counter that cannot be remembered
        return _new_tests(counter, settings)
    if settings not in known:
        known[settings] = _new_tests(counter, settings)
    return known[settings]


def _new_tests(counter: Counter, settings: BlanketTestSettings) -> _core.BlanketTests:
    order = list(counter.schema.name_order)
    native = family_statistics(counter)
    if isinstance(native, WholeCounter):
        plain = settings.between(1, 1)
        return _core.packed_blanket_tests(
            native.packed, plain.prior, plain.alpha, plain.beta, plain.gamma,
            settings.is_matched, settings.slices == "all", order,
        )  # fmt: skip
    cards = counter.schema.cardinalities

    def ask(queries: Sequence[Query]) -> tuple[Floats, Floats]:
        independent, dependent = np.empty(len(queries)), np.empty(len(queries))
        shapes: dict[tuple[int, int], list[int]] = {}
        for at, (x, y, _) in enumerate(queries):
            shapes.setdefault((cards[x], cards[y]) if settings.is_matched else (1, 1), []).append(at)
        for (r_x, r_y), places in shapes.items():
            asked = [(x, y, tuple(given)) for x, y, given in (queries[at] for at in places)]
            found = native.test_queries(settings.between(r_x, r_y), asked)
            independent[places], dependent[places] = found
        return independent, dependent

    symmetric = settings.is_matched or settings.alpha == settings.beta
    return _core.called_blanket_tests(ask, list(cards), float(counter.n_rows), symmetric, order)

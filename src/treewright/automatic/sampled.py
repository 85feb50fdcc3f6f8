"""A structure from some of the rows, parameters from all of them, and a search on with all rows.

What a score finds in a million rows it rarely finds otherwise in a billion, while parameters gain from every
row. So the search sees rows in runs of neighbours that lie evenly among all, and fitting sees all rows. Where
it matters, the search goes on with all rows from there: it ends where no step improves on all of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from treewright.automatic.clock import Clock
from treewright.automatic.search import LearnedAutomatically, narrow_enough
from treewright.criteria import LocalScore
from treewright.errors import SettingError
from treewright.learners import learn_hill_climbing
from treewright.learners.classes.score_choice import score_like
from treewright.statistics import ClusterCounter, Counter, KeptCounter, Moments, WholeCounter, count
from treewright.tables.packing import RUNS_OF_A_SAMPLE, evenly


def some_of(source: Counter, n: int) -> Counter:
    """A counter of about `n` of the rows behind another one."""
    if isinstance(source, KeptCounter):
        return some_of(source.counter, n)
    if isinstance(source, ClusterCounter):
        return source.sampled(n)
    if isinstance(source, WholeCounter):
        return count(evenly(source.table, n))
    raise SettingError(
        f"rows= takes some of the rows of a table, and a {type(source).__name__} only counts; leave it out, "
        "or learn from the table"
    )


def about_sample(n: int, of: float, *, certified: bool, density: bool = False) -> list[str]:
    """What to say about it; nothing where all rows were taken after all.

    Examples
    --------
    >>> about_sample(1_000, 50_000, certified=False)
    ['structure from 1,000 of 50,000 rows, evenly taken in 64 runs; parameters from all rows']
    """
    if n >= of:
        return []
    runs = f"{n:,} of {int(of):,} rows, evenly taken in {min(n, RUNS_OF_A_SAMPLE)} runs"
    if density:
        return [f"structure and parameters from {runs}"]
    then = ", then searched on with all rows" if certified else ""
    return [f"structure from {runs}{then}; parameters from all rows"]


def check_sample(
    rows: int | None, certify: bool, *, rows_said: str = "rows=", said: str = "certify="
) -> None:
    """Refuse what makes no sense before anything is read."""
    if rows is not None and rows < 1:
        raise SettingError(f"{rows_said} takes at least one row; found {rows}")
    if certify and rows is None:
        raise SettingError(f"{said} searches on with all rows from what {rows_said} found; give both")


def search_on(
    source: Counter | Moments,
    begin: LearnedAutomatically,
    *,
    score: LocalScore | None = None,
    treewidth: int | None = None,
    rng: np.random.Generator | None = None,
    seconds: float | None = None,
    **options: Any,
) -> LearnedAutomatically:
    """Climb on from a network that some rows led to, by the same score of all rows.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> from treewright.automatic.search import learn_suited
    >>> table = tw.load_network("asia").sample(5_000, rng=np.random.default_rng(0))
    >>> some = learn_suited(tw.count(table.take(slice(0, 500))))
    >>> all_rows = search_on(tw.count(table), some)
    >>> all_rows.criterion == some.criterion, all_rows.structure.n_edges >= some.structure.n_edges
    (True, True)
    """
    judge = score_like(begin.criterion, source) if score is None else score
    climbed = learn_hill_climbing(judge, start=begin.structure, effort=0, **options)
    found = narrow_enough(source, [climbed], judge, treewidth, clock=Clock(seconds), rng=rng, **options)
    why, width = begin.reason.partition("; ")[0], found.reason.partition("; ")[2]
    reason = f"{why}; searched on with all rows by the same score; {width}"
    notes = tuple(dict.fromkeys((*begin.notes, *found.notes)))
    return replace(found, criterion=begin.criterion, reason=reason, notes=notes)

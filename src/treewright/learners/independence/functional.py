"""Columns that are functions of others, among those that a search met.

Given S, a variable that S determines is constant, hence "independent" of everything: tests then call true
neighbours separated. Such edges are lost to every constraint-based learner, so they are worth a line in its
report.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from treewright.criteria import IndependenceTest
from treewright.errors import TableTooLarge
from treewright.learners.independence.answers import GradedTest
from treewright.limits import table_cells
from treewright.statistics.counter import Counter
from treewright.statistics.families import DENSE_CELLS, Query
from treewright.types import Scope

Functional = tuple[str, tuple[str, ...]]
_SHOWN = 8


def functional_columns(test: IndependenceTest, separators: Iterable[Query]) -> tuple[Functional, ...]:
    """Variables that a separator determines, each with such sets, by name; constants have the empty set.

    Only tests that count can tell; for others there is nothing to report.
    """
    counter = getattr(test, "counter", None)
    if not isinstance(test, GradedTest) or not isinstance(counter, Counter):
        return ()
    asked = list(separators)
    idle = np.flatnonzero(test.test_many(asked).df == 0).tolist() if asked else []
    suspects = {(x, tuple(sorted(asked[i][2]))) for i in idle for x in asked[i][:2]}
    suspects |= {(x, ()) for x in range(len(test.schema))}
    occupied = occupied_cells(counter, {s for x, given in suspects for s in (given, _with(given, x))})
    names = test.schema.names
    return tuple(
        sorted(
            (names[x], tuple(sorted(names[w] for w in given)))
            for x, given in suspects
            if occupied[_with(given, x)] == occupied[given] > 0
        )
    )


def remarks_on_functional(functional: Iterable[Functional]) -> tuple[str, ...]:
    """What is worth saying about them; constants are a matter of reading.

    Examples
    --------
    >>> remarks_on_functional([("area", ("city",)), ("year", ())])
    ('determined by other columns, so that tests may lose their edges: area',)
    """
    names = sorted({name for name, given in functional if given})
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    shown = ", ".join(names[:_SHOWN]) + more
    return (f"determined by other columns, so that tests may lose their edges: {shown}",) if names else ()


def occupied_cells(counter: Counter, scopes: set[Scope]) -> dict[Scope, int]:
    """How many configurations of each scope occur; -1 for more cells than can be numbered."""
    few = {scope for scope in scopes if scope and table_cells(counter.schema, scope) <= DENSE_CELLS}
    tables = counter.counts_many(sorted(few))
    found = {scope: int(np.count_nonzero(table)) for scope, table in zip(sorted(few), tables, strict=True)}
    for scope in scopes - few:
        try:
            found[scope] = int(np.count_nonzero(counter.sparse_counts(scope).counts)) if scope else 1
        except TableTooLarge:
            found[scope] = -1
    return found


def _with(given: Scope, x: int) -> Scope:
    return tuple(sorted((*given, x)))

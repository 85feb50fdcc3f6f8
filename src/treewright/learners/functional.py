"""Columns that are functions of others, among those that a search met.

Given S, a variable that S determines is constant, hence "independent" of everything: tests then call true
neighbours separated. Such edges are lost to every constraint-based learner, so they are worth a line in its
report.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from treewright.criteria import IndependenceTest
from treewright.errors import TableTooLarge
from treewright.learners.answers import GradedTest
from treewright.statistics.counter import Counter
from treewright.statistics.families import Query
from treewright.tables.schema import Scope

Functional = tuple[str, tuple[str, ...]]


def functional_columns(test: IndependenceTest, separators: Iterable[Query]) -> tuple[Functional, ...]:
    """Variables that a separator determines, each with such sets, by name; constants have the empty set.

    Only tests that count can tell; for others there is nothing to report.
    """
    counter = getattr(test, "counter", None)
    if not isinstance(test, GradedTest) or not isinstance(counter, Counter):
        return ()
    asked = sorted(separators)
    idle = test.test_many(asked).df == 0 if asked else []
    found = {
        (x, given)
        for (u, v, given), no_freedom in zip(asked, idle, strict=True)
        if no_freedom
        for x in (u, v)
    }
    names = test.schema.names
    shown = ((x, given) for x, given in found if determines(counter, given, x))
    return tuple(sorted((names[x], tuple(sorted(names[w] for w in given))) for x, given in shown))


def determines(counter: Counter, given: Scope, x: int) -> bool:
    """Whether every configuration of `given` that occurs comes with one state of x."""
    try:
        return n_occupied(counter, (*given, x)) == n_occupied(counter, given)
    except TableTooLarge:  # more cells than can be numbered: nothing to say
        return False


def n_occupied(counter: Counter, scope: Sequence[int]) -> int:
    return int((counter.sparse_counts(tuple(scope)).counts != 0).sum()) if scope else 1

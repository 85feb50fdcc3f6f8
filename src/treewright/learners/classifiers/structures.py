"""Networks in which the class is the parent of everything: naive Bayes, and what may be added to it.

Given the class, the findings of naive Bayes are independent. A tree on top of it gives each finding one more
parent (Friedman, Geiger & Goldszmidt 1997), k-dependence up to k of them (Sahami 1996): those that tell most
about it once the class is known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.arguments import COUNTS, require
from treewright.errors import SchemaError, SettingError
from treewright.graphs import Dag, UndirectedGraph, find_maximum_spanning_forest
from treewright.learners.classes.chow_liu import rooted
from treewright.learners.learned import LearnedNetwork, TraceBuilder
from treewright.ranges import in_range
from treewright.statistics import Counter
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Floats, Scope

_TABLES_AT_ONCE = 4096


def learn_naive_bayes(counter: Counter, target: NameOrIndex) -> LearnedNetwork[Dag]:
    """The class is the only parent of every other variable; nothing is searched.

    Examples
    --------
    >>> import treewright as tw
    >>> counter = tw.count(tw.read_table({"ill": [0, 1] * 9, "b": [0, 1] * 9, "c": [0, 1, 1] * 6}))
    >>> learn_naive_bayes(counter, "ill").structure.edges()
    [('ill', 'b'), ('ill', 'c')]
    """
    return _augmented("learn_naive_bayes", counter, target, lambda others, given: {})


def learn_tree_augmented(counter: Counter, target: NameOrIndex) -> LearnedNetwork[Dag]:
    """Naive Bayes with the best tree among the findings: each has the class and one finding as parents.

    Examples
    --------
    >>> import treewright as tw
    >>> counter = tw.count(tw.read_table({"ill": [0, 1] * 9, "b": [0, 0, 1] * 6, "c": [0, 0, 1] * 6}))
    >>> learn_tree_augmented(counter, "ill").structure.edges()
    [('b', 'c'), ('ill', 'b'), ('ill', 'c')]

    References
    ----------
    .. [1] Friedman, Geiger & Goldszmidt (1997). Bayesian network classifiers. Machine Learning 29, 131-163.
    """

    def tree(others: Scope, given: Floats) -> dict[int, tuple[int, ...]]:
        schema = Schema([counter.schema[v] for v in others])
        forest: UndirectedGraph = find_maximum_spanning_forest(schema, given, threshold=0.0)
        return {others[child]: (others[parent],) for parent, child in rooted(forest).index_edges()}

    return _augmented("learn_tree_augmented", counter, target, tree)


@in_range
def learn_k_dependence(counter: Counter, target: NameOrIndex, *, max_parents: int = 2) -> LearnedNetwork[Dag]:
    """Findings in the order of what they tell about the class, each with parents among those before it.

    Parameters
    ----------
    max_parents
        How many parents beside the class, the paper's k: those with which the finding shares most information
        once the class is known.

    Examples
    --------
    >>> import treewright as tw
    >>> counter = tw.count(tw.read_table({"ill": [0, 1] * 9, "b": [0, 0, 1] * 6, "c": [0, 0, 1] * 6}))
    >>> learn_k_dependence(counter, "ill", max_parents=1).structure.edges()
    [('b', 'c'), ('ill', 'b'), ('ill', 'c')]

    References
    ----------
    .. [1] Sahami (1996). Learning limited dependence Bayesian classifiers. KDD 96, 335-338.
    """
    if max_parents < 0:
        raise SettingError(f"max_parents= of learn_k_dependence is at least 0; found {max_parents}")

    def before(others: Scope, given: Floats) -> dict[int, tuple[int, ...]]:
        v = counter.schema.index(target)
        told = [_information(table) for table in counter.counts_many([(v, u) for u in others])]
        order = sorted(range(len(others)), key=lambda i: (-told[i], i))
        parents = {}
        for place, i in enumerate(order):
            nearest = sorted(order[:place], key=lambda j: (-given[i, j], j))[:max_parents]
            parents[others[i]] = tuple(others[j] for j in nearest if given[i, j] > 0)
        return parents

    return _augmented("learn_k_dependence", counter, target, before)


def _augmented(
    who: str,
    counter: Counter,
    target: NameOrIndex,
    beside: Callable[[Scope, Floats], dict[int, tuple[int, ...]]],
) -> LearnedNetwork[Dag]:
    """Naive Bayes with further parents, which `beside` chooses by what pairs share given the class."""
    require(who, COUNTS, counter)
    schema, trace = counter.schema, TraceBuilder()
    v = schema.index(target)
    others = tuple(u for u in schema.name_order if u != v)  # ties are broken by name
    require_discrete(schema)
    with trace.phase("pairs") as tallies:
        is_naive = who == "learn_naive_bayes"
        given = np.zeros((len(others),) * 2) if is_naive else shared_given(counter, v, others)
        tallies["pairs"] = 0 if is_naive else len(others) * (len(others) - 1) // 2
    with trace.phase("arcs"):
        more = beside(others, given)
        arcs = [(v, u) for u in others] + [(p, u) for u, parents in more.items() for p in parents]
        dag = Dag(schema, [(schema.names[a], schema.names[b]) for a, b in arcs])
    return LearnedNetwork(dag, trace.build())


def require_discrete(schema: Schema) -> None:
    """Refuse columns without states."""
    for variable in schema:
        if not variable.is_discrete:
            raise SchemaError(
                f"column {variable.name!r} is continuous, and a class is told by states; cut it with "
                "read_table(..., bins=('mdl', target))"
            )


def shared_given(counter: Counter, v: int, others: Sequence[int]) -> Floats:
    """What each pair of variables shares given `v`, in nats."""
    shared = np.zeros((len(others), len(others)))
    pairs = list(combinations(range(len(others)), 2))
    for first in range(0, len(pairs), _TABLES_AT_ONCE):
        some = pairs[first : first + _TABLES_AT_ONCE]
        tables = counter.counts_many([(v, others[i], others[j]) for i, j in some])
        for (i, j), table in zip(some, tables, strict=True):
            whole = _n_log_n(table) + _n_log_n(table.sum(axis=(1, 2)))
            parts = _n_log_n(table.sum(axis=2)) + _n_log_n(table.sum(axis=1))
            found = max(0.0, whole - parts) / max(float(table.sum()), 1.0)
            shared[i, j] = shared[j, i] = found
    return shared


def _information(table: npt.NDArray[Any]) -> float:
    """Mutual information of a table of two axes, in nats."""
    n = float(table.sum())
    if n == 0:
        return 0.0
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    entropy = _n_log_n(rows) + _n_log_n(columns) - _n_log_n(table)
    return max(0.0, float(np.log(n) - entropy / n))


def _n_log_n(counts: npt.NDArray[Any]) -> float:
    seen = counts[counts > 0]
    return float((seen * np.log(seen)).sum())

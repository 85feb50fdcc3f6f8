"""Whether the data agree with the separators of a tree.

A hypergraph that tears related variables apart gives a tree whose separators do not separate, and a wrong
graph that looks as good as any. Where the data can tell they are asked: every pair across a separator is
tested given it. Looking only at the two nodes next to a separator is not enough: sets are d-separated when
all of their pairs are.

The limit distribution of G2 fails where strata hold a handful of rows: two rows that differ in both variables
give 2.8 at one degree of freedom whatever the truth. One test in a hundred does not mind; the smallest of ten
thousand p-values does. So the rarest states of a stratum are left out until every cell expects five rows or
more. Only margins are looked at, which say nothing about dependence, so the choice is fair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from treewright import _core
from treewright.arguments import SEPARATION_TREE, require
from treewright.criteria import IndependenceTest
from treewright.criteria.tests.independence import as_level
from treewright.errors import IllegitimateHypergraph, TableTooLarge
from treewright.graphs import DSeparationTree
from treewright.learners.independence.answers import GradedTest, PartnerTest
from treewright.ranges import in_range
from treewright.statistics.counter import Counter
from treewright.types import Flags, Floats, Scope

_EXPECTED = 5.0  # rows that a cell needs


def dense_p_value(counter: Counter, x: int, y: int, given: Scope) -> float:
    """The p-value of G2 over the dense part of the table; 1 where nothing of it is dense.

    Examples
    --------
    >>> from treewright.statistics.joint import JointCounts
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable(name, (0, 1)) for name in "zuv"])
    >>> counter = JointCounts(schema, [[[20, 10], [10, 20]], [[1, 0], [0, 1]]])
    >>> round(dense_p_value(counter, 1, 2, (0,)), 6)
    0.009136
    """
    cardinalities = counter.schema.cardinalities
    r_x, r_y = cardinalities[x], cardinalities[y]
    try:
        cells = counter.sparse_counts((*given, x, y))
    except TableTooLarge:
        return 1.0
    strata, where = np.unique(cells.codes // (r_x * r_y), return_inverse=True)
    sizes = np.bincount(where, weights=cells.counts, minlength=len(strata))
    number = np.cumsum(sizes >= 4 * _EXPECTED) - 1  # four cells, that is two states of each, need so many
    rich = (sizes >= 4 * _EXPECTED)[where]
    if not rich.any():
        return 1.0
    codes = cells.codes[rich]
    table = np.zeros((int(number[-1]) + 1, r_x, r_y))
    table[number[where[rich]], codes // r_y % r_x, codes % r_y] = cells.counts[rich]
    kept_x, kept_y = frequent_states(table.sum(axis=2), table.sum(axis=1))
    table *= kept_x[:, :, None] & kept_y[:, None, :]
    degrees = (np.maximum(kept_x.sum(axis=1) - 1, 0) * np.maximum(kept_y.sum(axis=1) - 1, 0)).sum()
    if degrees == 0:
        return 1.0
    rows, columns, totals = table.sum(axis=2), table.sum(axis=1), table.sum(axis=(1, 2))
    g2 = 2 * (_x_log_x(table) - _x_log_x(rows) - _x_log_x(columns) + _x_log_x(totals))
    return float(_core.chi_square_sf(np.array([max(g2, 0.0)]), np.array([float(degrees)]))[0])


def frequent_states(rows: Floats, columns: Floats) -> tuple[Flags, Flags]:
    """The states of x and of y, by stratum, that are left when no cell expects too little."""
    kept_x, kept_y = rows > 0, columns > 0
    needed = _EXPECTED * rows.sum(axis=1)
    for _ in range(rows.shape[1] + columns.shape[1]):
        rarest_x = np.where(kept_x, rows, np.inf).min(axis=1)
        rarest_y = np.where(kept_y, columns, np.inf).min(axis=1)
        thin = rarest_x * rarest_y < needed
        if not thin.any():
            break
        from_x = thin & (rarest_x <= rarest_y)
        kept_x &= ~(from_x[:, None] & (rows == rarest_x[:, None]))
        kept_y &= ~((thin & ~from_x)[:, None] & (columns == rarest_y[:, None]))
    return kept_x, kept_y


def _x_log_x(counts: Floats) -> float:
    return float(np.sum(counts * np.log(np.where(counts > 0, counts, 1.0))))


Covers = Callable[[Scope], bool]
Legitimacy = Literal["error", "report", "skip"]
Across = tuple[int, int, int]  # u, v, position of the separator between them


@dataclass(frozen=True)
class Contradiction:
    """A pair that a separator of the tree should separate and, by the data, does not; all by name."""

    pair: tuple[str, str]
    separator: tuple[str, ...]
    p_value: float

    def __str__(self) -> str:
        u, v = self.pair
        given = "{" + ", ".join(map(repr, self.separator)) + "}"
        return f"{u!r} and {v!r} depend on each other given {given} (p = {self.p_value:.3g})"


@dataclass(frozen=True)
class SeparatorAudit:
    """What the data say about the separators of a tree.

    Attributes
    ----------
    contradictions
        Pairs whose independence is rejected at the level of the audit after Holm's correction over all pairs
        tested, the smallest p-value first.
    n_tests
        Pairs that were tested.
    n_separators
        Separators of the tree.
    untestable
        Those of them, by name, across which not a single pair could be tested, since no table holds it
        together with the separator: nothing is known about them.

    Examples
    --------
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable(name) for name in "abc"])
    >>> tree = tw.separation_tree_from_hypergraph(schema, ["ab", "bc"])
    >>> truth = tw.Dag(schema, [("a", "b"), ("c", "b")])
    >>> found = tw.learners.audit_separators(tree, tw.DSeparationOracle(truth))
    >>> print(found.contradictions[0])
    'a' and 'c' depend on each other given {'b'} (p = 0)
    """

    contradictions: tuple[Contradiction, ...]
    n_tests: int
    n_separators: int
    untestable: tuple[tuple[str, ...], ...] = ()

    @property
    def n_untestable(self) -> int:
        return len(self.untestable)

    def check(self) -> None:
        """Raise `IllegitimateHypergraph` when a separator is contradicted."""
        if self.contradictions:
            first, more = self.contradictions[0], len(self.contradictions) - 1
            (u, v), also = first.pair, f" (and {more} more pairs)" if more else ""
            raise IllegitimateHypergraph(
                f"the hypergraph contradicts the data: {first}{also}; put {u!r} and {v!r} into one hyperedge"
            )


@in_range
def audit_separators(tree: DSeparationTree, test: IndependenceTest, *, alpha: float = 0.01) -> SeparatorAudit:
    """Test every pair across every separator of a tree, given the separator.

    Parameters
    ----------
    tree
        The tree; its variables are those of the test.
    test
        Decides independence. Where it has a method `covers(scope)`, only pairs that it covers together with
        the separator are asked for. Unreliable answers are not held against the tree; neither are those of
        counts that rest on strata with few rows, where far tails are not what the limit distribution says.
    alpha
        Level, for all pairs together.

    Examples
    --------
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable(name) for name in "abc"])
    >>> tree = tw.separation_tree_from_hypergraph(schema, ["ab", "bc"])
    >>> oracle = tw.DSeparationOracle(tw.Dag(schema, [("a", "b"), ("b", "c")]))
    >>> tw.learners.audit_separators(tree, oracle)
    SeparatorAudit(contradictions=(), n_tests=1, n_separators=1, untestable=())
    """
    require("audit_separators", SEPARATION_TREE, tree)
    level = as_level(alpha)
    covers: Covers | None = getattr(test, "covers", None)
    names = tree.schema.names
    pairs: list[Across] = []
    p_values: list[Floats] = []
    untestable = []
    for position, separator in enumerate(tree.separator_scopes):
        n_before = len(pairs)
        for u, others in across(tree, position, covers):
            pairs += [(u, v, position) for v in others]
            p_values.append(pair_p_values(test, u, separator, others))
        if len(pairs) == n_before:
            untestable.append(names_by_name(tree, separator))
    rejected = rejections(test, tree, pairs, np.concatenate([*p_values, np.zeros(0)]), level)
    found = []
    for i, p_value in rejected:
        u, v, position = pairs[i]
        a, b = sorted((names[u], names[v]))
        found.append(Contradiction((a, b), names_by_name(tree, tree.separator_scopes[position]), p_value))
    found.sort(key=lambda one: (one.p_value, one.pair, one.separator))
    return SeparatorAudit(tuple(found), len(pairs), len(tree.edges), tuple(sorted(untestable)))


def audited(tree: DSeparationTree, test: IndependenceTest, legitimacy: Legitimacy) -> SeparatorAudit | None:
    """What the rows say about the separators of a tree, if they are to be asked."""
    if legitimacy == "skip":
        return None
    audit = audit_separators(tree, test)
    if legitimacy == "error":
        audit.check()
    return audit


def rejections(
    test: IndependenceTest, tree: DSeparationTree, pairs: list[Across], p_values: Floats, alpha: float
) -> list[tuple[int, float]]:
    """What Holm rejects; where counts are behind it, each is looked at again in the dense strata."""
    counter = getattr(test, "counter", None)
    sure: set[int] = set()
    while True:
        rejected = holm(p_values, alpha)
        doubtful = [i for i, _ in rejected if i not in sure]
        if not doubtful or not isinstance(counter, Counter):
            return rejected
        for i in doubtful:
            u, v, position = pairs[i]
            dense = dense_p_value(counter, u, v, tree.separator_scopes[position])
            p_values[i] = max(p_values[i], dense)
        sure.update(doubtful)


def across(tree: DSeparationTree, position: int, covers: Covers | None) -> Iterator[tuple[int, list[int]]]:
    """The pairs across a separator that can be tested: one variable of the smaller side, all of the other."""
    few, many = sorted(tree.sides(position), key=len)
    separator = tree.separator_scopes[position]
    for u in few:
        others = [v for v in many if covers is None or covers((u, v, *separator))]
        if others:
            yield u, others


def pair_p_values(test: IndependenceTest, u: int, given: Scope, others: list[int]) -> Floats:
    """p-values of one variable against others; 0 and 1 from a test that only decides."""
    queries = [(u, v, given) for v in others]
    if not isinstance(test, GradedTest):
        return np.where(test.independent_many(queries), 1.0, 0.0)
    if isinstance(test, PartnerTest):
        results = test.test_partners(u, given, others)
    else:
        results = test.test_many(queries)
    return np.where(results.reliable, results.p_value, 1.0)


def holm(p_values: Floats, alpha: float) -> list[tuple[int, float]]:
    """Positions and p-values of the hypotheses that Holm's step-down procedure rejects.

    Examples
    --------
    >>> holm(np.array([0.04, 0.001, 0.02]), 0.05)
    [(1, 0.001), (2, 0.02), (0, 0.04)]
    >>> holm(np.array([0.04, 0.001, 0.03]), 0.05)
    [(1, 0.001)]
    """
    order = np.argsort(p_values, kind="stable")
    bounds = alpha / np.arange(len(order), 0, -1)
    over = np.flatnonzero(p_values[order] > bounds)
    kept = order[: over[0]] if over.size else order
    return [(int(i), float(p_values[i])) for i in kept]


def names_by_name(tree: DSeparationTree, scope: Scope) -> tuple[str, ...]:
    return tuple(sorted(tree.schema.names_of(scope)))

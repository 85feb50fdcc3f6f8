"""Do several tables come from one population? Tests of what they share.

A column that several tables have must be distributed alike in all of them, and so must two columns. Counts
are compared by chi-square, table by state; continuous columns by their means (one-way analysis of variance),
their variances (Bartlett) and their correlations (Fisher's z). All p-values are corrected together by Holm.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from treewright import _core
from treewright.arguments import DATABASES, require
from treewright.errors import SettingError
from treewright.ranges import in_range
from treewright.statistics.moments import Moments, moments
from treewright.statistics.whole import count
from treewright.tables.databases import Cover, Databases
from treewright.tables.exports import counted
from treewright.types import Floats, Scope

Found = tuple[Scope, str, Cover, float, float]  # columns, of what, in which tables, statistic, p-value

# A cell with fewer expected rows is judged together with the other rare ones.
_EXPECTED = 5.0


@dataclass(frozen=True)
class MarginTest:
    """One comparison of what tables share: the test by itself, and its p-value corrected for all."""

    columns: tuple[str, ...]  # one or two
    about: str  # "distribution", "mean", "variance" or "correlation"
    tables: tuple[str, ...]  # those that were compared
    statistic: float
    p_value: float
    corrected: float

    def __str__(self) -> str:
        what = " and ".join(map(repr, self.columns))
        return (
            f"the {self.about} of {what} differs between {', '.join(self.tables)} (p = {self.corrected:.2g} "
            "after Holm's correction)"
        )


@dataclass(frozen=True)
class Homogeneity:
    """What the comparison of several tables said: every test, the smallest p-value first.

    Examples
    --------
    >>> from treewright.tables import read_databases
    >>> tables = [{"x": [0, 1] * 50}, {"x": [0, 1, 1, 1, 1] * 20}]
    >>> found = check_homogeneity(read_databases(tables))
    >>> found.is_homogeneous, len(found.tests)
    (False, 1)
    >>> print(found.rejected[0])
    the distribution of 'x' differs between table 1, table 2 (p = 8.7e-06 after Holm's correction)
    """

    tests: tuple[MarginTest, ...]
    alpha: float

    @property
    def rejected(self) -> tuple[MarginTest, ...]:
        """The comparisons in which tables differ."""
        return tuple(test for test in self.tests if test.corrected <= self.alpha)

    @property
    def is_homogeneous(self) -> bool:
        return not self.rejected

    def __str__(self) -> str:
        if not self.tests:
            return "the tables share nothing that could be compared"
        if self.is_homogeneous:
            compared = counted(len(self.tests), "comparison")
            return f"{compared} of what tables share: no difference at {self.alpha:g}"
        first = "; ".join(map(str, self.rejected[:3]))
        more = f" and {len(self.rejected) - 3} more" if len(self.rejected) > 3 else ""
        return f"{len(self.rejected)} of {len(self.tests)} comparisons differ: {first}{more}"


@in_range
def check_homogeneity(databases: Databases, *, alpha: float = 0.01) -> Homogeneity:
    """Compare what tables share: each column, and each pair of columns, that two or more of them have.

    `alpha` is the level for the p-values after Holm's correction.

    Examples
    --------
    >>> from treewright.tables import read_databases
    >>> found = check_homogeneity(read_databases([{"x": [0, 1] * 50}, {"x": [1, 0] * 40}]))
    >>> print(found)
    1 comparison of what tables share: no difference at 0.01
    """
    require("check_homogeneity", DATABASES, databases)
    if not 0 < alpha < 1:
        raise SettingError(f"alpha must lie between 0 and 1, both excluded; found {alpha!r}")
    found = list(_compare_moments(databases) if databases.is_continuous else _compare_counts(databases))
    corrected = holm([p for *_, p in found])
    tests = []
    for (scope, about, cover, statistic, p), adjusted in zip(found, corrected.tolist(), strict=True):
        tables = tuple(sorted(databases.names[i] for i in cover))
        tests.append(MarginTest(databases.schema.names_of(scope), about, tables, statistic, p, adjusted))
    return Homogeneity(tuple(sorted(tests, key=lambda t: (t.p_value, t.columns, t.about))), alpha)


def holm(p_values: Sequence[float]) -> Floats:
    """p-values after Holm's correction, in the order given.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(6).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    scaled = p[order] * np.arange(len(p), 0, -1)
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    return corrected


def _shared_scopes(databases: Databases) -> Iterator[tuple[Scope, Cover]]:
    masks = databases.masks
    several = [v for v, mask in enumerate(masks) if mask.bit_count() > 1]
    for v in several:
        yield (v,), databases.covering((v,))
    for u, v in combinations(several, 2):
        if (masks[u] & masks[v]).bit_count() > 1:
            yield (u, v), databases.covering((u, v))


def _compare_counts(databases: Databases) -> Iterator[Found]:
    shared = list(_shared_scopes(databases))
    by_table: list[dict[Scope, Floats]] = [{} for _ in databases.tables]
    for i, table in enumerate(databases.tables):
        here = [scope for scope, cover in shared if i in cover]
        counter = count(table)
        counted = counter.counts_many([counter.schema.scope(databases.schema.names_of(s)) for s in here])
        by_table[i] = {s: np.asarray(c, dtype=np.float64).ravel() for s, c in zip(here, counted, strict=True)}
    for scope, cover in shared:
        statistic, df = chi_square_of(np.array([by_table[i][scope] for i in cover]))
        if df > 0:
            yield scope, "distribution", cover, *_chi_square_test(statistic, df)


def _chi_square_test(statistic: float, degrees: float) -> tuple[float, float]:
    return statistic, float(_core.chi_square_sf(np.array([statistic]), np.array([degrees]))[0])


def chi_square_of(cells: Floats) -> tuple[float, float]:
    """Pearson's statistic for equal rows of a table of counts, and its degrees of freedom.

    Columns that expect fewer than five rows somewhere are added up, and if that is still too little to the
    smallest of the others: no row is left out, since states that one table alone has are a difference too.

    Examples
    --------
    >>> chi_square_of(np.array([[10.0, 20.0, 1.0], [20.0, 10.0, 1.0]]))
    (6.458333333333334, 1.0)
    >>> chi_square_of(np.array([[500.0, 500.0, 0.0], [0.0, 0.0, 20.0]]))
    (19.615384615384617, 1.0)
    """
    cells = cells[np.lexsort(cells.T)]  # sums of reals depend on the order, and tables have none
    cells = cells[cells.sum(axis=1) > 0]
    total = cells.sum()
    if len(cells) < 2 or total <= 0:
        return 0.0, 0.0
    share = cells.sum(axis=1) / total
    rare = cells.sum(axis=0) * share.min() < _EXPECTED
    merged, rest = cells[:, ~rare], cells[:, rare].sum(axis=1)
    if rest.sum() * share.min() >= _EXPECTED:
        merged = np.column_stack([merged, rest])
    elif merged.size:
        merged[:, merged.sum(axis=0).argmin()] += rest
    if merged.shape[1] < 2:
        return 0.0, 0.0
    expected = np.outer(share, merged.sum(axis=0))
    statistic = float(((merged - expected) ** 2 / expected).sum())
    return statistic, float((merged.shape[0] - 1) * (merged.shape[1] - 1))


def _compare_moments(databases: Databases) -> Iterator[Found]:
    parts = [moments(table) for table in databases.tables]
    for scope, cover in _shared_scopes(databases):
        names = databases.schema.names_of(scope)
        here = [parts[i].select(names) for i in cover]
        enough = [(i, part) for i, part in zip(cover, here, strict=True) if part.n > 3 and not part.constant]
        if len(enough) < 2:
            continue
        enough.sort(key=lambda one: (one[1].n, *one[1].mean.tolist(), *one[1].scatter.ravel().tolist()))
        tables, kept = tuple(i for i, _ in enough), [part for _, part in enough]
        if len(scope) == 1:
            yield scope, "mean", tables, *_means_differ(kept)
            yield scope, "variance", tables, *_variances_differ(kept)
        else:
            yield scope, "correlation", tables, *_correlations_differ(kept)


def _means_differ(parts: Sequence[Moments]) -> tuple[float, float]:
    """Welch's analysis of variance: variances may differ."""
    from scipy.stats import f

    n = np.array([float(part.n) for part in parts])
    mean = np.array([part.mean[0] for part in parts])
    weight = n / np.array([part.covariance()[0, 0] for part in parts])
    k, total = len(parts), weight.sum()
    centre = (weight * mean).sum() / total
    between = (weight * (mean - centre) ** 2).sum() / (k - 1)
    spread = ((1 - weight / total) ** 2 / (n - 1)).sum()
    statistic = between / (1 + 2 * (k - 2) / (k**2 - 1) * spread)
    return float(statistic), float(f.sf(statistic, k - 1, (k**2 - 1) / (3 * spread)))


def _variances_differ(parts: Sequence[Moments]) -> tuple[float, float]:
    """Bartlett's test."""
    df = np.array([float(part.n) - 1 for part in parts])
    variance = np.array([part.covariance()[0, 0] for part in parts])
    k, total = len(parts), df.sum()
    pooled = (df * variance).sum() / total
    statistic = total * np.log(pooled) - (df * np.log(variance)).sum()
    statistic /= 1 + ((1 / df).sum() - 1 / total) / (3 * (k - 1))
    statistic = max(0.0, float(statistic))
    return _chi_square_test(statistic, k - 1.0)


def _correlations_differ(parts: Sequence[Moments]) -> tuple[float, float]:
    weight = np.array([float(part.n) - 3 for part in parts])
    z = np.arctanh(np.clip([part.correlation()[0, 1] for part in parts], -1 + 1e-12, 1 - 1e-12))
    centre = (weight * z).sum() / weight.sum()
    statistic = float((weight * (z - centre) ** 2).sum())
    return _chi_square_test(statistic, len(parts) - 1.0)

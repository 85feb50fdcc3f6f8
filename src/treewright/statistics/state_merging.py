"""Which states of a variable say the same about all others? Those are merged.

Between a variable of 63 states and one of 4 a table has 252 cells, and 500 rows cannot pay for them: a search
leaves the edge out and joins the *effects* of the large variable with each other instead, edges that are not
there. Merging repairs that. The two states whose merging loses least information about all other variables
become one, again and again (the agglomerative information bottleneck [1]_). Of all stages the one is kept at
which the edges to the others are worth most: each is judged by qNML less the price of an edge, and the groups
cost the logarithm of the number of ways to choose as many. More rows pay for more groups; with enough of
them every state stays alone, and a variable that nothing depends on is not merged at all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import cast

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.arguments import COUNTS, require
from treewright.errors import SettingError
from treewright.ranges import in_range
from treewright.statistics.counter import Counter, Counts
from treewright.statistics.merged import Codes, Groups, add_up
from treewright.tables.schema import Schema
from treewright.types import Floats

# Only so many states are compared with each other; the rarest beyond them are one from the start.
_MOST_COMPARED = 256
# Whole numbers up to this have their n ln n looked up.
_MOST_LOOKED_UP = 1 << 20
# So many things are parted exactly.
_MOST_PARTED = 1_000


@in_range
def merge_states(counter: Counter, *, above: int = 8, rounds: int = 3) -> dict[str, Groups]:
    """Groups of states for the variables that have many.

    Parameters
    ----------
    above
        Variables with more states than this are merged.
    rounds
        Large variables depend on each other's groups: how often they are looked at again, at most. In the
        first round they are judged by the small variables only, if there are any.

    Returns
    -------
    dict
        By name, the groups of each variable that has fewer groups than states; what
        :class:`~treewright.statistics.MergedCounter` takes. States that were never seen join the commonest
        group. The order of the columns does not matter.

    References
    ----------
    .. [1] Slonim & Tishby (2000). Agglomerative information bottleneck. Advances in Neural Information
       Processing Systems 12.

    Examples
    --------
    >>> import treewright as tw
    >>> codes = ["a", "b", "c", "d"] * 25
    >>> table = tw.read_table({"code": codes, "vowel": [code == "a" for code in codes]})
    >>> tw.statistics.merge_states(tw.count(table), above=3)
    {'code': (('a',), ('b', 'c', 'd'))}
    """
    require("merge_states", COUNTS, counter)
    if above < 2 or rounds < 1:
        raise SettingError(
            f"above must be 2 or more and rounds 1 or more; found above={above!r}, rounds={rounds!r}"
        )
    schema = counter.schema
    large = [v for v in schema.name_order if schema.cardinalities[v] > above]
    small = [v for v in schema.name_order if 0 < schema.cardinalities[v] <= above]
    found: dict[int, Codes] = {}
    for number in range(rounds if large and len(schema) > 1 else 0):
        others = small if number == 0 and small else sorted([*small, *large], key=schema.names.__getitem__)
        fresh = {v: best_codes(counter, v, [u for u in others if u != v], found) for v in large}
        if all(v in found and np.array_equal(found[v], codes) for v, codes in fresh.items()):
            break
        found = fresh
    groups = {schema.names[v]: named_groups(schema, v, codes) for v, codes in found.items()}
    return {name: parts for name, parts in groups.items() if len(parts) < schema[name].cardinality}


def named_groups(schema: Schema, v: int, codes: Codes) -> Groups:
    states = schema.variables[v].states or ()
    numbers = range(int(codes.max()) + 1)
    return tuple(tuple(states[s] for s in np.flatnonzero(codes == number)) for number in numbers)


def best_codes(counter: Counter, v: int, others: Sequence[int], found: Mapping[int, Codes]) -> Codes:
    """The groups of one variable at which its edges are worth most."""
    tables = counter.counts_many([(v, u) for u in others])
    seen = tables[0].sum(axis=1)
    every = np.arange(len(seen), dtype=np.intp)
    if np.count_nonzero(seen) < 2:
        return every
    codes = compared_states(seen)
    states = [found.get(u, np.arange(t.shape[1])) for t, u in zip(tables, others, strict=True)]
    sizes = [int(groups.max()) + 1 for groups in states]
    columns = np.concatenate(states) + np.repeat(np.cumsum([0, *sizes[:-1]]), [len(s) for s in states])
    cells = add_up(add_up(cast("Counts", np.concatenate(tables, axis=1)), 1, columns), 0, codes)
    steps = _Merging(cells, sizes, math.log(len(counter.schema))).run(len(seen))
    if steps is None:
        return every
    for kept, gone in steps:
        codes[codes == gone] = kept
    return np.unique(codes, return_inverse=True)[1].astype(np.intp)


def compared_states(seen: npt.NDArray[np.int64] | Floats) -> Codes:
    """A number for each state that was seen; those never seen go with the commonest, the rarest together."""
    codes = np.full(len(seen), -1, dtype=np.intp)
    commonest = np.argsort(-seen, kind="stable")
    alone = np.sort(commonest[: min(_MOST_COMPARED - 1, np.count_nonzero(seen))])
    codes[alone] = np.arange(len(alone))
    codes[(codes < 0) & (seen > 0)] = len(alone)
    codes[codes < 0] = codes[commonest[0]]
    return codes


class _Merging:
    """States of one variable on their way to a single one; row = a state's counts with all others."""

    def __init__(self, cells: Counts, sizes: Sequence[int], price: float) -> None:
        self.cells, self.sizes, self.price = cells, np.array(sizes), price
        self.starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp)
        self.totals = cells[:, : sizes[0]].sum(axis=1)
        self.n_rows = float(self.totals.sum())
        self.log_term = log_terms(cells, self.n_rows)
        self.alive = np.ones(len(cells), dtype=np.bool_)
        terms = self.log_term(cells)
        self.fits = terms.sum(axis=1) - len(sizes) * self.log_term(self.totals)
        self.both = self.by_variable(terms.sum(axis=0))
        self.alone = self.by_variable(self.log_term(cells.sum(axis=0)))

    def by_variable(self, terms: Floats) -> Floats:
        sums: Floats = np.add.reduceat(terms, self.starts)
        return sums

    def losses(self, state: int, others: npt.NDArray[np.intp]) -> Floats:
        """What merging a state with each other one takes from the log-likelihood of all variables."""
        terms = self.log_term(self.cells[state] + self.cells[others]).sum(axis=1)
        together = terms - len(self.sizes) * self.log_term(self.totals[state] + self.totals[others])
        losses: Floats = self.fits[state] + self.fits[others] - together
        return losses

    def run(self, declared: int) -> list[tuple[int, int]] | None:
        """The merges (kept, gone) down to the groups that are worth most; None if all states are."""
        n, price = len(self.cells), log_partitions(declared)
        loss = np.full((n, n), np.inf)
        for state in range(n - 1):
            loss[state, state + 1 :] = self.losses(state, np.arange(state + 1, n))
        worth, steps = {declared: self.worth(declared)}, []
        worth.setdefault(n, self.worth(n) - float(price[n]))
        for left in range(n - 1, 1, -1):
            kept, gone = divmod(int(loss.argmin()), n)
            self.merge(kept, gone, loss)
            steps.append((kept, gone))
            worth[left] = self.worth(left) - float(price[left])
        best = max(worth, key=lambda k: (worth[k], k))
        return None if best == declared else steps[: n - best]

    def merge(self, kept: int, gone: int, loss: Floats) -> None:
        before = self.log_term(self.cells[[kept, gone]]).sum(axis=0)
        self.cells[kept] += self.cells[gone]
        self.totals[kept] += self.totals[gone]
        self.cells[gone] = self.totals[gone] = 0
        self.alive[gone] = False
        terms = self.log_term(self.cells[kept])
        self.both += self.by_variable(terms - before)
        self.fits[kept] = terms.sum() - len(self.sizes) * self.log_term(self.totals[kept])
        loss[gone, :] = loss[:, gone] = np.inf
        others = np.flatnonzero(self.alive)
        others = others[others != kept]
        first = others < kept
        fresh = self.losses(kept, others)
        loss[others[first], kept], loss[kept, others[~first]] = fresh[first], fresh[~first]

    def worth(self, k: int) -> float:
        """What edges to the others gain in all, those that gain nothing left out."""
        n = self.n_rows
        fit = self.both - self.log_term(self.totals).sum() - self.alone + n * math.log(n)
        cost = regrets(n, k * self.sizes) - regret(n, k) - regrets(n, self.sizes)
        return float(np.maximum(fit - cost - self.price, 0).sum())


def log_terms(cells: Counts, n_rows: float) -> Callable[[Counts], Floats]:
    """The function n ln n of counts: looked up for whole numbers that are not too many, else computed."""
    from scipy.special import xlogy  # here, since importing scipy takes longer than all of treewright

    if cells.dtype.kind == "f" or n_rows > _MOST_LOOKED_UP:
        return lambda counts: np.asarray(xlogy(counts, counts), dtype=np.float64)
    whole = np.arange(int(n_rows) + 1, dtype=np.float64)
    table = np.asarray(xlogy(whole, whole), dtype=np.float64)
    return lambda counts: table[counts]


@lru_cache(maxsize=64)
def log_partitions(n: int) -> Floats:
    """Logarithm of the number of ways to part n things into k groups, for k from 0 to n.

    Stirling numbers of the second kind; beyond 1,000 things, k^n / k!, which hardly exceeds them where k is
    small.
    """
    if n > _MOST_PARTED:
        from scipy.special import gammaln, xlogy

        k = np.arange(n + 1)
        return np.asarray(xlogy(float(n), k) - gammaln(k + 1.0))
    ways = np.array([0.0])  # of no things into no group
    log_k = np.log(np.arange(1, n + 1))
    for size in range(1, n + 1):
        alone = ways  # the newest thing is a group of its own, or joins one of k
        joined = np.append(ways[1:] + log_k[: size - 1], -np.inf)
        ways = np.concatenate([[-np.inf], np.logaddexp(alone, joined)])
    ways.flags.writeable = False
    return ways


def regrets(n: float, cells: npt.NDArray[np.int64]) -> Floats:
    distinct, where = np.unique(cells, return_inverse=True)
    return np.array([regret(n, int(k)) for k in distinct])[where]


@lru_cache(maxsize=1 << 16)
def regret(n: float, cells: int) -> float:
    return _core.multinomial_regret(n, float(cells))

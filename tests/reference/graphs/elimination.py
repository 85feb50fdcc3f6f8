"""Exact answers by summing variables out one after another.

A network is a product of factors. To ask about a few variables, the others leave one by one: the factors
that mention a variable are multiplied, the variable is summed out, and the result, a *message*, joins the
remaining factors. The largest table met on the way decides the cost, so the order matters; the next
variable to leave is one whose neighbours need the fewest new edges between them (min-fill).

Keeping the multiplied tables (one *bucket* per variable, linked along the messages) and sending messages back
down gives the marginals of all variables for the price of two passes.

Observed variables are cut out of the tables first, and variables that are neither asked for, observed nor an
ancestor of such a one are *barren*: they would sum to one and are left out.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from tests.reference.counting.arithmetic import LINEAR, LOGARITHMIC, Arithmetic

from treewright.errors import TableTooLarge
from treewright.inference.engine import Factor
from treewright.limits import memory_limit
from treewright.tables.schema import Schema
from treewright.types import Scope

Cells = npt.NDArray[np.float64]
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Posterior:
    """Normalised tables, and the log-probability of the evidence; without mass the tables are all zero."""

    tables: dict[Scope, Cells]
    log_evidence: float


class EliminationEngine:
    """Answers questions about a product of conditional tables.

    Parameters
    ----------
    schema
        Names and states.
    families
        One factor per variable: its parents, then the variable itself.
    """

    def __init__(self, schema: Schema, families: Sequence[Factor]) -> None:
        self.schema = schema
        self.families = families

    def joint(self, targets: Scope, evidence: Mapping[int, int]) -> Posterior:
        """The joint distribution of `targets` given the evidence."""
        fixed = {**self._single_states(), **evidence}
        free = tuple(v for v in targets if v not in fixed)
        factors = self._factors(self._ancestors((*targets, *evidence)), fixed)
        plan = plan_elimination((f.scope for f in factors), self.schema.cardinalities, free)
        self._refuse_large([*plan, free], largest_only=True)

        def ask(arithmetic: Arithmetic) -> tuple[Cells, float]:
            buckets = _collect(factors, plan, arithmetic)
            table, log = _product(buckets.rest, free, self.schema.cardinalities, arithmetic)
            return table, buckets.log_scale + log

        table, log_evidence = _first_with_mass(ask)
        total = table.sum()
        if total > 0:
            table, log_evidence = table / total, log_evidence + math.log(total)
        return Posterior({targets: _with_fixed(table, targets, fixed, self.schema)}, log_evidence)

    def marginals(self, evidence: Mapping[int, int]) -> Posterior:
        """The distribution of every variable given the evidence."""
        fixed = {**self._single_states(), **evidence}
        factors = self._factors(range(len(self.schema)), fixed)
        plan = plan_elimination((f.scope for f in factors), self.schema.cardinalities, ())
        self._refuse_large(plan, largest_only=False)

        def ask(arithmetic: Arithmetic) -> tuple[dict[int, Cells], float]:
            buckets = _collect(factors, plan, arithmetic)
            _, log = _product(buckets.rest, (), self.schema.cardinalities, arithmetic)
            log_evidence = buckets.log_scale + log
            return (_distribute(buckets, arithmetic) if log_evidence > -math.inf else {}), log_evidence

        found, log_evidence = _first_with_mass(ask)
        tables: dict[Scope, Cells] = {}
        for v, n_states in enumerate(self.schema.cardinalities):
            table = np.ones(()) if v in fixed else found.get(v, np.zeros(n_states))
            tables[v,] = _with_fixed(table, (v,), fixed, self.schema)
        return Posterior(tables, log_evidence)

    def _single_states(self) -> dict[int, int]:
        """A variable with one state is as good as observed, and would only cost an axis."""
        return {v: 0 for v, r in enumerate(self.schema.cardinalities) if r == 1}

    def _ancestors(self, wanted: Iterable[int]) -> set[int]:
        found: set[int] = set()
        waiting = list(wanted)
        while waiting:
            v = waiting.pop()
            if v not in found:
                found.add(v)
                waiting.extend(self.families[v].scope[:-1])
        return found

    def _factors(self, variables: Iterable[int], fixed: Mapping[int, int]) -> list[Factor]:
        return [_cut(self.families[v], fixed) for v in sorted(variables)]

    def _refuse_large(self, scopes: Sequence[Scope], *, largest_only: bool) -> None:
        """Refuse before anything is allocated."""
        cells = [math.prod(self.schema.cardinalities[v] for v in scope) for scope in scopes]
        if not cells:
            return
        needed, limit = 8 * (max(cells) if largest_only else sum(cells)), memory_limit()
        if needed <= limit:
            return
        largest = scopes[cells.index(max(cells))]
        names = [repr(name) for name in sorted(self.schema.names_of(largest))]
        shown = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
        what = "a table" if largest_only else f"{len(scopes)} tables, the largest"
        raise TableTooLarge(
            f"this question needs {what} over {shown}: {needed:,} bytes, above the memory limit of "
            f"{limit:,}; give evidence on some of these variables, ask for fewer at once, or raise the "
            "limit with set_memory_limit or TREEWRIGHT_MEMORY"
        )


def plan_elimination(scopes: Iterable[Scope], cardinalities: Sequence[int], keep: Scope) -> list[Scope]:
    """Min-fill elimination of everything but `keep`: each step's table, the leaving variable first.

    Ties go to the smaller table, then to the smaller index.
    """
    neighbours: dict[int, set[int]] = {}
    for scope in scopes:
        for v in scope:
            neighbours.setdefault(v, set()).update(scope)
    for v, around in neighbours.items():
        around.discard(v)

    def cost(v: int) -> tuple[int, float, int]:
        around = neighbours[v]
        fill = sum(len(around) - 1 - len(around & neighbours[u]) for u in around) // 2
        return fill, math.fsum(math.log(cardinalities[u]) for u in around), v

    current = {v: cost(v) for v in neighbours if v not in keep}
    heap = list(current.values())
    heapq.heapify(heap)
    plan: list[Scope] = []
    while current:
        priced = heapq.heappop(heap)
        v = priced[2]
        if current.get(v) != priced:  # outdated: it left, or its neighbours changed since
            continue
        del current[v]
        around = neighbours.pop(v)
        plan.append((v, *sorted(around)))
        touched = set(around)
        for u, w in combinations(sorted(around), 2):
            if w not in neighbours[u]:
                touched |= neighbours[u] & neighbours[w]
                neighbours[u].add(w)
                neighbours[w].add(u)
        for u in around:
            neighbours[u].discard(v)
        for u in touched & current.keys():
            current[u] = cost(u)
            heapq.heappush(heap, current[u])
    return plan


@dataclass(frozen=True)
class _Buckets:
    """The tables of one upward pass: bucket i is over `plan[i]` and sent `messages[i]` to `above[i]`."""

    plan: list[Scope]
    tables: list[Cells]
    messages: list[Factor]
    above: list[int | None]
    rest: list[Factor]  # factors over the kept variables alone
    log_scale: float


def _collect(factors: Sequence[Factor], plan: list[Scope], arithmetic: Arithmetic) -> _Buckets:
    position = {scope[0]: i for i, scope in enumerate(plan)}
    waiting: list[list[Factor]] = [[] for _ in plan]
    buckets = _Buckets(plan, [], [], [], [], 0.0)
    log_scale = 0.0

    def pass_on(factor: Factor) -> int | None:
        goal = min((position[v] for v in factor.scope if v in position), default=None)
        (buckets.rest if goal is None else waiting[goal]).append(factor)
        return goal

    for factor in factors:
        table, log = arithmetic.scaled(arithmetic.enter(factor.table))
        log_scale += log
        pass_on(Factor(factor.scope, table))
    for i, scope in enumerate(plan):
        cardinalities = {v: n for f in waiting[i] for v, n in zip(f.scope, f.table.shape, strict=True)}
        table, log = _multiply(waiting[i], scope, cardinalities, arithmetic)
        message, log_message = arithmetic.scaled(arithmetic.sum_out(table, (0,)))
        log_scale += log + log_message
        buckets.tables.append(table)
        buckets.messages.append(Factor(scope[1:], message))
        waiting[i].clear()
        buckets.above.append(pass_on(buckets.messages[-1]))
    return _Buckets(plan, buckets.tables, buckets.messages, buckets.above, buckets.rest, log_scale)


def _distribute(buckets: _Buckets, arithmetic: Arithmetic) -> dict[int, Cells]:
    """Send messages back down; every bucket then holds the posterior of its scope, up to a factor."""
    marginals: dict[int, Cells] = {}
    for i in reversed(range(len(buckets.plan))):
        scope, message, above = buckets.plan[i], buckets.messages[i], buckets.above[i]
        if above is not None:
            belief = _sum_to(buckets.tables[above], buckets.plan[above], message.scope, arithmetic)
            ratio = arithmetic.divided(belief, message.table)
            arithmetic.multiply(buckets.tables[i], ratio[np.newaxis])
            buckets.tables[i] = arithmetic.scaled(buckets.tables[i])[0]
        table, _ = arithmetic.scaled(arithmetic.sum_out(buckets.tables[i], tuple(range(1, len(scope)))))
        table = arithmetic.leave(table)
        marginals[scope[0]] = table / table.sum()
    return marginals


def _product(
    factors: Sequence[Factor], scope: Scope, cardinalities: Sequence[int], arithmetic: Arithmetic
) -> tuple[Cells, float]:
    """The product of what is left, as plain probabilities up to the factor exp(log)."""
    table, log = _multiply(factors, scope, cardinalities, arithmetic)
    table, more = arithmetic.scaled(table)
    return arithmetic.leave(table), log + more


def _multiply(
    factors: Sequence[Factor],
    scope: Scope,
    cardinalities: Mapping[int, int] | Sequence[int],
    arithmetic: Arithmetic,
) -> tuple[Cells, float]:
    table = np.full(tuple(cardinalities[v] for v in scope), arithmetic.one)
    log_scale = 0.0
    for factor in factors:
        arithmetic.multiply(table, _spread(factor, scope))
        # many small factors in one bucket would underflow before any message is scaled
        if len(factors) > 8:
            table, log = arithmetic.scaled(table)
            log_scale += log
    return table, log_scale


def _spread(factor: Factor, scope: Scope) -> Cells:
    """A view with the axes of `scope`, length one where the factor has no say."""
    order = sorted(range(len(factor.scope)), key=lambda axis: scope.index(factor.scope[axis]))
    shape = [1] * len(scope)
    for axis in order:
        shape[scope.index(factor.scope[axis])] = factor.table.shape[axis]
    return factor.table.transpose(order).reshape(shape)


def _sum_to(table: Cells, scope: Scope, wanted: Scope, arithmetic: Arithmetic) -> Cells:
    summed = arithmetic.sum_out(table, tuple(i for i, v in enumerate(scope) if v not in wanted))
    left = [v for v in scope if v in wanted]
    return summed.transpose([left.index(v) for v in wanted])


def _cut(factor: Factor, fixed: Mapping[int, int]) -> Factor:
    where = tuple(fixed.get(v, slice(None)) for v in factor.scope)
    return Factor(tuple(v for v in factor.scope if v not in fixed), np.asarray(factor.table[where]))


def _with_fixed(table: Cells, scope: Scope, fixed: Mapping[int, int], schema: Schema) -> Cells:
    """Put the axes of observed variables back: all mass on what was seen."""
    if not any(v in fixed for v in scope):
        return table
    full = np.zeros(tuple(schema.cardinalities[v] for v in scope))
    full[tuple(fixed.get(v, slice(None)) for v in scope)] = table
    return full


def _first_with_mass(ask: Callable[[Arithmetic], tuple[Answer, float]]) -> tuple[Answer, float]:
    """Ask in plain numbers; where those find no mass or leave their range, ask in logarithms."""
    try:
        with np.errstate(over="raise", invalid="raise"):
            answer = ask(LINEAR)
    except FloatingPointError:
        return ask(LOGARITHMIC)
    return answer if answer[1] > -math.inf else ask(LOGARITHMIC)

"""Exact answers over junction forests.

The product of the tables that share a clique of a triangulated graph is kept in one table per clique. Two
passes of messages along a forest of cliques, up and down, give the distribution of every variable. What is
observed is cut out of the tables first, which breaks the graph apart and makes the cliques small: the forest
is planned anew for every *set* of observed variables (and remembered). Small networks keep one tree and mask
it instead.

The numbers are propagated by the native core; this module turns schemas, names and refusals into its terms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, NoReturn, ParamSpec, TypeVar, cast

import numpy as np

from treewright import _core
from treewright.arguments import SCHEMA, require
from treewright.errors import SchemaError
from treewright.inference.batch import EvidenceColumns
from treewright.inference.engine import Cost, Factor
from treewright.inference.evidence import Evidence
from treewright.inference.refusals import refuse_impossible, refuse_large, whole
from treewright.limits import memory_limit, table_axes
from treewright.tables.schema import Schema
from treewright.types import Cells, Codes, Scope

P = ParamSpec("P")
T = TypeVar("T")
NOTHING = Evidence()


class JunctionPlan(NamedTuple):
    """A junction forest, children before parents, for engines that know evidence as masks alone.

    Scopes have residual variables first and then the separator, in the order of the parent's scope; a root
    has the parent -1. Variables with a single state are in no scope.
    """

    scopes: list[list[int]]
    residual: list[int]
    parent: list[int]


class JunctionTreeEngine:
    """Answers questions about a product of tables.

    The *mass* of evidence is the sum of the product over all states that agree with it. For the tables of a
    Bayesian network that is its probability. Answers are those of :class:`Engine`.

    Scopes of `factors` may repeat, overlap or be empty. `directed` promises that factor v is the distribution
    of variable v given the others in its scope, v itself last; variables that a question does not touch are
    then left out. `options` are ways of working, for tests: ``strategy`` (automatic, masked, sliced, pruned,
    parts), ``hubs``, ``stored_cells``, ``streamed_above``, ``tile``. Answers do not depend on them beyond
    rounding.

    Examples
    --------
    >>> from treewright.tables.schema import Variable
    >>> schema = Schema([Variable("a", ("no", "yes")), Variable("b", ("no", "yes"))])
    >>> engine = JunctionTreeEngine(schema, [Factor((0, 1), np.array([[3.0, 1.0], [1.0, 5.0]]))])
    >>> table, log_mass = engine.joint((0,), Evidence(observed=[1], states=[1]))
    >>> table.round(4).tolist(), round(math.exp(log_mass), 9)
    ([0.1667, 0.8333], 6.0)
    """

    def __init__(
        self, schema: Schema, factors: Sequence[Factor], *, directed: bool = False, **options: Any
    ) -> None:
        require("JunctionTreeEngine", SCHEMA, schema)
        self.schema = schema
        self.factors = tuple(factors)
        self.directed = directed
        self._options = options
        self.tables, self._log_scale = _checked_tables(schema, self.factors)  # flat, no cell above one
        # by name, so that the order of columns has no say; potentials are summed as they always were
        order = list(schema.name_order) if directed else []
        scopes = [list(f.scope) for f in self.factors]
        self._forest = _core.Forest(
            list(schema.cardinalities), scopes, self.tables, directed, order, order, **options
        )

    def __reduce__(self) -> tuple[Any, ...]:  # the native half is rebuilt
        made = partial(JunctionTreeEngine, directed=self.directed, **self._options)
        return made, (self.schema, self.factors)

    def marginals(self, evidence: Evidence = NOTHING) -> tuple[Cells, float]:
        try:  # as _ask does, without the calls, which take a tenth of the time
            flat, log_mass = self._forest.marginals(
                evidence.observed, evidence.states, evidence.weighted, evidence.likelihoods, memory_limit()
            )
        except _core.TooLarge as refused:
            refuse_large(self.schema, refused)
        return flat, log_mass + self._log_scale

    def joint(self, targets: Scope, evidence: Evidence = NOTHING) -> tuple[Cells, float]:
        flat, log_mass = self._ask(self._forest.joint, list(targets), *self._arguments(evidence))
        shape = tuple(self.schema.cardinalities[v] for v in table_axes(self.schema, targets))
        table = np.zeros(shape) if log_mass == -math.inf else flat.reshape(shape)
        return table, log_mass + self._log_scale

    def log_mass(self, evidence: Evidence = NOTHING) -> float:
        return self._ask(self._forest.log_mass, *self._arguments(evidence)) + self._log_scale

    def most_probable(self, evidence: Evidence = NOTHING) -> tuple[list[int], float]:
        codes, log_mass = self._ask(self._forest.most_probable, *self._arguments(evidence))
        return codes, log_mass + self._log_scale

    def sample(
        self, n: int, evidence: Evidence = NOTHING, *, seed: int, first_row: int = 0
    ) -> tuple[list[Codes], float]:
        arguments = *self._arguments(evidence), seed, first_row, n
        columns, log_mass = self._ask(self._forest.sample, *arguments)
        return cast("list[Codes]", columns), log_mass + self._log_scale

    def marginals_many(self, columns: EvidenceColumns, wanted: Scope) -> tuple[Cells, Cells]:
        """Equal rows are asked once; the others in threads, whose number changes nothing."""
        arguments = *columns.native(), columns.n_rows, list(wanted), memory_limit()
        cells, log_mass = self._ask(self._forest.marginals_many, *arguments)
        return cells, log_mass + self._log_scale

    def cost(self, evidence: Evidence = NOTHING, targets: Scope = ()) -> Cost:
        """What all marginals (or the joint of some targets) would cost; no table is made."""
        if (asked := self._too_large_to_answer(evidence, targets)) is not None:
            return asked
        found: dict[str, Any] = self._forest.cost(*self._arguments(evidence), list(targets))
        scope, limit = found["largest_scope"], memory_limit()
        cells = math.prod(self.schema.cardinalities[v] for v in scope)
        size = max(whole(found["bytes"]), 8 * cells if found["bytes"] >= 2.0**62 else 0)
        return Cost(
            width=max(len(scope) - 1, found["width"]),
            largest_table=self.schema.names_of(sorted(scope)),
            largest_cells=cells,
            bytes=size,
            operations=max(whole(found["operations"]), cells if found["operations"] >= 2.0**62 else 0),
            seconds=found["seconds"],
            refused=8 * cells > limit or size > max(limit, 1 << 26),
        )

    def plan(self, most_cells: int) -> JunctionPlan | None:
        """The cliques of a forest that serves every question; None when they have more cells in all.

        Examples
        --------
        >>> from treewright.networks import load_network
        >>> load_network("asia")._engine.plan(1000).residual
        [1, 1, 1, 1, 1, 3]
        """
        try:
            return JunctionPlan(*self._forest.plan(most_cells))
        except _core.TooLarge:
            return None

    def _too_large_to_answer(self, evidence: Evidence, targets: Scope) -> Cost | None:
        """The cost of an answer that does not fit by itself: there is nothing to plan."""
        free = sorted(set(targets) - set(evidence.observed))
        cells = math.prod(self.schema.cardinalities[v] for v in free)
        if 8 * cells <= max(memory_limit(), 1 << 26):
            return None
        seconds = cells * 0.45e-9 if cells < 10**300 else math.inf
        return Cost(len(free) - 1, self.schema.names_of(free), cells, 8 * cells, cells, seconds, refused=True)

    def refuse_impossible(self, evidence: Evidence) -> NoReturn:
        """Say which part of impossible evidence contradicts itself or the model; the part is minimal."""
        try:
            conflict = evidence.only(self._forest.conflict(*self._arguments(evidence)))
        except _core.TooLarge:  # fewer observations leave larger tables
            conflict = evidence
        refuse_impossible(self.schema, evidence, conflict)

    def _ask(self, question: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
        """The core's answer, or its refusal in words."""
        try:
            return question(*arguments, **options)
        except _core.TooLarge as refused:
            refuse_large(self.schema, refused)

    def _arguments(
        self, evidence: Evidence
    ) -> tuple[list[int], list[int], list[int], list[list[float]], int]:
        limit = memory_limit()
        return evidence.observed, evidence.states, evidence.weighted, evidence.likelihoods, limit


def _checked_tables(schema: Schema, factors: Sequence[Factor]) -> tuple[list[Cells], float]:
    """Flat tables with no cell above one, and the logarithm of what they were divided by."""
    for variable in schema:
        if not variable.is_discrete:
            raise SchemaError(f"tables need discrete variables; {variable.name!r} is continuous")
    tables, log_scale = [], 0.0
    for factor in factors:
        table = np.ascontiguousarray(factor.table, dtype=np.float64)
        names = ", ".join(map(repr, schema.names_of(factor.scope)))
        shape = tuple(schema.cardinalities[v] for v in factor.scope)
        if table.shape != shape and not (shape == () and table.size == 1):
            raise SchemaError(
                f"the table over {names} has the shape {table.shape}; its states ask for {shape}"
            )
        if not (table >= 0).all() or np.isinf(table).any():  # also catches what is not a number
            raise SchemaError(f"the table over {names} holds something negative, infinite or not a number")
        largest = float(table.max())
        # a potential of any size becomes one that products cannot overflow with
        if largest > 1 + 1e-6 or 0 < largest < 1e-100:
            table, log_scale = table / largest, log_scale + math.log(largest)
        tables.append(table.ravel())
    return tables, log_scale

"""Scores that integrate the parameters out: the marginal likelihood under Dirichlet priors.

The score of a family is ``sum_j [ln G(a_j) - ln G(a_j + n_j)] + sum_jk [ln G(a_jk + n_jk) - ln G(a_jk)]``, G
the gamma function. BDeu spreads `ess` imaginary rows evenly over the cells, BDe as a prior network says, K2
puts one into every cell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from treewright import _core
from treewright.arguments import COUNTS, require
from treewright.criteria.scores.discrete_score import CountScore, DiscreteScore, resolution_of
from treewright.criteria.scores.score import NamedFamily, PluralScore, as_families, floats, positive
from treewright.errors import SchemaError, SettingError
from treewright.limits import check_table, table_cells
from treewright.ranges import in_range
from treewright.statistics.counter import Counter, Counts, OfCounter
from treewright.statistics.families import CELLS_PER_CALL, Family, ScoreSettings
from treewright.tables.schema import Schema
from treewright.types import Floats, Scope


class BDeu(DiscreteScore):
    """Bayesian Dirichlet score, equivalent and uniform: `ess` imaginary rows spread evenly over the cells.

    Configurations that were never seen contribute nothing.

    Examples
    --------
    >>> from treewright.statistics.joint import JointCounts
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable("treated", ("no", "yes")), Variable("well", ("no", "yes"))])
    >>> score = BDeu(JointCounts(schema, [[20, 10], [5, 25]]), ess=1.0)
    >>> round(score.local("well", ["treated"]), 4), round(score.local("well"), 4)
    (-37.3151, -43.0288)
    """

    @in_range
    def __init__(self, counter: Counter, ess: float = 1.0) -> None:
        super().__init__(counter, ScoreSettings("bdeu", positive("ess (the equivalent sample size)", ess)))


class K2(CountScore):
    """Cooper & Herskovits' score: one imaginary row in every cell. It prefers some orientations to others.

    Examples
    --------
    >>> import treewright as tw
    >>> score = K2(tw.count(tw.read_table({"a": [0] * 6 + [1] * 6, "b": [0] * 5 + [1] * 7})))
    >>> score.local("a") + score.local("b", ["a"]) == score.local("b") + score.local("a", ["b"])
    False
    """

    kind = "k2"
    is_score_equivalent = False


class JointPrior(Protocol):
    """What is believed before the data: a joint distribution of any few variables."""

    def joint(self, scope: Scope) -> Floats:
        """Probabilities, one axis for each variable of the scope."""
        ...


class UniformPrior:
    """Every cell of every table is equally likely; BDe with it is BDeu.

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> UniformPrior(Schema([Variable("a", (0, 1)), Variable("b", (0, 1))])).joint((0, 1)).tolist()
    [[0.25, 0.25], [0.25, 0.25]]
    """

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def joint(self, scope: Scope) -> Floats:
        check_table(self.schema, scope)
        return np.full([self.schema.cardinalities[v] for v in scope], 1 / table_cells(self.schema, scope))


class BDe(OfCounter, PluralScore):
    """Bayesian Dirichlet score, equivalent: `ess` imaginary rows distributed as a prior network says.

    Parameters
    ----------
    prior
        Anything with ``joint(scope)``, the probabilities of some variables, one axis for each.

    Notes
    -----
    A cell to which the prior gives probability 0 but which the data hold makes the score minus infinity.

    Examples
    --------
    >>> from treewright.statistics.joint import JointCounts
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable("treated", ("no", "yes")), Variable("well", ("no", "yes"))])
    >>> counter = JointCounts(schema, [[20, 10], [5, 25]])
    >>> score = BDe(counter, UniformPrior(schema), ess=2.0)
    >>> abs(score.local("well", ["treated"]) - BDeu(counter, ess=2.0).local("well", ["treated"])) < 1e-9
    True
    """

    is_score_equivalent = True

    @in_range
    def __init__(self, counter: Counter, prior: JointPrior, ess: float = 1.0) -> None:
        require("BDe", COUNTS, counter)
        known = getattr(prior, "schema", counter.schema)
        if known.names != counter.schema.names:
            raise SchemaError(
                "the prior and the counter must have the same variables in the same order; found "
                f"{', '.join(known.names[:20])} and {', '.join(counter.schema.names[:20])}"
            )
        self.counter, self.prior = counter, prior
        self.ess = positive("ess (the equivalent sample size)", ess)

    def __repr__(self) -> str:
        return f"BDe({len(self.schema)} variables, {self.counter.n_rows} rows, ess={self.ess:g})"

    @property
    def resolution(self) -> float:
        """The step, in nats, of which every local score is a multiple."""
        return resolution_of(float(self.counter.n_rows))

    def local_many(self, families: Sequence[NamedFamily]) -> Floats:
        chunks = self._chunks(as_families(self.schema, families))
        return floats(local for chunk in chunks for local in self._judge(chunk))

    def _chunks(self, families: list[Family]) -> list[list[Family]]:
        """Families in order, few enough at a time that their tables are small together."""
        chunks: list[list[Family]] = []
        held = math.inf
        for child, parents in families:
            size = check_table(self.schema, (*parents, child)) // 8
            if held + size > CELLS_PER_CALL:
                chunks.append([])
                held = 0
            chunks[-1].append((child, parents))
            held += size
        return chunks

    def _judge(self, families: list[Family]) -> list[float]:
        scopes = [tuple(sorted((*parents, child))) for child, parents in families]
        tables = self.counter.counts_many(scopes)
        known = zip(families, scopes, tables, strict=True)
        return [self._local(child, scope, table) for (child, _), scope, table in known]

    def _local(self, child: int, scope: Scope, table: Counts) -> float:
        joint = self._set_score(scope, table)
        if joint == -math.inf:  # then so is that of the parents, perhaps
            return joint
        at = scope.index(child)
        return joint - self._set_score((*scope[:at], *scope[at + 1 :]), np.asarray(table.sum(axis=at)))

    def _set_score(self, scope: Scope, table: Counts) -> float:
        """Sum of ln G(a + n) - ln G(a) over the cells of a sorted set: equivalent graphs tie exactly."""
        prior = np.asarray(self.prior.joint(scope), dtype=np.float64)
        if prior.shape != table.shape:
            raise SchemaError(
                f"the prior of {self.schema.names_of(scope)} has the shape {prior.shape}; "
                f"the table has {table.shape}"
            )
        if not np.isfinite(prior).all() or (prior < 0).any():
            raise SettingError(
                f"the prior of {self.schema.names_of(scope)} must hold probabilities from 0 on"
            )
        counts = np.ascontiguousarray(table, dtype=np.float64).reshape(-1)
        return _core.dirichlet_table(
            float(self.counter.n_rows), counts, np.ascontiguousarray(self.ess * prior).reshape(-1)
        )

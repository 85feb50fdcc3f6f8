"""Neighbours by penalised regression: every variable on all others, with a price on each neighbour.

In a Markov network of pairs, the log-odds of a variable's states given all others are a sum of one table of
weights per neighbour, and nobody else appears. So a logistic regression of each variable on all others, with
a penalty that makes most weights exactly zero, finds the neighbours (Ravikumar, Wainwright & Lafferty 2010).
The penalty is on the norm of the whole table of a pair (a group lasso), whatever the numbers of states; for
two binary variables that is the usual L1 penalty. Two regressions judge every pair: a rule joins their
verdicts, and the weight of a pair is the mean of the two.

What the regressions can see are pairs. A factor over three variables shows only through its pairs, so in
graphs of larger cliques the scores of blankets find more.

The energies of a log-linear model of pairs can be told as tables that are centred, which no state is special
in, or against the first states, which need no weight then: as features.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.arguments import COUNTS, require, require_option
from treewright.criteria.tests.independence import one_of
from treewright.errors import SchemaError, SettingError, TableTooLarge
from treewright.graphs import Edge, UndirectedGraph
from treewright.learners.learned import Learned, TraceBuilder, keeping
from treewright.limits import format_bytes, memory_limit
from treewright.once import cached_property
from treewright.ranges import in_range
from treewright.statistics.counter import Counter
from treewright.statistics.rows import DistinctRows, distinct_rows
from treewright.tables.features import Feature
from treewright.tables.schema import Schema
from treewright.types import Floats, Progress, Step


def check_path(gamma: float, n_penalties: int, smallest: float) -> None:
    """Refuse settings of a path of penalties, and of the criterion that chooses on it, that make no sense."""
    if not (math.isfinite(gamma) and gamma >= 0):
        raise SettingError(f"gamma is a number from 0 on; found {gamma!r}")
    if n_penalties < 2:
        raise SettingError(f"a path has at least 2 penalties; found n_penalties={n_penalties}")
    if not 0 < smallest < 1:
        raise SettingError(f"smallest is a share between 0 and 1, both excluded; found {smallest!r}")


@dataclass(frozen=True)
class LearnedNeighbourhoods(Learned[UndirectedGraph]):
    """A graph of pairs, and the weights that the regressions gave them.

    Attributes
    ----------
    found
        The neighbours that each regression found, by name, before the rule joined them.
    penalties
        The penalty of each regression, by name.
    score
        Where the penalties were chosen by it, minus half the sum of the regressions' extended BIC, in nats;
        NaN otherwise.

    Examples
    --------
    >>> import treewright as tw
    >>> counter = tw.count(tw.read_table({"a": [0, 0, 1, 1] * 9, "b": [0, 1] * 18, "c": [0, 1, 1, 1] * 9}))
    >>> learned = tw.learn_l1_neighbourhoods(counter)
    >>> learned.found["c"], learned.structure.n_edges
    (('a', 'b'), 3)
    >>> tw.models.LogLinearModel(counter.schema, learned.features, learned.weights)
    <LogLinearModel: 3 variables, 6 features>
    """

    found: Mapping[str, tuple[str, ...]]
    penalties: Mapping[str, float]
    score: float = field(kw_only=True)
    tables: Mapping[Edge, Floats] = field(repr=False)
    intercepts: tuple[Floats, ...] = field(repr=False)

    def pair_weights(self, x: str | int, y: str | int) -> Floats:
        """The mean table of weights of a pair, centred: states of `x` by states of `y`."""
        u, v = self.structure.schema.index(x), self.structure.schema.index(y)
        if (min(u, v), max(u, v)) not in self.tables:
            cardinalities = self.structure.schema.cardinalities
            return np.zeros((cardinalities[u], cardinalities[v]))
        table = self.tables[min(u, v), max(u, v)]
        return table if u < v else table.T

    @cached_property
    def _log_linear(self) -> tuple[tuple[Feature, ...], Floats]:
        return _against_first_states(self.structure.schema, self.tables, self.intercepts)

    @property
    def features(self) -> tuple[Feature, ...]:
        """Statements about one state, and about two of joined variables; the first states need none."""
        return self._log_linear[0]

    @property
    def weights(self) -> Floats:
        """The weight of each of the `features` in a log-linear model."""
        return self._log_linear[1]


def _against_first_states(
    schema: Schema, tables: Mapping[Edge, Floats], intercepts: Sequence[Floats]
) -> tuple[tuple[Feature, ...], Floats]:
    """The same energies, up to a constant, as weights of states other than the first and of pairs of such."""
    single = [intercept - intercept[0] for intercept in intercepts]
    features: list[Feature] = []
    weights: list[float] = []
    for (u, v), table in tables.items():
        single[u] = single[u] + table[:, 0] - table[0, 0]
        single[v] = single[v] + table[0] - table[0, 0]
    for v, energies in enumerate(single):
        for state in range(1, len(energies)):
            features.append(Feature.of_codes(schema, [(v, state)]))
            weights.append(float(energies[state]))
    for (u, v), table in tables.items():
        corner = table - table[:, :1] - table[:1] + table[0, 0]
        for s in range(1, corner.shape[0]):
            for t in range(1, corner.shape[1]):
                features.append(Feature.of_codes(schema, [(u, s), (v, t)]))
                weights.append(float(corner[s, t]))
    return tuple(features), np.array(weights)


Rule = Literal["or", "and"]

TUNING_PENALTIES = (1000.0, 500.0, 200.0, 100.0, 50.0, 25.0, 20.0, 10.0, 5.0, 2.0, 1.0)
NOT_BEFORE = "the graph joins what the regressions of all variables found"
_PATIENCE = 5  # worse supports in a row that end a path


@in_range
def learn_l1_neighbourhoods(
    counter: Counter,
    *,
    penalty: float | Literal["ebic", "validation"] = "ebic",
    rule: Rule = "or",
    gamma: float = 0.5,
    n_penalties: int = 30,
    smallest: float = 0.01,
    valid: Counter | None = None,
    penalties: Sequence[float] = TUNING_PENALTIES,
    tolerance: float = 1e-7,
    progress: Progress | None = None,
) -> LearnedNeighbourhoods:
    """Join each variable to those that a penalised regression of it on all others needs.

    Parameters
    ----------
    counter
        Rows of discrete variables. A counter over a table in memory hands them out; another one has to be
        able to number the joint states of all variables.
    penalty
        A number: the price, in nats of the whole log-likelihood, of a weight of one between two binary
        variables coded 0 and 1 (of larger tables, twice the norm of the centred weights). ``"ebic"``: each
        regression goes down a path of penalties, and of the supports on it the one of best extended BIC
        stays, fitted again without penalty. ``"validation"``: the one of `penalties` that predicts every
        variable of the rows of `valid` best from the others.
    rule
        Whether one regression is enough to join a pair (``"or"``) or both are needed (``"and"``).
    gamma
        Weight of the number of possible neighbours in the extended BIC; 0 is BIC.
    n_penalties, smallest
        Length of a path, and its last penalty as a share of the first (at which nothing is joined). A path
        ends early after five worse supports in a row, or when all others have joined.
    valid
        Rows to choose among `penalties` with; of the same variables.
    penalties
        What ``"validation"`` chooses from.
    tolerance
        How far the gradient of a regression's mean log-likelihood may be from its optimality conditions.
    progress
        Called after regressions: how many of how many are done.

    Returns
    -------
    LearnedNeighbourhoods
        The graph, with the features and weights of a log-linear model of its pairs;
        :func:`~treewright.models.fit_pseudolikelihood` fits the same features jointly.

    References
    ----------
    .. [1] Ravikumar, Wainwright & Lafferty (2010). High-dimensional Ising model selection using
       l1-regularized logistic regression. Annals of Statistics 38, 1287-1319.
    .. [2] Barber & Drton (2015). High-dimensional Ising model selection with Bayesian information criteria.
       Electronic Journal of Statistics 9, 567-607.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> chain = tw.networks.load_graph("six_chain")
    >>> rows = tw.networks.random_markov_network(chain, rng=np.random.default_rng(5)).sample(
    ...     4_000, rng=np.random.default_rng(1)
    ... )
    >>> tw.learn_l1_neighbourhoods(tw.count(rows)).structure.edges()
    [('x0', 'x1'), ('x1', 'x2'), ('x2', 'x3'), ('x3', 'x4'), ('x4', 'x5')]
    """
    require("learn_l1_neighbourhoods", COUNTS, counter)
    require_option("learn_l1_neighbourhoods", COUNTS, valid=valid)
    one_of("rule", rule, ("or", "and"))
    _check_settings(penalty, gamma, n_penalties, smallest, tolerance)
    trace = TraceBuilder()
    with trace.phase("rows") as tallies:
        rows = distinct_rows(counter)
        design = _design(rows)
        tallies["distinct_rows"] = len(rows.weights)

    def tell(done: int) -> None:
        if progress is not None:
            progress(Step("regressions", done, len(rows.schema)))

    tell(0)
    with trace.phase("regressions") as tallies, keeping(lambda _: None, NOT_BEFORE):
        if penalty == "ebic":
            raw = _core.nodewise_by_ebic(design, n_penalties, smallest, gamma, _PATIENCE, tolerance, tell)
        else:
            chosen = penalty if not isinstance(penalty, str) else _validated(rows, design, valid, penalties)
            raw = _core.nodewise_at_penalty(design, float(chosen), tolerance, tell)
        regressions = Regressions(*raw)
        tallies["regressions"] = len(rows.schema)
        tallies["penalties"] = int(regressions.steps.sum())
    with trace.phase("joining"):
        score = -float(regressions.criteria.sum()) / 2 if penalty == "ebic" else math.nan
        found = regressions.supports.astype(np.bool_)
        joined = found | found.T if rule == "or" else found & found.T
        return _learned(counter.schema, rows.schema, regressions, joined, score=score, trace=trace)


class Regressions(NamedTuple):
    """What the core found, variables in name order."""

    weights: Floats  # contrasts of the targets x contrasts of the others
    intercepts: Floats
    penalties: Floats
    criteria: Floats
    supports: npt.NDArray[np.uint8]
    steps: npt.NDArray[np.uint32]


def _learned(
    schema: Schema,
    ordered: Schema,
    found: Regressions,
    joined: npt.NDArray[np.bool_],
    *,
    score: float,
    trace: TraceBuilder,
) -> LearnedNeighbourhoods:
    """Back from contrasts in name order to tables over the schema."""
    place = [schema.index(name) for name in ordered.names]
    bases = [_core.state_contrasts(variable.cardinality) for variable in ordered]
    offsets = np.concatenate([[0], np.cumsum([basis.shape[1] for basis in bases])]).astype(np.int64)
    parts = [slice(begin, end) for begin, end in pairwise(offsets.tolist())]
    mean = (found.weights + found.weights.T) / 2
    tables: dict[Edge, Floats] = {}
    for i, j in np.argwhere(np.triu(joined, 1)).tolist():
        table = bases[i] @ mean[parts[i], parts[j]] @ bases[j].T
        u, v = place[i], place[j]
        tables[min(u, v), max(u, v)] = table if u < v else table.T
    intercepts = [np.zeros(0)] * len(schema)
    for i, v in enumerate(place):
        intercepts[v] = bases[i] @ found.intercepts[parts[i]]
    names = ordered.names
    neighbours = {
        names[i]: tuple(names[j] for j in np.flatnonzero(line).tolist())
        for i, line in enumerate(found.supports)
    }
    return LearnedNeighbourhoods(
        UndirectedGraph(schema, sorted(tables)),
        trace.build(),
        neighbours,
        dict(zip(names, found.penalties.tolist(), strict=True)),
        dict(sorted(tables.items())),
        tuple(intercepts),
        score=score,
    )


def _design(rows: DistinctRows) -> _core.NodewiseDesign:
    cardinalities = list(rows.schema.cardinalities)
    contrasts = sum(cardinalities) - len(cardinalities)
    needed = 8 * contrasts * (len(rows.weights) + contrasts)
    if needed > memory_limit():
        raise TableTooLarge(
            f"regressions on {contrasts} contrasts of states in {len(rows.weights):,} distinct rows take "
            f"{format_bytes(needed)}, above the memory limit of {format_bytes(memory_limit())}; use fewer "
            "variables or rows, or raise the limit with set_memory_limit or TREEWRIGHT_MEMORY"
        )
    return _core.NodewiseDesign(rows.codes, rows.weights, cardinalities)


def _validated(
    rows: DistinctRows, design: _core.NodewiseDesign, valid: Counter | None, penalties: Sequence[float]
) -> float:
    """The penalty under which other rows' variables are predicted best; of equal ones the largest."""
    if valid is None:
        raise SettingError('penalty="validation" needs rows to validate on: pass valid=tw.count(table)')
    falling = sorted({float(penalty) for penalty in penalties}, reverse=True)
    if not falling or not all(math.isfinite(p) and p > 0 for p in falling):
        raise SettingError(f"penalties to choose from are positive numbers; found {list(penalties)!r}")
    others = distinct_rows(valid)
    refuse_other_rows(rows, others)
    logs = _core.nodewise_held_out(design, _design(others), falling, 1e-7)
    return falling[int(np.argmax(logs.sum(axis=0)))]


def refuse_other_rows(rows: DistinctRows, others: DistinctRows) -> None:
    if others.schema != rows.schema:
        raise SchemaError("the rows to validate on must have the same variables and states as the counter")


def _check_settings(
    penalty: object, gamma: float, n_penalties: int, smallest: float, tolerance: float
) -> None:
    if isinstance(penalty, str):
        one_of("penalty", penalty, ("ebic", "validation"))
    elif not (isinstance(penalty, int | float) and math.isfinite(penalty) and penalty > 0):
        raise SettingError(f'penalty is a positive number, "ebic" or "validation"; found {penalty!r}')
    check_path(gamma, n_penalties, smallest)
    if not 0 < tolerance < 1e-2:
        raise SettingError(f"tolerance lies between 0 and 0.01, both excluded; found {tolerance!r}")

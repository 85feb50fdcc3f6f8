"""A general network whose class is told as well as possible: its blanket chosen by conditional likelihood.

A search by score describes all variables alike, and spends what it has on those that say nothing about the
class. Here the networks of such searches are where one begins; arcs in the blanket of the class are then
added and taken away as long as the class of each row becomes more probable given the rest of the row, where
the row itself is left out of the counts: what only repeats the rows gains nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from treewright.arguments import TABLE, require
from treewright.criteria import BIC, LocalScore, SparseQNML
from treewright.errors import MissingValuesError, SettingError
from treewright.graphs import Dag
from treewright.graphs.directed.dag import DagBuilder
from treewright.learners.classes.dag_climbing import learn_dag_climbing
from treewright.learners.classes.hill_climbing import learn_hill_climbing
from treewright.learners.classifiers.structures import require_discrete, shared_given
from treewright.learners.learned import LearnedNetwork, TraceBuilder
from treewright.ranges import in_range
from treewright.statistics import Counter, count_shown
from treewright.tables.schema import NameOrIndex
from treewright.tables.table import Table
from treewright.types import Floats, Scope

_SMOOTHING = 2.0  # rows of even spread in every context
_NEAREST = 6  # findings that are tried as a further parent
Family = tuple[int, Scope]


@in_range
def learn_class_blanket(
    table: Table, target: NameOrIndex, *, max_parents: int = 3, steps: int = 60
) -> LearnedNetwork[Dag]:
    """Learn a network that tells one variable from the others: a search by score, its blanket by likelihood.

    Parameters
    ----------
    table
        Rows of discrete columns. A row with a gap in a family is not told by that family; the class has none.
    target
        The class.
    max_parents
        No finding gets more by conditional likelihood, the class among them.
    steps
        How many arcs are changed at most.

    Returns
    -------
    LearnedNetwork[Dag]
        Its `score` is the conditional log-likelihood of the class, each row left out of its own counts.

    References
    ----------
    .. [1] Grossman & Domingos (2004). Learning Bayesian network classifiers by maximizing conditional
       likelihood. ICML, 46. Departures: moves stay in the blanket of the class, and each row is left out.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = tw.load_network("asia").sample(2_000, rng=np.random.default_rng(0))
    >>> found = learn_class_blanket(rows, "either").structure
    >>> {"lung", "tub"} <= {*found.parents("either"), *found.children("either")}
    True
    """
    require("learn_class_blanket", TABLE, table)
    if max_parents < 1 or steps < 0:
        raise SettingError(
            f"learn_class_blanket takes max_parents= from 1 on and steps= from 0 on; found {max_parents} and "
            f"{steps}"
        )
    require_discrete(table.schema)
    counter, trace = count_shown(table), TraceBuilder()
    v = table.schema.index(target)
    if v in table.missing:
        raise MissingValuesError(
            f"the class {table.schema.names[v]!r} has missing cells; leave out those rows"
        )
    with trace.phase("networks"):
        starts = [learn_by_score(score(counter), gaps=table.has_missing) for score in (BIC, SparseQNML)]
    judge = _LeftOut(table, counter, v)
    with trace.phase("blanket") as tallies:
        best = max(starts, key=judge.start)
        judge.start(best)
        search = _Search(judge, DagBuilder.of(best), max_parents)
        tallies["steps"] = search.climb(steps)
    return LearnedNetwork(search.network.freeze(), trace.build(), score=judge.total)


def learn_by_score(score: LocalScore, *, gaps: bool) -> Dag:
    """A network by score; among networks where counts are those of different rows, not among classes."""
    return (learn_dag_climbing(score) if gaps else learn_hill_climbing(score, effort=0)).structure


class _LeftOut:
    """Log-probability of the class in each row, from the counts of all other rows."""

    def __init__(self, table: Table, counter: Counter, v: int) -> None:
        self.columns, self.missing, self.counter, self.v = table.columns, table.missing, counter, v
        self.cards = table.schema.cardinalities
        self.rows = np.arange(table.n_rows)
        self.truth = np.asarray(table.columns[v], dtype=np.intp)
        self.weights = np.ones(table.n_rows) if table.weights is None else np.asarray(table.weights, float)
        self._terms: dict[Family, Floats] = {}
        self.sums: Floats = np.zeros((table.n_rows, self.cards[v]))
        self.total = 0.0

    def start(self, dag: Dag) -> float:
        """Judge a whole network, and go on from it."""
        families = [(u, dag.parents(u)) for u in (self.v, *dag.children(self.v))]
        self.sums = np.asarray(sum((self.term(*family) for family in families), np.zeros_like(self.sums)))
        self.total = self.judge(self.sums)
        return self.total

    def judge(self, sums: Floats) -> float:
        top = sums.max(axis=1, keepdims=True)
        logs = sums[self.rows, self.truth] - top[:, 0] - np.log(np.exp(sums - top).sum(axis=1))
        return float(self.weights @ logs)

    def term(self, u: int, parents: Iterable[int]) -> Floats:
        """What a family says in each row about each class; nothing where the class is not in it."""
        family = (u, tuple(sorted(parents)))
        if family not in self._terms:
            self._terms[family] = self._counted(*family)
        return self._terms[family]

    def _counted(self, u: int, parents: Scope) -> Floats:
        if self.v != u and self.v not in parents:
            return np.zeros_like(self.sums)
        seen = [w for w in (*parents, u) if w != self.v]
        cells = np.asarray(self.counter.counts((*seen, self.v)), dtype=np.float64)
        whole = cells.sum(axis=-1 if self.v == u else -2, keepdims=True)
        place = np.zeros(len(self.rows), dtype=np.intp)
        for w in seen:
            place = place * self.cards[w] + np.asarray(self.columns[w], dtype=np.intp)
        whole = np.broadcast_to(whole, cells.shape).reshape(-1, self.cards[self.v])[place]
        n = cells.reshape(-1, self.cards[self.v])[place]  # a copy of our own
        n[self.rows, self.truth] -= self.weights
        left = np.zeros_like(n)
        left[self.rows, self.truth] = self.weights
        if self.v == u:
            left[:] = self.weights[:, None]
        share = _SMOOTHING / self.cards[u]
        logs = np.log(np.maximum(n, 0.0) + share) - np.log(np.maximum(whole - left, 0.0) + _SMOOTHING)
        for w in self.missing.keys() & set(seen):
            logs[self.missing[w]] = 0.0  # a row with a gap in a family is not told by it
        return np.asarray(logs)


class _Search:
    """Greedy changes of the blanket."""

    def __init__(self, judge: _LeftOut, network: DagBuilder, max_parents: int) -> None:
        self.judge, self.network, self.max_parents = judge, network, max_parents
        self.others = [u for u in judge.counter.schema.name_order if u != judge.v]
        given = shared_given(judge.counter, judge.v, self.others)
        order = np.argsort(-given, axis=1, kind="stable")[:, : _NEAREST + 1]
        self.nearest = {
            u: [self.others[j] for j in order[i] if self.others[j] != u][:_NEAREST]
            for i, u in enumerate(self.others)
        }

    def climb(self, steps: int) -> int:
        for step in range(steps):
            moves = [(self.gain(*move), move) for move in self.moves()]
            gain, move = max(moves, key=lambda found: found[0], default=(0.0, None))
            # the best of many is lucky: n changes that are worth nothing gain up to log n nats by chance
            if move is None or gain < np.log(len(moves)) + 1.0:
                return step
            child, parents = move
            self.judge.sums = self.judge.sums + self.change(child, parents)
            self.judge.total += gain
            for parent in set(self.network.parents(child)) - set(parents):
                self.network.remove(parent, child)
            for parent in set(parents) - set(self.network.parents(child)):
                self.network.add(parent, child)
        return steps

    def change(self, child: int, parents: Scope) -> Floats:
        now = self.judge.term(child, self.network.parents(child))
        return np.asarray(self.judge.term(child, parents) - now)

    def gain(self, child: int, parents: Scope) -> float:
        return self.judge.judge(self.judge.sums + self.change(child, parents)) - self.judge.total

    def moves(self) -> Iterable[Family]:
        """Families that a single arc changes: of the class with a finding, of a child with another parent."""
        v, network = self.judge.v, self.network
        for u in self.others:
            parents = network.parents(u)
            if v in parents:
                yield u, tuple(p for p in parents if p != v)
                yield from ((u, tuple(p for p in parents if p != w)) for w in parents if w != v)
                if len(parents) < self.max_parents:
                    tried = [w for w in self.nearest[u] if w not in parents and network.can_add(w, u)]
                    yield from ((u, (*parents, w)) for w in tried)
            elif len(parents) < self.max_parents and network.can_add(v, u):
                yield u, (*parents, v)

"""The best network of all, by dynamic programming over sets of variables.

Some variable is last in an order of any network; without it the rest is the best network of the others. So
the best network of a set follows from those of the sets with one variable less, and the best parents of a
variable among a set from those among smaller sets (Silander & Myllymäki 2006). That takes time and memory
like 2^n: the end of all search for few variables, and what heuristics are measured against.

A score that cannot tell equivalent networks apart is the difference of two values of sets, score(v | P) =
F(P + v) - F(P). Then one question for each set is enough, 2^n instead of n 2^(n-1).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from treewright.arguments import SCORE, require
from treewright.criteria.scores.native_scores import native_scores
from treewright.criteria.scores.score import LocalScore
from treewright.errors import SettingError, TableTooLarge
from treewright.graphs import BoundKnowledge, Cpdag, Dag, Knowledge, bind_knowledge
from treewright.learners.learned import LearnedNetwork, TraceBuilder, notes_on, tell
from treewright.limits import format_bytes, memory_limit
from treewright.ranges import in_range
from treewright.types import Arc, Floats, Progress, Scope

Sets = npt.NDArray[np.int32]  # one bit for each variable, in the order of names
MOST_VARIABLES = 25


@dataclass(frozen=True)
class LearnedExactly(LearnedNetwork[Dag]):
    """A network that no other beats.

    Attributes
    ----------
    structure
        Among the best ones the first by name; of its class, when nothing tells members apart, the member that
        ends with the largest names. The trace tells how many local scores were asked.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = {"a": [0, 0, 1, 1] * 9, "b": [0, 1, 0, 1] * 9, "c": [0, 0, 0, 1] * 9}
    >>> learned = tw.learners.learn_exact(tw.BIC(tw.count(tw.read_table(rows))))
    >>> learned.cpdag.directed_edges(), learned.trace.total("scores")
    ([('a', 'c'), ('b', 'c')], 7)
    """

    score: float = field(kw_only=True)


@in_range
def learn_exact(
    score: LocalScore,
    *,
    max_variables: int = 16,
    max_parents: int | None = None,
    knowledge: Knowledge | BoundKnowledge | None = None,
    progress: Progress | None = None,
) -> LearnedExactly:
    """Learn the network of best score, of all networks.

    Parameters
    ----------
    score, max_parents
        As in :func:`~treewright.learn_hill_climbing`.
    max_variables
        More variables are refused, since the work doubles with each: 16 take two or three seconds.
    knowledge
        Arcs that are required or forbidden: the best network of those that obey.
    progress
        Called before the families of each variable, and before their orders.

    Returns
    -------
    LearnedExactly
        The network, its class and its score. Ties go by name, so that the order of columns does not matter.

    References
    ----------
    .. [1] Silander & Myllymäki (2006). A simple approach for finding the globally optimal Bayesian network
       structure. UAI.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> table = tw.load_network("asia").sample(5_000, rng=np.random.default_rng(0))
    >>> score = tw.BIC(tw.count(table))
    >>> learned = tw.learners.learn_exact(score)
    >>> learned.score >= tw.learn_hill_climbing(score).score
    True
    >>> learned.cpdag.directed_edges()
    [('bronc', 'dysp'), ('either', 'dysp'), ('either', 'xray'), ('lung', 'either'), ('tub', 'either')]
    """
    require("learn_exact", SCORE, score)
    n = len(score.schema)
    refuse_many(score, max_variables)
    if max_parents is not None and max_parents < 0:
        raise SettingError(f"max_parents must be 0 or more, or None for no limit; found {max_parents!r}")
    known = bind_knowledge(knowledge, score.schema)
    trace = TraceBuilder()
    with trace.phase("families") as tallies:
        families = FamilyScores(score)
        best = []
        for v in range(n):
            tell(progress, "families", v, n)
            best.append(best_parents(obedient(families, v, known, max_parents), families.noise))
        tallies["scores"] = families.n_asked
    tell(progress, "orders")
    with trace.phase("orders"):
        dag = Dag(score.schema, families.by_schema(best_arcs(best)))
    free = score.is_score_equivalent and known.is_empty and max_parents is None
    member = known.settled(Cpdag.of(dag).to_dag() if free else dag, equivalent=score.is_score_equivalent)
    return LearnedExactly(member, trace.build(), score=score.score(dag), notes=notes_on(score))


class FamilyScores:
    """Local scores of every child with every set of parents; variables are numbered in name order."""

    def __init__(self, score: LocalScore) -> None:
        scores = native_scores(score)
        self.score = score
        self.order = score.schema.name_order
        self.noise = scores.least_gain
        self.step = scores.resolution
        self.n_asked = 0
        self._of_sets = self._set_values() if score.is_score_equivalent else None

    def of(self, child: int) -> Floats:
        """Scores by the set of parents; the bit of the child is left out of its number."""
        if self._of_sets is None:
            return self._ask(child, subsets([v for v in range(len(self.order)) if v != child]))
        pairs = self._of_sets.reshape(-1, 2, 1 << child)  # without the child, with it
        found: Floats = (pairs[:, 1] - pairs[:, 0]).ravel()
        return found

    def by_schema(self, arcs: list[Arc]) -> list[Arc]:
        return [(self.order[tail], self.order[head]) for tail, head in arcs]

    def _set_values(self) -> Floats | None:
        """F of every set, one more variable at a time; None where some score is not finite."""
        values = np.zeros(1)
        for v in range(len(self.order)):
            values = np.concatenate([values, values + self._ask(v, subsets(range(v)))])
        return values if np.isfinite(values).all() else None

    def _ask(self, child: int, parents: list[Scope]) -> Floats:
        columns = [tuple(self.order[p] for p in scope) for scope in parents]
        self.n_asked += len(columns)
        found = self.score.local_many([(self.order[child], scope) for scope in columns])
        return np.asarray(np.round(found / self.step) * self.step)  # so that equal sums are equal


def subsets(variables: range | list[int]) -> list[Scope]:
    """All of them, in the order of their numbers when the variables rise."""
    found: list[Scope] = [()]
    for v in variables:
        found += [(*scope, v) for scope in found]
    return found


def obedient(families: FamilyScores, child: int, known: BoundKnowledge, max_parents: int | None) -> Floats:
    """The scores of one child, minus infinity for parents that may not be."""
    local = families.of(child)
    column = families.order[child]
    others = [families.order[v] for v in range(len(families.order)) if v != child]
    number = np.arange(len(local), dtype=np.int64)
    for bit, other in enumerate(others):
        has = number >> bit & 1 == 1
        if not known.allowed[other, column]:
            local[has] = -np.inf
        if known.required[other, column]:
            local[~has] = -np.inf
    if max_parents is not None:
        local[np.bitwise_count(number) > max_parents] = -np.inf
    return local


def best_parents(local: Floats, noise: float) -> tuple[Floats, Sets]:
    """For every set the best score with parents inside it, and these parents; of equals the fewest."""
    value, parents = local.copy(), np.arange(len(local), dtype=np.int32)
    for bit in range(len(local).bit_length() - 1):
        values, sets = value.reshape(-1, 2, 1 << bit), parents.reshape(-1, 2, 1 << bit)
        without = values[:, 1] <= values[:, 0] + noise
        values[:, 1] = np.where(without, values[:, 0], values[:, 1])
        sets[:, 1] = np.where(without, sets[:, 0], sets[:, 1])
    return value, parents


def best_arcs(best: list[tuple[Floats, Sets]]) -> list[Arc]:
    """The best network of every set, by size; then the last variables of the largest one, one by one."""
    n = len(best)
    total, last = np.full(1 << n, -np.inf), np.full(1 << n, -1, dtype=np.int8)
    total[0] = 0.0
    everything = np.arange(1 << n, dtype=np.int64)
    size = np.bitwise_count(everything)
    for k in range(1, n + 1):
        sets = everything[size == k]
        for v in range(n):
            ending = sets[sets >> v & 1 == 1]
            rest = ending ^ (1 << v)
            value = total[rest] + best[v][0][squeezed(rest, v)]
            wins = (value >= total[ending]) | (last[ending] < 0)  # of equals the larger name is last
            total[ending[wins]], last[ending[wins]] = value[wins], v
    arcs: list[Arc] = []
    left = (1 << n) - 1
    while left:
        v = int(last[left])
        left ^= 1 << v
        chosen = int(best[v][1][squeezed(np.array(left), v)])
        arcs += [(p + (p >= v), v) for p in range(n - 1) if chosen >> p & 1]
    return arcs


def squeezed(sets: npt.NDArray[np.int64], v: int) -> npt.NDArray[np.int64]:
    """Numbers of sets without v when v has no bit."""
    low = (1 << v) - 1
    return np.asarray((sets & low) | (sets >> 1 & ~low))


def refuse_many(score: LocalScore, max_variables: int) -> None:
    n = len(score.schema)
    if not 1 <= max_variables <= MOST_VARIABLES:
        raise SettingError(f"max_variables must be from 1 to {MOST_VARIABLES}; found {max_variables!r}")
    if n > max_variables:
        raise SettingError(
            f"an exact search looks at all 2^{n} sets of {n} variables; at most {max_variables} are allowed: "
            "raise max_variables, or use learn_hill_climbing, which needs no such bound"
        )
    needed = n * 2 ** max(n - 1, 0) * 12
    if needed > memory_limit():
        raise TableTooLarge(
            f"an exact search over {n} variables takes {format_bytes(needed)}; the limit is "
            f"{format_bytes(memory_limit())}: use fewer variables, or raise it with set_memory_limit"
        )

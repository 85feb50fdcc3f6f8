"""Greedy search over equivalence classes of networks.

A score that cannot tell equivalent networks apart ranks *classes*. A climber that walks through single
networks has to pick a direction for every edge before the data say anything about it, and then explains the
wrong ones away with further edges. This search walks through the classes themselves: it inserts an edge
together with the v-structures it makes, deletes one, or turns one [1]_ [2]_. What would be a tie between
directions is one and the same class here, so the answer does not depend on the order of the columns.

The search first joins only pairs that are useful on their own, which is cheap and rarely wrong, and then lets
all pairs in: at the end no step of any kind improves. Greedy choices made early are looked at again by
*reopening*: all edges at one variable are taken off, the search goes on from there, and the better of the two
classes stays. What a wrong direction has done to a whole region no single variable can undo. So there is a
*second start*: of the class found only the best forest of its edges is kept, all directions open, and the
search goes on from there; again the better of the two stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.arguments import SCORE, require
from treewright.criteria.scores.native_scores import CountedScore, without_price
from treewright.criteria.scores.score import LocalScore
from treewright.errors import SettingError
from treewright.graphs import Cpdag, Dag
from treewright.graphs.edges import resolve_pairs
from treewright.graphs.ranked import rank_matrix, rank_pairs, unrank_matrix, unrank_pairs
from treewright.learners.classes.pair_schedule import (
    Allowed,
    Copies,
    PairSchedule,
    Stages,
    merge_copies,
    pair_matrix,
    plan_stages,
    remarks_on_copies,
    require_same_names,
)
from treewright.learners.learned import LearnedNetwork, TraceBuilder, keeping
from treewright.once import cached_property
from treewright.ranges import in_range
from treewright.tables.schema import Schema
from treewright.types import Matrix, Progress, Step

# Steps that orient more than this many neighbours at once are left out above so many variables.
_LARGEST_SET = 3
_SMALL = 100
_NO_LIMIT = 2**32 - 1
# Steps of one run, for each variable, with scores that are rounded or tell members of a class apart a little.
_MOST_STEPS = 50
# How a reopened variable gets its edges back; the first way alone finds most of what there is to find.
_WAYS = (_core.Return.STEP_BY_STEP, _core.Return.AS_SOURCE, _core.Return.AS_SINK)


@dataclass(frozen=True)
class LearnedClass(LearnedNetwork[Dag]):
    """A learned equivalence class; `structure` is its canonical member.

    Attributes
    ----------
    structure
        The member that ends with the largest names.
    score
        Of the structure, and of every other member.
    copies
        Pairs (a, b) of variables that are relabellings of each other in the data: b has one edge, to a, and
        the edges of a could as well be edges of b.
    certified
        Whether all allowed pairs were looked at: no step of the search improves the class. Up to 100
        variables, with no other limit, no edge added, removed or turned in any member does. Not so where a
        score that is rounded, or tells members of a class apart a little, took so many steps that a run may
        have been ended.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = {"a": [0, 0, 1, 1] * 9, "b": ["x", "x", "y", "y"] * 9, "c": [0, 1, 0, 1] * 9}
    >>> learned = tw.learn_hill_climbing(tw.BIC(tw.count(tw.read_table(rows))))
    >>> learned.copies, learned.cpdag.undirected_edges(), learned.certified
    ((('a', 'b'),), [('a', 'b')], True)
    """

    score: float = field(kw_only=True)
    copies: tuple[tuple[str, str], ...] = ()
    certified: bool = True


@in_range
def class_search(
    score: LocalScore,
    *,
    effort: int = 2,
    allow: Allowed | None = None,
    schedule: PairSchedule = PairSchedule(),  # noqa: B008 -- frozen
    certificate: bool = True,
    start: Cpdag | Dag | None = None,
    max_parents: int | None = None,
    mentions: npt.NDArray[np.intp] | None = None,
    clusters: Sequence[Collection[str]] | None = None,
    counted: CountedScore | None = None,
    progress: Progress | None = None,
) -> LearnedClass:
    """Search the equivalence class of best score, from the empty graph or another class.

    Parameters
    ----------
    score
        A decomposable score that is score-equivalent.
    effort
        0: no reopening. 1: variables are reopened among the pairs let in first. 2: variables are reopened
        among all pairs, and there is a second start. 3: variables are put back in three ways (step by step,
        as common cause, as common effect), and single edges are reopened too.
    allow
        The pairs that may be joined, by default all: an undirected graph, or a symmetric matrix in the order
        of the schema.
    schedule
        Which of them are let in when.
    certificate
        Whether any pairs are let in afterwards. Without it the edges stay among those of `schedule.first`.
    start
        Where to begin. Its edges may stay whatever is allowed.
    max_parents, progress
        As in :func:`~treewright.learn_hill_climbing`.
    mentions
        How much is known beforehand about each variable (`BoundKnowledge.mentions`): of columns that are
        copies of each other, the one with the largest number takes part in the search.
    clusters
        Groups of variables that belong together, each variable in one of them: families of different groups
        are counted, and variables of different groups reopened, side by side on several threads. The number
        of threads changes nothing but the time; other groups are another order of reopening.
    counted
        This score as an earlier search asked it: what was counted then is not counted again. One search at a
        time may have it.

    Returns
    -------
    LearnedClass
        The class, its canonical member and how the work went.

    Notes
    -----
    Ties go to the step that orients fewer neighbours, then to the first child, parent and neighbours by name.

    Departures: [1]_ inserts until nothing improves and then deletes; here inserting, deleting and turning
    alternate until none of them improves. Sets of more than three neighbours are not tried above 100
    variables.

    References
    ----------
    .. [1] Chickering (2002). Optimal structure identification with greedy search. Journal of Machine Learning
       Research 3, 507-554.
    .. [2] Hauser & Bühlmann (2012). Characterization and greedy learning of interventional Markov equivalence
       classes of directed acyclic graphs. Journal of Machine Learning Research 13, 2409-2464.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> table = tw.load_network("asia").sample(5_000, rng=np.random.default_rng(0))
    >>> learned = class_search(tw.BIC(tw.count(table)))
    >>> learned.cpdag.directed_edges()
    [('bronc', 'dysp'), ('either', 'dysp'), ('either', 'xray'), ('lung', 'either'), ('tub', 'either')]
    """
    require("class_search", SCORE, score)
    _check_settings(score, effort, max_parents)
    search = _Search(score, _answers_for(score, counted), max_parents, progress)
    if clusters is not None:
        search.set_clusters(clusters)
    allowed = pair_matrix(allow, "allow", score.schema)
    if start is not None:
        require_same_names(score.schema, start.schema, "start")
    with search.phase("pairs"):
        copies = merge_copies(score, allowed, start, mentions)
        stages = plan_stages(
            schedule, copies.without_copies(allowed), copies, search.useful_pairs, score.schema
        )
    if start is not None:
        search.start_from(copies.taken_from(start, score.schema))
    with keeping(lambda _: search.learned(copies, certified=False)):
        search.go_through(stages, effort, certificate)
    return search.learned(copies, stages.let_everything_in(certificate))


class _Search:
    """The native search between the names of the schema and the numbers of the core."""

    def __init__(
        self, score: LocalScore, scores: _core.LocalScores, max_parents: int | None, progress: Progress | None
    ) -> None:
        n = len(score.schema)
        self.score = score
        self.least_gain = scores.least_gain
        self.is_exact = scores.least_gain == 0
        self.most_steps = _NO_LIMIT if self.is_exact else _MOST_STEPS * (n + 1)
        self.resolution = scores.resolution
        self.native = _core.ClassSearch(
            scores,
            _NO_LIMIT if max_parents is None else max_parents,
            _LARGEST_SET if n > _SMALL else n,
            self.most_steps,
        )
        self.start: Dag | None = None
        self.progress = progress
        self.trace = TraceBuilder()

    @property
    def schema(self) -> Schema:
        return self.score.schema

    def useful_pairs(self) -> Matrix:
        """The pairs whose edge pays in a graph of two variables."""
        return unrank_matrix(self.schema, self.native.useful_pairs().view(np.bool_))

    def set_clusters(self, clusters: Sequence[Collection[str]]) -> None:
        cluster_of = {name: i for i, names in enumerate(filter(len, clusters)) for name in names}
        if Counter(name for names in clusters for name in names) != Counter(self.schema.names):
            raise SettingError(
                "clusters must hold every variable of the score, each in one of them; found "
                f"{len(cluster_of)} names in {len(clusters)} clusters for {len(self.schema)} variables"
            )
        by_name = [cluster_of[name] for name in sorted(self.schema.names)]
        self.native.set_clusters(np.array(by_name, dtype=np.uint32))

    def go_through(self, stages: Stages, effort: int, certificate: bool) -> None:
        """All stages in order."""
        self.run("first pairs", stages.allowed & stages.first)
        if effort == 1:
            self.reopen_nodes()
        if effort >= 2 and stages.again is not None:
            self.run("pairs to look at again", stages.with_first(stages.again))
            self.reopen_nodes(_WAYS)
            self.start_again(_WAYS)
        if effort >= 2 and stages.loosely is not None:
            self.loosen(stages.with_first(stages.loosely))
        if effort >= 2 and stages.again is not None and stages.singly:
            self.reopen_edges(stages.with_first(stages.again))
        if certificate:
            self.run("further pairs" if stages.has_later else "all pairs", stages.later)
        if effort >= 2 and stages.again is None:
            ways = _WAYS if effort >= 3 else _WAYS[:1]
            self.reopen_nodes(ways)
            self.start_again(ways)
        if effort >= 3:
            self.reopen_edges()

    def start_from(self, start: Cpdag | Dag) -> None:
        graph = Cpdag.of(start) if isinstance(start, Dag) else start
        directed, undirected = (
            rank_pairs(self.schema, resolve_pairs(self.schema, edges))
            for edges in (graph.directed_edges(), graph.undirected_edges())
        )
        self.native.start_from(directed, undirected)
        self.start = start.to_dag() if isinstance(start, Cpdag) else start

    def run(self, name: str, pairs: Matrix) -> None:
        """A phase that searches among some pairs."""
        with self.phase(name) as tallies:
            tallies["pairs"] = self._run(pairs)

    def reopen_nodes(self, ways: tuple[_core.Return, ...] = _WAYS[:1]) -> None:
        with self.phase("reopen nodes"):
            for how in ways:
                self.native.reopen_nodes(how)

    def reopen_edges(self, pairs: Matrix | None = None) -> None:
        """Single edges, among the pairs let in last or some others."""
        with self.phase("reopen edges") as tallies:
            if pairs is not None:
                tallies["pairs"] = self._run(pairs)
            self.native.reopen_edges()

    def start_again(self, ways: tuple[_core.Return, ...]) -> None:
        """Search once more from the strongest edges; reopen what is better."""
        with self.phase("second start"):
            is_better = self.native.start_again()
        if is_better:
            self.reopen_nodes(ways)

    def loosen(self, pairs: Matrix) -> None:
        """Search with edges at half their price, then at all of it; keep what is better."""
        half = without_price(self.score)[1] / 2
        discount = half // self.resolution * self.resolution
        if not discount:
            return
        with self.phase("cheaper edges") as tallies:
            tallies["pairs"] = self._run(pairs)
            self.native.loosen(discount)

    def _run(self, pairs: Matrix) -> int:
        """Search among some pairs; how many these are."""
        self.native.allow(rank_matrix(self.schema, pairs).view(np.uint8))
        self.native.run()
        return int(np.count_nonzero(pairs)) // 2

    @contextmanager
    def phase(self, name: str) -> Iterator[dict[str, int | float]]:
        """Time a phase and note what it added to the tallies."""
        before = self.native.tallies
        with self.trace.phase(name) as tallies:
            yield tallies
            after = self.native.tallies
            tallies.update({key: after[key] - before[key] for key in after if after[key] != before[key]})
        if self.progress is not None:
            self.progress(Step(name, _steps(after), score=self.score_at_start + self.native.gained))

    @cached_property
    def score_at_start(self) -> float:
        """Asked only where somebody listens."""
        return self.score.score(self.start or Dag.empty(self.schema))

    def learned(self, copies: Copies, certified: bool) -> LearnedClass:
        """The class in the variables of the schema, with every copy hung on its original."""
        pairs = rank_pairs(self.schema, copies.pairs)
        hung = [pair for pair in pairs.tolist() if self.native.pair_gain(*pair) > self.least_gain]
        arcs, score = self.native.member(np.array(hung, dtype=pairs.dtype).reshape(-1, 2))
        dag = Dag(self.schema, unrank_pairs(self.schema, arcs).tolist())
        named = copies.named(self.schema)
        return LearnedClass(
            dag,
            self.trace.build(),
            named,
            # with fewer steps in all, no run can have met its limit
            certified and _steps(self.native.tallies) < self.most_steps,
            score=score if self.is_exact else self.score.score(dag),
            notes=remarks_on_copies(named),
        )


def _answers_for(score: LocalScore, counted: CountedScore | None) -> _core.LocalScores:
    """The native score, with what an earlier search counted for it."""
    if counted is None:
        return CountedScore(score).native
    if not isinstance(counted, CountedScore) or counted.score is not score:
        raise SettingError(
            f"counted must be a CountedScore of the very score that is searched, {score!r}; found "
            f"{counted!r}: make it with CountedScore(score), or leave it out"
        )
    return counted.native


def _steps(tallies: Mapping[str, int]) -> int:
    return tallies["inserts"] + tallies["deletes"] + tallies["turns"]


def _check_settings(score: LocalScore, effort: int, max_parents: int | None) -> None:
    if not score.is_score_equivalent:
        raise SettingError(
            f"a search over equivalence classes needs a score that is score-equivalent; {score!r} prefers "
            "some members of a class to others: use BIC, BDeu or QNML"
        )
    if effort not in (0, 1, 2, 3):
        raise SettingError(f"effort is 0, 1, 2 or 3; found {effort!r}")
    if max_parents is not None and not 0 <= max_parents < _NO_LIMIT:
        raise SettingError(f"max_parents must be 0 or more, or None for no limit; found {max_parents!r}")

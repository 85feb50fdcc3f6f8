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
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.arguments import SCORE, require
from treewright.criteria.scores.native_scores import CountedScore, without_price
from treewright.criteria.scores.score import LocalScore
from treewright.errors import SchemaError, SettingError
from treewright.graphs import Cpdag, Dag, UndirectedGraph
from treewright.graphs.directed.arcs import resolve_pairs
from treewright.graphs.ranked import rank_matrix, rank_pairs, unrank_matrix, unrank_pairs
from treewright.learners.classes.copies import Copy, merge_copies
from treewright.learners.learned import LearnedNetwork, TraceBuilder
from treewright.tables.schema import Schema
from treewright.types import Matrix

Progress = Callable[[int, float], object]
Allowed = UndirectedGraph | npt.NDArray[np.bool_]

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
    trace
        The phases with their tallies.
    cpdag
        The class itself.
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


def class_search(
    score: LocalScore,
    *,
    effort: int = 2,
    allow: Allowed | None = None,
    first: Allowed | None = None,
    again: Allowed | None = None,
    loosely: Allowed | None = None,
    singly: bool = False,
    then: Allowed | None = None,
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
    first
        The pairs to begin with; by default those that are useful on their own.
    again
        With effort 2 or 3: variables are reopened among these pairs and the first ones, in three ways and
        with a second start, before others are let in, and not once more after that.
    loosely
        With effort 2 or 3 and a score that charges for each edge: these pairs and the first ones are searched
        at half that price and then at all of it, which lets in edges that pay only together. The better of
        the two classes stays.
    singly
        With `again`: single edges are reopened as well, among the same pairs, before others are let in.
    then
        The pairs that are let in afterwards, beside the first ones; by default all that are allowed.
    certificate
        Whether any pairs are let in afterwards. Without it the edges stay among those of `first`.
    start
        Where to begin. Its edges may stay whatever is allowed.
    max_parents
        No child gets more; by default the score alone decides.
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
    progress
        Called after each phase with the steps taken and the nats gained since the start.

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
    if counted is None:
        counted = CountedScore(score)
    elif not isinstance(counted, CountedScore) or counted.score is not score:
        raise SettingError(
            f"counted must be a CountedScore of the very score that is searched, {score!r}; found "
            f"{counted!r}: make it with CountedScore(score), or leave it out"
        )
    search = _Search(score, counted.native, max_parents, progress)
    if clusters is not None:
        search.set_clusters(clusters)
    allowed, begin = search.pairs(allow, "allow"), search.pairs(first, "first")
    if start is not None:
        _require_same_names(score.schema, start.schema, "start")
    with search.phase("pairs"):
        copies = merge_copies(score, allowed, start, mentions)
        useful = (
            search.pair_gains > search.least_gain if first is None else copies.with_partners_of_copies(begin)
        )
        allowed = copies.without_copies(allowed)
        second, third, last = (
            None if given is None else copies.with_partners_of_copies(search.pairs(given, name))
            for given, name in ((again, "again"), (loosely, "loosely"), (then, "then"))
        )
        later = allowed if last is None else allowed & (useful | last)
    if start is not None:
        search.start_from(copies.taken_from(start, score.schema))
    with search.phase("first pairs") as tallies:
        tallies["pairs"] = search.run(allowed & useful)
    if effort == 1:
        search.reopen_nodes()
    if effort >= 2 and second is not None:
        with search.phase("pairs to look at again") as tallies:
            tallies["pairs"] = search.run(allowed & (useful | second))
        search.reopen_nodes(_WAYS)
        search.start_again(_WAYS)
    if effort >= 2 and third is not None:
        search.loosen(allowed & (useful | third))
    if effort >= 2 and second is not None and singly:
        search.reopen_edges(allowed & (useful | second))
    certified = bool(((later if certificate else useful) | ~allowed).all())
    if certificate:
        with search.phase("all pairs" if then is None else "further pairs") as tallies:
            tallies["pairs"] = search.run(later)
    if effort >= 2 and second is None:
        ways = _WAYS if effort >= 3 else _WAYS[:1]
        search.reopen_nodes(ways)
        search.start_again(ways)
    if effort >= 3:
        search.reopen_edges()
    return search.learned(copies.pairs, certified)


class _Search:
    """The native search between the names of the schema and the numbers of the core."""

    def __init__(
        self,
        score: LocalScore,
        scores: _core.LocalScores,
        max_parents: int | None,
        progress: Progress | None,
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
        self.progress = progress
        self.trace = TraceBuilder()

    @property
    def schema(self) -> Schema:
        return self.score.schema

    @cached_property
    def pair_gains(self) -> npt.NDArray[np.float64]:
        """What each pair is worth on its own, in the order of the schema."""
        return unrank_matrix(self.schema, self.native.pair_gains())

    def pairs(self, given: Allowed | None, name: str) -> Matrix:
        """A symmetric matrix of the pairs, in the order of the schema."""
        n = len(self.schema)
        if given is None:
            return ~np.eye(n, dtype=np.bool_)
        if isinstance(given, UndirectedGraph):
            _require_same_names(self.schema, given.schema, name)
            pairs = np.zeros((n, n), dtype=np.bool_)
            ends = [(self.schema.index(u), self.schema.index(v)) for u, v in given.edges()]
            if ends:
                u, v = np.array(ends).T
                pairs[u, v] = pairs[v, u] = True
            return pairs
        pairs = np.asarray(given, dtype=np.bool_)
        if pairs.shape != (n, n) or not (pairs == pairs.T).all():
            raise SettingError(
                f"{name} must be an undirected graph or a symmetric matrix of {n} x {n} truth values; found "
                f"the shape {pairs.shape}" + ("" if pairs.shape != (n, n) else ", not symmetric")
            )
        return pairs

    def set_clusters(self, clusters: Sequence[Collection[str]]) -> None:
        cluster_of = {name: i for i, names in enumerate(filter(len, clusters)) for name in names}
        if Counter(name for names in clusters for name in names) != Counter(self.schema.names):
            raise SettingError(
                "clusters must hold every variable of the score, each in one of them; found "
                f"{len(cluster_of)} names in {len(clusters)} clusters for {len(self.schema)} variables"
            )
        by_name = [cluster_of[name] for name in sorted(self.schema.names)]
        self.native.set_clusters(np.array(by_name, dtype=np.uint32))

    def start_from(self, start: Cpdag | Dag) -> None:
        graph = Cpdag.of(start) if isinstance(start, Dag) else start
        directed, undirected = (
            rank_pairs(self.schema, resolve_pairs(self.schema, edges))
            for edges in (graph.directed_edges(), graph.undirected_edges())
        )
        self.native.start_from(directed, undirected)

    def run(self, pairs: Matrix) -> int:
        """Search among some pairs; how many these are."""
        self.native.allow(rank_matrix(self.schema, pairs).astype(np.uint8))
        self.native.run()
        return int(np.count_nonzero(pairs)) // 2

    def reopen_nodes(self, ways: tuple[_core.Return, ...] = _WAYS[:1]) -> None:
        with self.phase("reopen nodes"):
            for how in ways:
                self.native.reopen_nodes(how)

    def reopen_edges(self, pairs: Matrix | None = None) -> None:
        """Single edges, among the pairs let in last or some others."""
        with self.phase("reopen edges") as tallies:
            if pairs is not None:
                tallies["pairs"] = self.run(pairs)
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
            tallies["pairs"] = self.run(pairs)
            self.native.loosen(discount)

    @contextmanager
    def phase(self, name: str) -> Iterator[dict[str, int | float]]:
        """Time a phase and note what it added to the tallies."""
        before = self.native.tallies
        with self.trace.phase(name) as tallies:
            yield tallies
            after = self.native.tallies
            tallies.update({key: after[key] - before[key] for key in after if after[key] != before[key]})
        if self.progress is not None:
            self.progress(after["inserts"] + after["deletes"] + after["turns"], self.native.gained)

    def learned(self, copies: tuple[Copy, ...], certified: bool) -> LearnedClass:
        """The class in the variables of the schema, with every copy hung on its original."""
        hung = [pair for pair in copies if self.pair_gains[pair] > self.least_gain]
        arcs, score = self.native.member(rank_pairs(self.schema, hung))
        dag = Dag(self.schema, unrank_pairs(self.schema, arcs).tolist())
        named = tuple((self.schema.names[a], self.schema.names[b]) for a, b in copies)
        exact = score if self.is_exact else self.score.score(dag)
        tallies = self.native.tallies
        # with fewer steps in all, no run can have met its limit
        ended = tallies["inserts"] + tallies["deletes"] + tallies["turns"] < self.most_steps
        return LearnedClass(dag, self.trace.build(), named, certified and ended, score=exact)


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


def _require_same_names(ours: Schema, theirs: Schema, name: str) -> None:
    if sorted(ours.names) != sorted(theirs.names):
        odd = sorted(set(ours.names) ^ set(theirs.names))
        raise SchemaError(
            f"{name} and the score must have the same variables; only one of them has "
            + ", ".join(map(repr, odd[:20]))
        )

"""Which score suits these rows? The one under which they are likeliest.

A score codes the rows: so many nats for the variables, given a structure. With few rows codes differ by what
they expect of a table beforehand. BDeu with a small equivalent sample size expects near-certain answers (a
sensor that hardly errs, a rule); qNML expects nothing in particular. Neither is right for all networks, but
the rows tell which of them is shorter, and the shorter code is the better guess about their source. So a
structure is learned with the first score, all of them judge it, and the best one learns the next.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from treewright.arguments import COUNTS, require
from treewright.criteria.registry import SCORES, score_named
from treewright.criteria.scores.discrete_score import local_by, of_same_tables
from treewright.criteria.scores.edge_prior import GroupedScore, make_sparse_score
from treewright.criteria.scores.native_scores import CountedScore
from treewright.criteria.scores.score import LocalScore
from treewright.errors import SettingError
from treewright.graphs import BoundKnowledge, Dag, Knowledge, bind_knowledge
from treewright.learners.classes.class_search import class_search
from treewright.learners.learned import keeping_nothing
from treewright.ranges import in_range
from treewright.statistics.counter import Counter
from treewright.statistics.families import Family
from treewright.statistics.moments import Moments
from treewright.statistics.state_merging import merge_states

Candidates = Mapping[str, Callable[[Counter], LocalScore]]

# What the rows choose among by default; the first one begins.
CANDIDATES: Candidates = {
    "qnml": partial(score_named, "qnml"),
    **{f"bdeu, ess {ess}": partial(score_named, "bdeu", ess=float(ess)) for ess in (1, 2, 4, 8)},
}


@dataclass(frozen=True)
class ScoreChoice:
    """The score that the rows chose.

    Attributes
    ----------
    name
        Which of the candidates.
    score
        That score, with ln n nats for each edge and groups where a variable has many states.
    evidence
        Nats by which each candidate codes the rows better (above 0) or worse than the first one, given the
        structure that was judged last.
    tables
        Contingency tables of three variables or more that were counted to search and to judge.
    candidates
        All of them, as the scores that were compared; none where there was nothing to choose.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> table = tw.load_network("alarm").sample(500, rng=np.random.default_rng(0))
    >>> choice = tw.choose_score(tw.count(table))
    >>> choice.name, choice.evidence["qnml"], choice.evidence[choice.name] > 100
    ('bdeu, ess 4', 0.0, True)
    """

    name: str
    score: LocalScore
    evidence: Mapping[str, float]
    tables: int = 0
    candidates: Mapping[str, LocalScore] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True)
class CountedChoice(ScoreChoice):
    """A choice that hands on what was counted for it.

    Attributes
    ----------
    counted
        The chosen score with the answers that its search got, for the one that follows; None when none did.
    """

    counted: CountedScore | None = field(default=None, repr=False, compare=False)


@in_range
def choose_score(
    counter: Counter,
    candidates: Candidates | None = None,
    *,
    above: int = 8,
    effort: int = 1,
    rounds: int = 3,
    certificate: bool = True,
    knowledge: Knowledge | BoundKnowledge | None = None,
) -> ScoreChoice:
    """Let the rows choose the score with which a structure is learned.

    Parameters
    ----------
    counter
        Counts of discrete variables.
    candidates
        From names to score-equivalent scores of a counter that are log-probabilities of its rows; the first
        one begins, and wins ties. By default qNML, and BDeu with equivalent sample sizes 1, 2, 4 and 8.
    above
        Variables with more states than this are seen through groups of states, the same for all scores.
    effort
        Of the searches in between, as in :func:`~treewright.learn_hill_climbing`.
    rounds
        Searches at most; fewer when the choice does not change.
    certificate
        Whether the searches in between look at all pairs; those that are useful on their own rarely lead to
        another choice.
    knowledge
        Pairs that must not be joined stay apart in the searches in between.

    Returns
    -------
    ScoreChoice
        Its `score` goes to any learner.

    Notes
    -----
    A structure found with one score is better for this one than for the others, so a change is a clear case.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> network = tw.load_network("alarm")
    >>> counter = tw.count(network.sample(500, rng=np.random.default_rng(0)))
    >>> chosen = tw.learn_hill_climbing(tw.choose_score(counter).score)
    >>> sparse = tw.learn_hill_climbing(tw.SparseQNML(counter))
    >>> tw.shd(network.dag, chosen.cpdag) < tw.shd(network.dag, sparse.cpdag)
    True
    """
    require("choose_score", COUNTS, counter)
    makers = CANDIDATES if candidates is None else candidates
    if not makers or rounds < 1:
        given = f"{len(makers)} candidates, rounds={rounds!r}"
        raise SettingError(f"one candidate and one round are needed at least; found {given}")
    groups = merge_states(counter, above=above)
    scores = {name: GroupedScore(make, counter, groups=groups) for name, make in makers.items()}
    known = bind_knowledge(knowledge, counter.schema)
    found = _choose(scores, known, effort=effort, rounds=rounds, certificate=certificate)
    return ScoreChoice(found.name, found.score, found.evidence, found.tables, found.candidates)


def _choose(
    scores: Mapping[str, GroupedScore],
    known: BoundKnowledge,
    *,
    effort: int = 0,
    rounds: int = 3,
    certificate: bool = False,
) -> CountedChoice:
    """Search with the best score so far until it stays the best."""
    chosen, tables = next(iter(scores)), 0
    tried: dict[str, CountedScore] = {}
    while True:
        tried[chosen] = CountedScore(scores[chosen])
        with keeping_nothing():
            found = class_search(
                scores[chosen],
                effort=effort,
                certificate=certificate,
                allow=known.allowed_pairs,
                mentions=known.mentions,
                counted=tried[chosen],
            )
        evidence, judged = codes(scores, found.structure)
        tables += int(found.trace.total("tables")) + judged
        best = max(evidence, key=evidence.__getitem__)
        if best in tried or len(tried) == rounds:
            return CountedChoice(best, scores[best], evidence, tables, scores, tried.get(best))
        chosen = best


def codes(scores: Mapping[str, GroupedScore], structure: Dag) -> tuple[dict[str, float], int]:
    """Scores of a structure less that of the first, and how many tables beyond the pairs that took.

    What edges cost codes no row, so what is inside decides.
    """
    parents: list[list[int]] = [[] for _ in structure.schema]
    for tail, head in structure.index_edges():  # sorted
        parents[head].append(tail)
    families: list[Family] = [(child, tuple(found)) for child, found in enumerate(parents)]
    inner = [score.inner for score in scores.values()]
    together = of_same_tables(inner)
    local = local_by(together, families) if together else [score.local_many(families) for score in inner]
    found = {name: math.fsum(own) for name, own in zip(scores, local, strict=True)}
    first = next(iter(found.values()))
    n_tables = sum(len(parents) > 1 for _, parents in families) * (1 if together else len(inner))
    return {name: value - first for name, value in found.items()}, n_tables


def score_like(name: str, source: Counter | Moments) -> LocalScore:
    """The score of a choice by its name, on other rows.

    Examples
    --------
    >>> import treewright as tw
    >>> counter = tw.count(tw.read_table({"a": [0, 1, 1], "b": [1, 0, 0]}))
    >>> score_like("sparse-bdeu, ess 1", counter).inner
    BDeu(2 variables, 3 rows)
    """
    if isinstance(source, Moments) or name in SCORES:
        return make_sparse_score(source) if isinstance(source, Moments) else SCORES[name].kind(source)
    return GroupedScore(CANDIDATES[name.removeprefix("sparse-")], source, groups={})


def suited_score(
    source: Counter | Moments, *, knowledge: Knowledge | BoundKnowledge | None = None
) -> CountedChoice:
    """The score for finding structure, as far as the data can tell.

    Where states of variables are worth merging, qNML of the groups: there the choice by the rows makes more
    errors (docs/papers/bayesian_knots.md). Elsewhere the score that the rows choose, and for moments BIC; all
    of them with ln n nats for each edge ("sparse" in their names). A quick search is enough for the choice.

    Parameters
    ----------
    source
        Counts or moments.
    knowledge
        As in :func:`choose_score`.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> table = tw.load_network("asia").sample(500, rng=np.random.default_rng(0))
    >>> suited_score(tw.count(table)).name
    'sparse-bdeu, ess 1'
    """
    if isinstance(source, Moments):
        return CountedChoice("sparse-gaussian-bic", make_sparse_score(source), {})
    groups = merge_states(source)
    if groups:
        return CountedChoice("grouped-qnml", SCORES["grouped-qnml"].kind(source, groups=groups), {})
    scores = {name: GroupedScore(make, source, groups={}) for name, make in CANDIDATES.items()}
    choice = _choose(scores, bind_knowledge(knowledge, source.schema))
    return replace(choice, name=f"sparse-{choice.name}")

"""Hybrid search: tests say where to look, a score says what is best there.

A skeleton by tests with at most one variable given is cheap for thousands of variables, and at a generous
level it holds nearly every true edge. The search over equivalence classes then runs among its edges only.
Afterwards, where that is affordable, all pairs are let in: tests miss edges (functional columns, unlucky
samples), and a search that ends with every pair looked at does not depend on what they missed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from treewright.arguments import SCORE, TEST, require, require_option
from treewright.criteria import IndependenceTest
from treewright.criteria.scores.score import LocalScore
from treewright.errors import SchemaError, SettingError
from treewright.graphs import BoundKnowledge, Dag, Knowledge, UndirectedGraph, bind_knowledge
from treewright.learners.classes.class_search import LearnedClass, class_search
from treewright.learners.classes.hill_climbing import climb_obediently, obedient
from treewright.learners.classes.pair_schedule import PairSchedule, innermost
from treewright.learners.independence.answers import default_test
from treewright.learners.independence.skeleton import find_skeleton
from treewright.learners.learned import Trace, TraceBuilder, keeping, keeping_nothing
from treewright.ranges import in_range
from treewright.types import Progress

# Pairs times rows up to which every pair is looked at in the end (about a minute on one core), and up to
# which variables are reopened as well.
_CERTIFICATE = 5e10
_REOPENING = 2e9


@dataclass(frozen=True)
class LearnedHybrid(LearnedClass):
    """A class found inside a skeleton, and what was done beyond it.

    Attributes
    ----------
    skeleton
        The pairs that the tests left for the search.
    reopened
        Whether variables were reopened; `certified` says whether all pairs were looked at.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = {"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 8 + [0, 1, 0, 1], "c": [0, 1, 0, 1] * 9}
    >>> learned = tw.learn_hybrid(tw.BIC(tw.count(tw.read_table(rows))))
    >>> learned.skeleton.edges(), learned.cpdag.undirected_edges(), learned.certified
    ([('a', 'b')], [('a', 'b')], True)
    """

    skeleton: UndirectedGraph = field(kw_only=True)
    reopened: bool = field(kw_only=True)


@in_range
def learn_hybrid(
    score: LocalScore,
    test: IndependenceTest | None = None,
    *,
    depth: int | None = 1,
    alpha: float = 0.05,
    effort: int | None = None,
    certificate: bool | None = None,
    knowledge: Knowledge | BoundKnowledge | None = None,
    max_parents: int | None = None,
    progress: Progress | None = None,
) -> LearnedHybrid:
    """Learn a network of high score among the pairs that tests leave, then among all if that is affordable.

    Parameters
    ----------
    score
        A decomposable score that is score-equivalent.
    test
        Decides independence; by default the G test, or Fisher's z, on the data of the score.
    depth, alpha
        Largest separator looked for, and level of the default test.
    effort
        How much is looked at again, as in :func:`class_search`; by default 2 for moderate sizes, else 0.
    certificate
        Whether all pairs are let in at the end; by default unless there are too many for the rows.
    knowledge, max_parents
        As in :func:`~treewright.learn_hill_climbing`.
    progress
        Called before each level of the tests and after each phase of the search.

    Returns
    -------
    LearnedHybrid
        `notes` say whether certificate and reopening ran.

    References
    ----------
    .. [1] Tsamardinos, Brown & Aliferis (2006). The max-min hill-climbing Bayesian network structure learning
       algorithm. Machine Learning 65, 31-78. (The idea of a search restricted by tests.)

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> table = tw.load_network("asia").sample(5_000, rng=np.random.default_rng(0))
    >>> learned = tw.learn_hybrid(tw.BIC(tw.count(table)))
    >>> learned.notes
    ('searched among the 9 pairs that tests left, then among all pairs (certificate); reopening ran',)
    >>> learned.cpdag == tw.learn_hill_climbing(tw.BIC(tw.count(table))).cpdag
    True
    """
    require("learn_hybrid", SCORE, score)
    require_option("learn_hybrid", TEST, test=test)
    schema = score.schema
    known = bind_knowledge(knowledge, schema)
    test = test_for(score, alpha) if test is None else test
    if test.schema.names != schema.names:
        raise SchemaError("the score and the test must be of the same variables, in the same order")
    work = len(schema) ** 2 * n_rows(score)
    certificate = work / 2 <= _CERTIFICATE if certificate is None else certificate
    effort = (2 if work <= _REOPENING else 0) if effort is None else effort
    trace = TraceBuilder()
    skeleton = find_skeleton(test, depth=depth, known=known, trace=trace, progress=progress)

    def hybrid(found: LearnedClass, dag: Dag) -> LearnedHybrid:
        return LearnedHybrid(
            structure=known.settled(dag),
            trace=Trace((*trace.build().phases, *found.trace.phases), found.trace.stopped_by),
            score=score.score(dag),
            copies=found.copies,
            certified=found.certified,
            skeleton=skeleton.graph,
            reopened=effort > 0,
            notes=(*found.notes, _tell_what_ran(skeleton.graph.n_edges, found.certified, effort > 0)),
        )

    def best_so_far(inner: Any) -> LearnedHybrid | None:
        best = obedient(score, inner, known, max_parents) if isinstance(inner, LearnedClass) else None
        return None if best is None else hybrid(best, best.structure)

    with keeping(best_so_far):
        found = class_search(
            score,
            allow=known.allowed_pairs,
            schedule=PairSchedule(first=skeleton.graph),
            certificate=certificate,
            effort=effort,
            max_parents=max_parents,
            mentions=known.mentions,
            progress=progress,
        )
    dag = found.structure
    if not known.is_symmetric:
        with trace.phase("directions"), keeping_nothing():
            inside = None if certificate else skeleton.graph
            dag = climb_obediently(score, found.cpdag, known, inside, max_parents)
    return hybrid(found, dag)


def _tell_what_ran(pairs: int, certified: bool, reopened: bool) -> str:
    rest = "then among all pairs (certificate)" if certified else "and not beyond (no certificate)"
    ran = "ran" if reopened else "did not run"
    return f"searched among the {pairs} pairs that tests left, {rest}; reopening {ran}"


def test_for(score: LocalScore, alpha: float) -> IndependenceTest:
    """The test on the data that a score is made of."""
    inner = innermost(score)
    source = getattr(inner, "counter", None) or getattr(inner, "moments", None)
    if source is None:
        raise SettingError(f"there is no default test for {type(inner).__name__}; pass test=")
    return default_test(source, alpha)


def n_rows(score: LocalScore) -> float:
    """Rows that every count reads; 1 where the score has moments, whose rows are read already."""
    counter = getattr(innermost(score), "counter", None)
    rows = getattr(getattr(counter, "table", None), "n_rows", None)  # not their weights
    return float(rows if rows is not None else getattr(counter, "n_rows", 1))

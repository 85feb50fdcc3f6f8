"""One network from several tables that share only some of their columns, without joining them.

No row of one table can be found in another, so nobody will ever see all columns together. Still the tables
determine the network, if every variable lies in one of them together with its parents: then the joint
distribution is the only product of functions of table columns that has the margins of the tables.

Two engines find it. The *class* search knows that families lie in tables: it joins no pair that no table has
and gives no variable parents that no table has together with it, and scores every family in the rows of all
tables that have it. The *tests* engine is the algorithm of Xie, Geng & Zhao (2006): a d-separation tree of
the column sets, and independence tests inside its nodes, pooled over the tables that cover them; what none
covers is answered from the completed distribution.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, Literal

import numpy as np

from treewright.criteria import IndependenceTest, PooledFisherZTest
from treewright.criteria.scores.score import LocalScore
from treewright.criteria.tests.independence import one_of
from treewright.errors import KnowledgeError, SettingError
from treewright.graphs import (
    BoundKnowledge,
    DSeparationTree,
    Knowledge,
    UndirectedGraph,
    bind_knowledge,
    separation_tree_from_hypergraph,
)
from treewright.graphs.edges import NamedArc
from treewright.learners.classes.class_search import LearnedClass
from treewright.learners.learned import keeping
from treewright.learners.separation_trees.algorithm import learn_by_separation_tree
from treewright.learners.separation_trees.audit import Legitimacy, audited
from treewright.learners.separation_trees.hypergraph_search import learn_in_hypergraph
from treewright.learners.separation_trees.learned_databases import (
    LearnedFromDatabases,
    NamedQuestion,
    notes_on,
)
from treewright.learners.separation_trees.learned_tree import explain_absent_edge
from treewright.learners.separation_trees.pooled_judges import is_one_table, make_pooled_test, pooled_score
from treewright.learners.separation_trees.refinement import find_separation_tree
from treewright.learners.separation_trees.settings import DatabaseSettings
from treewright.once import cached_property
from treewright.ranges import in_range
from treewright.statistics.families import Query
from treewright.statistics.several.homogeneity import Homogeneity, check_homogeneity
from treewright.statistics.several.pooled import PooledCounter
from treewright.tables.databases import Databases, as_databases
from treewright.tables.schema import NameOrIndex, Schema
from treewright.tables.table import Table
from treewright.types import Matrix, Progress

Engine = Literal["auto", "class", "tests"]
ENGINES: tuple[Engine, ...] = ("auto", "class", "tests")


@in_range
def learn_from_databases(
    tables: Databases | Iterable[Table],
    *,
    hypergraph: Iterable[Iterable[NameOrIndex]] | None = None,
    engine: Engine = "class",
    score: str | LocalScore | None = None,
    effort: int = 2,
    max_parents: int | None = None,
    test: Literal["g", "chi-square"] | IndependenceTest = "g",
    alpha: float | None = 0.05,
    legitimacy: Legitimacy = "report",
    knowledge: Knowledge | BoundKnowledge | None = None,
    settings: DatabaseSettings = DatabaseSettings(),  # noqa: B008 -- frozen
    progress: Progress | None = None,
) -> LearnedFromDatabases:
    """Learn one network from several tables with overlapping columns, or from one table.

    Parameters
    ----------
    tables
        :class:`Databases`, or a list of tables. :func:`read_databases` reads files, frames and dictionaries.
        Tables with the same columns simply add.
    hypergraph
        Sets of variables such that variables that influence each other directly, and parents of a common
        child, share a set. By default the column sets of the tables.
    engine
        "class": a search over equivalence classes with a score, among the pairs that share a set. "tests":
        independence tests inside the nodes of a d-separation tree. "auto": what was better when measured,
        tests for one table of continuous columns unless a score is given, else class.
    score, effort, max_parents
        For the engine "class": the name of a score, see :class:`PooledScore`, or a score of all columns; and
        see :func:`learn_hill_climbing`.
    test, alpha
        For the engine "tests": see :class:`GTest` and :class:`ChiSquareTest`; continuous tables are tested by
        Fisher's z. A test that is made already has a level of its own. ``alpha=None``: 0.05 for counts of
        several tables, else 0.01.
    legitimacy
        What happens when rows contradict the hypergraph: "error", "report" (see `audit` of the result) or
        "skip".
    knowledge
        Arcs that are required or forbidden.
    settings
        What the engine "tests" does where no table covers a test, and how it searches.
    progress
        Called with a :class:`~treewright.types.Step` now and then.

    Returns
    -------
    LearnedFromDatabases
        The network, and what the tables could and could not say about it. ``tw.fit(learned.dag,
        learned.databases)`` puts parameters on it.

    Notes
    -----
    The result does not depend on the order of tables, columns, rows or hyperedges. That every family lies in
    a table cannot be learned from the tables: it is what the caller knows. :func:`design_databases` finds
    tables for which it holds, given a draft.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> network = tw.load_network("asia")
    >>> rng = np.random.default_rng(0)
    >>> clinics = [["asia", "tub", "lung", "either", "xray"], ["smoke", "lung", "bronc", "either", "dysp"]]
    >>> tables = [network.sample(20_000, rng=rng).select(columns) for columns in clinics]
    >>> learned = tw.learn_from_databases(tables)
    >>> learned.structure.undirected_edges()
    [('asia', 'tub'), ('bronc', 'smoke'), ('lung', 'smoke')]
    >>> model = tw.fit(learned.dag, learned.databases)
    >>> model.query("dysp", given={"xray": "yes"})["yes"] > 0.5  # no table has both
    True
    """
    one_of("engine", engine, ENGINES)
    one_of("completion", settings.completion, ("fit", "none"))
    one_of("legitimacy", legitimacy, ("error", "report", "skip"))
    if engine == "tests" and score is not None:
        raise SettingError(f"a score is for engine='class'; found score={score!r} with engine='tests'")
    databases = as_databases(tables)
    engine = chosen_engine(engine, databases, by_score=score is not None)
    completion = settings.completion if engine == "tests" else "none"
    if isinstance(test, str):
        level = level_for(databases) if alpha is None else alpha
        test = make_pooled_test(databases, completion=completion, test=test, alpha=level)
    task = _Task(
        databases,
        chosen_sets(hypergraph, databases),
        test,
        legitimacy,
        bind_knowledge(knowledge, test.schema),
        check_homogeneity(databases, alpha=settings.homogeneity_alpha),
    )
    if completion == "none":
        _refuse_unseen_arcs(task)
    if engine == "class":
        judge = pooled_score(databases, score) if score is None or isinstance(score, str) else score
        learned = _by_score(task, judge, effort=effort, max_parents=max_parents, progress=progress)
    else:
        learned = _by_tests(task, settings, progress)
    return replace(learned, notes=notes_on(learned))


def chosen_engine(
    engine: Engine, databases: Databases, *, by_score: bool = False
) -> Literal["class", "tests"]:
    """What "auto" stands for; whoever names a score wants a search by score."""
    if engine != "auto":
        return engine
    alone = len(databases.hyperedges) == 1
    return "tests" if alone and databases.is_continuous and not by_score else "class"


def level_for(databases: Databases) -> float:
    """Tests of small tables that share little need a generous level, others do not (measured on ALARM)."""
    several = len(databases.hyperedges) > 1
    return 0.05 if several and not databases.is_continuous else 0.01


def chosen_sets(
    hypergraph: Iterable[Iterable[NameOrIndex]] | None, databases: Databases
) -> list[tuple[NameOrIndex, ...]] | None:
    """The sets that were given, else the columns of several tables; nothing is known about one table."""
    if hypergraph is None and is_one_table(databases):
        return None
    return [tuple(one) for one in (databases.hyperedges if hypergraph is None else hypergraph)]


@dataclass(frozen=True)
class _Task:
    """What both engines start from."""

    databases: Databases
    sets: list[tuple[NameOrIndex, ...]] | None
    test: IndependenceTest
    legitimacy: Legitimacy
    known: BoundKnowledge
    homogeneity: Homogeneity

    @cached_property
    def tree(self) -> DSeparationTree | None:
        return None if self.sets is None else separation_tree_from_hypergraph(self.test.schema, self.sets)

    @property
    def allowed(self) -> UndirectedGraph | None:
        """Pairs that share a set and a table; None for all pairs."""
        if self.sets is None:
            return None
        schema = self.databases.schema
        sets = [self.test.schema.names_of(self.test.schema.scope(one)) for one in self.sets]
        pairs = _pairs_within(schema, sets) & _pairs_within(schema, self.databases.hyperedges)
        return UndirectedGraph(schema, [(u, v) for u, v in np.argwhere(np.triu(pairs)).tolist()])

    @property
    def never_together(self) -> tuple[tuple[str, str], ...]:
        """Pairs that share a node of the tree and no table."""
        nodes = () if self.tree is None else self.tree.clusters
        pairs = {pair for node in nodes for pair in combinations(sorted(node), 2)}
        return tuple(sorted(pair for pair in pairs if not self.databases.covers(pair)))

    def without(self, pairs: Iterable[tuple[str, str]]) -> BoundKnowledge:
        """The knowledge, with some pairs kept apart."""
        index, allowed = self.databases.schema.index, self.known.allowed.copy()
        for u, v in pairs:
            allowed[index(u), index(v)] = allowed[index(v), index(u)] = False
        return BoundKnowledge(self.databases.schema, allowed, self.known.required.copy())


def _by_score(task: _Task, judge: LocalScore, **options: Any) -> LearnedFromDatabases:
    """Search by a score among the pairs that are allowed; the test is asked about the sets."""
    tree, known = task.tree, task.known
    audit = None if tree is None else audited(tree, task.test, task.legitimacy)

    def of_tables(found: LearnedClass) -> LearnedFromDatabases:
        dag = found.structure
        return LearnedFromDatabases(
            structure=known.pattern_of(dag),
            trace=found.trace,
            dag=dag,
            databases=task.databases,
            engine="class",
            tree=DSeparationTree.of(dag.moral_graph()) if tree is None else tree,
            homogeneity=task.homogeneity,
            never_observed_together=task.never_together,
            score=found.score,
            audit=audit,
            copies=found.copies if is_one_table(task.databases) else (),
            _explain=partial(explain_absent_edge, dag, score=judge, test=task.test, tree=tree, known=known),
        )

    with keeping(lambda best: None if best is None else of_tables(best)):
        return of_tables(learn_in_hypergraph(judge, task.allowed, knowledge=known, **options))


def _by_tests(task: _Task, settings: DatabaseSettings, progress: Progress | None) -> LearnedFromDatabases:
    """Search by tests, inside the nodes of the tree of the sets or of an estimated graph."""
    pooled = _pooled(task.test)
    # nothing speaks for an edge between columns that were never seen together, unless it is completed
    apart = task.never_together if pooled is not None and not pooled.completes else ()
    known = task.without(apart) if apart else task.known
    plan = settings.tree
    if plan.refine_above == "auto" and not is_one_table(task.databases):
        plan = replace(plan, refine_above=None)
    told: dict[str, Any] = {"knowledge": known, "progress": progress}
    tree = find_separation_tree(task.test, task.sets, settings=plan, legitimacy=task.legitimacy, **told)
    found = learn_by_separation_tree(tree, task.test, search=settings.search, **told)
    found = replace(found, _unseen=frozenset(apart))
    names = task.test.schema.names
    return LearnedFromDatabases(
        structure=found.structure,
        trace=found.trace,
        dag=found.dag,
        databases=task.databases,
        engine="tests",
        tree=found.tree,
        homogeneity=task.homogeneity,
        model_based=() if pooled is None else _named_questions(names, pooled.source.model_based),
        undecided_edges=() if pooled is None else _undecided(found.skeleton, pooled.source.undecided),
        never_observed_together=apart,
        found=found,
        audit=found.audit,
        _explain=found.why_not,
    )


@dataclass(frozen=True)
class _Pooled:
    """Who keeps account of the questions that no table covers, and whether they are answered."""

    source: PooledFisherZTest | PooledCounter
    completes: bool


def _pooled(test: IndependenceTest) -> _Pooled | None:
    """None for the test of one table, which covers everything."""
    if isinstance(test, PooledFisherZTest):
        return _Pooled(test, test.moments.completed)
    counter = getattr(test, "counter", None)
    return _Pooled(counter, counter.completion is not None) if isinstance(counter, PooledCounter) else None


def _undecided(skeleton: UndirectedGraph, asked: Iterable[Query]) -> tuple[NamedArc, ...]:
    """The edges about which a question could not be answered."""
    pairs = {frozenset((x, y)) for x, y, _ in asked}
    edges = [edge for edge in skeleton.index_edges() if frozenset(edge) in pairs]
    ends = (sorted(skeleton.schema.names_of(edge)) for edge in edges)
    return tuple(sorted((u, v) for u, v in ends))


def _refuse_unseen_arcs(task: _Task) -> None:
    """A required arc that no table has can be neither scored nor tested."""
    for u, v in task.known.required_dag().edges():
        if not task.databases.covers((u, v)):
            raise KnowledgeError(f"{u!r} -> {v!r} is required, but no table has both")


def _pairs_within(schema: Schema, sets: Iterable[Iterable[NameOrIndex]]) -> Matrix:
    pairs = np.zeros((len(schema), len(schema)), dtype=np.bool_)
    for one in sets:
        at = list(schema.scope(one))
        pairs[np.ix_(at, at)] = True
    np.fill_diagonal(pairs, False)
    return pairs


def _named_questions(names: tuple[str, ...], asked: Iterable[Query]) -> tuple[NamedQuestion, ...]:
    found = set()
    for x, y, given in asked:
        u, v = sorted((names[x], names[y]))
        found.add((u, v, tuple(sorted(names[w] for w in given))))
    return tuple(sorted(found, key=lambda q: (q[0], q[1], len(q[2]), q[2])))

"""One door for one table and for several: a network, and why it has no edge where it has none.

The engine "class" is the search over equivalence classes, held to the pairs that share a set of the
hypergraph (for several tables: of their columns). Where nothing is known it is that search and no other,
which no variant over d-separation trees beats on one table of counts. The engine "tests" is the algorithm of
Xie, Geng & Zhao (2006); on one table of continuous columns it makes half the errors of the search by score.
What is better was measured (docs/measured/separation_trees.md), and "auto" takes that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any, Literal

from treewright.criteria import ChiSquareTest, FisherZTest, GTest, IndependenceTest
from treewright.criteria.registry import TESTS_WITH_LEVEL
from treewright.criteria.scores.score import LocalScore
from treewright.criteria.tests.queries import one_of
from treewright.errors import SettingError
from treewright.graphs import (
    BoundKnowledge,
    DSeparationTree,
    Knowledge,
    bind_knowledge,
    separation_tree_from_hypergraph,
)
from treewright.learners.classes.obedience import marks_of
from treewright.learners.separation_trees.audit import Legitimacy, audited
from treewright.learners.separation_trees.databases import learn_from_databases
from treewright.learners.separation_trees.hypergraph_search import learn_in_hypergraph
from treewright.learners.separation_trees.learned_databases import LearnedFromDatabases
from treewright.learners.separation_trees.learned_tables import LearnedFromTables
from treewright.learners.separation_trees.pooled_judges import pooled_score, pooled_test
from treewright.learners.separation_trees.refinement import learn_separation_tree
from treewright.statistics.homogeneity import Homogeneity, check_homogeneity
from treewright.statistics.moments import moments
from treewright.statistics.whole import count
from treewright.tables.databases import Databases
from treewright.tables.schema import NameOrIndex

Engine = Literal["auto", "class", "tests"]
ENGINES: tuple[Engine, ...] = ("auto", "class", "tests")
REFINE_ABOVE = 8
Sets = Sequence[tuple[NameOrIndex, ...]]


def learn_from_tables(
    databases: Databases,
    *,
    hypergraph: Iterable[Iterable[NameOrIndex]] | None = None,
    engine: Engine = "auto",
    score: str | None = None,
    effort: int = 2,
    max_parents: int | None = None,
    test: Literal["g", "chi-square"] = "g",
    alpha: float | None = None,
    alpha_uig: float = 0.01,
    refine_above: int | Literal["auto"] | None = "auto",
    completion: Literal["fit", "none"] = "fit",
    legitimacy: Legitimacy = "error",
    knowledge: Knowledge | BoundKnowledge | None = None,
    homogeneity_alpha: float = 0.01,
) -> LearnedFromTables:
    """Learn a network from one table, or from several with overlapping columns.

    Parameters
    ----------
    databases
        The tables; those with the same columns simply add.
    hypergraph
        Sets of variables such that variables that influence each other directly, and parents of a common
        child, share a set. By default the column sets of the tables.
    engine
        "class": search over equivalence classes by a score. "tests": independence tests inside the nodes of
        a d-separation tree. "auto": tests for one table of continuous columns unless a score is given, else
        class.
    score, effort, max_parents
        Of the engine "class".
    test, alpha, alpha_uig, refine_above
        Of the engine "tests"; see :func:`learn_separation_tree`. `alpha` is 0.01 for one table and for
        continuous columns, 0.05 for counts of several tables, unless given. Trees of several tables are not
        refined unless asked.
    completion
        What the engine "tests" does where no table covers a test, see :func:`learn_from_databases`.
    legitimacy
        What happens when rows contradict the hypergraph: "error", "report" or "skip". Column sets of several
        tables raise no error: what rows say about them is reported.
    knowledge
        Arcs that are required or forbidden.
    homogeneity_alpha
        Level at which a difference between tables that overlap becomes a warning.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> rows = tw.load_network("asia").sample(5_000, rng=np.random.default_rng(0))
    >>> learned = learn_from_tables(tw.tables.Databases([rows]), engine="tests", alpha=0.01)
    >>> print(learned.why_not("lung", "xray"))
    lung and xray share no node; the tree separates them by {either}
    """
    one_of("engine", engine, ENGINES)
    one_of("test", test, TESTS_WITH_LEVEL)
    one_of("legitimacy", legitimacy, ("error", "report", "skip"))
    if engine == "tests" and score is not None:
        raise SettingError(f"a score is for engine='class'; found score={score!r} with engine='tests'")
    engine = chosen_engine(engine, databases, by_score=score is not None)
    sets = None if hypergraph is None else [tuple(one) for one in hypergraph]
    known = bind_knowledge(knowledge, databases.schema)
    level = alpha if alpha is not None else level_for(databases)
    if len(databases.hyperedges) > 1:
        found = learn_from_databases(
            databases,
            hypergraph=sets,
            engine=engine,
            completion=completion,
            test=test,
            alpha=level,
            refine_above=None if refine_above == "auto" else refine_above,
            legitimacy="report" if sets is None and legitimacy == "error" else legitimacy,
            knowledge=known,
            homogeneity_alpha=homogeneity_alpha,
            score=score,
            effort=effort,
            max_parents=max_parents,
        )
        if engine == "tests":
            return _extended(found)
        judge: IndependenceTest = pooled_test(databases, completion="none", test=test, alpha=level)
        return _extended(
            found,
            _sets_tree=found.tree,
            _criterion=pooled_score(databases, score),
            _test=judge,
            _known=known,
        )
    judge = _test_of_one(databases, test, level)
    same = about_one(databases, engine, homogeneity_alpha)
    if engine == "class":
        criterion = pooled_score(databases, score)
        limits = {"effort": effort, "max_parents": max_parents}
        return learn_one_by_score(criterion, judge, sets, same, legitimacy, knowledge=known, **limits)
    refined = REFINE_ABOVE if refine_above == "auto" else refine_above
    options = {"alpha_uig": alpha_uig, "refine_above": refined, "legitimacy": legitimacy, "knowledge": known}
    return learn_one_by_tests(judge, sets, same, **options)


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


def _test_of_one(databases: Databases, test: str, alpha: float) -> IndependenceTest:
    """The test of tables that all have every column: of one table."""
    rows = databases.pool(tuple(range(len(databases))))
    if databases.is_continuous:
        return FisherZTest(moments(rows), alpha)
    return (GTest if test == "g" else ChiSquareTest)(count(rows), alpha)


def about_one(databases: Databases, engine: Engine, alpha: float = 0.01) -> dict[str, Any]:
    """What there is to say about tables that all have every column."""
    alone = len(databases) == 1
    found = Homogeneity((), alpha) if alone else check_homogeneity(databases, alpha=alpha)
    return {"databases": databases, "engine": engine, "homogeneity": found}


def learn_one_by_score(
    criterion: LocalScore,
    judge: IndependenceTest,
    sets: Sets | None,
    about: dict[str, Any],
    legitimacy: Legitimacy = "error",
    *,
    knowledge: Knowledge | BoundKnowledge | None = None,
    **options: Any,
) -> LearnedFromTables:
    """Search by any score of one table, held to sets if there are any; `judge` is asked about those."""
    schema = criterion.schema
    known = bind_knowledge(knowledge, schema)
    tree = None if sets is None else separation_tree_from_hypergraph(schema, sets)
    audit = None if tree is None else audited(tree, judge, legitimacy)
    found = learn_in_hypergraph(criterion, sets, knowledge=known, **options)
    dag = found.structure
    return LearnedFromTables(
        structure=found.cpdag if known.is_symmetric else marks_of(dag, known),
        trace=found.trace,
        dag=dag,
        tree=DSeparationTree.of(dag.moral_graph()) if tree is None else tree,
        score=found.score,
        copies=found.copies,
        audit=audit,
        _sets_tree=tree,
        _criterion=criterion,
        _test=judge,
        _known=known,
        **about,
    )


def learn_one_by_tests(
    judge: IndependenceTest, sets: Sets | None, about: dict[str, Any], **options: Any
) -> LearnedFromTables:
    """Search by tests of one table, inside the nodes of the tree of sets or of an estimated graph."""
    found = learn_separation_tree(judge, sets, **options)
    return LearnedFromTables(
        structure=found.structure,
        trace=found.trace,
        dag=found.dag,
        tree=found.tree,
        found=found,
        audit=found.audit,
        **about,
    )


def _extended(found: LearnedFromDatabases, **more: Any) -> LearnedFromTables:
    kept = {one.name: getattr(found, one.name) for one in fields(found)}
    return LearnedFromTables(**kept, **more)

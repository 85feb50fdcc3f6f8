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

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np

from treewright.criteria import PooledFisherZTest
from treewright.criteria.scores.score import LocalScore
from treewright.criteria.tests.queries import one_of
from treewright.errors import KnowledgeError, SettingError
from treewright.graphs import (
    BoundKnowledge,
    DSeparationTree,
    Knowledge,
    UndirectedGraph,
    bind_knowledge,
    separation_tree_from_hypergraph,
)
from treewright.learners.classes.obedience import marks_of
from treewright.learners.separation_trees.audit import Legitimacy, SeparatorAudit, audited
from treewright.learners.separation_trees.hypergraph_search import learn_in_hypergraph
from treewright.learners.separation_trees.learned_databases import LearnedFromDatabases, NamedQuestion
from treewright.learners.separation_trees.pooled_judges import PooledTest, pooled_score, pooled_test
from treewright.learners.separation_trees.refinement import learn_separation_tree
from treewright.statistics.families import Query
from treewright.statistics.homogeneity import Homogeneity, check_homogeneity
from treewright.tables._reading.bins import Bins
from treewright.tables._reading.missing import MissingPolicy
from treewright.tables.databases import Databases, as_databases
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Matrix


def learn_from_databases(
    tables: Databases | Iterable[Any],
    *,
    hypergraph: Iterable[Iterable[NameOrIndex]] | None = None,
    engine: Literal["class", "tests"] = "class",
    completion: Literal["fit", "none"] = "fit",
    score: str | None = None,
    effort: int = 2,
    max_parents: int | None = None,
    test: Literal["g", "chi-square"] = "g",
    alpha: float = 0.05,
    refine_above: int | None = None,
    depth: int | Literal["auto"] | None = "auto",
    legitimacy: Legitimacy = "report",
    knowledge: Knowledge | BoundKnowledge | None = None,
    homogeneity_alpha: float = 0.01,
    schema: Schema | None = None,
    missing: MissingPolicy | None = None,
    bins: Bins | None = None,
    progress: Callable[..., object] | None = None,
) -> LearnedFromDatabases:
    """Learn one network from several tables with overlapping columns.

    Parameters
    ----------
    tables
        :class:`Databases`, or a list of whatever :func:`read_table` reads, in any mix: paths, data frames,
        dictionaries, tables and queries of DuckDB files (:class:`SqlTable`), tables.
    hypergraph
        Sets of variables such that variables that influence each other directly, and parents of a common
        child, share a set. By default the column sets of the tables.
    engine
        "class": a search over equivalence classes with a score. "tests": independence tests inside the nodes
        of a d-separation tree.
    completion
        For tests that no table covers. "fit": answered from the completed distribution, and listed in
        `model_based`. "none": not made; the edge stays and is listed in `undecided_edges`.
    score, effort, max_parents
        For the engine "class": see :class:`PooledScore` and :func:`learn_hill_climbing`.
    test, alpha, refine_above, depth
        For the engine "tests": see :class:`GTest`, :class:`ChiSquareTest` and :func:`learn_separation_tree`.
        Continuous tables are tested by Fisher's z.
    legitimacy
        What happens when rows contradict the hypergraph: "error", "report" (see `audit` of the result) or
        "skip".
    knowledge
        Arcs that are required or forbidden.
    homogeneity_alpha
        Level at which a difference between tables that overlap becomes a warning.
    schema, missing, bins
        How sources are read, as for :func:`read_databases`.
    progress
        As for :func:`learn_hill_climbing` or :func:`learn_separation_tree`.

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
    one_of("engine", engine, ("class", "tests"))
    one_of("completion", completion, ("fit", "none"))
    one_of("legitimacy", legitimacy, ("error", "report", "skip"))
    databases = as_databases(tables, schema=schema, missing=missing, bins=bins)
    given = databases.hyperedges if hypergraph is None else hypergraph
    sets: list[tuple[NameOrIndex, ...]] = [tuple(one) for one in given]
    task = _Task(
        databases,
        sets,
        separation_tree_from_hypergraph(databases.schema, sets),
        bind_knowledge(knowledge, databases.schema),
        check_homogeneity(databases, alpha=homogeneity_alpha),
    )
    if engine == "class" or completion == "none":
        _refuse_unseen_arcs(task)
    if engine == "class":
        judge = pooled_score(databases, score)
        asked = pooled_test(databases, completion="none", test=test, alpha=alpha)
        audit = audited(task.tree, asked, legitimacy)
        return _by_score(task, judge, audit, effort=effort, max_parents=max_parents, progress=progress)
    if score is not None:
        raise SettingError(f"a score is for engine='class'; found score={score!r} with engine='tests'")
    tests = pooled_test(databases, completion=completion, test=test, alpha=alpha)
    return _by_tests(
        task, tests, refine_above=refine_above, depth=depth, legitimacy=legitimacy, progress=progress
    )


@dataclass(frozen=True)
class _Task:
    """What both engines start from."""

    databases: Databases
    sets: list[tuple[NameOrIndex, ...]]
    tree: DSeparationTree
    known: BoundKnowledge
    homogeneity: Homogeneity

    @property
    def allowed(self) -> UndirectedGraph:
        """Pairs that share a set and a table."""
        schema = self.databases.schema
        pairs = _pairs_within(schema, self.sets) & _pairs_within(schema, self.databases.hyperedges)
        return UndirectedGraph(schema, [(u, v) for u, v in np.argwhere(np.triu(pairs)).tolist()])

    @property
    def never_together(self) -> tuple[tuple[str, str], ...]:
        """Pairs that share a node of the tree and no table."""
        pairs = {pair for node in self.tree.clusters for pair in combinations(sorted(node), 2)}
        return tuple(sorted(pair for pair in pairs if not self.databases.covers(pair)))

    def without(self, pairs: Iterable[tuple[str, str]]) -> BoundKnowledge:
        """The knowledge, with some pairs kept apart."""
        index, allowed = self.databases.schema.index, self.known.allowed.copy()
        for u, v in pairs:
            allowed[index(u), index(v)] = allowed[index(v), index(u)] = False
        return BoundKnowledge(self.databases.schema, allowed, self.known.required.copy())


def _by_score(
    task: _Task, judge: LocalScore, audit: SeparatorAudit | None, **options: Any
) -> LearnedFromDatabases:
    found = learn_in_hypergraph(judge, task.allowed, knowledge=task.known, **options)
    return LearnedFromDatabases(
        structure=found.cpdag if task.known.is_symmetric else marks_of(found.structure, task.known),
        trace=found.trace,
        dag=found.structure,
        databases=task.databases,
        engine="class",
        tree=task.tree,
        homogeneity=task.homogeneity,
        never_observed_together=task.never_together,
        score=found.score,
        audit=audit,
    )


def _by_tests(task: _Task, judge: PooledTest, **options: Any) -> LearnedFromDatabases:
    source: Any = judge if isinstance(judge, PooledFisherZTest) else judge.counter
    completes = judge.moments.completed if isinstance(judge, PooledFisherZTest) else source.completion
    # nothing speaks for an edge between columns that were never seen together, unless it is completed
    apart = () if completes else task.never_together
    found = learn_separation_tree(
        judge, task.sets, knowledge=task.without(apart) if apart else task.known, **options
    )
    found = replace(found, _unseen=frozenset(apart))
    undecided = {frozenset((x, y)) for x, y, _ in source.undecided}
    edges = [(u, v) for u, v in found.skeleton.index_edges() if frozenset((u, v)) in undecided]
    names = task.databases.schema.names
    return LearnedFromDatabases(
        structure=found.structure,
        trace=found.trace,
        dag=found.dag,
        databases=task.databases,
        engine="tests",
        tree=found.tree,
        homogeneity=task.homogeneity,
        model_based=_named_questions(names, source.model_based),
        undecided_edges=tuple(sorted((min(names[u], names[v]), max(names[u], names[v])) for u, v in edges)),
        never_observed_together=apart,
        found=found,
        audit=found.audit,
    )


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

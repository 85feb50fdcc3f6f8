"""`--method separation-tree`: one table or several, with or without sets of what belongs together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treewright.errors import SettingError, nearest
from treewright.learners.separation_trees.audit import Legitimacy
from treewright.learners.separation_trees.databases import (
    ENGINES,
    Engine,
    chosen_engine,
    learn_from_databases,
)
from treewright.learners.separation_trees.learned_databases import LearnedFromDatabases
from treewright.tables.databases import Databases

if TYPE_CHECKING:
    from treewright.cli.learning.task import Task

_ALPHA = 0.01


def learn_with_tree(task: Task) -> LearnedFromDatabases:
    """Learn from the tables of a task."""
    options, rows = task.options, task.rows
    tables = rows.source if rows.complete is None else Databases([rows.complete])
    assert isinstance(tables, Databases)
    engine = chosen_engine(engine_named(options.engine), tables, by_score=options.effort is not None)
    if options.alpha is not None and engine == "class":
        raise SettingError("--alpha is the level of tests; it goes with --engine tests")
    if options.effort is not None and engine == "tests":
        raise SettingError("--effort is for a search by score; it goes with --engine class")
    legitimacy: Legitimacy = "report" if task.hypergraph is None else "error"
    given: dict[str, Any] = {
        "hypergraph": task.hypergraph,
        "engine": engine,
        "effort": task.effort(2),
        "legitimacy": "skip" if task.is_asked_again else legitimacy,
        **task.common(),
    }
    if rows.complete is None:
        name = rows.score_name if engine == "class" else None
        return learn_from_databases(tables, score=name, alpha=options.alpha, **given)
    score = task.score if engine == "class" else None
    return learn_from_databases(tables, score=score, test=task.test(_ALPHA), **given)


def engine_named(name: str | None) -> Engine:
    if name is None:
        return "auto"
    for engine in ENGINES:
        if name == engine:
            return engine
    raise SettingError(f"--engine {name!r} is not known; engines are {nearest(name, ENGINES)}")


def about_tables(learned: LearnedFromDatabases) -> dict[str, Any]:
    """What the document of `learn` says about tables, beside what it says about every model."""
    tables, audit = learned.databases, learned.audit
    return {
        "engine": learned.engine,
        "tables": [
            {"name": name, "rows": table.n_rows, "columns": list(table.schema.names)}
            for name, table in zip(tables.names, tables.tables, strict=True)
        ],
        "nodes": [list(node) for node in learned.tree.clusters],
        "separators": [list(shared) for shared in learned.tree.separators],
        "untestable": [] if audit is None else [list(shared) for shared in audit.untestable],
        "contradictions": [] if audit is None else [str(one) for one in audit.contradictions],
        "never_observed_together": [list(pair) for pair in learned.never_observed_together],
        "undecided": [list(pair) for pair in learned.undecided_edges],
        "model_based": len(learned.model_based),
        "homogeneity": {
            "comparisons": len(learned.homogeneity.tests),
            "alpha": learned.homogeneity.alpha,
            "rejected": [
                {
                    "columns": list(one.columns),
                    "about": one.about,
                    "tables": list(one.tables),
                    "p": one.corrected,
                }
                for one in learned.homogeneity.rejected
            ],
        },
    }

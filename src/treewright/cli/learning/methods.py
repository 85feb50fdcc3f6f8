"""The methods that `learn` knows by name: a new learner is one more line here."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import treewright
from treewright.cli.learning.ground import Ground
from treewright.cli.learning.incomplete import complete_rows
from treewright.cli.learning.table_method import learn_with_tree
from treewright.criteria import EdgePrior, IndependenceTest, LocalScore
from treewright.criteria.registry import STRUCTURE_SCORES
from treewright.errors import SchemaError, SettingError, nearest
from treewright.graphs import Dag, FeatureGraph, Knowledge, UndirectedGraph
from treewright.learners import (
    Learned,
    learn_aggressive,
    learn_blankets,
    learn_blocks,
    learn_bounded_treewidth,
    learn_chow_liu,
    learn_cutset_network,
    learn_efficient_markov,
    learn_hidden_tree,
    learn_hill_climbing,
    learn_hybrid,
    learn_knots,
    learn_l1_neighbourhoods,
    learn_mixture,
    learn_pc,
    learn_tabu,
    learn_thin_junction_tree,
    learn_tpda,
    learn_treewidth_chains,
)
from treewright.learners.classes.chow_liu import with_order
from treewright.statistics import WholeCounter
from treewright.tables.databases import Databases
from treewright.tables.table import Table
from treewright.types import Progress

DEFAULT_TREEWIDTH = 4
DEFAULT_EFFORT = 1
DEFAULT_MIXTURE_EFFORT = 3
_SECONDS_PER_EFFORT = 10.0  # nominal, of work that is counted
BLANKET_TREEWIDTH = 12


@dataclass(frozen=True)
class Task:
    """What a method gets to work with."""

    ground: Ground
    order: Sequence[str] | None = None
    rng: np.random.Generator | None = None
    knowledge: Knowledge | None = None
    effort: int | None = None
    alpha: float | None = None
    treewidth: int | None = None
    valid: Table | Databases | None = None
    progress: Progress | None = None
    seconds: float | None = None
    fast: bool = False
    hypergraph: Sequence[Sequence[str]] | None = None
    engine: str | None = None
    is_score_given: bool = False
    is_asked_again: bool = False  # from resampled rows, whose repetitions look like dependence to a test

    @property
    def score(self) -> LocalScore:
        return self.ground.score

    def known(self) -> Knowledge | None:
        """What is known, the order included."""
        return with_order(self.knowledge, self.score.schema, self.order)

    def chance(self) -> np.random.Generator:
        return self.rng or np.random.default_rng()

    @property
    def counter(self) -> WholeCounter:
        if self.ground.counter is None:
            raise SchemaError(
                "this method is for discrete columns; cut continuous ones into intervals with --bins 4"
            )
        return self.ground.counter

    @property
    def width(self) -> int:
        return DEFAULT_TREEWIDTH if self.treewidth is None else self.treewidth

    def held_out(self) -> Table | None:
        return complete_rows(self.valid) if isinstance(self.valid, Table) else None

    def left_out(self, what: str) -> list[str]:
        """A remark where rows that miss cells had no say."""
        rows, n = self.counter.n_rows, 0 if self.ground.table is None else self.ground.table.n_rows
        return [f"{what} the {rows:,} of {n:,} rows that miss nothing"] if rows < n else []

    def test(self, alpha: float) -> IndependenceTest:
        return self.ground.test(alpha if self.alpha is None else self.alpha)


@dataclass(frozen=True)
class Method:
    """A learner, the score it maximises unless told otherwise, and the options it has a use for.

    A density method has no score to choose: it explains the rows, and returns a graph with its parameters.
    """

    learn: Callable[[Task], Learned[Any]]
    score: str = "bic"
    options: frozenset[str] = frozenset()
    own_score: str | None = None  # of a method that maximises nothing else
    is_density: bool = False  # of a method that explains rows and has no edges to judge
    width: int = DEFAULT_TREEWIDTH  # unless told otherwise
    joins_tables: bool = False  # of a method that learns from tables with different columns


def by_blankets(name: str) -> Method:
    """An undirected graph by a score of its blankets, narrow enough for exact answers."""

    def learn(task: Task) -> Learned[Any]:
        score = STRUCTURE_SCORES[name](task.counter)
        width = BLANKET_TREEWIDTH if task.treewidth is None else task.treewidth
        return learn_blankets(score, knowledge=task.known(), treewidth=width)

    return Method(learn, options=frozenset({"treewidth"}), own_score=name, width=BLANKET_TREEWIDTH)


def learned_knots(task: Task) -> Learned[Any]:
    """One search over classes with clusters beside it; lines pay for each edge as tables do."""
    moments = getattr(task.score, "moments", None)
    score = task.score if moments is None else EdgePrior(task.score, math.log(len(task.score.schema)))
    return learn_knots(
        task.counter if moments is None else moments,
        score=score if task.is_score_given else None,
        fast=task.fast,
        effort=task.effort,
        knowledge=task.known(),
    )


def learned_blocks(task: Task) -> Learned[Any]:
    """Blocks of the dependency tree by PC: BL (reconstructed)."""
    source = getattr(task.score, "moments", None) or task.counter
    return learn_blocks(source, test=task.test(0.05), knowledge=task.known())


# sparse-qnml finds structure best (docs/papers/class_search.md); bic describes a distribution
METHODS: dict[str, Method] = {
    "bounded": Method(
        lambda task: learn_bounded_treewidth(
            task.score,
            treewidth=task.width,
            effort=DEFAULT_EFFORT if task.effort is None else task.effort,
            rng=task.chance(),
            knowledge=task.known(),
            seconds=task.seconds,
            progress=task.progress,
        ),
        options=frozenset({"treewidth", "effort", "seconds"}),
    ),
    "chow-liu": Method(lambda task: learn_chow_liu(task.score, knowledge=task.known())),
    "hill-climbing": Method(
        lambda task: learn_hill_climbing(
            task.score, knowledge=task.known(), effort=2 if task.effort is None else task.effort
        ),
        score="sparse-qnml",
        options=frozenset({"effort"}),
    ),
    "hybrid": Method(
        lambda task: learn_hybrid(task.score, task.test(0.05), effort=task.effort, knowledge=task.known()),
        score="sparse-qnml",
        options=frozenset({"effort", "alpha"}),
    ),
    "knots": Method(learned_knots, score="sparse-qnml", options=frozenset({"effort", "fast"})),
    "tabu": Method(lambda task: learn_tabu(task.score, knowledge=task.known()), score="sparse-qnml"),
    "chains": Method(
        lambda task: learn_treewidth_chains(
            task.score, treewidth=task.width, knowledge=task.known(), progress=task.progress
        ),
        options=frozenset({"treewidth"}),
    ),
    "thin-junction-tree": Method(
        lambda task: learn_thin_junction_tree(
            task.score, treewidth=task.width, knowledge=task.known(), progress=task.progress
        ),
        options=frozenset({"treewidth"}),
    ),
    "aggressive": Method(
        lambda task: learn_aggressive(task.score, knowledge=task.known(), rng=task.chance())
    ),
    "pc": Method(
        lambda task: learn_pc(task.test(0.01), knowledge=task.known()), options=frozenset({"alpha"})
    ),
    "tpda": Method(
        lambda task: learn_tpda(task.test(0.05), knowledge=task.known()), options=frozenset({"alpha"})
    ),
    "blocks": Method(learned_blocks, options=frozenset({"alpha"})),
    "separation-tree": Method(
        learn_with_tree,
        score="sparse-qnml",
        options=frozenset({"effort", "alpha", "hypergraph", "engine"}),
        joins_tables=True,
    ),
    **{name: by_blankets(name) for name in STRUCTURE_SCORES},
    "l1": Method(lambda task: learn_l1_neighbourhoods(unprejudiced(task).counter), own_score="ebic"),
    "lem": Method(
        lambda task: learn_efficient_markov(task.counter, valid=task.held_out(), rng=task.chance()),
        own_score="loglik",
        is_density=True,
    ),
    "cutset": Method(
        lambda task: learn_cutset_network(task.counter, valid=task.held_out(), rng=task.chance()),
        own_score="loglik",
        is_density=True,
    ),
    "hidden-tree": Method(
        lambda task: learn_hidden_tree(task.counter, valid=task.held_out(), rng=task.chance()),
        own_score="loglik",
        is_density=True,
    ),
    "mixture": Method(
        lambda task: learned_mixture(task, DEFAULT_MIXTURE_EFFORT if task.effort is None else task.effort),
        own_score="loglik",
        options=frozenset({"effort"}),
        is_density=True,
    ),
}
DEFAULT_METHOD = "bounded"


def unprejudiced(task: Task) -> Task:
    """A task whose method asks the rows alone."""
    if task.knowledge is not None or task.order is not None:
        raise SettingError(
            "--knowledge and --order mean nothing to --method l1, which asks the rows alone; bjp, ib and mpl "
            "obey them"
        )
    return task


def method_named(name: str, **options: object) -> Method:
    """The method, once it is known to have a use for the options that were given."""
    if name not in METHODS:
        raise SettingError(
            f"--method {name!r} is not in treewright {treewright.__version__}; "
            f"available: {nearest(name, METHODS)}"
        )
    own = METHODS[name].own_score
    if own is not None and (options.pop("score", None) or options.pop("ess", None)) is not None:
        raise SettingError(f"--score and --ess mean nothing to --method {name}, which has a score of its own")
    options.pop("score", None)
    options.pop("ess", None)
    for option, value in options.items():
        if value is not None and option not in METHODS[name].options:
            users = ", ".join(other for other, method in METHODS.items() if option in method.options)
            raise SettingError(f"--{option} means nothing to --method {name}; it belongs to {users}")
    return METHODS[name]


def refuse_for_density(name: str, **options: object) -> None:
    """Options that judge or restrict edges mean nothing to a method that explains rows."""
    for option, value in options.items():
        if value is not None:
            raise SettingError(
                f"--{option} means nothing to --method {name}, which explains rows and has no edges to "
                "judge; leave it out"
            )


def network_of(learned: Learned[Any]) -> Dag | UndirectedGraph:
    """The graph that parameters go on: of an equivalence class, a member."""
    found: Dag | UndirectedGraph = getattr(learned, "dag", learned.structure)
    return found


def shape_of(learned: Learned[Any]) -> Dag | UndirectedGraph:
    """The edges to show: a feature graph joins the variables that meet on a path."""
    if isinstance(learned.structure, FeatureGraph):
        return learned.structure.to_undirected()
    return network_of(learned)


def learned_mixture(task: Task, effort: int) -> Learned[Any]:
    """Twenty trees without effort; a stack of everything within a budget with some."""
    rows, valid, rng = task.counter, task.held_out(), task.chance()
    if effort == 0:
        return learn_mixture(rows, valid=valid, rng=rng)
    return learn_mixture(rows, components="auto", budget=_SECONDS_PER_EFFORT * effort, valid=valid, rng=rng)

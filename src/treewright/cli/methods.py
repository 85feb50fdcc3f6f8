"""The methods that `learn` knows by name: a new learner is one more line here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import treewright
from treewright.cli.ground import Ground
from treewright.cli.incomplete import complete_rows
from treewright.criteria import IndependenceTest, LocalScore
from treewright.errors import SettingError, nearest
from treewright.graphs import Dag, FeatureGraph, Knowledge, UndirectedGraph
from treewright.learners import (
    Learned,
    learn_aggressive,
    learn_bounded_treewidth,
    learn_chow_liu,
    learn_cutset_network,
    learn_efficient_markov,
    learn_hidden_tree,
    learn_hill_climbing,
    learn_hybrid,
    learn_mixture,
    learn_pc,
    learn_tabu,
    learn_thin_junction_tree,
    learn_treewidth_chains,
)
from treewright.learners.chow_liu import with_order
from treewright.statistics import Counter, count
from treewright.tables.table import Table

DEFAULT_TREEWIDTH = 4
DEFAULT_MIXTURE_EFFORT = 3
_SECONDS_PER_EFFORT = 10.0  # nominal, of work that is counted


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
    table: Table | None = None
    valid: Table | None = None

    @property
    def score(self) -> LocalScore:
        return self.ground.score

    def known(self) -> Knowledge | None:
        """What is known, the order included."""
        return with_order(self.knowledge, self.score.schema, self.order)

    def chance(self) -> np.random.Generator:
        return self.rng or np.random.default_rng()

    @property
    def width(self) -> int:
        return DEFAULT_TREEWIDTH if self.treewidth is None else self.treewidth

    def counter(self) -> Counter:
        """The rows themselves, for methods that look at them."""
        assert self.table is not None
        return count(complete_rows(self.table))

    def held_out(self) -> Table | None:
        return None if self.valid is None else complete_rows(self.valid)

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
    is_density: bool = False


# sparse-qnml finds structure best (docs/papers/class_search.md); bic describes a distribution
METHODS: dict[str, Method] = {
    "bounded": Method(
        lambda task: learn_bounded_treewidth(
            task.score,
            treewidth=task.width,
            effort=1 if task.effort is None else task.effort,
            rng=task.chance(),
            knowledge=task.known(),
        ),
        options=frozenset({"treewidth", "effort"}),
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
    "tabu": Method(lambda task: learn_tabu(task.score, knowledge=task.known()), score="sparse-qnml"),
    "chains": Method(
        lambda task: learn_treewidth_chains(unrestricted(task).score, treewidth=task.width, order=task.order),
        options=frozenset({"treewidth"}),
    ),
    "thin-junction-tree": Method(
        lambda task: learn_thin_junction_tree(
            unrestricted(task).score, treewidth=task.width, order=task.order
        ),
        options=frozenset({"treewidth"}),
    ),
    "aggressive": Method(
        lambda task: learn_aggressive(task.score, knowledge=task.known(), rng=task.chance())
    ),
    "pc": Method(
        lambda task: learn_pc(task.test(0.01), knowledge=task.known()), options=frozenset({"alpha"})
    ),
    "lem": Method(
        lambda task: learn_efficient_markov(task.counter(), valid=task.held_out(), rng=task.chance()),
        score="loglik",
        is_density=True,
    ),
    "cutset": Method(
        lambda task: learn_cutset_network(task.counter(), valid=task.held_out(), rng=task.chance()),
        score="loglik",
        is_density=True,
    ),
    "hidden-tree": Method(
        lambda task: learn_hidden_tree(task.counter(), valid=task.held_out(), rng=task.chance()),
        score="loglik",
        is_density=True,
    ),
    "mixture": Method(
        lambda task: learned_mixture(task, DEFAULT_MIXTURE_EFFORT if task.effort is None else task.effort),
        score="loglik",
        options=frozenset({"effort"}),
        is_density=True,
    ),
}
DEFAULT_METHOD = "bounded"


def unrestricted(task: Task) -> Task:
    """A task whose method has no place for knowledge beyond an order."""
    if task.knowledge is not None:
        raise SettingError(
            "--knowledge means nothing to this method, which knows an --order only; bounded, chow-liu, "
            "hill-climbing, hybrid, tabu, aggressive and pc obey it"
        )
    return task


def method_named(name: str, **options: object) -> Method:
    """The method, once it is known to have a use for the options that were given."""
    if name not in METHODS:
        raise SettingError(
            f"--method {name!r} is not in treewright {treewright.__version__}; "
            f"available: {nearest(name, METHODS)}"
        )
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


def network_of(learned: Learned[Any]) -> Dag:
    """The directed graph that parameters go on: of an equivalence class, a member."""
    found: Dag = getattr(learned, "dag", learned.structure)
    return found


def shape_of(learned: Learned[Any]) -> Dag | UndirectedGraph:
    """The edges to show: a feature graph joins the variables that meet on a path."""
    if isinstance(learned.structure, FeatureGraph):
        return learned.structure.to_undirected()
    return network_of(learned)


def learned_mixture(task: Task, effort: int) -> Learned[Any]:
    """Twenty trees without effort; a stack of everything within a budget with some."""
    rows, valid, rng = task.counter(), task.held_out(), task.chance()
    if effort == 0:
        return learn_mixture(rows, valid=valid, rng=rng)
    return learn_mixture(rows, components="auto", budget=_SECONDS_PER_EFFORT * effort, valid=valid, rng=rng)

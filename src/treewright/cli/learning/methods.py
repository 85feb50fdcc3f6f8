"""The methods that `learn` knows by name: a new learner is one more line here."""

from __future__ import annotations

import math
from collections.abc import Callable, Set
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import treewright
from treewright import learners
from treewright.automatic.sampled import search_on
from treewright.automatic.search import LearnedAutomatically, learn_suited
from treewright.cli.learning.prepared import prepare_rows
from treewright.cli.learning.table_method import learn_with_tree
from treewright.cli.learning.task import DEFAULT_TREEWIDTH, Task
from treewright.criteria import EdgePrior, GaussianBIC
from treewright.criteria.registry import STRUCTURE_SCORES
from treewright.errors import SettingError, nearest
from treewright.graphs import Dag, FeatureGraph, UndirectedGraph
from treewright.learners import Learned, LearnedNetwork, LearnedPattern

if TYPE_CHECKING:
    from treewright.cli.learning.options import LearnOptions

DEFAULT_MIXTURE_EFFORT = 3
_SECONDS_PER_EFFORT = 10.0  # nominal, of work that is counted
BLANKET_TREEWIDTH = 12


@dataclass(frozen=True)
class Method:
    """A learner, the score it maximises unless told otherwise, and the options it has a use for.

    A density method has no score to choose: it explains the rows, and returns a graph with its parameters.
    """

    learn: Callable[[Task], Learned[Any]]
    score: str = "bic"
    options: Set[str] = frozenset()
    own_score: str | None = None  # of a method that maximises nothing else
    is_density: bool = False  # of a method that explains rows and has no edges to judge
    width: int = DEFAULT_TREEWIDTH  # unless told otherwise
    joins_tables: bool = False  # of a method that learns from tables with different columns
    search_on: Callable[[Task, Learned[Any]], Learned[Any]] | None = None  # from what some rows led to
    prepare: Callable[..., Any] = prepare_rows  # rows as its score sees them


def blanket_method(name: str) -> Method:
    """An undirected graph by a score of its blankets, narrow enough for exact answers."""

    def learn(task: Task) -> Learned[Any]:
        score = STRUCTURE_SCORES[name](task.counter)
        return learners.learn_blankets(score, treewidth=task.treewidth(BLANKET_TREEWIDTH), **task.common())

    return Method(learn, options={"treewidth"}, own_score=name, width=BLANKET_TREEWIDTH)


def density_method(learner: Callable[..., Learned[Any]]) -> Method:
    """A graph with its parameters, whose settings are chosen by held-out rows."""
    return Method(lambda task: learner(task.counter, **task.held_out()), own_score="loglik", is_density=True)


def run_bounded(task: Task, start: Dag | None = None) -> Learned[Any]:
    """The search under a bound."""
    return learners.learn_bounded_treewidth(
        task.score,
        start=start,
        treewidth=task.treewidth(),
        effort=task.options.effort,
        rng=task.rng,
        seconds=task.options.seconds,
        **task.common(),
    )


def run_mixed(task: Task) -> Learned[Any]:
    """States and numbers together, under a bound if one is given."""
    given, bound = {"rng": task.rng, **task.common()}, task.options.treewidth
    if bound is None:
        return learners.learn_mixed(task.score, **given)
    return learners.learn_bounded_mixed(task.score, treewidth=bound, **given)


def run_auto(task: Task) -> Learned[Any]:
    """What suits the table; a score that was asked for is kept."""
    if task.rows.score_name == "sigmoid-bic":
        return run_bounded(task)  # its networks weigh rows and answer no questions: there is no cost to mind
    return learn_suited(
        task.statistics,
        score=None if task.options.score is None else task.score,
        treewidth=task.options.treewidth,
        rng=task.rng,
        seconds=task.options.seconds,
        **task.common(),
    )


def run_auto_on(task: Task, begin: Learned[Any]) -> Learned[Any]:
    """On from what some rows led to, with all rows."""
    if not isinstance(begin, LearnedAutomatically):
        return run_bounded_on(task, begin)
    return search_on(
        task.statistics,
        begin,
        score=None if task.options.score is None else task.score,
        treewidth=task.options.treewidth,
        rng=task.rng,
        seconds=task.options.seconds,
        **task.common(),
    )


def run_bounded_on(task: Task, begin: Learned[Any]) -> Learned[Any]:
    return run_bounded(task, start=begin.structure)


def run_knots(task: Task) -> Learned[Any]:
    """One search over classes with clusters beside it; lines pay for each edge as tables do."""
    score = task.score
    if isinstance(score, GaussianBIC):
        score = EdgePrior(score, math.log(len(score.schema)))
    return learners.learn_knots(
        task.statistics,
        score=None if task.options.score is None else score,
        fast=task.options.fast,
        effort=task.options.effort,
        **task.common(),
    )


def run_mixture(task: Task) -> Learned[Any]:
    """Twenty trees without effort; a stack of everything within a budget with some."""
    effort = task.effort(DEFAULT_MIXTURE_EFFORT)
    if effort == 0:
        return learners.learn_mixture(task.counter, **task.held_out())
    budget = _SECONDS_PER_EFFORT * effort
    return learners.learn_mixture(task.counter, components="auto", budget=budget, **task.held_out())


def run_l1(task: Task) -> Learned[Any]:
    """One regression for each variable, which asks the rows alone."""
    if task.knowledge is not None or task.order is not None:
        raise SettingError(
            "--knowledge and --order mean nothing to --method l1, which asks the rows alone; bjp, ib and mpl "
            "obey them"
        )
    return learners.learn_l1_neighbourhoods(task.counter, progress=task.progress)


# sparse-qnml finds structure best (docs/papers/class_search.md); bic describes a distribution
METHODS: dict[str, Method] = {
    "auto": Method(
        run_auto,
        score="sparse-qnml",
        options={"treewidth", "seconds", "certify", "set_by"},
        search_on=run_auto_on,
    ),
    "bounded": Method(
        run_bounded, options={"treewidth", "effort", "seconds", "certify"}, search_on=run_bounded_on
    ),
    "mixed": Method(run_mixed, score="mixed-bic", options={"treewidth"}),
    "chow-liu": Method(lambda task: learners.learn_chow_liu(task.score, **task.common())),
    "hill-climbing": Method(
        lambda task: learners.learn_hill_climbing(task.score, effort=task.effort(2), **task.common()),
        score="sparse-qnml",
        options={"effort", "certify"},
        search_on=lambda task, begin: learners.learn_hill_climbing(
            task.score, start=begin.structure, effort=0, **task.common()
        ),
    ),
    "hybrid": Method(
        lambda task: learners.learn_hybrid(
            task.score, task.test(0.05), effort=task.options.effort, **task.common()
        ),
        score="sparse-qnml",
        options={"effort", "alpha"},
    ),
    "knots": Method(run_knots, score="sparse-qnml", options={"effort", "fast"}),
    "tabu": Method(
        lambda task: learners.learn_tabu(task.score, **task.common()),
        score="sparse-qnml",
        options={"certify"},
        search_on=lambda task, begin: learners.learn_tabu(task.score, start=begin.structure, **task.common()),
    ),
    "chains": Method(
        lambda task: learners.learn_treewidth_chains(task.score, treewidth=task.treewidth(), **task.common()),
        options={"treewidth"},
    ),
    "thin-junction-tree": Method(
        lambda task: learners.learn_thin_junction_tree(
            task.score, treewidth=task.treewidth(), **task.common()
        ),
        options={"treewidth"},
    ),
    "aggressive": Method(lambda task: learners.learn_aggressive(task.score, rng=task.rng, **task.common())),
    "pc": Method(lambda task: learners.learn_pc(task.test(0.01), **task.common()), options={"alpha"}),
    "tpda": Method(lambda task: learners.learn_tpda(task.test(0.05), **task.common()), options={"alpha"}),
    "blocks": Method(
        lambda task: learners.learn_blocks(task.statistics, test=task.test(0.05), **task.common()),
        options={"alpha"},
    ),
    "separation-tree": Method(
        learn_with_tree,
        score="sparse-qnml",
        options={"effort", "alpha", "hypergraph", "engine"},
        joins_tables=True,
    ),
    **{name: blanket_method(name) for name in STRUCTURE_SCORES},
    "l1": Method(run_l1, own_score="ebic"),
    "lem": density_method(learners.learn_efficient_markov),
    "cutset": density_method(learners.learn_cutset_network),
    "hidden-tree": density_method(learners.learn_hidden_tree),
    "mixture": Method(run_mixture, own_score="loglik", options={"effort"}, is_density=True),
}
DEFAULT_METHOD = "auto"


def method_for(options: LearnOptions) -> Method:
    """The method that was asked for, once it is known to have a use for the options that were given."""
    name = options.method
    if name not in METHODS:
        raise SettingError(
            f"--method {name!r} is not in treewright {treewright.__version__}; "
            f"available: {nearest(name, METHODS)}"
        )
    method = METHODS[name]
    if method.own_score is not None and (options.score, options.ess) != (None, None):
        raise SettingError(f"--score and --ess mean nothing to --method {name}, which has a score of its own")
    for option in (f.name for f in fields(options) if getattr(options, f.name) != f.default):
        users = [other for other, one in METHODS.items() if option in one.options]
        if users and name not in users:
            raise SettingError(
                f"--{option.replace('_', '-')} means nothing to --method {name}; it belongs to "
                f"{', '.join(users)}"
            )
        if method.is_density and option in ("order", "knowledge", "bootstrap"):
            raise SettingError(
                f"--{option} means nothing to --method {name}, which explains rows and has no edges to "
                "judge; leave it out"
            )
    return method


def network_of(learned: Learned[Any]) -> Dag | UndirectedGraph:
    """The graph that parameters go on: of an equivalence class, a member."""
    found: Dag | UndirectedGraph = (
        learned.dag if isinstance(learned, LearnedNetwork | LearnedPattern) else learned.structure
    )
    return found


def shape_of(learned: Learned[Any]) -> Dag | UndirectedGraph:
    """The edges to show: a feature graph joins the variables that meet on a path."""
    if isinstance(learned.structure, FeatureGraph):
        return learned.structure.to_undirected()
    return network_of(learned)

"""Every public function and class with a number among its arguments, and how each is called.

Functions are found by walking the rooms, and numbers by their annotations: who adds a function adds nothing
here, unless one of its arguments has a name that nobody had before.
"""

from __future__ import annotations

import inspect
import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from tests.statistics.cluster.pools import HerePool

import treewright as tw
from treewright.ranges import is_number
from treewright.statistics.cluster import pieces_of

ROOMS = ("tables", "statistics", "graphs", "criteria", "learners", "models", "networks", "reports")
ROOMS = (*ROOMS, "verification", "automatic")
VALUES: tuple[Any, ...] = (
    2**31, 2**63, 10**400, -1, 0, float("nan"), float("inf"), -float("inf"), 1e300, 0.5, True, "3", None,
    np.int64(3), np.float64(0.5), np.array([1, 2]), [1], b"1", 1j,
)  # fmt: skip
# records that functions return and nobody makes by hand; indices, and what is called for every edge
NOT_SETTINGS = {"BoundedExplanation", "Distribution", "Explanation", "Fitting", "JointNormal", "Marginals"}
NOT_SETTINGS |= {"MarginTest", "MixedMarginals", "NormalMarginals", "edge", "tree.neighbours", "tree.sides"}
WORK = 2.0  # seconds that an answer may take


class Slow(BaseException):
    """A call that did not come back."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """End what works for longer; loops of the core obey as they obey Ctrl-C."""

    def ring(*_: object) -> None:
        raise Slow(f"more than {seconds} s of processor time")

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@dataclass(frozen=True)
class Door:
    """A callable with its name, and the parameters that are numbers."""

    name: str
    call: Callable[..., Any]
    numbers: tuple[str, ...]

    def values(self) -> Iterator[tuple[str, Any]]:
        for number in self.numbers:
            for value in VALUES:
                yield number, value


@cache
def doors() -> tuple[Door, ...]:
    """All of them: functions, classes that are settings, and methods of models, tables and estimators."""
    found: dict[str, Door] = {}
    seen: set[int] = set()
    for room in (tw, *(getattr(tw, name) for name in ROOMS)):
        names = getattr(room, "__all__", None) or [name for name in dir(room) if not name.startswith("_")]
        for name in sorted(names):
            thing = getattr(room, name)
            ours = callable(thing) and getattr(thing, "__module__", "").startswith("treewright")
            if not ours or id(thing) in seen or _is_told(thing):
                continue
            seen.add(id(thing))
            enter(found, name, thing)
    for owner, thing in instances().items():
        for name in dir(type(thing)):
            method = None if name.startswith("_") else getattr(type(thing), name)
            if inspect.isfunction(method):
                enter(found, f"{owner}.{name}", getattr(thing, name))
    return tuple(door for name, door in found.items() if name not in NOT_SETTINGS)


def enter(found: dict[str, Door], name: str, thing: Callable[..., Any]) -> None:
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return
    numbers = tuple(p.name for p in parameters if is_number(p))
    if not numbers:
        return
    if hasattr(thing, "fit") and isinstance(thing, type) and hasattr(thing, "get_params"):
        found[name] = Door(name, partial(_fitted, thing), numbers)  # which looks at its settings in `fit`
    else:
        found[name] = Door(name, thing, numbers)


def _fitted(estimator: type[Any], **settings: Any) -> Any:
    table = stand_ins()["table"]
    needs_y = inspect.signature(estimator.fit).parameters["y"].default is inspect.Parameter.empty
    return estimator(**settings).fit(table, np.arange(table.n_rows) % 2 if needs_y else None)


def _is_told(thing: object) -> bool:
    """Whether it is what functions return, which nobody makes by hand, or an error."""
    if not isinstance(thing, type):
        return False
    if issubclass(thing, BaseException):
        return True
    settings = ("Settings", "Prior", "Components", "Fitting", "Variants", "Dirichlet")
    makes = thing.__name__.endswith(settings) or thing.__name__.startswith("WorstPair")
    is_record = hasattr(thing, "__dataclass_fields__") and not makes
    return is_record and not thing.__name__.endswith(("Score", "Test", "BIC", "BDe", "BDeu"))


@cache
def instances() -> dict[str, Any]:
    stand = stand_ins()
    return {
        "model": stand["model"],
        "gaussian": stand["gaussian"],
        "markov": tw.MarkovNetwork.of(stand["model"]),
        "features": tw.fit(tw.learn_efficient_markov(stand["counter"]).structure, stand["counter"]),
        "table": stand["table"],
        "estimator": tw.ChowLiuTree().fit(stand["table"]),
        "tree": tw.JunctionTree.of(stand["dag"].moral_graph()),
    }


@cache
def stand_ins() -> dict[str, Any]:
    """What is given for the other arguments, by their names."""
    asia = tw.load_network("asia")
    table = asia.sample(60, rng=np.random.default_rng(0))
    numbers = tw.read_table({name: np.random.default_rng(i).normal(size=40) for i, name in enumerate("xyz")})
    counter = tw.count(table)
    dag, graph = asia.dag, asia.dag.moral_graph()
    test, score = tw.GTest(counter), tw.BIC(counter)
    few = tw.count(tw.read_table({"a": [0, 1, 1, 0, 1], "b": [0, 1, 0, 0, 1], "c": [1, 1, 0, 0, 0]}))
    line = tw.Dag(numbers.schema, [("x", "y")])
    dependencies = tw.learners.measure_dependencies(counter)
    packed = os.path.join(tempfile.mkdtemp(), "rows.twp")
    tw.pack(table, packed)
    set_in = {**table.to_dict(), "set": ["dysp", "none"] * 30}
    return {
        "table": table, "rows": table, "data": table, "tables": [table, table], "counter": counter,
        "source": counter, "valid": counter, "schema": table.schema, "moments": tw.moments(numbers),
        "score": score, "test": test, "dag": dag, "structure": dag, "graph": graph, "model": asia,
        "gaussian": tw.fit(line, tw.moments(numbers)), "rng": np.random.default_rng(1), "treewidth": 2,
        "n_variables": 6, "n": 5, "target": "dysp", "targets": "dysp", "width": 3, "max_columns": 4,
        "prior": tw.Dag(table.schema, []), "few": few, "numbers": numbers, "path": "/dev/null",
        "graph_score": tw.BlanketsJointPosterior(counter),
        "learn": lambda t: tw.learn_chow_liu(tw.BIC(tw.count(t))).structure,
        "ways": {"tree": lambda t: tw.fit(tw.learn_chow_liu(tw.BIC(tw.count(t))).structure, tw.count(t))},
        "n_hubs": 2, "n_rows": 2, "n_columns": 3, "n_links": 1, "n_neighbours": 2, "rewiring": 0.1,
        "weights": np.ones((8, 8)) - np.eye(8), "alpha": 0.05, "penalty": 0.5, "delta": 0.1,
        "make": tw.BIC, "features": [tw.Feature({"asia": "yes"})], "limit": "1GiB",
        "tree": tw.separation_tree_from_hypergraph(table.schema, [table.schema.names]),
        "databases": tw.read_databases([table, table]), "dependencies": dependencies,
        "pieces": pieces_of(packed), "pool": HerePool(),
        "stars": tw.learners.find_clusters(counter).stars, "x": "asia", "y": "tub", "u": 0, "v": 1,
        "experiments": tw.statistics.Experiments(tw.read_table(set_in), "set"),
    }  # fmt: skip


_OTHERS: dict[str, dict[str, Any]] = {  # where the usual thing of a name is not what somebody takes
    "SigmoidBIC": {"table": "numbers"},
    "learn_blankets": {"score": "graph_score"},
    "sample_edges": {"score": "graph_score"},
    "verify": {"source": "model"},
    "random_dag": {"density": "alpha"},
    "random_graph": {"density": "alpha"},
    "learn_feature_induction": {"counter": "few", "valid": "few"},
}


def arguments(door: Door) -> dict[str, Any]:
    """What a door cannot do without, as somebody would give it."""
    if isinstance(door.call, partial):
        return {}
    needed = [
        p.name
        for p in inspect.signature(door.call).parameters.values()
        if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    others = _OTHERS.get(door.name, {})
    return {name: stand_ins()[others.get(name, name)] for name in [*needed, *(others.keys() - set(needed))]}

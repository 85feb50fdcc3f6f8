"""Every public function, class and method with a number among its arguments, and how each is called.

Functions are found by walking the rooms, and numbers by their annotations, alone or inside of lists, pairs
and mappings; chance and evidence are walked too. Who adds a function adds nothing here, unless one of its
arguments has a name that nobody had before.
"""

from __future__ import annotations

import inspect
import os
import re
import resource
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
from treewright.statistics.cluster import cut_into_pieces

ROOMS = ("tables", "statistics", "graphs", "criteria", "learners", "models", "networks", "reports")
ROOMS = (*ROOMS, "verification", "automatic", "limits", "errors", "inference")
VALUES: tuple[Any, ...] = (
    2**31, 2**63, 10**400, -1, 0, float("nan"), float("inf"), -float("inf"), 1e300, 0.5, True, "3", None,
    np.int64(3), np.float64(0.5), np.array([1, 2]), [1], b"1", 1j,
)  # fmt: skip
# records that functions return and nobody makes by hand; indices, what is called for every edge, and what is
# asked from inside with positions that have been checked
NOT_SETTINGS = {"BoundedExplanation", "Distribution", "Explanation", "Fitting", "JointNormal", "Marginals"}
NOT_SETTINGS |= {"MarginTest", "MixedMarginals", "NormalMarginals", "edge", "tree.neighbours", "tree.sides"}
NOT_SETTINGS |= {"check_table", "kept_axes", "table_axes", "table_cells", "nearest", "quoted"}
NOT_SETTINGS |= {f"counter.{name}" for name in ("score_additions", "score_deletions", "test_partners")}
NOT_SETTINGS |= {"schema.by_name", "schema.said_like", "Evidence", "FeatureGraphEngine", "JunctionTreeEngine"}
WORK = 2.0  # seconds that an answer may take
MEMORY = 1 << 30  # bytes beyond what is there


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


def with_a_hard_stop(work: Callable[[], list[str]], seconds: int = 120) -> list[str]:
    """What the work says, in a fork with little memory more than there is; one that hangs is ended.

    No signal interrupts an allocation inside NumPy, so that a call may outlast `within`.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(seconds)  # ends the fork, wherever it is
        try:
            with open("/proc/self/statm") as file:
                there = int(file.read().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (there + MEMORY, resource.RLIM_INFINITY))
            said = work()
        except BaseException as error:  # of the fork alone
            said = [repr(error)]
        os.write(writing, "\n".join(said)[:60_000].encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read().decode()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return [*told.splitlines(), *([f"ended by signal {-status}"] if status else [])]


@dataclass(frozen=True)
class Door:
    """A callable with its name, and the parameters that are numbers."""

    name: str
    call: Callable[..., Any]
    numbers: tuple[str, ...]
    others: tuple[str, ...] = ()  # that hold numbers, or are no numbers and are given some all the same

    def values(self) -> Iterator[tuple[str, Any]]:
        for name in (*self.numbers, *self.others):
            for value in VALUES:
                yield name, value
        for name in self.others:
            for value in VALUES:
                for held in HOLDERS.get(name, ALL_HOLDERS):
                    yield name, held(value)


HOLDERS: dict[str, tuple[Callable[[Any], Any], ...]] = {
    "bins": (
        lambda v: ("quantile", v),
        lambda v: ("uniform", v),
        lambda v: ("hartemink", v, v),
        lambda v: ("hartemink", 2, v),
        lambda v: {"x": v},
        lambda v: [0, v],
    ),
    "given": (
        lambda v: {"asia": v},
        lambda v: {"asia": {"yes": v}},
        lambda v: {"label": v},
        lambda v: {"y": v},
    ),
    "rng": (),
}
ALL_HOLDERS: tuple[Callable[[Any], Any], ...] = (
    lambda v: [v],
    lambda v: (v, v),
    lambda v: {"asia": v},
    lambda v: {"asia": {"yes": v}},
    lambda v: [(v, v)],
)


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
    others = tuple(p.name for p in parameters if p.name not in numbers and _holds_numbers(p))
    if not numbers and not others:
        return
    is_estimator = hasattr(thing, "fit") and isinstance(thing, type) and hasattr(thing, "get_params")
    call = partial(_fitted, thing) if is_estimator else thing  # which looks at its settings in `fit`
    found[name] = Door(name, call, numbers, others)


def _holds_numbers(parameter: inspect.Parameter) -> bool:
    if parameter.name in ("given", "rng", "bins"):
        return True
    said = parameter.annotation if isinstance(parameter.annotation, str) else str(parameter.annotation)
    return re.search(r"\b(int|float)\b", said.split("Callable")[0]) is not None


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
    settings = ("Settings", "Prior", "Components", "Fitting", "Variants", "Dirichlet", "Moments")
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
        "sigmoid": stand["sigmoid"],
        "mixed": stand["mixed"],
        "normal": stand["gaussian"].query("x"),
        "mixture": stand["mixed"].query("number"),
        "effect": stand["gaussian"].effect("y", "x"),
        "moments": stand["moments"],
        "counter": stand["counter"],
        "score": stand["score"],
        "test": stand["test"],
        "schema": stand["schema"],
        "dag": stand["dag"],
        "graph": stand["graph"],
        "databases": stand["databases"],
        "dependencies": stand["dependencies"],
        "confidence": tw.edge_confidence(
            stand["few_table"], stand["learn"], repetitions=2, rng=np.random.default_rng(0)
        ),
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
        "learn_density": lambda rows, valid: tw.learn_cutset_network(tw.count(rows), valid=valid),
        "ways": {"tree": lambda t: tw.fit(tw.learn_chow_liu(tw.BIC(tw.count(t))).structure, tw.count(t))},
        "n_hubs": 2, "n_rows": 2, "n_columns": 3, "n_links": 1, "n_neighbours": 2, "rewiring": 0.1,
        "weights": np.ones((8, 8)) - np.eye(8), "alpha": 0.05, "penalty": 0.5, "delta": 0.1,
        "make": tw.BIC, "features": [tw.Feature({"asia": "yes"})], "limit": "1GiB",
        "tree": tw.separation_tree_from_hypergraph(table.schema, [table.schema.names]),
        "databases": tw.read_databases([table, table]), "dependencies": dependencies,
        "pieces": cut_into_pieces(packed), "pool": HerePool(),
        "stars": tw.learners.find_clusters(counter).stars, "x": "asia", "y": "tub", "u": 0, "v": 1,
        "sigmoid": tw.models.fit_sigmoid(line, numbers), "mixed": _mixed(),
        "few_table": table.take(range(20)), "partners": ["lung"], "allowed": ["asia"], "words": "asia",
        "columns": numbers.to_dict(), "two": [numbers, numbers], "line": line, "line_schema": numbers.schema,
        "given": {"asia": "yes"}, "real_given": {"x": 0.5}, "intercepts": {"x": 0.0, "y": 1.0, "z": 0.0},
        "coefficients": {"y": {"x": 1.0}}, "variances": dict.fromkeys("xyz", 1.0), "scope": (0, 1),
        "state": "yes", "shares": 2, "size": 3, "states": (2, 3), "text": "a text", "wanted": "asia",
        "there": ["asia", "tub"], "skeleton": graph, "separators": {}, "treatment": "asia", "outcome": "lung",
        "mask": 1, "level": 0.5, "probability": 0.5, "value": 1.0, "mean": [0.0] * 3,
        "scatter": np.eye(3), "variables": ["asia"],
        "experiments": tw.statistics.Experiments(tw.read_table(set_in), "set"),
    }  # fmt: skip


def _mixed() -> Any:
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, 60)
    columns = {"label": label, "number": label + rng.normal(size=60), "y": rng.normal(size=60)}
    moments = tw.statistics.mixed_moments(tw.read_table(columns))
    return tw.fit(tw.learners.learn_mixed(tw.MixedBIC(moments)).structure, moments)


_OTHERS: dict[str, dict[str, Any]] = {  # where the usual thing of a name is not what somebody takes
    "SigmoidBIC": {"table": "numbers"},
    "learn_blankets": {"score": "graph_score"},
    "sample_edges": {"score": "graph_score"},
    "verify": {"source": "model"},
    "random_dag": {"density": "alpha"},
    "random_graph": {"density": "alpha"},
    "learn_feature_induction": {"counter": "few", "valid": "few"},
    "read_table": {"source": "columns"},
    "read_databases": {"sources": "two"},
    "GaussianNetwork": {"dag": "line"},
    "Table": {"schema": "line_schema"},
    "effect.mean": {"value": "alpha"},
    "edge_confidence": {"learn": "learn"},
    "fill_density": {"learn": "learn_density"},
    "log_density_of": {"given": "real_given"},
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
    others = _OTHERS.get(door.name, _OTHERS.get(door.name.rpartition(".")[2], {}))
    return {name: stand_ins()[others.get(name, name)] for name in [*needed, *(others.keys() - set(needed))]}

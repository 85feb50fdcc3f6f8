"""What separates a learned network from the truth at 200 to 2,000 rows, and what helps.

Ordinary networks: the default (class search with `SparseQNML`) beside other scores, prices, votes of
resampled rows, more effort, and the score that the rows choose (`choose_score`). Networks with variables of
many states: the default beside groups of states (`GroupedQNML`) and tests. Groups were worked out on other
rows of pathfinder and mildew and other hub networks; prices and votes on hepar2, andes and pathfinder; the
choice of the score on two or three other samples of all networks but barley, munin1, diabetes, hailfinder.

Networks that the folder of TREEWRIGHT_DATA lacks (barley, diabetes, mildew, munin1, water, of the Bayesian
Network Repository) are read from the folder that TREEWRIGHT_NETWORKS names, and left out without it.
"""

from __future__ import annotations

import math
import os
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np

import treewright as tw
from experiments.bayesian_knots.hubs import KINDS, hub_network
from experiments.common import Experiment, Row, data_folder, markdown_table, network, run
from treewright.criteria import LocalScore
from treewright.graphs.compare import Comparison

Learner = Callable[[tw.Table], tw.graphs.Pdag]
Sampler = Callable[[int, int], tuple[tw.Dag, tw.Table]]

SIZES = (200, 500, 2000)
ORDINARY = {
    "child": 10, "insurance": 10, "alarm": 10, "win95pts": 10, "water": 10, "hepar2": 10, "andes": 5,
}  # fmt: skip
MANY_STATES = {"pathfinder": 10, "mildew": 10, "barley": 10, "munin1": 5, "diabetes": 1, "hailfinder": 10}
HUBS = 8
VOTES = 25
DEFAULT = "sparse qNML"


def by_score(make: Callable[[tw.Counter], LocalScore], effort: int = 2) -> Learner:
    return lambda table: tw.learn_hill_climbing(make(tw.count(table)), effort=effort).cpdag


def priced(make: Callable[[tw.Counter], LocalScore], share: float = 1.0) -> Learner:
    """A score less a share of ln n for each edge."""
    return by_score(lambda c: tw.criteria.EdgePrior(make(c), share * math.log(len(c.schema))))


def fitted_price(table: tw.Table) -> tw.graphs.Pdag:
    """The price is the log-odds of an edge among all pairs, as the last search found them."""
    score, n = tw.QNML(tw.count(table)), len(table.schema)
    price, pairs = math.log(n), n * (n - 1) / 2
    for _ in range(3):
        edges = tw.learn_hill_climbing(tw.criteria.EdgePrior(score, price)).structure.n_edges
        price = max(0.0, math.log((pairs - edges + 1) / (edges + 1)))
    return tw.learn_hill_climbing(tw.criteria.EdgePrior(score, price)).cpdag


def votes(table: tw.Table) -> tw.graphs.Pdag:
    """What more than half of the searches in resampled rows find."""

    def learn(rows: tw.Table) -> tw.Learned[tw.Dag]:
        return tw.learn_hill_climbing(tw.SparseQNML(tw.count(rows)), effort=0)

    confidence = tw.edge_confidence(table, learn, repetitions=VOTES, rng=np.random.default_rng(0))
    return tw.Cpdag.of(confidence.averaged_network())


def pc(table: tw.Table) -> tw.graphs.Pdag:
    return tw.learn_pc(tw.GTest(tw.count(table), alpha=0.01)).structure


def inside_pc1(table: tw.Table) -> tw.graphs.Pdag:
    return tw.learn_hybrid(tw.SparseQNML(tw.count(table)), certificate=False).cpdag


def chosen(counter: tw.Counter) -> LocalScore:
    """The score that the rows choose; groups of states included."""
    return tw.choose_score(counter).score


SPARSE = by_score(tw.SparseQNML)
TRIED: dict[str, Learner] = {
    DEFAULT: SPARSE,
    "half the price": priced(tw.QNML, 0.5),
    "fitted price": fitted_price,
    "BIC + ln n": priced(tw.BIC),
    "BDeu 4 + ln n": priced(lambda c: tw.BDeu(c, ess=4.0)),
    "votes": votes,
    "effort 3": by_score(tw.SparseQNML, effort=3),
    "chosen score": by_score(chosen),
    "chosen, effort 3": by_score(chosen, effort=3),
    "PC 0.01": pc,
}
FOR_MANY_STATES: dict[str, Learner] = {
    DEFAULT: SPARSE,
    "grouped qNML": by_score(tw.criteria.GroupedQNML),
    "chosen score": by_score(chosen),
    "depth-1 PC inside": inside_pc1,
    "PC 0.01": pc,
}


def measure(full: bool) -> Iterator[Row]:
    if not full:
        yield from measured("asia", "ordinary", from_network("asia"), TRIED, 1, (200,))
        yield from measured("hub, shared", "many states", from_hubs("shared"), FOR_MANY_STATES, 1, (200,))
        return
    for name, samples in ORDINARY.items():
        yield from measured(name, "ordinary", from_network(name), TRIED, samples)
    for kind in KINDS:
        yield from measured(f"hub, {kind}", "many states", from_hubs(kind), FOR_MANY_STATES, HUBS)
    for name, samples in MANY_STATES.items():
        yield from measured(name, "many states", from_network(name), FOR_MANY_STATES, samples)


def from_network(name: str) -> Sampler | None:
    """Rows of a network: the first so many of one sample, whatever the size."""
    model = find_network(name)
    if model is None:
        return None

    def draw(sample: int, n_rows: int) -> tuple[tw.Dag, tw.Table]:
        rng = np.random.default_rng([2008, zlib.crc32(name.encode()), sample])
        return model.dag, model.sample(max(SIZES), rng=rng).take(slice(0, n_rows))

    return draw


def find_network(name: str) -> tw.BayesianNetwork | None:
    folder, more = data_folder(), os.environ.get("TREEWRIGHT_NETWORKS")
    known = folder is not None and (folder / "networks" / f"{name}.bif.gz").is_file()
    if known or name in tw.networks.list_networks():
        return network(name)[0]
    file = Path(more or ".") / f"{name}.bif.gz"
    if not file.is_file():
        print(f"{name} is left out: TREEWRIGHT_NETWORKS names no folder that has it")
        return None
    model = tw.read_model(file)
    assert isinstance(model, tw.BayesianNetwork)
    return model


def from_hubs(kind: str) -> Sampler:
    """Another network for each sample."""

    def draw(sample: int, n_rows: int) -> tuple[tw.Dag, tw.Table]:
        made = hub_network(kind, 100 + sample)
        return made.dag, made.sample(n_rows, np.random.default_rng([2008, sample]))

    return draw


def measured(
    name: str,
    part: str,
    draw: Sampler | None,
    learners: Mapping[str, Learner],
    samples: int,
    sizes: tuple[int, ...] = SIZES,
) -> Iterator[Row]:
    """Each learner on the same samples; lists are by sample."""
    if draw is None:
        return
    for n_rows in sizes:
        drawn = [draw(sample, n_rows) for sample in range(samples)]
        for learner, learn in learners.items():
            started = time.process_time()
            found = [learn(table) for _, table in drawn]
            seconds = (time.process_time() - started) / samples
            compared = [tw.compare(dag, graph) for (dag, _), graph in zip(drawn, found, strict=True)]
            row: Row = {
                "part": part,
                "network": name,
                "rows": n_rows,
                "learner": learner,
                "shd": [c.shd for c in compared],
                "f1": [c.skeleton.f1 for c in compared],
                "false": [c.skeleton.fp for c in compared],
                "missing": [c.skeleton.fn for c in compared],
                "seconds": seconds,
            }
            if learner == DEFAULT:
                row["visible"] = [
                    visible(dag, table, c) for (dag, table), c in zip(drawn, compared, strict=True)
                ]
            yield row


def visible(dag: tw.Dag, table: tw.Table, compared: Comparison) -> int:
    """Missing edges that would raise the score beside those of the true parents that were found."""
    score, missing = tw.SparseQNML(tw.count(table)), {frozenset(pair) for pair in compared.missing}
    arcs = [arc for arc in dag.edges() if frozenset(arc) in missing]
    found: dict[str, list[str]] = {v: [] for v in dag.schema.names}
    for u, v in dag.edges():
        if frozenset((u, v)) not in missing:
            found[v].append(u)
    without = score.local_many([(v, found[v]) for _, v in arcs])
    with_it = score.local_many([(v, [*found[v], u]) for u, v in arcs])
    return int((with_it > without).sum())


def tables(rows: list[Row]) -> Mapping[str, str]:
    return {
        "many-states": many_states_table([row for row in rows if row["part"] == "many states"]),
        "tried": tried_table([row for row in rows if row["part"] == "ordinary"]),
        "missing": missing_table([row for row in rows if row["part"] == "ordinary" and "visible" in row]),
    }


def many_states_table(rows: list[Row]) -> str:
    """SHD / F1 / false edges of each learner, and what grouping changes."""
    lines = []
    for name, n_rows, of in _cells(rows, FOR_MANY_STATES):
        sparse, grouped = of[DEFAULT], of["grouped qNML"]
        gaps = [_difference(grouped["shd"], sparse["shd"], 1), _difference(grouped["f1"], sparse["f1"], 3)]
        lines.append([name, n_rows, *(_summary(of[learner]) for learner in FOR_MANY_STATES), *gaps])
    header = ["network", "rows", *FOR_MANY_STATES, "grouped less sparse: SHD", "F1"]
    return markdown_table(header, lines)


def tried_table(rows: list[Row]) -> str:
    """SHD, F1 and false edges of the default, and how far the others are from its SHD."""
    others = [learner for learner in TRIED if learner != DEFAULT]
    lines = []
    for name, n_rows, of in _cells(rows, TRIED):
        own = of[DEFAULT]
        gaps = [_difference(of[other]["shd"], own["shd"], 1) for other in others]
        lines.append([name, n_rows, _summary(own), *gaps])
    return markdown_table(["network", "rows", DEFAULT, *others], lines)


def missing_table(rows: list[Row]) -> str:
    """Missing edges by rows, and how many of them the score could see."""
    sizes = list(dict.fromkeys(row["rows"] for row in rows))
    lines = []
    for name in dict.fromkeys(row["network"] for row in rows):
        of = {row["rows"]: row for row in rows if row["network"] == name}
        seen = [f"{_mean(of[n]['missing']):.1f} ({_mean(of[n]['visible']):.1f})" for n in sizes]
        lines.append([name, *seen])
    return markdown_table(["network", *(f"{n:,} rows" for n in sizes)], lines)


def _cells(rows: list[Row], learners: Mapping[str, Learner]) -> Iterator[tuple[str, int, dict[str, Row]]]:
    """Networks and sizes for which every learner is done."""
    for name, n_rows in dict.fromkeys((row["network"], row["rows"]) for row in rows):
        of = {r["learner"]: r for r in rows if (r["network"], r["rows"]) == (name, n_rows)}
        if of.keys() >= learners.keys():
            yield name, n_rows, of


def _summary(row: Row) -> str:
    return f"{_mean(row['shd']):.1f} / {_mean(row['f1']):.2f} / {_mean(row['false']):.1f}"


def _mean(values: list[float]) -> float:
    return float(np.mean(values))


def _difference(ours: list[float], theirs: list[float], digits: int) -> str:
    """Mean and standard error of paired differences."""
    gaps = np.array(ours, dtype=np.float64) - np.array(theirs, dtype=np.float64)
    error = gaps.std(ddof=1) / math.sqrt(len(gaps)) if len(gaps) > 1 else math.nan
    return f"{gaps.mean():+.{digits}f}" + ("" if math.isnan(error) else f" ± {error:.{digits}f}")


EXPERIMENT = Experiment("bayesian_knots.few_rows", measure, tables, "docs/measured/bayesian_knots.md")

if __name__ == "__main__":
    run(EXPERIMENT)

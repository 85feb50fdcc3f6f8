"""Time exact inference: single questions, batches, samples, log-probabilities.

    python benchmarks/bench_inference.py [NETWORK ...]

Networks are BIF files (``NAME.bif`` or ``NAME.bif.gz``) in the folder that TREEWRIGHT_DATA names; without it,
the embedded alarm network. Where pyAgrum is installed, its Shafer-Shenoy and lazy engines answer the same
questions and the ratio to the better one is shown. Times are processor time, medians of 20 questions with
evidence on a tenth of the variables.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np

from treewright import BayesianNetwork, Table, _core, load_network, read_model

N_QUESTIONS = 20


def open_network(name: str) -> BayesianNetwork:
    folder = os.environ.get("TREEWRIGHT_DATA")
    file = Path(folder) / "networks" / f"{name}.bif.gz" if folder else None
    return read_model(file) if file is not None and file.exists() else load_network(name)


def questions(model: BayesianNetwork) -> list[dict[str, object]]:
    rng = np.random.default_rng(0)
    rows = model.sample(N_QUESTIONS, rng=rng)
    names = model.schema.names
    labels = {name: rows.labels(name) for name in names}
    observed = max(1, len(names) // 10)
    return [
        {names[v]: labels[names[v]][i] for v in rng.choice(len(names), observed, replace=False)}
        for i in range(N_QUESTIONS)
    ]


def median_microseconds(ask, asked) -> float:
    times = []
    for given in asked:
        begin = time.process_time_ns()
        ask(given)
        times.append((time.process_time_ns() - begin) / 1e3)
    return float(np.median(times))


def pyagrum_microseconds(model: BayesianNetwork, asked) -> float | None:
    try:
        import pyagrum as gum
    except ImportError:
        return None
    net = gum.BayesNet()
    for v in model.schema:
        net.add(gum.LabelizedVariable(v.name, v.name, [str(s) for s in v.states]))
    for parent, child in model.dag.edges():
        net.addArc(parent, child)
    for v, table in enumerate(model.tables):
        cpt = net.cpt(model.schema.names[v])
        axes = [*model.schema.names_of(model.dag.parents(v)), model.schema.names[v]]
        cpt[:] = np.ascontiguousarray(table.transpose([axes.index(name) for name in reversed(cpt.names)]))
    best = []
    for make in (gum.ShaferShenoyInference, gum.LazyPropagation):

        def ask(given, make=make):
            engine = make(net)
            engine.setEvidence({name: str(state) for name, state in given.items()})
            engine.makeInference()
            return [engine.posterior(name) for name in model.schema.names]

        best.append(median_microseconds(ask, asked))
    return min(best)


def rate(work, n: int, repeats: int = 3) -> float:
    best = np.inf
    for _ in range(repeats):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return n / best


def report_questions(name: str, model: BayesianNetwork) -> None:
    asked = questions(model)
    model.marginals(asked[0])
    first = median_microseconds(model.marginals, asked[1:])
    again = median_microseconds(model.marginals, asked[1:])
    peer = pyagrum_microseconds(model, asked)
    compared = f", {peer / first:.0f}x the better pyAgrum engine" if peer else ""
    print(f"{name}: {len(model.schema)} variables, {model.cost()}")
    print(f"  all marginals {first:.1f} us at first sight, {again:.1f} us again{compared}")
    print(f"  most probable explanation {median_microseconds(model.mpe, asked):.1f} us")


def report_rows(model: BayesianNetwork) -> None:
    small = len(model.schema) < 100
    rng = np.random.default_rng(1)
    rows = model.sample(20_000 if small else 500, rng=rng)
    holes = {v: rng.random(rows.n_rows) > 0.1 for v in model.schema.names}
    evidence = Table(rows.schema, rows.columns, missing=holes)
    many = model.sample(1_000_000 if small else 100_000, rng=rng)
    given = {model.schema.names[0]: rows.labels(model.schema.names[0])[0]}
    print(
        f"  rows per second: {rate(lambda: model.marginals_many(evidence), rows.n_rows):,.0f} batch, "
        f"{rate(lambda: model.log_probability(many), many.n_rows):,.0f} log-probability, "
        f"{rate(lambda: model.sample(100_000, given, rng=rng), 100_000):,.0f} conditional samples"
    )


def main(names: list[str]) -> None:
    _core.set_threads(1)
    for name in names:
        model = open_network(name)
        report_questions(name, model)
        report_rows(model)


if __name__ == "__main__":
    main(sys.argv[1:] or ["alarm"])

"""Time exact inference: single questions, batches, samples, log-probabilities.

    python benchmarks/bench_inference.py [NETWORK ...]

Networks are BIF files (``NAME.bif`` or ``NAME.bif.gz``) in the folder that TREEWRIGHT_DATA names; without it,
the embedded alarm network. Where pyAgrum is installed, its Shafer-Shenoy and lazy engines answer the same
questions and the ratio to the better one is shown. Times are processor time, medians of 20 questions with
evidence on a tenth of the variables.
"""

from __future__ import annotations

import gzip
import os
import re
import sys
import time
from pathlib import Path

import numpy as np

from treewright import BayesianNetwork, Dag, Schema, Table, Variable, _core, load_network

N_QUESTIONS = 20


def read_bif(path: Path) -> BayesianNetwork:
    """Enough of the format for the public networks."""
    text = (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="latin-1").read()
    states = {
        name: tuple(s.strip() for s in body.split(","))
        for name, body in re.findall(r"variable\s+(\S+)\s*\{[^{]*\{([^}]*)\}", text)
    }
    schema = Schema(Variable(name, labels) for name, labels in states.items())
    parents, bodies = {}, {}
    for head, body in re.findall(r"probability\s*\(([^)]*)\)\s*\{(.*?)\n\}", text, re.S):
        child, _, given = head.partition("|")
        parents[child.strip()] = [p.strip() for p in given.split(",") if p.strip()]
        bodies[child.strip()] = body
    dag = Dag(schema, [(p, child) for child, given in parents.items() for p in given])
    tables = {}
    for child, given in parents.items():
        table = np.zeros([len(states[v]) for v in (*given, child)])
        if given:
            for key, row in re.findall(r"\(([^)]*)\)\s*([^;]*);", bodies[child]):
                where = tuple(states[p].index(s.strip()) for p, s in zip(given, key.split(","), strict=True))
                table[where] = [float(x) for x in row.split(",")]
        else:
            table[:] = [float(x) for x in re.search(r"table\s+([^;]*);", bodies[child])[1].split(",")]
        order = [given.index(name) for name in schema.names_of(dag.parents(child))]
        table = table.transpose([*order, len(given)])
        tables[child] = table / table.sum(axis=-1, keepdims=True)
    return BayesianNetwork(dag, tables)


def open_network(name: str) -> BayesianNetwork:
    folder = os.environ.get("TREEWRIGHT_DATA")
    for ending in (".bif", ".bif.gz"):
        if folder and (path := Path(folder) / f"{name}{ending}").exists():
            return read_bif(path)
    return load_network(name)


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
        cpt[:] = table.transpose([axes.index(name) for name in reversed(cpt.names)])
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

"""Time exact inference: single questions, batches, samples, log-probabilities.

    python benchmarks/bench_inference.py [NETWORK ...]
    python benchmarks/bench_inference.py --memory [NETWORK ...]

Networks are BIF files (``NAME.bif`` or ``NAME.bif.gz``) in the folder that TREEWRIGHT_DATA names; without it,
the embedded alarm network. Where pyAgrum is installed, its Shafer-Shenoy and lazy engines answer the same
questions and the ratio to the better one is shown. Times are processor time, medians of 20 questions with
evidence on a tenth of the variables; rates with two threads are by the clock.

With ``--memory``, each engine answers one such question (all marginals) in a process of its own, and what the
process took at most above what it had before the question is compared (Linux only).
"""

from __future__ import annotations

import os
import subprocess
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


def pyagrum_network(model: BayesianNetwork):
    import pyagrum as gum

    net = gum.BayesNet()
    for v in model.schema:
        net.add(gum.LabelizedVariable(v.name, v.name, [str(s) for s in v.states]))
    for parent, child in model.dag.edges():
        net.addArc(parent, child)
    for v, table in enumerate(model.tables):
        cpt = net.cpt(model.schema.names[v])
        axes = [*model.schema.names_of(model.dag.parents(v)), model.schema.names[v]]
        cpt[:] = np.ascontiguousarray(table.transpose([axes.index(name) for name in reversed(cpt.names)]))
    return net


def ask_pyagrum(net, make, given):
    engine = make(net)
    engine.setEvidence({name: str(state) for name, state in given.items()})
    engine.makeInference()
    return [engine.posterior(name) for name in net.names()]


def pyagrum_microseconds(model: BayesianNetwork, asked) -> float | None:
    try:
        import pyagrum as gum
    except ImportError:
        return None
    net = pyagrum_network(model)
    engines = (gum.ShaferShenoyInference, gum.LazyPropagation)
    return min(
        median_microseconds(lambda given, make=make: ask_pyagrum(net, make, given), asked) for make in engines
    )


def rate(work, n: int, repeats: int = 3, clock=time.process_time) -> float:
    best = np.inf
    for _ in range(repeats):
        begin = clock()
        work()
        best = min(best, clock() - begin)
    return n / best


def with_holes(rows: Table, share: float, rng: np.random.Generator) -> Table:
    holes = {name: rng.random(rows.n_rows) < share for name in rows.schema.names}
    return Table(rows.schema, rows.columns, missing=holes)


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
    evidence = with_holes(rows, 0.9, rng)
    many = model.sample(1_000_000 if small else 100_000, rng=rng)
    given = {model.schema.names[0]: rows.labels(model.schema.names[0])[0]}
    print(
        f"  rows per second: {rate(lambda: model.marginals_many(evidence), rows.n_rows):,.0f} batch, "
        f"{rate(lambda: model.log_probability(many), many.n_rows):,.0f} log-probability, "
        f"{rate(lambda: model.sample(100_000, given, rng=rng), 100_000):,.0f} conditional samples"
    )
    mostly_seen = with_holes(model.sample(20_000 if small else 2_000, rng=rng), 0.3, rng)
    ask = rate(lambda: model.marginals_many(mostly_seen), mostly_seen.n_rows)
    print(f"  rows per second, 30 % of the cells missing at random: {ask:,.0f} batch")
    rates = []
    for threads in (1, 2):
        _core.set_threads(threads)
        rates.append(
            rate(lambda: model.marginals_many(mostly_seen), mostly_seen.n_rows, clock=time.perf_counter)
        )
    _core.set_threads(1)
    print(f"  the same by the clock: {rates[0]:,.0f} with one thread, {rates[1]:,.0f} with two")


def status(field: str) -> int:
    """A figure of this process in kB, as Linux keeps it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(field)).split()[1])


def peak_of(engine: str, name: str) -> None:
    """In a process of its own: what one question takes above what was there before."""
    model = open_network(name)
    given = questions(model)[0]
    if engine == "treewright":
        ask = lambda: model.marginals(given)  # noqa: E731
    else:
        import pyagrum as gum

        net, make = pyagrum_network(model), getattr(gum, engine)
        ask = lambda: ask_pyagrum(net, make, given)  # noqa: E731
    before = status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    kept = ask()
    print(status("VmHWM") - before)
    del kept


def report_memory(name: str, seconds: float = 600) -> None:
    found = {}
    for engine in ("treewright", "ShaferShenoyInference", "LazyPropagation"):
        command = [sys.executable, __file__, "--peak", engine, name]
        try:
            made = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=True)
            found[engine] = int(made.stdout)
        except subprocess.TimeoutExpired:
            print(f"  {engine} took more than {seconds:.0f} s on {name}")
        except subprocess.CalledProcessError as error:
            why = f"ended by signal {-error.returncode}" if error.returncode < 0 else error.stderr[-200:]
            print(f"  {engine} on {name}: {why}")
    ours = max(found.pop("treewright"), 1)
    shown = ", ".join(f"{engine} {kilobytes / ours:.1f}x" for engine, kilobytes in found.items())
    compared = f"; pyAgrum's {shown}" if shown else ""
    print(f"{name}: all marginals take {ours / 1024:.2f} MB at most{compared}", flush=True)


def main(names: list[str]) -> None:
    _core.set_threads(1)
    if names[:1] == ["--peak"]:
        return peak_of(*names[1:])
    if names[:1] == ["--memory"]:
        for name in names[1:] or ["alarm", "andes", "pathfinder", "pigs", "link"]:
            report_memory(name)
        return None
    for name in names:
        model = open_network(name)
        report_questions(name, model)
        report_rows(model)
    return None


if __name__ == "__main__":
    main(sys.argv[1:] or ["alarm"])

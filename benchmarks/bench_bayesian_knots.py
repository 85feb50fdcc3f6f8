"""Large networks from few rows: errors, tables, processor seconds and peak memory, one thread.

`python benchmarks/bench_bayesian_knots.py` prints what is measured beside its bar and the ratio of the two;
with `errors`, `seconds`, `threads` or `memory` as argument only that part. Networks come from the folder that
TREEWRIGHT_DATA names.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from common import Results, console, first_seconds, folder, frame_of, installed, one_thread, seconds
from rich.table import Table as RichTable

import treewright as tw
from treewright import _core
from treewright.learners import measure_dependencies
from treewright.networks.generate import sparse_network

SAMPLES = (101, 102, 103)
# mean errors allowed at 500 and 2,000 rows, and tables beyond the pairs
ERRORS = {"hepar2": (100, 76), "win95pts": (72, 49), "andes": (126, 75)}
TABLES = {False: 40_000, True: 10_000}
# peak GB and CPU seconds allowed; generated networks have 1,000 rows
MEMORY = (
    ("2000 generated", 2.0, 30.0),
    ("5000 generated", 1.0, 90.0),
    ("10000 generated", 4.0, 240.0),
    ("pathfinder", 4.0, 60.0),
)


def network(name: str) -> tw.BayesianNetwork | None:
    where = folder()
    if where is None:
        console.print(f"[yellow]{name}: set TREEWRIGHT_DATA to measure it[/]")
        return None
    return tw.read_model(where / "networks" / f"{name}.bif.gz")  # type: ignore[return-value]


def measure_errors() -> bool:
    """Errors and tables on fresh samples; whether all bars are held."""
    shown = RichTable(
        "network", "rows", "errors", "mean", "bar", "ratio", "tables", "bar", title="errors (SHD)"
    )
    good = True
    for name, bars in ERRORS.items():
        truth = network(name)
        if truth is None:
            continue
        for n_rows, bar in zip((500, 2_000), bars, strict=True):
            found = [learned(truth, n_rows, seed) for seed in SAMPLES]
            errors = [tw.shd(truth.dag, one.cpdag) for one in found]
            tables = max(one.report.tables for one in found)
            mean = float(np.mean(errors))
            held = mean <= bar and (name != "andes" or tables <= TABLES[False])
            good = good and held
            shown.add_row(
                name, f"{n_rows:,}", str(errors), f"{mean:.1f}", str(bar), f"{mean / bar:.2f}",
                f"{tables:,}", f"{TABLES[False]:,}" if name == "andes" else "",
            )  # fmt: skip
    if (truth := network("andes")) is not None:
        for n_rows in (500, 2_000):
            fast = [learned(truth, n_rows, seed, fast=True) for seed in SAMPLES]
            errors = [tw.shd(truth.dag, one.cpdag) for one in fast]
            tables = max(one.report.tables for one in fast)
            good = good and tables <= TABLES[True]
            mean_fast = f"{np.mean(errors):.1f}"
            shown.add_row(
                "andes, fast",
                f"{n_rows:,}",
                str(errors),
                mean_fast,
                "",
                "",
                f"{tables:,}",
                f"{TABLES[True]:,}",
            )
    if (truth := network("pigs")) is not None:
        errors = [tw.shd(truth.dag, learned(truth, 500, seed).cpdag) for seed in SAMPLES]
        good = good and not any(errors)
        shown.add_row("pigs", "500", str(errors), f"{np.mean(errors):.1f}", "0", "", "", "")
    console.print(shown)
    return good


def learned(truth: tw.BayesianNetwork, n_rows: int, seed: int, **options: bool) -> tw.learners.LearnedKnots:
    rows = truth.sample(n_rows, rng=np.random.default_rng(seed))
    return tw.learn_knots(tw.count(rows), **options)  # type: ignore[arg-type]


def knots(table: tw.Table, **options: bool) -> Callable[[], object]:
    return lambda: tw.learn_knots(tw.count(table), **options)  # type: ignore[arg-type]


def measure_seconds(results: Results) -> None:
    """Processor seconds from a loaded table, packing included, against the bar and against others."""
    rng = np.random.default_rng(101)
    for name, n_rows, bar in (("andes", 10_000, 0.005), ("link", 5_000, 0.05)):
        if (truth := network(name)) is not None:
            counter = tw.count(truth.sample(n_rows, rng=rng))
            took = seconds(lambda counter=counter: measure_dependencies(counter), 9)  # type: ignore[misc]
            results.add("pair pass", f"{name}, {n_rows:,} rows", took, "bar", bar, 1)
    for name, bar in (("andes", 0.3), ("link", 10.0)):
        if (truth := network(name)) is None:
            continue
        rows = truth.sample(2_000, rng=rng)
        ours = seconds(knots(rows), 3)
        results.add("default", f"{name}, 2,000 rows", ours, "bar", bar, 1)
        results.add("fast", f"{name}, 2,000 rows", seconds(knots(rows, fast=True), 3), "our default", ours)
        pc = first_seconds(lambda rows=rows: tw.learn_pc(tw.GTest(tw.count(rows), 0.01)))  # type: ignore[misc]
        results.add("default", f"{name}, 2,000 rows", ours, "our PC", pc)
        if name == "andes":
            add_peers(results, rows, ours)
    large = sparse_network(2_000, rng).sample(1_000, rng=rng)
    results.add("default", "2,000 variables, 1,000 rows", first_seconds(knots(large)), "bar", 30.0, 1)
    results.add("fast", "2,000 variables, 1,000 rows", first_seconds(knots(large, fast=True)), "bar", 5.0, 1)


def add_peers(results: Results, rows: tw.Table, ours: float) -> None:
    if installed("pybnesian"):
        from bench_climbing import pybnesian_climb

        results.add("default", "andes, 2,000 rows", ours, "pybnesian hc", pybnesian_climb(rows, 1))
    else:
        results.absent("default", "pybnesian")
    if installed("pgmpy"):
        from pgmpy.estimators import HillClimbSearch

        search = HillClimbSearch(frame_of(rows).astype("category"))
        took = first_seconds(lambda: search.estimate(scoring_method="bic-d", show_progress=False))
        results.add("default", "andes, 2,000 rows", ours, "pgmpy hill climbing", took)
    else:
        results.absent("default", "pgmpy")


def measure_memory() -> bool:
    """Peak memory of a process of its own for each job, in GB, and its CPU seconds."""
    shown = RichTable("job", "peak GB", "bar", "ratio", "CPU seconds", "bar", title="memory")
    good = True
    for job, bar, time_bar in MEMORY:
        if job == "pathfinder" and folder() is None:
            console.print("[yellow]pathfinder: set TREEWRIGHT_DATA to measure it[/]")
            continue
        told = subprocess.run(
            [sys.executable, str(Path(__file__)), "peak", job], capture_output=True, text=True, check=True
        )
        peak, took = map(float, told.stdout.split()[-2:])
        good = good and peak <= bar and took <= time_bar
        shown.add_row(job, f"{peak:.2f}", f"{bar:g}", f"{peak / bar:.2f}", f"{took:.0f}", f"{time_bar:g}")
    console.print(shown)
    return good


def measure_threads(results: Results) -> None:
    """Seconds by the clock with all threads against one: clusters are worked on side by side."""
    rng = np.random.default_rng(101)
    jobs = {"2,000 variables, 1,000 rows": sparse_network(2_000, rng).sample(1_000, rng=rng)}
    for name in ("andes", "link"):
        if (truth := network(name)) is not None:
            jobs[f"{name}, 2,000 rows"] = truth.sample(2_000, rng=rng)
    for data, rows in jobs.items():
        clock: dict[int, list[float]] = {0: [], 1: []}
        for threads in (0, 1) * 3:  # in turn, since others may use the machine too
            _core.set_threads(threads)
            start = time.perf_counter()
            knots(rows)()
            clock[threads].append(time.perf_counter() - start)
        _core.set_threads(0)
        results.add(f"{_core.threads()} threads", data, min(clock[0]), "one thread", min(clock[1]))
    one_thread()


def print_peak(job: str) -> None:
    import resource

    rng = np.random.default_rng(101)
    if job.endswith(" generated"):
        rows = sparse_network(int(job.removesuffix(" generated")), rng).sample(1_000, rng=rng)
    else:
        truth = network("pathfinder")
        assert truth is not None
        rows = truth.sample(2_000, rng=rng)
    began = time.process_time()
    knots(rows)()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, time.process_time() - began)


def main() -> None:
    one_thread()
    asked = [part for part in sys.argv[1:] if not part.startswith("-")]
    if asked[:1] == ["peak"]:
        return print_peak(asked[1])
    good = True
    if not asked or "errors" in asked:
        good = measure_errors()
    if not asked or "memory" in asked:
        good = measure_memory() and good
    if not asked or "seconds" in asked:
        results = Results("knots, one thread, processor seconds")
        measure_seconds(results)
        results.finish()
    if not asked or "threads" in asked:
        results = Results("knots, seconds by the clock")
        measure_threads(results)
        results.finish()
    return None if good else sys.exit(1)


if __name__ == "__main__":
    main()

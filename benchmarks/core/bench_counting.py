"""Counting: each kernel beside its plain loop (one native process), and tables beside NumPy's bincount."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import treewright as tw

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for benchmarks/common.py
from common import Results, console, network_rows, one_thread, seconds

ROOT = Path(__file__).resolve().parents[2]


def kernel_figures(build: Path) -> list[dict[str, float]]:
    """Build the native benchmark and run it on the sizes of andes and alarm."""
    options = ["-DTREEWRIGHT_BENCHMARKS=ON", "-DTREEWRIGHT_BINDINGS=OFF"]
    subprocess.run(["cmake", "-S", ROOT, "-B", build, *options], check=True, stdout=subprocess.DEVNULL)
    make = ["cmake", "--build", build, "--target", "bench_kernels", "-j2"]
    subprocess.run(make, check=True, stdout=subprocess.DEVNULL)
    program = next(build.rglob("bench_kernels"))
    sizes = [(10_000, 223, 2), (10_000, 37, 3), (100_000, 37, 3)]
    return [json.loads(subprocess.check_output([program, *map(str, size)])) for size in sizes]


def bincount(columns: list[np.ndarray], cards: list[int]) -> np.ndarray:
    code = columns[0].astype(np.int64)
    for column, r in zip(columns[1:], cards[1:], strict=True):
        code = code * r + column
    return np.bincount(code, minlength=int(np.prod(cards)))


def main() -> None:
    one_thread()
    with tempfile.TemporaryDirectory() as build:
        figures = kernel_figures(Path(build))
    for figure in figures:
        console.print_json(json.dumps(figure))
    andes = figures[0]
    bars = [
        ("A against a plain popcount loop", andes["A_over_plain_popcount"], 2.0),
        ("B against two-column passes, 223 columns", andes["B_over_two_column_passes"], 25.0),
        *(
            (f"C, {k} columns, against the plain loop", f[f"C{k}_over_plain_loop"], 0.5)
            for f in figures
            for k in (2, 4, 6)
        ),
    ]
    missed = False
    for name, ratio, bar in bars:
        missed |= ratio < bar
        console.print(f"{name}: {ratio:.2f}x (bar {bar}x) {'ok' if ratio >= bar else '[red]MISSED[/]'}")
    if andes["B3_ns_per_row"] > 4:
        missed = True
        console.print(f"[red]B with 8 groups takes {andes['B3_ns_per_row']} ns a row; the most is 4[/]")

    results = Results("tables of four columns")
    for name in ("alarm", "andes"):
        table, shown = network_rows(name, 10_000)
        counter = tw.count(table)
        rng = np.random.default_rng(0)
        scopes = [tuple(map(int, rng.choice(len(table.schema), 4, replace=False))) for _ in range(200)]
        ours = seconds(lambda c=counter, s=scopes: c.counts_many(s)) / len(scopes)
        cards = table.schema.cardinalities
        inputs = [([table.columns[v] for v in s], [cards[v] for v in s]) for s in scopes]
        theirs = seconds(lambda i=inputs: [bincount(*x) for x in i], 3) / len(scopes)
        results.add("family of 4 columns, in a batch", shown, ours, "NumPy bincount", theirs, 10)
    results.finish()
    sys.exit(missed)


if __name__ == "__main__":
    main()

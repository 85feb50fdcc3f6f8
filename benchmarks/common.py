"""What all benchmarks share: tables, a stopwatch, ratios in a table."""

from __future__ import annotations

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # read when NumPy is loaded, so before it

import importlib.util
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table as RichTable

import treewright as tw
from treewright import _core

SEED = 20260717
console = Console(width=120)


def folder() -> Path | None:
    """The data folder that TREEWRIGHT_DATA names, if any."""
    path = os.environ.get("TREEWRIGHT_DATA")
    return Path(path) if path else None


def network_rows(name: str, n_rows: int) -> tuple[tw.Table, str]:
    """Rows of a network: ALARM from the package, others from the data folder or a generated stand-in."""
    rng = np.random.default_rng(SEED)
    if name == "alarm":
        return tw.load_network("alarm").sample(n_rows, rng=rng), name
    where = folder()
    file = where / "networks" / f"{name}.bif.gz" if where else None
    if file is not None and file.exists():
        return tw.read_model(file).sample(n_rows, rng=rng), name
    sizes = {"andes": (223, (2, 2)), "hepar2": (70, (2, 4)), "hailfinder": (56, (2, 11))}
    n, states = sizes[name]
    stand_in = tw.random_network(n, 4, states=states, rng=np.random.default_rng(1))
    return stand_in.sample(n_rows, rng=rng), f"{name} (generated stand-in)"


def density_rows(name: str, split: str = "train") -> tw.Table | None:
    """Rows of a binary density set, when the data folder is there."""
    where = folder()
    if where is None or not (where / "density" / f"{name}.npz").exists():
        console.print(f"[yellow]{name}: set TREEWRIGHT_DATA to measure it[/]")
        return None
    packed = np.load(where / "density" / f"{name}.npz")
    rows = np.unpackbits(packed[split], axis=1)[:, : int(packed["n_vars"])]
    return tw.Table.from_codes(rows, [2] * rows.shape[1])


def frame_of(table: tw.Table) -> Any:
    """The codes as a pandas frame of integers, as peers like them."""
    import pandas as pd

    names = table.schema.names
    return pd.DataFrame({n: np.asarray(c, np.int64) for n, c in zip(names, table.columns, strict=True)})


def pyagrum_learner(table: tw.Table) -> Any:
    """pyAgrum's learner over the same rows and states, on one thread."""
    import pyagrum

    template = pyagrum.BayesNet()
    for variable in table.schema:
        template.add(pyagrum.RangeVariable(variable.name, variable.name, 0, variable.cardinality - 1))
    learner = pyagrum.BNLearner(frame_of(table), template)
    learner.setNumberOfThreads(1)
    return learner


def installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def seconds(work: Callable[[], object], repeats: int = 25) -> float:
    """Processor seconds of one call: the best of several, each long enough for the clock."""
    once = _timed(work, 1)
    loops = max(1, int(0.002 / max(once, 1e-9)))
    return min([once, *(_timed(work, loops) for _ in range(repeats))])


def first_seconds(work: Callable[[], object]) -> float:
    """Processor seconds of the first call: for peers that remember their answers."""
    return _timed(work, 1)


def _timed(work: Callable[[], object], loops: int) -> float:
    start = time.process_time()
    for _ in range(loops):
        work()
    return (time.process_time() - start) / loops


def write_table(name: str, heads: list[str], rows: list[list[str]]) -> None:
    """Put a table between its two marks of the page of measurements."""
    page = Path(__file__).resolve().parents[1] / "docs" / "measured" / "README.md"
    begin, end = f"<!-- table: {name} -->\n", f"<!-- end: {name} -->"
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"{page} has no place for the table {name}: {begin.strip()} ... {end}")
    lines = [heads, ["---"] * len(heads), *rows]
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    page.write_text(f"{before}{begin}{table}{end}{after}", encoding="utf-8")


def one_thread() -> None:
    _core.set_threads(1)


class Results:
    """Rows of a benchmark: ours, theirs, the ratio, and the bar it has to reach."""

    def __init__(self, title: str) -> None:
        self.table = RichTable("job", "data", "treewright", "peer", "peer takes", "ratio", "bar", title=title)
        self.rows: list[dict[str, object]] = []

    def add(
        self, job: str, data: str, ours: float, peer: str, theirs: float, bar: float | None = None
    ) -> None:
        ratio = theirs / ours
        times = {"seconds": ours, "peer": peer, "peer_seconds": theirs}
        self.rows.append({"job": job, "data": data, **times, "ratio": ratio, "bar": bar})
        shown = "" if bar is None else f"{bar:g}x {'ok' if ratio >= bar else 'MISSED'}"
        self.table.add_row(job, data, duration(ours), peer, duration(theirs), f"{ratio:.3g}x", shown)

    def absent(self, job: str, peer: str) -> None:
        console.print(f"[yellow]{job}: {peer} is not installed (pip install '.[bench]')[/]")

    def finish(self) -> None:
        """Print the table (and JSON with --json); exit 1 when a bar is missed."""
        if "--json" in sys.argv:
            print(json.dumps(self.rows))
        else:
            console.print(self.table)
        if any(row["bar"] is not None and row["ratio"] < row["bar"] for row in self.rows):
            sys.exit(1)


def duration(value: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"

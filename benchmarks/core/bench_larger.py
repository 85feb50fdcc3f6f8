"""More rows than memory: R50 from Parquet to a packed file to networks, in processes that may not take more.

Every step runs in a process of its own with `RLIMIT_DATA`, which the system enforces: anonymous memory beyond
it is refused. Told are CPU seconds, all threads together, and the most anonymous memory that was seen (looked
at 20 times a second); pages of mapped files are not among it, the system takes them back as it likes. 25
million rows are drawn; of more, every file stands several times under other names. Few are copied often:
copies make chance look like a law, and a network of it has hundreds of arcs.

    python benchmarks/core/bench_larger.py                       # 100 million rows, 2 GB; 20 GB of disk
    python benchmarks/core/bench_larger.py --rows 8000000 --limit 512
    python benchmarks/core/bench_larger.py --only pack tree      # some of the steps
    python benchmarks/core/bench_larger.py --folder F --write    # goes on where it ended, by what F tells
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
from bars import Figures
from bench_scale import BLOCK, write_parquet

DRAWN = 24  # files of 2^20 rows
ROWS, LIMIT = 100_000_000, 2_000
# what is done to the packed rows: how it is called, and its bar in CPU microseconds a row
STEPS: dict[str, tuple[str, float | None]] = {
    "pack": ("Parquet to packed file", 1.45),
    "known": ("the same with `schema=`", 0.85),
    "open": ("opening", None),
    "cold": ("Chow-Liu, pages dropped", None),
    "tree": ("Chow-Liu, warm", 0.05),
    "fit": ("parameters of the tree", None),
    "climb": ("hill climbing, effort 2", 4.5),
    "bounded": ("bounded search, K = 3", 2.5),
    "command": ("`treewright learn -m chow-liu`, pages dropped", None),
}
OPENING, ANONYMOUS = 20.0, 100.0  # milliseconds, megabytes of Chow-Liu
FROM_PARQUET, TIMES = 1.55, 4.0  # Chow-Liu with reading, microseconds a row; the bounded search beside it


class Peak(threading.Thread):
    """Looks at the anonymous memory of this process until it ends."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most = anonymous()

    def run(self) -> None:
        while True:
            self.most = max(self.most, anonymous())
            time.sleep(0.05)


def anonymous() -> int:
    """Bytes of anonymous memory that this process has in use."""
    found = re.search(r"RssAnon:\s+(\d+)", Path("/proc/self/status").read_text())
    return 1024 * int(found[1]) if found else 0


def drop_pages(path: Path) -> None:
    """Have the system forget what it holds of a file."""
    with open(path, "rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


# ---------------------------------------------------------------------- in a child
def work_of(step: str, folder: Path) -> Callable[[], Any]:
    """What is measured of a step; what is not has been done."""
    import numpy as np

    import treewright as tw

    packed, parquet = folder / "rows.twp", str(folder / "rows-*.parquet")
    tw.pack({"a": ["x", "y"]}, folder / "first.twp")  # what is loaded once
    if step == "pack":
        return lambda: tw.pack(parquet, packed)
    if step == "open":
        drop_pages(packed)
        return lambda: tw.open_table(packed)
    if step == "command":
        from treewright.cli import main

        drop_pages(packed)
        model = str(folder / "m.twm")
        return lambda: main(["learn", str(packed), "-m", "chow-liu", "-o", model, "--force", "--json"])
    table = tw.open_table(packed)
    if step == "known":
        return lambda: tw.pack(parquet, folder / "known.twp", schema=table.schema)
    score = tw.BIC(tw.count(table))
    if step in ("cold", "tree"):
        drop_pages(packed)
        if step == "tree":  # sections are checked when they are first used
            tw.learn_chow_liu(score)
        return lambda: tw.learn_chow_liu(tw.BIC(tw.count(table)))
    if step == "climb":
        return lambda: tw.learn_hill_climbing(score, effort=2)
    if step == "bounded":
        return lambda: tw.learn_bounded_treewidth(score, treewidth=3, rng=np.random.default_rng(0))
    tree = tw.learn_chow_liu(score).structure
    return lambda: tw.fit(tree, tw.count(table))


def child(step: str, folder: Path, megabytes: int) -> None:
    limit = megabytes * 1_000_000
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    work = work_of(step, folder)
    peak = Peak()
    peak.start()
    began, cpu = time.monotonic(), time.process_time()
    found = work()
    cpu, clock = time.process_time() - cpu, time.monotonic() - began
    assert step != "command" or found in (None, 0), found
    told = {"cpu": cpu, "clock": clock, "anonymous": max(peak.most, anonymous()) / 1e6}
    print(json.dumps(told))


# ---------------------------------------------------------------------- at the parent
def run(step: str, folder: Path, megabytes: int) -> dict[str, float] | None:
    """What a child tells of a step, or told a time before; nothing where it fails."""
    kept = folder / f"told-{step}.json"
    if kept.exists():
        told: dict[str, float] = json.loads(kept.read_text())
        return told
    environment = {**os.environ, "TREEWRIGHT_MEMORY": f"{megabytes // 4}MB"}
    command = [sys.executable, __file__, "--step", step, "--folder", str(folder), "--limit", str(megabytes)]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ended.returncode:
        print(ended.stderr[-2000:], file=sys.stderr, flush=True)
        return None
    kept.write_text(ended.stdout.splitlines()[-1])
    return run(step, folder, megabytes)


def tell(figures: Figures, step: str, told: dict[str, float] | None, n_rows: int) -> None:
    name, bar = STEPS[step]
    if told is None:
        figures.tell(name, "failed", "ends well", holds=False)
        return
    cpu, clock = told["cpu"], told["clock"]
    if step == "open":
        figures.add(f"{name}, pages dropped", 1e3 * clock, "ms", OPENING)
        return
    figures.add(f"{name}: CPU", 1e6 * cpu / n_rows, "us a row", bar)
    figures.tell(f"{name}: in all", f"{cpu:,.1f} s of CPU, {clock:,.1f} s by the clock")
    most = ANONYMOUS if step in ("cold", "tree") else None
    figures.add(f"{name}: anonymous memory", told["anonymous"], "MB", most)


def write_rows(folder: Path, n_rows: int) -> None:
    """Parquet files of 2^20 rows, the last one with what is left."""
    if list(folder.glob("rows-*.parquet")):
        return
    n_files, rest = divmod(n_rows, BLOCK)
    n_drawn = min(DRAWN, n_files)
    write_parquet(folder, n_drawn * BLOCK + rest)
    for i in range(n_drawn, n_files):
        os.link(folder / f"rows-{i % n_drawn:05}.parquet", folder / f"rows-again-{i:05}.parquet")


def measure(figures: Figures, folder: Path, n_rows: int, limit: int, steps: list[str]) -> None:
    write_rows(folder, n_rows)
    found = {}
    for step in steps:
        told = run(step, folder, limit)
        if told is not None:
            found[step] = 1e6 * told["cpu"] / n_rows
        tell(figures, step, told, n_rows)
        (folder / "known.twp").unlink(missing_ok=True)
        if step == "pack" and told is not None:
            figures.tell("packed file", f"{(folder / 'rows.twp').stat().st_size / 1e9:.2f} GB")
    if {"pack", "cold", "bounded"} <= found.keys():
        tree = found["pack"] + found["cold"]
        figures.add("Chow-Liu from Parquet, labels unknown: CPU", tree, "us a row", FROM_PARQUET)
        bounded = (found["pack"] + found["bounded"]) / tree
        figures.add("bounded search from Parquet, beside that", bounded, "times", TIMES)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--limit", type=int, default=LIMIT, help="megabytes of RLIMIT_DATA")
    parser.add_argument("--folder", type=Path, default=None, help="where rows, and what was told, stay")
    parser.add_argument("--only", nargs="*", default=list(STEPS), choices=STEPS)
    parser.add_argument("--write", action="store_true", help="into docs/measured/scale.md")
    parser.add_argument("--step", choices=STEPS, help="of a child")
    options = parser.parse_args()
    if options.step:
        child(options.step, options.folder, options.limit)
        return
    some = "" if options.only == list(STEPS) else f" --only {' '.join(options.only)}"
    command = f"python benchmarks/core/bench_larger.py --rows {options.rows} --limit {options.limit}"
    figures = Figures(command + some)
    with nullcontext(options.folder) if options.folder else tempfile.TemporaryDirectory() as made:
        measure(figures, Path(made), options.rows, options.limit, options.only)
    figures.finish(write=options.write)


if __name__ == "__main__":
    main()

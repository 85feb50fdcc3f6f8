"""More rows than memory: R50 from Parquet to a packed file to networks, in a process that may not take more.

Every step runs in a process of its own with `RLIMIT_DATA`, which the system enforces: anonymous memory beyond
it is refused. Told are CPU seconds and the most anonymous memory that was seen (looked at 20 times a second);
pages of mapped files are not among it, the system takes them back as it likes. Four million rows are drawn;
of more, every file stands several times under other names.

    python benchmarks/core/bench_larger.py                                      # 8 million rows, 512 MB
    python benchmarks/core/bench_larger.py --rows 100000000 --limit 2000 --folder DISK
    python benchmarks/core/bench_larger.py --only pack tree                     # some of the steps
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
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for benchmarks/common.py
sys.path.insert(0, str(Path(__file__).resolve().parent))

DRAWN = 4  # blocks of 2^20 rows
STEPS = ("pack", "tree", "fit", "climb", "bounded")


def anonymous() -> int:
    """Bytes of anonymous memory that this process has in use."""
    found = re.search(r"RssAnon:\s+(\d+)", Path("/proc/self/status").read_text())
    return 1024 * int(found[1]) if found else 0


class Peak(threading.Thread):
    """Looks at the anonymous memory of this process until it ends."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most = anonymous()

    def run(self) -> None:
        while True:
            self.most = max(self.most, anonymous())
            time.sleep(0.05)


def work(step: str, folder: Path) -> str:
    """One step; what there is to say about it."""
    import numpy as np

    import treewright as tw

    packed = folder / "rows.twp"
    if step == "pack":
        table = tw.pack(str(folder / "rows-*.parquet"), packed)
        return f"{table.n_rows:,} rows, {packed.stat().st_size / 1e9:.2f} GB"
    counter = tw.count(tw.open_table(packed))
    score = tw.BIC(counter)
    if step == "climb":
        return f"{len(tw.learn_hill_climbing(score, effort=0).dag.edges())} arcs"
    if step == "bounded":
        learned = tw.learn_bounded_treewidth(score, treewidth=3, rng=np.random.default_rng(0))
        return f"{len(learned.structure.edges())} arcs of width {learned.certificate.width}"
    tree = tw.learn_chow_liu(score).structure
    if step == "tree":
        return f"{len(tree.edges())} arcs"
    return f"{tw.fit(tree, counter).n_parameters} parameters of the tree"


def child(step: str, folder: Path, megabytes: int) -> None:
    limit = megabytes * 1_000_000
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    peak = Peak()
    peak.start()
    said = work(step, folder)
    cpu = time.process_time()
    print(json.dumps({"said": said, "cpu": cpu, "anonymous": max(peak.most, anonymous())}))


def run(step: str, folder: Path, megabytes: int, n_rows: int) -> None:
    environment = {**os.environ, "TREEWRIGHT_MEMORY": f"{megabytes // 4}MB"}
    command = [sys.executable, __file__, "--step", step, "--folder", str(folder), "--limit", str(megabytes)]
    began = time.monotonic()
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - began
    if ended.returncode:
        print(f"{step}: failed ({ended.returncode})\n{ended.stderr[-2000:]}", flush=True)
        return
    told = json.loads(ended.stdout.splitlines()[-1])
    print(
        f"{step}: {told['said']}; {told['cpu']:.1f} s of CPU ({1e6 * told['cpu'] / n_rows:.3f} us a row), "
        f"{seconds:.1f} s by the clock, {told['anonymous'] / 1e6:.0f} MB anonymous of {megabytes} allowed",
        flush=True,
    )


def write_rows(folder: Path, n_rows: int) -> None:
    """Parquet files of 2^20 rows, the last one with what is left."""
    from bench_scale import BLOCK, write_parquet

    n_files, rest = divmod(n_rows, BLOCK)
    n_drawn = min(DRAWN, n_files)
    write_parquet(folder, n_drawn * BLOCK + rest)
    for i in range(n_drawn, n_files):
        os.link(folder / f"rows-{i % n_drawn:05}.parquet", folder / f"rows-again-{i:05}.parquet")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=8_000_000)
    parser.add_argument("--limit", type=int, default=512, help="megabytes of RLIMIT_DATA")
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--only", nargs="*", default=STEPS, choices=STEPS)
    parser.add_argument("--step", choices=STEPS, help="of a child")
    options = parser.parse_args()
    if options.step:
        child(options.step, options.folder, options.limit)
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as made:
        began = time.process_time()
        write_rows(Path(made), options.rows)
        size = sum(file.stat().st_size for file in Path(made).glob("*.parquet"))
        cpu = time.process_time() - began
        print(f"{options.rows:,} rows written, {size / 1e9:.2f} GB, {cpu:.0f} s of CPU", flush=True)
        for step in options.only:
            run(step, Path(made), options.limit, options.rows)


if __name__ == "__main__":
    main()

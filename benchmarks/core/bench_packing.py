"""From Parquet to packed rows, with and without `schema=`, beside DuckDB handing over the codes.

Told are CPU seconds of all threads, the least of three by turns; and a share of those of the process alone,
without what the system takes to find pages for a file, which differs much between machines and moments.

    python benchmarks/core/bench_packing.py                       # 1.1 million rows
    python benchmarks/core/bench_packing.py --rows 8388608 --write
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import duckdb

import treewright as tw

sys.path.insert(0, str(Path(__file__).resolve().parent))
from bars import Figures
from bench_scale import MOST_IN_MEMORY, write_parquet

TIMES = 3


def hand_over(folder: Path, schema: tw.Schema) -> None:
    """What DuckDB itself takes to read the files and hand over codes of labels that are known."""
    import pyarrow

    listed = ", ".join(
        f"list_position({list(variable.states or ())}, {variable.name})::UTINYINT" for variable in schema
    )
    for file in sorted(folder.glob("rows-*.parquet")):
        relation = duckdb.sql(f"SELECT {listed} FROM '{file}'")
        for _ in pyarrow.RecordBatchReader.from_stream(relation):
            pass


def cost(work: Callable[[], Any]) -> tuple[float, float]:
    """CPU seconds, and those without the system's."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    work()
    after = resource.getrusage(resource.RUSAGE_SELF)
    own = after.ru_utime - before.ru_utime
    return own + after.ru_stime - before.ru_stime, own


def run(figures: Figures, folder: Path, n: int) -> None:
    if not list(folder.glob("rows-*.parquet")):
        write_parquet(folder, n)
    source, again = str(folder / "rows-*.parquet"), folder / "again.twp"
    tw.pack({"a": ["x", "y"]}, folder / "first.twp")  # what is loaded once
    schema = tw.pack(source, again).schema
    works: dict[str, Callable[[], Any]] = {
        "plain": lambda: tw.pack(source, again),
        "known": lambda: tw.pack(source, again, schema=schema),
        "codes": lambda: hand_over(folder, schema),
    }
    if n <= MOST_IN_MEMORY:
        works["table"] = lambda: tw.read_table(source)
    turns = [{name: cost(work) for name, work in works.items()} for _ in range(TIMES)]
    all_, own = ({name: min(turn[name][i] for turn in turns) for name in works} for i in (0, 1))

    def price(what: str, seconds: float, bar: float | None = None) -> None:
        figures.add(what, 1e6 * seconds / n, "us a row", bar)

    price("Parquet to packed file", all_["plain"], 1.45)
    price("the same with `schema=`", all_["known"], 0.85)
    price("DuckDB handing over the codes", all_["codes"])
    figures.add("of its speed, with `schema=`", all_["codes"] / all_["known"], "times", 0.75, least=True)
    figures.add("the same, without what the system takes", own["codes"] / own["known"], "times")
    if "table" in all_:
        price("`read_table`", all_["table"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_100_000)
    parser.add_argument("--folder", type=Path, default=None, help="where rows stay for a next time")
    parser.add_argument("--write", action="store_true", help="into docs/measured/scale.md")
    options = parser.parse_args()
    figures = Figures(f"python benchmarks/core/bench_packing.py --rows {options.rows}")
    with nullcontext(options.folder) if options.folder else tempfile.TemporaryDirectory() as folder:
        run(figures, Path(folder), options.rows)
    figures.finish(write=options.write)


if __name__ == "__main__":
    main()

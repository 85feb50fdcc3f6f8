"""What learning from many rows costs: prices measured on R50 here, and what they come to for larger tables.

Prices are CPU nanoseconds on one thread. Those of reading and climbing are differences between so many rows
and twice as many (every row twice), so that what does not grow with them is left out; those of kernels are
the least of five times. Totals are estimates from these prices; such tables would not fit here.

    python benchmarks/core/bench_cost.py                       # shows them
    python benchmarks/core/bench_cost.py --write               # writes them into docs/guides/scale.md
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw
from treewright import _core

sys.path.insert(0, str(Path(__file__).resolve().parent))
from bars import replace_section
from bench_scale import BLOCK, write_parquet
from tests.scale.r50 import N_PLANES

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "scale.md"
SIZES = [(10**9, 10**2), (10**9, 10**4), (10**12, 10**2), (10**12, 10**4)]
EDGES = 2  # of a variable, in the table of costs
STATES = 3.5  # of a variable on average, there and in R50
SAMPLE, MANY = 10**6, 10**9  # rows that are enough for a structure, and for its parameters


@dataclass(frozen=True)
class Prices:
    """Nanoseconds, but for bytes, edges and passes."""

    read: float  # a cell, labels unknown
    read_known: float  # a cell, with schema=
    packed: float  # bytes of a cell
    pairs: float  # a row and a pair of planes
    family: float  # a row of a pass with all other variables as candidates
    plane: float  # what a further plane adds to it
    passes: float  # for each edge of a network that is climbed to
    rounds: float  # questions to whoever counts, for each edge
    fit: float  # a row and a family


def cpu(work: Callable[[], Any]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def least(work: Callable[[], Any], times: int = 5) -> float:
    """Of several times the shortest: sections are checked in the first."""
    return min(cpu(work) for _ in range(times))


def measure(folder: Path, source: list[str]) -> dict[str, float]:
    """Seconds of each kind of work on the rows of some files."""
    made = folder / str(len(source))
    made.mkdir()
    packed = made / "rows.twp"
    seconds = {"read": cpu(lambda: tw.pack(source, packed))}
    schema = tw.open_table(packed).schema
    seconds["read_known"] = cpu(lambda: tw.pack(source, made / "again.twp", schema=schema))
    table = tw.open_table(packed)
    counter, n = tw.count(table), len(schema)
    pairs = [(u, v) for v in range(n) for u in range(v)]
    seconds["pairs"] = least(lambda: tw.count(table).counts_many(pairs))  # a counter keeps them
    for name, others in (("family", range(3, n)), ("few", range(3, 15))):
        seconds[name] = least(lambda others=others: tw.count(table).partners((0, 1, 2), others))
    seconds["planes"] = sum(r - 1 for r in schema.cardinalities[15:])
    learned = tw.learn_hill_climbing(tw.BIC(counter), effort=0)
    seconds["rounds"] = float(learned.trace.total("rounds"))
    seconds["climb"] = cpu(lambda: tw.learn_hill_climbing(tw.BIC(tw.count(table)), effort=0))
    seconds["fit"] = least(lambda: tw.fit(learned.structure, tw.count(table)))
    seconds["edges"] = float(learned.structure.n_edges)
    seconds["bytes"] = packed.stat().st_size / counter.n_rows / n
    return seconds


def prices(n_rows: int) -> Prices:
    with tempfile.TemporaryDirectory() as folder:
        write_parquet(Path(folder), n_rows)
        files = sorted(map(str, Path(folder).glob("*.parquet")))
        twice = [f"{file}.again.parquet" for file in files]
        for file, link in zip(files, twice, strict=True):
            os.link(file, link)
        small, large = measure(Path(folder), files), measure(Path(folder), [*files, *twice])
    grown = ("read", "read_known", "climb")
    each = {
        name: 1e9 * ((large[name] - small[name]) / n_rows if name in grown else large[name] / (2 * n_rows))
        for name in small
    }
    n, family, few = 50, each["family"], each["few"]
    return Prices(
        read=each["read"] / n,
        read_known=each["read_known"] / n,
        packed=large["bytes"],
        pairs=each["pairs"] / N_PLANES**2,
        family=family,
        plane=max(0.0, family - few) / large["planes"],
        passes=(each["climb"] - each["pairs"]) / (family * large["edges"]),
        rounds=large["rounds"] / large["edges"],
        fit=each["fit"] / n,
    )


def hours(price: Prices, rows: float, columns: int) -> dict[str, float]:
    """Core-hours of each kind of work; bytes under "packed"."""
    planes, edges = columns * (STATES - 1), EDGES * columns
    one_pass = price.family + price.plane * max(0.0, planes - N_PLANES)
    ns = {
        "read": price.read * rows * columns,
        "tree": price.pairs * planes**2 * rows,
        "climb": (price.pairs * planes**2 + price.passes * edges * one_pass) * rows,
        "fit": price.fit * rows * columns,
    }
    found = {name: one / 1e9 / 3600 for name, one in ns.items()}
    return {**found, "packed": price.packed * rows * columns}


def page(price: Prices, n_rows: int) -> str:
    about = [
        f"Measured with `python benchmarks/core/bench_cost.py --write` (R50, {n_rows:,} and {2 * n_rows:,} "
        f"rows, {_core.simd_levels()[-1]}); CPU time:",
        "",
        "| work | price |",
        "|---|---|",
        f"| reading a cell of Parquet into a packed file | {price.read:.0f} ns; {price.read_known:.0f} ns "
        "with `schema=` |",
        f"| a packed cell | {price.packed:.2f} bytes |",
        "| all pairs of *P* bit planes (a variable of *r* states has *r* - 1) | *P*² / "
        f"{1 / price.pairs:.0f} ns a row |",
        f"| one family against all candidates | {price.family:.0f} ns a row, {price.plane * 256:.1f} ns more "
        "for every further 256 planes |",
        f"| passes that climbing takes for each edge | {price.passes:.1f} |",
        f"| rounds that climbing takes for each edge, where others count | {price.rounds:.1f} |",
        f"| fitting | {price.fit:.1f} ns a row and variable |",
        "",
        f"What this comes to, in core-hours, with {STATES} states and {EDGES} edges a variable; estimates:",
        "",
        "| rows x columns | read | packed | Chow-Liu | climbing, all rows "
        f"| structure of {power(SAMPLE)} rows, parameters of all |",
        "|---|---|---|---|---|---|",
    ]
    for rows, columns in SIZES:
        cost, some = hours(price, rows, columns), hours(price, SAMPLE, columns)
        sampled = cost["read"] + cost["fit"] + some["climb"]
        rounds = f", {float(f'{price.rounds * EDGES * columns:.2g}'):,.0f} rounds"
        size = in_words(cost["packed"] / 1e12).replace(" h", " TB")
        told = f"{in_words(cost['tree'])} | {in_words(cost['climb'])}{rounds} | {in_words(sampled)}"
        if rows > MANY:
            fewer = hours(price, MANY, columns)
            told += f"; {in_words(fewer['read'] + fewer['fit'] + some['climb'])} with those of {power(MANY)}"
        about.append(f"| {power(rows)} x {power(columns)} | {in_words(cost['read'])} | {size} | {told} |")
    return "\n".join(about)


def power(n: int) -> str:
    return f"10^{round(np.log10(n))}"


def in_words(found: float) -> str:
    if found < 10:
        return f"{found:.2g} h"
    return f"{float(f'{found:.2g}'):,.0f} h"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=BLOCK)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    _core.set_threads(1)
    tw.pack({"a": ["x", "y"]}, Path(tempfile.mkdtemp()) / "first.twp")  # what is loaded once
    made = page(prices(options.rows), options.rows)
    print(made)
    if options.write:
        replace_section(GUIDE, f"benchmarks/core/{Path(__file__).name}", made)


if __name__ == "__main__":
    main()

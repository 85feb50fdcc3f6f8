"""The default search under a width bound with several seeds, where one seed says little.

The cells of `search` on dense data, where runs that differ in nothing but the seed end far apart. Nothing was
chosen with these seeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import treewright as tw
from experiments.bounded_treewidth.search import CELLS, PAGE, Cell, rows_of, whole, within
from experiments.common import Experiment, Row, markdown_table, mean_interval, run

DENSE = ("plants.test", "kdd.test", "plants", "jester", "bnetflix")
SEEDS = range(10, 15)
TIMES = (1.0, 5.0)
SMALL = [Cell("nltcs.test", 2, 0.1)]


def measure(full: bool) -> Iterator[Row]:
    for cell in [cell for cell in CELLS if cell.data in DENSE] if full else SMALL:
        table, shown, same_rows = rows_of(cell.data, full)
        times = TIMES if full else (0.05, 0.1)
        for seed in SEEDS if full else SEEDS[:2]:
            yield {
                "data": shown,
                "K": cell.treewidth,
                "seed": seed,
                "seconds": list(times),
                "scores": _found(table, cell.treewidth, list(times), seed),
                "prototype": list(cell.prototype[1:]) if same_rows else [],
            }


def _found(table: tw.Table, treewidth: int, times: list[float], seed: int) -> list[float | None]:
    return [None if one is None else round(one, 1) for one in within(table, treewidth, times, seed)]


def tables(rows: list[Row]) -> Mapping[str, str]:
    lines = []
    for data, treewidth in dict.fromkeys((row["data"], row["K"]) for row in rows):
        cell = [row for row in rows if (row["data"], row["K"]) == (data, treewidth)]
        line = [data, treewidth, len(cell)]
        for i in range(len(cell[0]["seconds"])):
            scores = [row["scores"][i] for row in cell if row["scores"][i] is not None]
            mean = mean_interval(scores) if len(scores) > 1 else None
            line += [f"{whole(mean.mean)} ± {mean.half_width:,.0f}" if mean else "-"]
            line += [whole(max(scores, default=None))]
            line += [whole(cell[0]["prototype"][i]) if cell[0]["prototype"] else ""]
        lines.append(line)
    times = [f"{seconds:g} s" for seconds in rows[0]["seconds"]]
    parts = [[f"{time}: mean", "best", "prototype"] for time in times]
    header = ["data", "K", "seeds", *(title for part in parts for title in part)]
    return {"search-seeds": markdown_table(header, lines)}


EXPERIMENT = Experiment("bounded_treewidth.seeds", measure, tables, PAGE)

if __name__ == "__main__":
    run(EXPERIMENT)

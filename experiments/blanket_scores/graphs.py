"""Hamming distances to hubs, scale-free and real graphs, growing numbers of rows.

Every draw is a random model on the graph (even factors on maximal cliques) with one set of rows, drawn
exactly; fewer rows are the first of more. The learners that take longest see the first draws only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from experiments.blanket_scores.learners import LEARNERS, judged
from experiments.blanket_scores.targets import LARGER, SMALL, rows_of, target
from experiments.common import (
    Experiment,
    Interval,
    Line,
    Panel,
    Row,
    markdown_table,
    mean_interval,
    paired_interval,
    run,
)

SIZES = (250, 500, 1000, 2000, 4000, 8000)
SHOWN = (250, 1000, 4000)
DRAWS = 16
FEWER = {"L1": 4, "GSMN": 8}
TREES = ("hub_16", "hub_32", "hub_64", "scale_free_16_1", "scale_free_32_1")
DRAWN = ("hub_64", "karate", "dolphins")
IN_THE_PICTURE = ("auto", "BJP HC", "IB HC", "MPL", "L1")


def measure(full: bool) -> Iterator[Row]:
    names, sizes, draws = (LARGER, SIZES, DRAWS) if full else (SMALL, (250,), 2)
    for name in names:
        truth = target(name)
        tables = [rows_of(name, draw, max(sizes)) for draw in range(draws)]
        for n in sizes:
            for learner in LEARNERS:
                seen = tables[: min(draws, FEWER.get(learner, draws))]
                found = [judged(learner, table.head(n), truth) for table in seen]
                yield {
                    "graph": name,
                    "edges": truth.n_edges,
                    "rows": n,
                    "learner": learner,
                    "distances": [one.distance for one in found],
                    "false_positives": [one.false_positives for one in found],
                    "tests": float(np.mean([one.tests for one in found])),
                    "seconds": float(np.mean([one.seconds for one in found])),
                }


def tables(rows: list[Row]) -> Mapping[str, str]:
    return {
        "graphs-distance": distance_table(rows),
        "graphs-paired": paired_table(rows),
        "graphs-cost": cost_table(rows),
    }


def distance_table(rows: list[Row]) -> str:
    """Mean distance, standard error and mean false positives, for the numbers of rows that are shown."""
    sizes = [n for n in SHOWN if any(row["rows"] == n for row in rows)]
    lines = []
    for name, edges in dict.fromkeys((row["graph"], row["edges"]) for row in rows):
        for n in sizes:
            cells = [_shown(_row(rows, name, n, learner)) for learner in LEARNERS]
            lines.append([f"{name} ({edges})", n, *cells])
    return markdown_table(["graph (edges)", "rows", *LEARNERS], lines)


def paired_table(rows: list[Row]) -> str:
    """How much farther than `auto`, on the same rows: means over all draws, trees and graphs with cycles."""
    lines = []
    for learner in LEARNERS:
        if learner == "auto":
            continue
        cells: list[str] = []
        for kind in ("trees", "cycles"):
            for n in SHOWN:
                interval = _paired(rows, learner, n, trees=kind == "trees")
                cells.append("" if interval is None else interval.shown(1, sign=True))
        lines.append([learner, *cells])
    header = [f"{kind}, {n}" for kind in ("trees", "cycles") for n in SHOWN]
    return markdown_table(["learner", *header], lines)


def cost_table(rows: list[Row]) -> str:
    """Tests and processor milliseconds at the most rows, mean over draws."""
    most = max(row["rows"] for row in rows)
    names = list(dict.fromkeys(row["graph"] for row in rows))
    lines = []
    for learner in LEARNERS:
        cells = []
        for name in names:
            one = _row(rows, name, most, learner)
            if one is None:
                cells.append("")
                continue
            tests = f"{one['tests']:.0f} tests, " if one["tests"] else ""
            cells.append(f"{tests}{1000 * one['seconds']:.0f} ms")
        lines.append([learner, *cells])
    return markdown_table([f"{most} rows", *names], lines)


def pictures(rows: list[Row]) -> Mapping[str, list[Panel]]:
    """Mean distance over the number of rows, with the standard error of the mean."""
    names = list(dict.fromkeys(row["graph"] for row in rows))
    drawn = [name for name in DRAWN if name in names] or names[:1]
    panels = [
        Panel(name, "rows", "Hamming distance", [_line(rows, name, one) for one in IN_THE_PICTURE])
        for name in drawn
    ]
    return {"blanket_scores_graphs.svg": panels}


def _line(rows: list[Row], graph: str, learner: str) -> Line:
    found = [row for row in rows if (row["graph"], row["learner"]) == (graph, learner)]
    distances = [row["distances"] for row in found]
    errors = [float(np.std(values, ddof=1)) / math.sqrt(len(values)) for values in distances]
    return Line(learner, [row["rows"] for row in found], [float(np.mean(one)) for one in distances], errors)


def _row(rows: list[Row], graph: str, n: int, learner: str) -> Row | None:
    key = (graph, n, learner)
    return next((row for row in rows if (row["graph"], row["rows"], row["learner"]) == key), None)


def _distances(rows: list[Row], graph: str, n: int, learner: str) -> list[int]:
    found = _row(rows, graph, n, learner)
    return [] if found is None else list(found["distances"])


def _shown(row: Row | None) -> str:
    if row is None:
        return ""
    values = row["distances"]
    error = f"{np.std(values, ddof=1) / math.sqrt(len(values)):.1f}" if len(values) > 1 else "?"
    return f"{np.mean(values):.1f} ± {error} ({np.mean(row['false_positives']):.1f})"


def _paired(rows: list[Row], learner: str, n: int, *, trees: bool) -> Interval | None:
    ours: list[float] = []
    theirs: list[float] = []
    for name in dict.fromkeys(row["graph"] for row in rows):
        if (name in TREES) != trees:
            continue
        other, best = _distances(rows, name, n, learner), _distances(rows, name, n, "auto")
        ours += other
        theirs += best[: len(other)]
    if not ours:
        return None
    return paired_interval(ours, theirs) if len(ours) > 1 else mean_interval([ours[0] - theirs[0]])


EXPERIMENT = Experiment("blanket_scores.graphs", measure, tables, "docs/measured/blanket_scores.md", pictures)

if __name__ == "__main__":
    run(EXPERIMENT)

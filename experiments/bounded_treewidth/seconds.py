"""Processor seconds against the bound K, from a loaded table to a certified network, on one thread.

The paper: both methods take time about linear in K, chains about a quarter more than greedy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

import treewright as tw
from experiments.bounded_treewidth.data import genes, genotypes
from experiments.bounded_treewidth.learners import BDEU, BIC, BOUNDED, GAUSSIAN, Kind, Learner
from experiments.common import (
    Experiment,
    Line,
    Panel,
    Row,
    density,
    markdown_table,
    network,
    run,
    timed,
)

PAGE = "docs/measured/bounded_treewidth.md"
WIDTHS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16)
REPEATS = 12
TIMED = ("chains", "thin junction tree")


def measure(full: bool) -> Iterator[Row]:
    for data, (rows, kind) in settings(full).items():
        for treewidth in WIDTHS if full else (1, 2):
            row: Row = {"data": data, "score": kind.shown, "K": treewidth}
            for name in TIMED:
                work = partial(learn_afresh, BOUNDED[name], kind, rows, treewidth)
                learned, seconds = timed(work, REPEATS if full else 1)
                row[name] = seconds
                row[f"{name}: arcs"] = learned.structure.n_edges
                row[f"{name}: refused"] = learned.trace.total("refused")
            yield row


def learn_afresh(learner: Learner, kind: Kind, rows: tw.Table, treewidth: int) -> tw.Learned[tw.Dag]:
    """Counting included: no score is known before."""
    return learner(kind.score(rows), treewidth=treewidth)


def settings(full: bool) -> dict[str, tuple[tw.Table, Kind]]:
    yeast, people, plants = genes(), genotypes(), density("plants")
    model, shown = network("hepar2")
    sampled = model.sample(10_000 if full else 300, rng=np.random.default_rng(0))
    return {
        yeast.shown: (yeast.table, GAUSSIAN),
        people.shown: (people.table, BDEU),
        f"{plants.shown}, test rows": (plants.test, BIC),
        f"{shown}, {sampled.n_rows:,} rows": (sampled, BIC),
    }


def tables(rows: list[Row]) -> Mapping[str, str]:
    """Milliseconds of both methods, and how often they had to refuse an arc."""
    header = ["data", "K", *(f"{name}, ms" for name in TIMED), "ratio", "arcs", "refused"]
    lines = []
    for row in rows:
        chains, thin = (row[name] for name in TIMED)
        arcs, refused = (
            " / ".join(str(row[f"{name}: {what}"]) for name in TIMED) for what in ("arcs", "refused")
        )
        times = [f"{1e3 * chains:.1f}", f"{1e3 * thin:.1f}", f"{chains / thin:.2f}"]
        lines.append([row["data"], row["K"], *times, arcs, refused])
    return {"seconds": markdown_table(header, lines)}


def pictures(rows: list[Row]) -> Mapping[str, Sequence[Panel]]:
    panels = []
    for data in dict.fromkeys(row["data"] for row in rows):
        some = [row for row in rows if row["data"] == data]
        widths = [row["K"] for row in some]
        lines = [Line(name, widths, [1e3 * row[name] for row in some]) for name in TIMED]
        panels.append(Panel(data, "K", "processor time, ms", lines))
    return {"bounded_treewidth_seconds.svg": panels}


EXPERIMENT = Experiment("bounded_treewidth.seconds", measure, tables, PAGE, pictures)

if __name__ == "__main__":
    run(EXPERIMENT)

"""What each iteration of the chains adds: how many arcs, and how wide the cover is afterwards.

The paper: several chains of four to seven arcs first, single arcs once the bound is reached.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import treewright as tw
from experiments.bounded_treewidth.data import genes
from experiments.bounded_treewidth.learners import BIC, GAUSSIAN, SIGMOID
from experiments.common import Experiment, Line, Panel, Row, density, markdown_table, run

PAGE = "docs/measured/bounded_treewidth.md"


def measure(full: bool) -> Iterator[Row]:
    yeast, plants = genes(), density("plants")
    settings = [
        (yeast.shown, yeast.table, GAUSSIAN, 25 if full else 3),
        (yeast.shown, yeast.table, SIGMOID, 10 if full else 2),
        (f"{plants.shown}, test rows", plants.test, BIC, 8 if full else 3),
    ]
    for data, rows, kind, treewidth in settings:
        learned = tw.learn_treewidth_chains(kind.score(rows), treewidth=treewidth)
        yield {
            "data": data,
            "score": kind.shown,
            "K": treewidth,
            "chains": learned.trace.total("chains"),
            "arcs": [len(one.edges) for one in learned.iterations],
            "skipped": [one.skipped for one in learned.iterations],
            "width": [one.width for one in learned.iterations],
        }


def tables(rows: list[Row]) -> Mapping[str, str]:
    header = ["data", "score", "K", "chains", "their lengths", "width after each", "single arcs at the bound"]
    lines = []
    for row in rows:
        n = row["chains"]
        lengths, widths = (" ".join(map(str, row[key][:n])) for key in ("arcs", "width"))
        lines.append([row["data"], row["score"], row["K"], n, lengths, widths, len(row["arcs"]) - n])
    return {"chain_lengths": markdown_table(header, lines)}


def pictures(rows: list[Row]) -> Mapping[str, Sequence[Panel]]:
    panels = []
    for row in rows:
        iterations = list(range(1, len(row["arcs"]) + 1))
        lines = [Line("arcs added", iterations, row["arcs"]), Line("width", iterations, row["width"])]
        panels.append(Panel(f"{row['data']}, {row['score']}, K = {row['K']}", "iteration", "", lines))
    return {"bounded_treewidth_chain_lengths.svg": panels}


EXPERIMENT = Experiment("bounded_treewidth.chain_lengths", measure, tables, PAGE, pictures)

if __name__ == "__main__":
    run(EXPERIMENT)

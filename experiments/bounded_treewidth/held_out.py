"""Log-likelihood of the test rows of a few density sets, for each K, beside Chow-Liu and unbounded search.

Differences are paired row by row: a test set is a few thousand rows, and a row that is hard for one method is
hard for all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

import treewright as tw
from experiments.bounded_treewidth.learners import AGGRESSIVE, BIC, BOUNDED
from experiments.common import (
    Experiment,
    Interval,
    Line,
    Panel,
    Row,
    density,
    markdown_table,
    paired_interval,
    run,
)

PAGE = "docs/measured/bounded_treewidth.md"
SETS = ("nltcs", "plants", "jester", "bnetflix", "tretail", "msnbc")
WIDTHS = (1, 2, 4, 8)


def measure(full: bool) -> Iterator[Row]:
    for name in SETS if full else SETS[:1]:
        rows = density(name)
        score = BIC.score(rows.train)

        def likelihoods(dag: tw.Dag, rows: Any = rows) -> npt.NDArray[np.float64]:
            found: npt.NDArray[np.float64] = BIC.fit(dag, rows.train).log_probability(rows.test)
            return found

        tree = likelihoods(tw.learn_chow_liu(score).structure)
        free = likelihoods(BIC.learn_unbounded(score))
        yield {"data": rows.shown, "K": None, "Chow-Liu": float(tree.mean()), AGGRESSIVE: float(free.mean())}
        for treewidth in WIDTHS[1:] if full else WIDTHS[1:2]:
            by = {n: likelihoods(learn(score, treewidth=treewidth).structure) for n, learn in BOUNDED.items()}
            yield {
                "data": rows.shown,
                "K": treewidth,
                **{n: float(values.mean()) for n, values in by.items()},
                "chains less thin": pair(by["chains"], by["thin junction tree"]),
                "chains less aggressive": pair(by["chains"], free),
            }


def pair(ours: npt.NDArray[np.float64], theirs: npt.NDArray[np.float64]) -> list[float]:
    found = paired_interval(ours.tolist(), theirs.tolist())
    return [found.mean, found.half_width, found.n]


def tables(rows: list[Row]) -> Mapping[str, str]:
    header = ["data", "K", "Chow-Liu", *BOUNDED, AGGRESSIVE, "chains less thin", "chains less aggressive"]
    lines = []
    for row in rows:
        means = [f"{row[name]:.3f}" if name in row else "" for name in header[2:-2]]
        differences = [
            Interval(*row[name]).shown(3, sign=True) if name in row else "" for name in header[-2:]
        ]
        lines.append([row["data"], row["K"] or "", *means, *differences])
    return {"held_out": markdown_table(header, lines)}


def pictures(rows: list[Row]) -> Mapping[str, Sequence[Panel]]:
    panels = []
    for data in dict.fromkeys(row["data"] for row in rows):
        (base,) = [row for row in rows if row["data"] == data and row["K"] is None]
        some = [row for row in rows if row["data"] == data and row["K"] is not None]
        widths = [1, *(row["K"] for row in some)]
        lines = [Line(n, widths, [base["Chow-Liu"], *(row[n] for row in some)]) for n in BOUNDED]
        lines.append(Line(AGGRESSIVE, [widths[0], widths[-1]], [base[AGGRESSIVE]] * 2))
        panels.append(Panel(data, "K", "test log-likelihood", lines))
    return {"bounded_treewidth_held_out.svg": panels}


EXPERIMENT = Experiment("bounded_treewidth.held_out", measure, tables, PAGE, pictures)

if __name__ == "__main__":
    run(EXPERIMENT)

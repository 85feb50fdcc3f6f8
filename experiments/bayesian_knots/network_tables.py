"""What the page shows of the networks: figures by cell, duels between learners."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from experiments.bayesian_knots.learners import LEARNERS
from experiments.common import Line, Row, markdown_table, paired_interval

FIGURES = ("shd", "dist", "f1", "false", "tests", "seconds", "inside")
DRAWN = ("knots", "`SparseQNML`", "paper, `dag`", "BL (reconstructed)", "PC .01", "TPDA G²")
PAPER = "paper, `dag`"


def all_tables(rows: list[Row]) -> Mapping[str, str]:
    return {
        "networks-shd": _by_cell(rows, lambda row: _with_error(row["shd"], 1), lowest="shd"),
        "networks-f1": _by_cell(rows, lambda row: _with_error(row["f1"], 3), highest="f1"),
        "networks-dist": _by_cell(rows, lambda row: _with_error(row["dist"], 3), lowest="dist"),
        "networks-false": _by_cell(rows, lambda row: f"{np.mean(row['false']):.1f}"),
        "networks-tests": _by_cell(rows, lambda row: f"{np.mean(row['tests']):,.0f}"),
        "networks-seconds": _by_cell(rows, lambda row: f"{np.mean(row['seconds']):.3f}"),
        "networks-inside": _inside(rows),
        "networks-duels": _duels(rows, "shd", "knots", [one for one in LEARNERS if one != "knots"]),
        "networks-claims": _claims(rows),
        "networks-spread": _spread(rows),
    }


def error_lines(rows: list[Row]) -> list[Line]:
    """Mean errors over rows, one line for each learner that is drawn."""
    lines = []
    for learner in DRAWN:
        seen = [row for row in rows if row["learner"] == learner]
        if seen:
            x, y = [row["rows"] for row in seen], [float(np.mean(row["shd"])) for row in seen]
            lines.append(Line(learner.replace("`", ""), x, y, [_error(row["shd"]) for row in seen]))
    return lines


def _by_cell(
    rows: list[Row], shown: Callable[[Row], str], lowest: str | None = None, highest: str | None = None
) -> str:
    """A line for each network and number of rows, a column for each learner; the best mean in bold."""
    lines = []
    for cell, found in _cells(rows):
        means = {one: np.mean(row[lowest or highest or "shd"]) for one, row in found.items()}
        best = min(means.values()) if lowest else max(means.values()) if highest else None
        texts = {one: f"**{shown(row)}**" if means[one] == best else shown(row) for one, row in found.items()}
        lines.append([*cell, *(texts.get(learner, "") for learner in LEARNERS)])
    return markdown_table(["network", "rows", "sets", *LEARNERS], lines)


def _inside(rows: list[Row]) -> str:
    """The share of true edges whose ends share a cluster: no knot can find the others."""
    learners = {"knots": "adaptive clusters", PAPER: "epsilon 0.5", "BL (reconstructed)": "blocks"}
    lines = [
        [*cell, *(f"{np.mean(found[one]['inside']):.2f}" if one in found else "" for one in learners)]
        for cell, found in _cells(rows)
    ]
    return markdown_table(["network", "rows", "sets", *learners.values()], lines)


def _duels(rows: list[Row], figure: str, learner: str, rivals: Sequence[str]) -> str:
    """In how many cells a learner is better, level or worse, judged on the same rows."""
    header = [f"{learner} against", "lower", "level", "higher", "higher where"]
    lines = [_duel(rows, figure, learner, rival) for rival in rivals]
    return markdown_table(header, lines)


def _duel(rows: list[Row], figure: str, learner: str, rival: str) -> list[object]:
    lower, level = 0, 0
    higher: dict[str, list[str]] = {}
    for (_, n_rows, _), found in _cells(rows):
        if learner not in found or rival not in found:
            continue
        interval = paired_interval(found[learner][figure], found[rival][figure])
        if not interval.excludes_zero:
            level += 1
        elif interval.mean < 0:
            lower += 1
        else:
            higher.setdefault(found[rival]["shown"], []).append(str(n_rows))
    where = "; ".join(f"{name} {', '.join(sizes)}" for name, sizes in higher.items())
    return [rival, lower, level, sum(map(len, higher.values())), where]


def _claims(rows: list[Row]) -> str:
    """The comparison of the paper: `dist` of its pipeline against its rivals."""
    return _duels(rows, "dist", PAPER, ["BL (reconstructed)", "PC .05", "TPDA .01 nats", "TPDA G²", "knots"])


def _spread(rows: list[Row]) -> str:
    """How much `dist` differs between data sets: median standard deviation over cells with several."""
    cells = []
    for learner in LEARNERS:
        seen = [row["dist"] for row in rows if row["learner"] == learner and row["sets"] > 1]
        cells.append(f"{np.median([np.std(values, ddof=1) for values in seen]):.3f}" if seen else "")
    return markdown_table(["", *LEARNERS], [["spread of `dist`", *cells]])


def _cells(rows: list[Row]) -> list[tuple[tuple[str, int, int], dict[str, Row]]]:
    """Rows by network and number of rows, then by learner."""
    cells: dict[tuple[str, int, int], dict[str, Row]] = {}
    for row in rows:
        name = f"{row['shown']} ({row['variables']})"
        cells.setdefault((name, row["rows"], row["sets"]), {})[row["learner"]] = row
    return list(cells.items())


def _with_error(values: Sequence[float], decimals: int) -> str:
    error = _error(values)
    mean = f"{np.mean(values):.{decimals}f}"
    return mean if math.isnan(error) else f"{mean} ± {error:.{decimals}f}"


def _error(values: Sequence[float]) -> float:
    """The standard error of the mean."""
    return float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan

"""What the default of `learn_knots` gains by looking at single edges again, and what was left out.

The data sets are those of the networks. The rules were chosen on other rows (seeds 301 to 330) of hepar2,
alarm, win95pts, insurance, child, hailfinder, andes, pathfinder, pigs, link and of generated hubs. Errors of
the default, and how far the others are from it: effort 2 (no single edges: the default before), effort 3
everywhere, and other prices for an edge with the same score.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

import numpy as np

import treewright as tw
from experiments.bayesian_knots.networks import rows_of
from experiments.common import Cell, Experiment, Row, markdown_table, network, run
from treewright.learners.classes.score_choice import suited_score


def priced(share: float) -> Callable[[tw.Counter], tw.learners.LearnedKnots]:
    """The score of the default at another price for each edge: a share of ln n."""

    def learn(counter: tw.Counter) -> tw.learners.LearnedKnots:
        score = suited_score(counter).score
        assert isinstance(score, tw.criteria.EdgePrior)
        price = share * math.log(len(counter.schema))
        return tw.learn_knots(counter, score=tw.criteria.EdgePrior(score.inner, price))

    return learn


DEFAULT = "default"
VARIANTS: dict[str, Callable[[tw.Counter], tw.learners.LearnedKnots]] = {
    DEFAULT: tw.learn_knots,
    "effort 2": lambda counter: tw.learn_knots(counter, effort=2),
    "effort 3": lambda counter: tw.learn_knots(counter, effort=3),
    "0.75 ln n": priced(0.75),
    "1.25 ln n": priced(1.25),
}
# network, rows: data sets
PLAN = {
    **{(name, n): 10 for name in ("alarm", "hailfinder", "hepar2", "win95pts") for n in (200, 500, 2_000)},
    ("andes", 200): 10, ("andes", 500): 10, ("pathfinder", 200): 5, ("pathfinder", 500): 5,
    ("pigs", 200): 3, ("link", 500): 3,
}  # fmt: skip


def measure(full: bool) -> Iterator[Cell]:
    for (name, n_rows), n_sets in PLAN.items() if full else [(("alarm", 200), 2)]:
        for variant in VARIANTS:
            yield _cell(name, n_rows, n_sets, variant)


def _cell(name: str, n_rows: int, n_sets: int, variant: str) -> Cell:
    def figures() -> Row:
        truth, shown = network(name)
        found = [VARIANTS[variant](tw.count(rows_of(name, draw).head(n_rows))) for draw in range(n_sets)]
        return {
            "shown": shown,
            "shd": [tw.shd(truth.dag, one.cpdag) for one in found],
            "tables": [one.report.tables for one in found],
        }

    return Cell({"network": name, "rows": n_rows, "sets": n_sets, "variant": variant}, figures)


def tables(rows: list[Row]) -> Mapping[str, str]:
    """Errors and tables of the default, paired differences of the others from its errors."""
    found = {(row["shown"], row["rows"], row["sets"], row["variant"]): row for row in rows}
    others = [variant for variant in VARIANTS if variant != DEFAULT]
    lines = []
    for cell in dict.fromkeys(key[:3] for key in found):
        own = found[(*cell, DEFAULT)]
        gaps = [_gap(found.get((*cell, variant)), own) for variant in others]
        lines.append([*cell, f"{np.mean(own['shd']):.1f}", f"{np.mean(own['tables']):,.0f}", *gaps])
    header = ["network", "rows", "sets", "default", "its tables", *others]
    return {"second-looks": markdown_table(header, lines)}


def _gap(row: Row | None, own: Row) -> str:
    if row is None:
        return ""
    gaps = np.subtract(row["shd"], own["shd"])
    return f"{gaps.mean():+.1f} ± {gaps.std(ddof=1) / math.sqrt(len(gaps)):.1f}"


EXPERIMENT = Experiment("bayesian_knots.second_looks", measure, tables, "docs/measured/bayesian_knots.md")

if __name__ == "__main__":
    run(EXPERIMENT)

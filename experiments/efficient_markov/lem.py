"""Efficient Markov networks beside independence, trees and cutset networks, by the size of the training rows.

The paper learns from 100 to 10,000 rows and reports the log-likelihood of test rows. Settings are chosen on
the validation rows of each set. Subsets of the rows are drawn three times; all rows are learned from once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby, product

import numpy as np

import treewright as tw
from experiments.common import (
    DensitySet,
    Experiment,
    Line,
    Panel,
    Row,
    density,
    markdown_table,
    mean_interval,
    run,
    timed,
)
from treewright.learners import MarkovSettings
from treewright.learners.efficient_markov.lem import MarkovLeaf

PAGE = "docs/measured/efficient_markov.md"
SETS = (
    "nltcs", "msnbc", "plants", "jester", "bnetflix", "tretail", "msweb", "book", "tmovie", "cwebkb", "cr52",
    "bbc", "c20ng", "ad", "kdd",
)  # fmt: skip
SIZES = (100, 1000, 10_000)
SEEDS = 3
ALL_CANDIDATES = 70  # with more variables ten are tried for each feature, and pairs are looked at only
ALL_SETTINGS = 300  # with more variables only the settings below are tried
FEW_MARKOV = tuple(product((0.02, 0.005, 0.001), (200, 500)))  # delta, min_rows
FEW_CUTSET = ((1000, 0.0), (500, 5.0))  # min_rows, shrinkage
Learn = Callable[[tw.Table, tw.Table], tw.FeatureGraph]


def independent(rows: tw.Table, valid: tw.Table) -> tw.FeatureGraph:
    return tw.learn_cutset_network(tw.count(rows), treewidth=0, max_depth=0, valid=valid).structure


def chow_liu(rows: tw.Table, valid: tw.Table) -> tw.FeatureGraph:
    return tw.learn_cutset_network(tw.count(rows), max_depth=0, valid=valid).structure


def cutset(rows: tw.Table, valid: tw.Table) -> tw.FeatureGraph:
    counter = tw.count(rows)
    if len(rows.schema) > ALL_SETTINGS:
        return best_of(
            (
                tw.learn_cutset_network(counter, smoothing=1.0, min_rows=least, shrinkage=shrinkage)
                for least, shrinkage in FEW_CUTSET
            ),
            valid,
        )
    return tw.learn_cutset_network(counter, valid=valid).structure


def markov(rows: tw.Table, valid: tw.Table, leaf: MarkovLeaf = "tree") -> tw.FeatureGraph:
    counter, wide = tw.count(rows), len(rows.schema) > ALL_CANDIDATES
    largest = 2 if wide else 3 if max(rows.schema.cardinalities) == 2 else None  # None: what is affordable
    settings = MarkovSettings(leaf=leaf, largest_set=largest, candidates=10 if wide else None)
    learn = partial(tw.learn_efficient_markov, counter, settings=settings)
    if len(rows.schema) > ALL_SETTINGS:
        tried = (learn(smoothing=1.0, delta=delta, min_rows=least) for delta, least in FEW_MARKOV)
        return best_of(tried, valid)
    return learn(valid=valid).structure


def best_of(learned: Iterable[tw.Learned[tw.FeatureGraph]], valid: tw.Table) -> tw.FeatureGraph:
    """What makes the validation rows most probable."""
    graphs = [each.structure for each in learned]
    return max(graphs, key=lambda graph: tw.FeatureNetwork(graph).score(valid))


def markov_independent(rows: tw.Table, valid: tw.Table) -> tw.FeatureGraph:
    return markov(rows, valid, "independent")


LEARNERS: Mapping[str, Learn] = {
    "independence": independent,
    "Chow-Liu": chow_liu,
    "LEM, independent leaves": markov_independent,
    "LEM, tree leaves": markov,
    "cutset network": cutset,
}


def measure(full: bool) -> Iterator[Row]:
    for name in SETS if full else SETS[:2]:
        rows = density(name)
        for learner, learn in LEARNERS.items():
            yield measured(rows, rows.train, learner, learn, size=None, seed=0)
        if full and len(rows.train.schema) > ALL_CANDIDATES:
            continue  # the paper's sets are no wider
        for size in SIZES if full else (100,):
            for seed in range(SEEDS if full else 1):
                drawn = subset(rows.train, size, seed)
                if drawn is None:
                    continue
                for learner, learn in LEARNERS.items():
                    yield measured(rows, drawn, learner, learn, size=size, seed=seed)


def measured(
    rows: DensitySet, train: tw.Table, learner: str, learn: Learn, *, size: int | None, seed: int
) -> Row:
    graph, seconds = timed(lambda: learn(train, rows.valid))
    logs = tw.FeatureNetwork(graph).log_probability(rows.test)
    return {
        "data": rows.shown,
        "variables": len(rows.train.schema),
        "learner": learner,
        "rows": train.n_rows,
        "size": size,
        "seed": seed,
        "test": float(np.mean(logs)),
        "error": float(np.std(logs, ddof=1)) / math.sqrt(len(logs)),
        "nodes": graph.n_nodes,
        "seconds": seconds,
    }


def subset(table: tw.Table, size: int, seed: int) -> tw.Table | None:
    """Some rows, or none when there are not more."""
    if table.n_rows <= size:
        return None
    chosen = np.random.default_rng(seed).choice(table.n_rows, size, replace=False)
    return table.take(np.sort(chosen))


def tables(rows: list[Row]) -> Mapping[str, str]:
    whole = [row for row in rows if row["size"] is None]
    header = [
        "data",
        "variables",
        *LEARNERS,
        "s.e.",
        "LEM nodes",
        "LEM seconds",
        "cutset nodes",
        "cutset seconds",
    ]
    lines = []
    for data, found in groupby(whole, key=lambda row: row["data"]):
        by = {row["learner"]: row for row in found}
        if len(by) < len(LEARNERS):
            continue
        lem, cut = by["LEM, tree leaves"], by["cutset network"]
        scores = [f"{by[learner]['test']:.3f}" for learner in LEARNERS]
        sizes = [f"{lem['nodes']:,}", f"{lem['seconds']:.1f}", f"{cut['nodes']:,}", f"{cut['seconds']:.1f}"]
        lines.append([data, lem["variables"], *scores, f"{lem['error']:.3f}", *sizes])
    return {"lem": markdown_table(header, lines), "lem_sizes": markdown_table(*by_size(rows))}


def by_size(rows: list[Row]) -> tuple[list[str], list[list[str]]]:
    """Means over the draws, with the standard error of the mean where there are several."""
    some = [row for row in rows if row["size"] is not None]
    keys = sorted({(row["data"], row["size"]) for row in some})
    lines = []
    for data, size in keys:
        cells = []
        for learner in LEARNERS:
            of_size = [
                row for row in some if (row["data"], row["size"], row["learner"]) == (data, size, learner)
            ]
            tests = [row["test"] for row in of_size]
            spread = np.std(tests, ddof=1) / math.sqrt(len(tests)) if len(tests) > 1 else math.nan
            mean = f"{mean_interval(tests).mean:.3f}" if tests else ""
            cells.append(mean if not tests or math.isnan(spread) else f"{mean} ± {spread:.3f}")
        lines.append([data, f"{size:,}", *cells])
    return ["data", "rows", *LEARNERS], lines


def pictures(rows: list[Row]) -> Mapping[str, Sequence[Panel]]:
    panels = []
    for data in sorted({row["data"] for row in rows if row["size"] is not None}):
        lines = []
        for learner in LEARNERS:
            mine = [row for row in rows if row["data"] == data and row["learner"] == learner]
            sizes = sorted({row["rows"] for row in mine})
            means = [float(np.mean([row["test"] for row in mine if row["rows"] == size])) for size in sizes]
            lines.append(Line(learner, [math.log10(size) for size in sizes], means))
        panels.append(Panel(data, "log10 of the training rows", "test log-likelihood", lines))
    return {"efficient_markov_sizes.svg": panels}


EXPERIMENT = Experiment("efficient_markov.lem", measure, tables, PAGE, pictures)

if __name__ == "__main__":
    run(EXPERIMENT)

"""Efficient Markov networks beside the learners that the paper compares them with, by training rows.

The features of L1 neighbourhoods and of feature induction have any treewidth, and so their partition function
may be out of reach: the log-likelihood is exact where the junction tree fits, and otherwise the Bethe
estimate, marked as such. The pseudo-log-likelihood is exact for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

import treewright as tw
from experiments.common import Experiment, Row, density, markdown_table, mean_interval, network, run, timed
from experiments.efficient_markov.lem import PAGE, chow_liu, markov, markov_independent, subset
from treewright.errors import TableTooLarge, TreewidthError

SIZES = (100, 1000, 10_000)
SETS = ("nltcs", "msnbc")
TEST_ROWS = 4000  # at most; the first ones of a set
MOST_FEATURES = 100  # of feature induction beyond single variables
MOST_INDUCED = (
    200_000  # cells to learn from: beyond these feature induction takes minutes, and its cell is empty
)
Model = tw.FeatureNetwork | tw.MarkovNetwork


@dataclass(frozen=True)
class Rows:
    """Rows to learn from, to choose settings on, and to judge on."""

    shown: str
    train: tw.Table
    valid: tw.Table
    test: tw.Table
    sizes: Sequence[int] = SIZES


def independence(rows: tw.Table, valid: tw.Table) -> Model:
    return tw.fit(tw.UndirectedGraph(rows.schema), tw.count(rows))


def l1(rows: tw.Table, valid: tw.Table) -> Model:
    learned = tw.learn_l1_neighbourhoods(tw.count(rows), penalty="validation", valid=tw.count(valid))
    return tw.models.LogLinearModel(rows.schema, learned.features, learned.weights).network


def feature_induction(rows: tw.Table, valid: tw.Table) -> Model | None:
    if len(rows.schema) * rows.n_rows > MOST_INDUCED:
        return None
    learned = tw.learn_feature_induction(tw.count(rows), tw.count(valid), most_features=MOST_FEATURES)
    return tw.models.LogLinearModel(rows.schema, learned.features, learned.weights).network


def pac_junction_tree(rows: tw.Table, valid: tw.Table) -> Model | None:
    counter = tw.count(rows)
    try:
        return tw.fit(tw.learners.learn_pac_junction_tree(counter, treewidth=2).structure, counter)
    except TreewidthError:  # too many separators to look at
        return None


LEARNERS: Mapping[str, Callable[[tw.Table, tw.Table], Model | None]] = {
    "independence": independence,
    "Chow-Liu": lambda rows, valid: tw.FeatureNetwork(chow_liu(rows, valid)),
    "LPACJT": pac_junction_tree,
    "L1": l1,
    "feature induction": feature_induction,
    "LEM, independent leaves": lambda rows, valid: tw.FeatureNetwork(markov_independent(rows, valid)),
    "LEM, tree leaves": lambda rows, valid: tw.FeatureNetwork(markov(rows, valid)),
}


def sources(full: bool) -> Iterator[Rows]:
    for name in SETS if full else SETS[:1]:
        rows = density(name)
        yield Rows(rows.shown, rows.train, rows.valid, rows.test.head(TEST_ROWS))
    alarm, shown = network("alarm")
    train, valid, test = (alarm.sample(n, rng=np.random.default_rng(n)) for n in (20_000, 1000, TEST_ROWS))
    yield Rows(shown, train, valid, test)


def measure(full: bool) -> Iterator[Row]:
    for rows in sources(full):
        for size in rows.sizes if full else SIZES[:1]:
            for seed in range(3 if full and size < SIZES[-1] else 1):
                drawn = subset(rows.train, size, seed) or rows.train
                for learner in LEARNERS:
                    found = measured(drawn, rows, learner)
                    if found is not None:
                        yield {"data": rows.shown, "rows": size, "seed": seed, "learner": learner, **found}


def measured(drawn: tw.Table, rows: Rows, learner: str) -> Row | None:
    """How well and how fast; None where the learner is not affordable."""
    model, seconds = timed(lambda: LEARNERS[learner](drawn, rows.valid))
    if model is None:
        return None
    return {**judge(model, rows.test), "parameters": model.n_parameters, "seconds": seconds}


def judge(model: Model, test: tw.Table) -> Row:
    pseudo = tw.models.pseudo_log_likelihood(model, test)
    try:
        return {"test": model.score(test), "exact": True, "pseudo": pseudo}
    except TableTooLarge:
        assert isinstance(model, tw.MarkovNetwork)
        beliefs = tw.models.propagate_loopy_beliefs(model)
        test_log = float(np.mean(model.log_potential(test))) - beliefs.log_partition
        return {"test": test_log, "exact": False, "pseudo": pseudo, "converged": beliefs.converged}


def tables(rows: list[Row]) -> Mapping[str, str]:
    return {
        "baselines": table(rows, "test", 3),
        "baselines_pseudo": table(rows, "pseudo", 3),
        "baselines_size": table(rows, "parameters", 0),
        "baselines_seconds": table(rows, "seconds", 2),
    }


def table(rows: list[Row], what: str, decimals: int) -> str:
    """Means over the draws, with the standard error of the mean where there are several."""
    found: dict[tuple[str, int], dict[str, list[Row]]] = {}
    for row in rows:
        found.setdefault((row["data"], row["rows"]), {}).setdefault(row["learner"], []).append(row)
    lines = [
        [data, f"{size:,}", *(cell(by[name], what, decimals) if name in by else "-" for name in LEARNERS)]
        for (data, size), by in found.items()
    ]
    return markdown_table(["data", "rows", *LEARNERS], lines)


def cell(rows: list[Row], what: str, decimals: int) -> str:
    values = [row[what] for row in rows]
    mean = f"{mean_interval(values).mean:,.{decimals}f}"
    judged = what in ("test", "pseudo")
    if judged and len(values) > 1:
        mean += f" ± {np.std(values, ddof=1) / np.sqrt(len(values)):.{decimals}f}"
    return f"{mean} (Bethe)" if what == "test" and not all(row["exact"] for row in rows) else mean


EXPERIMENT = Experiment("efficient_markov.baselines", measure, tables, PAGE)

if __name__ == "__main__":
    run(EXPERIMENT)

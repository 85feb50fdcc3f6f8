"""One tree, twenty trees and the automatic stack on the public density sets.

Everything that is chosen is chosen on the validation rows of each set; its test rows are looked at once. The
error is that of the mean over test rows. Seconds are processor seconds of one thread.

Some sets hold the same rows, or nearly, among those learned from and among those tested. A test row is called
*near* where some training row differs from it in less than a tenth of the columns in which two training rows
differ on average; the score of all other test rows, the *far* ones, is told beside that of all.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

import treewright as tw
from experiments.common import Experiment, density, markdown_table, run, timed
from experiments.common.results import Row

SETS = (
    ("nltcs", "NLTCS"),
    ("msnbc", "MSNBC"),
    ("kdd", "KDDCup2k"),
    ("plants", "Plants"),
    ("jester", "Jester"),
    ("bnetflix", "Netflix"),
    ("tretail", "Retail"),
    ("msweb", "MSWeb"),
    ("book", "Book"),
    ("tmovie", "EachMovie"),
    ("cwebkb", "WebKB"),
    ("cr52", "Reuters-52"),
    ("c20ng", "20NewsGroup"),
    ("bbc", "BBC"),
    ("ad", "Ad"),
)


def measure(full: bool) -> Iterator[Row]:
    for name, shown in SETS if full else SETS[:2]:
        yield measure_set(name, shown, budget=30.0 if full else 0.02)


def measure_set(name: str, shown: str, budget: float) -> Row:
    """One set: a tree, twenty trees, everything."""
    data = density(name)
    counter = tw.count(data.train)
    far = ~near_rows(data.train, data.test)
    row: Row = {
        "near": float(1 - far.mean()),
        "set": shown if data.shown == name else data.shown,
        "variables": len(data.train.schema),
    }
    for key, options in (
        ("tree", {"components": 1}),
        ("trees", {"components": 20}),
        ("auto", {"components": "auto", "budget": budget}),
    ):
        learned, seconds = timed(lambda: tw.learn_mixture(counter, valid=data.valid, **options))  # noqa: B023
        logs = tw.FeatureNetwork(learned.structure).log_probability(data.test)
        row[f"{key}_test"] = float(logs.mean())
        row[f"{key}_error"] = float(logs.std() / np.sqrt(len(logs)))
        row[f"{key}_valid"] = learned.valid_log_likelihood
        row[f"{key}_seconds"] = round(seconds, 2)
        row[f"{key}_far"] = float(logs[far].mean()) if far.any() else None
    best = max(learned.members, key=lambda member: member.log_likelihood)
    row.update(members=len(learned.members), best=best.name, best_valid=best.log_likelihood)
    row["work"] = learned.trace.total("work")
    row["parameters"] = len(learned.structure.numbers)
    return row


def near_rows(train: tw.Table, test: tw.Table) -> npt.NDArray[np.bool_]:
    """Which test rows nearly repeat a training row; both tables of binary columns."""
    known = np.unique(np.array(train.columns, dtype=np.float32).T, axis=0)
    asked, where = np.unique(np.array(test.columns, dtype=np.float32).T, axis=0, return_inverse=True)
    ones = np.array(train.columns, dtype=float).mean(axis=1)
    usual = float((2 * ones * (1 - ones)).sum())  # columns in which two rows differ
    nearest = [
        (part.sum(axis=1)[:, None] + known.sum(axis=1) - 2 * part @ known.T).min(axis=1)
        for part in np.array_split(asked, len(asked) // 500 + 1)
    ]
    return (np.concatenate(nearest) < usual / 10)[where.ravel()]


def tables(rows: list[Row]) -> dict[str, str]:
    header = (
        "set", "variables", "one tree", "20 trees", "auto", "error", "near rows", "20 trees, far rows",
        "auto, far rows", "seconds", "members", "best member alone",
    )  # fmt: skip
    lines = [
        (
            row["set"],
            row["variables"],
            f"{row['tree_test']:.3f}",
            f"{row['trees_test']:.3f}",
            f"**{row['auto_test']:.3f}**",
            f"{row['auto_error']:.3f}",
            f"{row['near']:.1%}" if "near" in row else "-",
            *("-" if row.get(one) is None else f"{row[one]:.3f}" for one in ("trees_far", "auto_far")),
            f"{row['auto_seconds']:.0f}",
            row["members"],
            row["best"],
        )
        for row in rows
    ]
    return {"mixture": markdown_table(header, lines)}


EXPERIMENT = Experiment("efficient_markov.mixture", measure, tables, "docs/guides/mixtures.md")

if __name__ == "__main__":
    run(EXPERIMENT)

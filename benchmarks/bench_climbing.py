"""Climbing among DAGs, from a loaded table to the structure (packing included), one thread."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from common import Results, frame_of, installed, network_rows, one_thread, seconds

import treewright as tw


def climb(table: tw.Table, **options: object) -> Callable[[], object]:
    return lambda: tw.learners.learn_dag_climbing(tw.BIC(tw.count(table)), **options)  # type: ignore[arg-type]


def pybnesian_climb(table: tw.Table, repeats: int) -> float:
    import pandas as pd
    import pybnesian

    codes = frame_of(table)
    frame = pd.DataFrame(
        {
            variable.name: pd.Categorical.from_codes(
                codes[variable.name], [str(state) for state in range(variable.cardinality)]
            )
            for variable in table.schema
        }
    )
    kind = pybnesian.DiscreteBNType()
    return seconds(lambda: pybnesian.hc(frame, bn_type=kind, score="bic", operators=["arcs"]), repeats)


def wide_rows() -> tw.Table:
    """30 columns of 15 states, 25,000 rows, each column leaning on one of the three before it."""
    rng = np.random.default_rng(0)
    columns: list[np.ndarray] = []
    for i in range(30):
        codes = rng.integers(0, 15, 25_000)
        if i:
            source = columns[rng.integers(max(0, i - 3), i)]
            leaning = (source * 3 + rng.integers(0, 3, 25_000)) % 15
            codes = np.where(rng.random(25_000) < 0.6, leaning, codes)
        columns.append(codes)
    return tw.Table.from_codes(np.stack(columns, axis=1), [15] * 30)


def main() -> None:
    one_thread()
    results = Results("climbing among DAGs, BIC, one thread")
    jobs = [
        ("alarm", 10_000, 20),
        ("hailfinder", 10_000, 20),
        ("hepar2", 10_000, 20),
        ("andes", 10_000, 20),
        ("alarm", 100_000, 30),
    ]
    for name, n_rows, bar in jobs:
        table, shown = network_rows(name, n_rows)
        data = f"{shown}, {n_rows:,} rows"
        if not installed("pybnesian"):
            results.absent("climb", "pybnesian")
            continue
        theirs = pybnesian_climb(table, 1 if name == "andes" else 3)
        results.add("plain", data, seconds(climb(table, ties="names"), 7), "pybnesian hc", theirs, bar)
        results.add("look-ahead", data, seconds(climb(table), 7), "pybnesian hc", theirs, bar)
    wide = wide_rows()
    half_a_second = 0.5
    results.add("plain", "30 x 15 states", seconds(climb(wide, ties="names"), 3), "0.5 s", half_a_second, 1)
    score = tw.BIC(tw.count(network_rows("alarm", 10_000)[0]))
    plain = seconds(climb(network_rows("alarm", 10_000)[0]), 3)
    for job, learn in (
        ("tabu", lambda: tw.learners.learn_tabu(score)),
        ("aggressive", lambda: tw.learn_aggressive(score, rng=np.random.default_rng(0))),
    ):
        results.add(job, "alarm, 10,000 rows", seconds(learn, 3), "our look-ahead climb", plain)
    results.finish()


if __name__ == "__main__":
    main()

"""How often the best of all graphs over six variables is the true one.

Ten random models on each of six targets, ten sets of rows each; every graph is judged (exhaustive search), so
what is compared are the scores alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

import treewright as tw
from experiments.blanket_scores.targets import SIX_NODES, seeded, target
from experiments.common import Experiment, Row, markdown_table, run
from treewright.criteria import StructureScore

SIZES = (250, 1000, 4000)
SCORES: dict[str, Callable[[tw.Counter], StructureScore]] = {
    "BJP": tw.BlanketsJointPosterior,
    "IB": tw.IndependenceBasedScore,
    "MPL": tw.MarginalPseudoLikelihood,
    "BJP, p=.9": lambda counter: tw.BlanketsJointPosterior(counter, prior=0.9),
}


def measure(full: bool) -> Iterator[Row]:
    models, samples, sizes = (10, 10, SIZES) if full else (2, 1, (250,))
    for name in SIX_NODES:
        truth = target(name)
        for n in sizes:
            rows = [_rows(name, model, sample, n) for model in range(models) for sample in range(samples)]
            for score, make in SCORES.items():
                distances = [_distance(make, table, truth) for table in rows]
                yield {
                    "target": name,
                    "irregularity": truth.irregularity(),
                    "rows": n,
                    "score": score,
                    "runs": len(distances),
                    "success": float(np.mean([d == 0 for d in distances])),
                    "distance": float(np.mean(distances)),
                }


def _rows(name: str, model: int, sample: int, n: int) -> tw.Table:
    network = tw.networks.random_markov_network(target(name), rng=seeded(name, model, "model"))
    return network.sample(n, rng=seeded(name, model, sample, "rows"))


def _distance(
    make: Callable[[tw.Counter], StructureScore], table: tw.Table, truth: tw.UndirectedGraph
) -> int:
    found = tw.learn_blankets(make(tw.count(table)), "exhaustive").structure
    return len(set(found.edges()) ^ set(truth.edges()))


def tables(rows: list[Row]) -> Mapping[str, str]:
    """Success rate, and the mean distance in brackets."""
    lines = []
    for name, irregularity, n in dict.fromkeys((r["target"], r["irregularity"], r["rows"]) for r in rows):
        cells = [
            f"{r['success']:.2f} ({r['distance']:.2f})"
            for score in SCORES
            for r in rows
            if (r["target"], r["rows"], r["score"]) == (name, n, score)
        ]
        lines.append([f"{name} ({irregularity})", n, *cells])
    return {"six-nodes": markdown_table(["target (irregularity)", "rows", *SCORES], lines)}


EXPERIMENT = Experiment("blanket_scores.six_nodes", measure, tables, "docs/measured/blanket_scores.md")

if __name__ == "__main__":
    run(EXPERIMENT)

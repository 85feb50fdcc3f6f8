"""Marginals beside pyAgrum's, on our own tables: every public network in the folder TREEWRIGHT_DATA names.

    python -m tests.models.convert.test_agreement [NETWORK ...]

prints the largest difference of each network.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import treewright as tw

NETWORKS = (
    *("asia", "sachs", "child", "alarm", "insurance", "hailfinder", "hepar2", "win95pts"),
    *("pathfinder", "andes", "pigs", "link"),
)
ONE_BY_ONE = {"link": 2}
TOLERANCE = 1e-9
N_QUESTIONS = 5


def open_network(name: str) -> tw.BayesianNetwork | None:
    """A network of the data folder, or an embedded one."""
    folder = os.environ.get("TREEWRIGHT_DATA")
    file = Path(folder) / "networks" / f"{name}.bif.gz" if folder else None
    if file is not None and file.exists():
        return tw.read_model(file)
    return tw.load_network(name) if name in tw.networks.list_networks() else None


def questions(model: tw.BayesianNetwork, n: int) -> list[dict[str, object]]:
    """Evidence on a tenth of the variables, from rows that can happen."""
    rng = np.random.default_rng(17)
    rows = model.sample(n, rng=rng).to_dict()
    names = model.schema.names
    observed = max(1, len(names) // 10)
    return [
        {names[v]: rows[names[v]][i] for v in rng.choice(len(names), observed, replace=False)}
        for i in range(n)
    ]


def largest_difference(model: tw.BayesianNetwork, *, one_by_one: int | None = None) -> float:
    """The largest absolute difference of a marginal probability, over questions and variables.

    All variables of a question are asked at once, or so many of them one by one: pyAgrum then leaves out
    what has no say, and can answer where it has no memory for everything.
    """
    import pyagrum

    network, names = model.to_pyagrum(), list(model.schema.names)
    rng = np.random.default_rng(3)
    worst = 0.0
    for given in questions(model, N_QUESTIONS):
        ours = model.marginals(given)
        asked = [names] if one_by_one is None else [[name] for name in rng.choice(names, one_by_one).tolist()]
        for targets in asked:
            engine = pyagrum.LazyPropagation(network)
            engine.setTargets(set(targets))
            engine.setEvidence({name: str(state) for name, state in given.items()})
            engine.makeInference()
            for name in targets:
                difference = np.abs(ours.array(name) - engine.posterior(name).toarray())
                worst = max(worst, float(difference.max()))
    return worst


@pytest.mark.parametrize("name", NETWORKS)
def test_marginals_agree_with_pyagrum(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("pyagrum", reason="pyagrum is not installed (extra 'bench')")
    model = open_network(name)
    if model is None:
        pytest.skip(f"TREEWRIGHT_DATA names no folder with networks/{name}.bif.gz")
    assert largest_difference(model, one_by_one=ONE_BY_ONE.get(name)) < TOLERANCE


def main(names: list[str]) -> None:
    for name in names or NETWORKS:
        model = open_network(name)
        if model is None:
            print(f"{name}: set TREEWRIGHT_DATA to compare it")
            continue
        start = time.process_time()
        found = largest_difference(model, one_by_one=ONE_BY_ONE.get(name))
        print(f"{name}: {len(model.schema)} variables, {found:.1e}, {time.process_time() - start:.1f} s")


if __name__ == "__main__":
    main(sys.argv[1:])

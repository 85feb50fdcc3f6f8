"""Gaussian networks: fitting, the joint and conditional answers, beside NumPy's dense formulas and pgmpy."""

from __future__ import annotations

import numpy as np
from common import SEED, Results, first_seconds, installed, one_thread, seconds

import treewright as tw


def network(n: int) -> tw.GaussianNetwork:
    """Three parents each, among the thirty variables before."""
    rng = np.random.default_rng(SEED)
    schema = tw.Schema([tw.Variable(f"x{k:04}") for k in range(n)])
    arcs = {(int(u), v) for v in range(1, n) for u in rng.integers(max(0, v - 30), v, size=3)}
    dag = tw.Dag(schema, sorted(arcs))
    names = schema.names
    lines = {names[v]: {names[u]: float(rng.normal() * 0.3) for u in dag.parents(v)} for v in range(n)}
    return tw.GaussianNetwork(dag, rng.normal(size=n), lines, np.exp(rng.normal(size=n)))


def beside_numpy(results: Results, n: int, n_observed: int) -> None:
    """All marginals given some variables; NumPy is handed the covariance for nothing."""
    model = network(n)
    covariance = model.covariance()
    seen = sorted(np.random.default_rng(1).choice(n, n_observed, replace=False).tolist())
    values = {model.schema.names[v]: 0.5 for v in seen}

    def dense() -> np.ndarray:
        gain = np.linalg.solve(covariance[np.ix_(seen, seen)], covariance[seen])
        return np.diag(covariance) - np.einsum("ij,ij->j", gain, covariance[seen])

    def ours() -> np.ndarray:
        model._engine._last = None  # nothing remembered
        return model.marginals(values).variances

    assert np.allclose(dense(), ours(), atol=1e-8)
    shown = f"{n} variables, {n_observed} observed"
    results.add("marginals", shown, seconds(ours, 3), "NumPy, covariance known", seconds(dense, 3))


def beside_pgmpy(results: Results, n: int, n_rows: int) -> None:
    if not installed("pgmpy"):
        results.absent("fitting", "pgmpy")
        return
    import pandas as pd
    from pgmpy.models import LinearGaussianBayesianNetwork

    model = network(n)
    table = model.sample(n_rows, rng=np.random.default_rng(SEED))
    names = table.schema.names
    frame = pd.DataFrame(dict(zip(names, table.columns, strict=True)))
    peer = LinearGaussianBayesianNetwork(model.dag.edges())
    shown = f"{n} variables, {n_rows:,} rows"
    theirs = first_seconds(lambda: peer.fit(frame))
    ours = seconds(lambda: tw.fit(model.dag, tw.moments(table)), 3)
    results.add("fit, moments included", shown, ours, "pgmpy", theirs)
    theirs = first_seconds(peer.to_joint_gaussian)
    results.add("joint covariance", f"{n} variables", seconds(model.covariance, 3), "pgmpy", theirs)


def main() -> None:
    one_thread()
    results = Results("Gaussian networks")
    beside_numpy(results, 1000, 10)
    beside_numpy(results, 1000, 100)
    beside_numpy(results, 1000, 500)
    beside_pgmpy(results, 100, 5_000)
    results.finish()


if __name__ == "__main__":
    main()

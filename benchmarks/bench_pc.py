"""PC from a loaded table to the equivalence class, beside peers that have it; and what it finds.

python benchmarks/bench_pc.py                # skeleton and PC at 10,000 rows, ratios to peers
python benchmarks/bench_pc.py --large        # 1,000 variables, 5,000 rows: PC and hybrid
"""

from __future__ import annotations

import resource
import sys
import warnings

import numpy as np
from common import (
    Results,
    console,
    duration,
    first_seconds,
    folder,
    frame_of,
    installed,
    network_rows,
    one_thread,
    pyagrum_learner,
    seconds,
)

import treewright as tw
from treewright.learners.independence.skeleton import find_skeleton

ALPHA = 0.01


def ours(table: tw.Table) -> tw.learners.LearnedPc:
    return tw.learn_pc(tw.GTest(tw.count(table), ALPHA))


def skeleton(table: tw.Table) -> object:
    return find_skeleton(tw.GTest(tw.count(table), ALPHA))


def pgmpy_pc(table: tw.Table) -> float:
    """pgmpy's PC-stable with its likelihood-ratio test, sets of up to three."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        from pgmpy.estimators import PC

        search = PC(frame_of(table))
        options = {"variant": "stable", "ci_test": "g_sq", "max_cond_vars": 3, "significance_level": ALPHA}
        quiet = {"return_type": "cpdag", "n_jobs": 1, "show_progress": False}
        return first_seconds(lambda: search.estimate(**options, **quiet))


def causal_learn_pc(table: tw.Table) -> float:
    """causal-learn's PC-stable with its G test; it has no bound on the sets."""
    from causallearn.search.ConstraintBased.PC import pc

    rows = np.stack(table.columns, axis=1).astype(np.int64)
    return first_seconds(lambda: pc(rows, ALPHA, "gsq", stable=True, show_progress=False, verbose=False))


def pyagrum_pc(table: tw.Table) -> float:
    """pyAgrum's PC-stable with its G test, sets of up to three."""
    learner = pyagrum_learner(table)
    learner.usePC()
    learner.useG2Test()
    learner.setPCAlpha(ALPHA)
    learner.setPCMaxCondSetSize(3)
    learner.setPCStable(True)
    return first_seconds(learner.learnPDAG)


PEERS = (
    ("pgmpy", "pgmpy PC", pgmpy_pc),
    ("causallearn", "causal-learn PC", causal_learn_pc),
    ("pyagrum", "pyAgrum PC", pyagrum_pc),
)


def measure(results: Results, name: str, peers: bool) -> None:
    table, shown = network_rows(name, 10_000)
    mine = seconds(lambda: ours(table), 7)
    console.print(f"{shown}: skeleton {duration(seconds(lambda: skeleton(table), 7))}, PC {duration(mine)}")
    for package, label, peer in PEERS if peers else ():
        if installed(package):
            results.add("PC", shown, mine, label, peer(table), 10)
        else:
            results.absent("PC", package)


def quality(name: str) -> None:
    """Structural errors of each rule against the network that made the rows, and the tests of each level."""
    where = folder()
    if where is None and name != "alarm":
        return
    network = tw.load_network(name) if where is None else tw.read_model(where / "networks" / f"{name}.bif.gz")
    errors: dict[str, list[int]] = {}
    for seed in range(3):
        counter = tw.count(network.sample(10_000, rng=np.random.default_rng(seed)))
        test = tw.GTest(counter, ALPHA)
        for rule in ("contest", "first", "majority", "conservative"):
            learned = tw.learn_pc(test, collider_rule=rule)
            errors.setdefault(rule, []).append(tw.shd(tw.Cpdag.of(network.dag), learned.structure))
        scored = tw.learn_pc(test, collider_rule="score", score=tw.BIC(counter))
        errors.setdefault("score", []).append(tw.shd(tw.Cpdag.of(network.dag), scored.structure))
    shown = ", ".join(f"{rule} {np.mean(found):.1f}" for rule, found in errors.items())
    levels = [phase.tallies["tests"] for phase in learned.trace.phases if phase.name.startswith("level")]
    console.print(f"{name}: mean SHD of three samples: {shown}; tests by level {levels}")


def sparse_rows(n: int, n_arcs: int, n_rows: int) -> tw.Table:
    """Rows of a random DAG without hubs, with random tables."""
    rng = np.random.default_rng(0)
    dag = tw.networks.random_dag(n, n_arcs=n_arcs, states=(2, 4), rng=rng)
    states = dag.schema.cardinalities
    columns = [np.zeros(n_rows, np.int64)] * n
    for v in dag.topological_order:
        parents = dag.parents(v)
        row = np.zeros(n_rows, np.int64)
        for p in parents:
            row = row * states[p] + columns[p]
        table = rng.dirichlet(np.full(states[v], 0.5), size=int(np.prod([states[p] for p in parents])))
        columns[v] = (rng.random(n_rows)[:, None] > table.cumsum(axis=1)[row, :-1]).sum(axis=1)
    return tw.Table(dag.schema, [column.astype(np.uint8) for column in columns])


def large() -> None:
    """A thousand variables with 1,500 arcs, 5,000 rows."""
    table = sparse_rows(1000, 1500, 5_000)
    console.print(f"PC, 1,000 x 5,000: {duration(first_seconds(lambda: ours(table)))}")
    score = tw.BIC(tw.count(table))
    console.print(f"hybrid, 1,000 x 5,000: {duration(first_seconds(lambda: tw.learn_hybrid(score)))}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    console.print(f"peak memory {peak:.0f} MiB")


def main() -> None:
    one_thread()
    if "--large" in sys.argv:
        large()
        return
    results = Results("PC, G test, alpha 0.01, sets of up to three, 10,000 rows, one thread")
    measure(results, "alarm", peers="--alone" not in sys.argv)
    measure(results, "andes", peers=False)
    for name in ("alarm", "hailfinder", "hepar2", "win95pts", "andes"):
        quality(name)
    results.finish()


if __name__ == "__main__":
    main()

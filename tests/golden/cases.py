"""Every method on small samples of the example networks: what is learned has to stay the same to the bit."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw
from treewright import graphs, learners

METHODS = [
    "bounded",
    "chow-liu",
    "hill-climbing",
    "hybrid",
    "knots",
    "tabu",
    "chains",
    "thin-junction-tree",
    "aggressive",
    "pc",
    "tpda",
    "blocks",
    "separation-tree",
    "bjp",
    "ib",
    "mpl",
    "l1",
    "lem",
    "cutset",
    "hidden-tree",
    "mixture",
]
SLOW_ON_ALARM = {"l1", "lem"}  # half a minute and more
CONTINUOUS = [
    "bounded",
    "chow-liu",
    "hill-climbing",
    "hybrid",
    "knots",
    "tabu",
    "chains",
    "thin-junction-tree",
    "aggressive",
    "pc",
    "tpda",
    "blocks",
    "separation-tree",
]


@cache
def rows(network: str) -> tw.Table:
    """A sample of an example network, or of a random one of continuous variables."""
    if network == "lines":
        return _lines()
    n = {"asia": 1_000, "alarm": 500}[network]
    return tw.load_network(network).sample(n, rng=np.random.default_rng(len(network)))


def _lines() -> tw.Table:
    """Twelve continuous columns, each around a line of up to two earlier ones."""
    rng = np.random.default_rng(12)
    columns: dict[str, np.ndarray] = {}
    for i in range(12):
        parents = list(columns)[max(0, i - 3) : i : 2]
        columns[f"x{i}"] = sum((columns[p] for p in parents), rng.normal(size=400))
    return tw.read_table(columns)


def learn_by_command(network: str, method: str) -> dict[str, Any]:
    """What `treewright learn` says and writes."""
    from typer.testing import CliRunner

    from treewright.cli.app import app

    with tempfile.TemporaryDirectory() as folder:
        data, model = Path(folder) / "rows.parquet", Path(folder) / "m.twm"
        rows(network).to_pandas().to_parquet(data)
        effort = ["--effort", "0"] if method == "mixture" else []
        command = ["learn", str(data), "-m", method, "-o", str(model), "--seed", "1", "--json", *effort]
        result = CliRunner().invoke(app, command, catch_exceptions=False)
        assert result.exit_code == 0, result.output
        said = json.loads(result.stdout)
        content = json.loads(model.read_text(encoding="utf-8"))
    beside = {"provenance", "checksum", "undirected"}  # the last follows from the arcs; its own tests hold it
    content = {key: part for key, part in content.items() if key not in beside}
    return {
        "edges": said["edges"],
        "score": exact(said["score"]),
        "log_likelihood": exact(said["log_likelihood"]),
        "model": digest(content),
    }


def exact(number: float | None) -> str | None:
    return None if number is None else float(number).hex()


def digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def shape(structure: Any, score: float | None = None, **more: object) -> dict[str, Any]:
    """Edges of any graph, beside figures."""
    found = structure.to_undirected() if isinstance(structure, tw.FeatureGraph) else structure
    if isinstance(found, tw.Cpdag):
        edges = {"directed": found.directed_edges(), "undirected": found.undirected_edges()}
        return {**edges, "score": exact(score), **more}
    return {"edges": [list(pair) for pair in found.edges()], "score": exact(score), **more}


def counter(network: str = "asia") -> tw.Counter:
    return tw.count(rows(network))


def halves(network: str = "asia") -> tuple[tw.Counter, tw.Counter]:
    n = rows(network).n_rows // 2
    table = rows(network)
    return tw.count(table.take(np.arange(n))), tw.count(table.take(np.arange(n, table.n_rows)))


def _class_search() -> dict[str, Any]:
    found = learners.class_search(tw.SparseQNML(counter("alarm")))
    return shape(found.structure, found.score)


def _exact() -> dict[str, Any]:
    found = learners.learn_exact(tw.BDeu(counter()))
    return shape(found.structure, found.score)


def _tabu() -> dict[str, Any]:
    found = learners.learn_tabu(tw.BIC(counter("alarm")))
    return shape(found.structure, tw.BIC(counter("alarm")).score(found.structure))


def _dag_climbing() -> dict[str, Any]:
    found = learners.learn_dag_climbing(tw.K2(counter("alarm")))
    return shape(found.structure, tw.K2(counter("alarm")).score(found.structure))


def _narrow() -> dict[str, Any]:
    score = tw.BIC(counter("alarm"))
    found = tw.learn_bounded_treewidth(score, treewidth=2, effort=2, rng=np.random.default_rng(3))
    return shape(found.structure, found.score, clusters=[list(c) for c in found.certificate.clusters])


def _path() -> dict[str, Any]:
    path = learners.trace_widths(tw.BIC(counter("alarm")), 4, rng=np.random.default_rng(3))
    return {str(one.width): shape(one.structure, one.score) for one in path}


def _paper_knots() -> dict[str, Any]:
    found = learners.learn_paper_knots(counter("alarm"), rng=np.random.default_rng(4))
    return shape(found.structure)


def _fast_knots() -> dict[str, Any]:
    found = tw.learn_knots(counter("alarm"), fast=True)
    return shape(found.structure)


def _hypergraph() -> dict[str, Any]:
    names = rows("asia").schema.names
    sets = [names[i : i + 4] for i in range(0, 8, 2)]
    found = learners.learn_in_hypergraph(tw.BIC(counter()), sets)
    return shape(found.structure, found.score)


def _one_tree() -> dict[str, Any]:
    dag = tw.load_network("alarm").dag
    tree = tw.separation_tree_from_hypergraph(
        dag.schema, [(child, *dag.parents(child)) for child in dag.schema.names]
    )
    found = tw.learn_by_separation_tree(tree, tw.GTest(counter("alarm"), alpha=0.01))
    return shape(found.structure)


def _oracle_tree() -> dict[str, Any]:
    dag = tw.load_network("alarm").dag
    tree = tw.separation_tree_from_hypergraph(
        dag.schema, [(child, *dag.parents(child)) for child in dag.schema.names]
    )
    return shape(tw.learn_by_separation_tree(tree, tw.DSeparationOracle(dag)).structure)


def _databases() -> dict[str, Any]:
    names = rows("asia").schema.names
    whole = rows("asia")
    parts = [
        whole.select(names[:5]),
        whole.select(names[3:]),
        whole.select([names[0], names[2], *names[4:7]]),
    ]
    found = tw.learn_from_databases(parts)
    return shape(found.structure)


def _induction() -> dict[str, Any]:
    found = learners.learn_feature_induction(*halves())
    return shape(
        found.structure, None, features=[str(f) for f in found.features], model=digest(found.weights.tolist())
    )


def _lasso() -> dict[str, Any]:
    return shape(learners.learn_graphical_lasso(counter()).structure)


def _pac() -> dict[str, Any]:
    return shape(learners.learn_pac_junction_tree(counter(), treewidth=2).structure)


def _grow_shrink() -> dict[str, Any]:
    return shape(learners.learn_grow_shrink_network(tw.GTest(counter(), alpha=0.05)).structure)


def _bag() -> dict[str, Any]:
    found = learners.learn_cutset_bag(counter(), n_networks=4, rng=np.random.default_rng(5))
    return shape(found.structure, tw.FeatureNetwork(found.structure).score(rows("asia")))


def _confidence() -> dict[str, Any]:
    found = learners.edge_confidence(
        rows("asia"),
        lambda drawn: tw.learn_hill_climbing(tw.BIC(tw.count(drawn))),
        repetitions=20,
        rng=np.random.default_rng(6),
    )
    return {"confidence": digest(found.to_dict())}


def _posterior() -> dict[str, Any]:
    score = tw.MarginalPseudoLikelihood(counter())
    found = learners.sample_edges(score, steps=2_000, rng=np.random.default_rng(7))
    return shape(found.best, found.acceptance, posterior=digest(found.to_dict()))


def _chosen() -> dict[str, Any]:
    found = learners.choose_score(counter("alarm"))
    return {"chosen": found.name}


def _sigmoid() -> dict[str, Any]:
    score = tw.SigmoidBIC(rows("lines").select([f"x{i}" for i in range(5)]))
    found = tw.learn_hill_climbing(score)
    return shape(found.structure, score.score(found.structure))


def _triangulation() -> dict[str, Any]:
    return shape(graphs.triangulate(tw.load_network("alarm").dag.moral_graph()).graph)


CALLS: dict[str, Callable[[], dict[str, Any]]] = {
    name.removeprefix("_"): made
    for name, made in list(globals().items())
    if callable(made) and name.startswith("_") and name not in {"_lines"} and not name.startswith("__")
}
CASES: dict[str, Callable[[], dict[str, Any]]] = {
    **{f"call:{name}": made for name, made in CALLS.items()},
    **{
        f"{network}:{method}": (lambda network=network, method=method: learn_by_command(network, method))
        for network, methods in (
            ("asia", METHODS),
            ("alarm", [m for m in METHODS if m not in SLOW_ON_ALARM]),
            ("lines", CONTINUOUS),
        )
        for method in methods
    },
}

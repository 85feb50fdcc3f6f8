"""Parts of classifiers beside their definitions."""

import numpy as np
import pytest
from scipy.optimize import minimize

import treewright as tw
from treewright.models.classifying.backoff import backed_off, smoothed_network
from treewright.models.classifying.members import Committee, NetworkMember, NormalNaive
from treewright.models.classifying.pool import _CENTRE, _LUCK, _ONE, pool_weights
from treewright.models.model import align_evidence
from treewright.statistics import mutual_information


def plain_loss(weights, opinions, truth, heavy):
    """What pool_weights makes small, by loops."""
    told = [
        sum(h * said[r][c] for r, (c, h) in enumerate(zip(truth, heavy, strict=True))) for said in opinions
    ]
    odds = [np.exp((one - max(told)) / _LUCK) for one in told]
    centre = [one * sum(weights) / sum(odds) for one in odds]
    value = _CENTRE * sum((w - c) ** 2 for w, c in zip(weights, centre, strict=True))
    value += _ONE * (sum(weights) - 1) ** 2
    for r, (c, h) in enumerate(zip(truth, heavy, strict=True)):
        logs = sum(w * said[r] for w, said in zip(weights, opinions, strict=True))
        value -= h * (logs[c] - np.log(np.exp(logs).sum()))
    return value


@pytest.mark.parametrize("n", [3, 40, 400])
def test_weights_of_a_pool_are_the_best(n):
    rng = np.random.default_rng(n)
    opinions = list(np.log(rng.dirichlet([0.5, 0.5, 0.5], size=(3, n))))
    truth = np.array([rng.choice(3, p=np.exp(said)) for said in opinions[0]])
    heavy = rng.uniform(0.5, 2.0, n)
    found = pool_weights(opinions, truth, heavy)
    searches = (
        minimize(
            plain_loss,
            start,
            args=(opinions, truth, heavy),
            bounds=[(0, 4)] * 3,
            method="Nelder-Mead",
            options={"xatol": 1e-6, "fatol": 1e-9, "maxiter": 4_000},
        )
        for start in ([0.3, 0.3, 0.3], [0.8, 0.1, 0.1])
    )
    best = min(searches, key=lambda search: search.fun)
    assert plain_loss(found, opinions, truth, heavy) <= best.fun + 1e-4
    np.testing.assert_allclose(found, best.x, atol=5e-3)


def test_a_committee_is_the_average_of_its_networks():
    rng = np.random.default_rng(0)
    rows = tw.read_table({name: rng.integers(0, 2, 30) for name in "aby"})
    shapes = [[("y", "a")], [("y", "a"), ("a", "b"), ("y", "b")], [("y", "a")]]
    dags = [tw.Dag(rows.schema, arcs) for arcs in shapes]
    fitted = {dag: NetworkMember.of(tw.fit(dag, tw.count(rows), prior=tw.Dirichlet(1.0)), 2) for dag in dags}
    committee = Committee.of(dags, fitted.__getitem__)
    assert len(committee.networks) == 2
    shown = align_evidence(
        rows.schema, tw.read_table({"a": [0, 1, None], "b": [1, None, None]}, missing="em")
    )
    each = [np.exp(fitted[dag].log_posterior(shown)) for dag in dags]
    np.testing.assert_allclose(np.exp(committee.log_posterior(shown)), np.mean(each, axis=0), rtol=1e-12)


def test_numbers_lean_on_all_classes():
    """`smoothing` rows of the spread within classes, and a tenth as many at the mean of all."""
    rng = np.random.default_rng(1)
    y = np.array([0] * 30 + [1] * 6)
    x = rng.normal(size=36) * (1 + 2 * y) + 4 * y
    member, smoothing = NormalNaive.of(tw.read_table({"x": x, "y": y}), 1, 3.0), 3.0
    centre = x.mean()
    within = sum(((x[y == c] - x[y == c].mean()) ** 2).sum() for c in (0, 1)) / 36
    for c in (0, 1):
        own = x[y == c]
        mean = centre + (own - centre).sum() / (len(own) + 0.1 * smoothing)
        spread = (((own - mean) ** 2).sum() + smoothing * within) / (len(own) + smoothing)
        assert member.means[c, 0] == pytest.approx(mean)
        assert member.scales[c, 0] == pytest.approx(np.sqrt(spread))


def test_a_column_of_gaps_says_nothing():
    schema = tw.Schema([tw.Variable("x"), tw.Variable("z", (0, 1)), tw.Variable("y", (0, 1))])
    y = np.arange(20) % 2
    gone = np.ones(20, dtype=bool)
    rows = tw.Table(schema, [np.zeros(20), np.zeros(20, dtype=np.int64), y], missing={"x": gone, "z": gone})
    member = NormalNaive.of(rows, 2, 1.0)
    shown = tw.read_table({"x": [0.5, 3.0], "z": [0, 1]}, schema=schema.select(["x", "z"]))
    np.testing.assert_allclose(np.exp(member.log_posterior(align_evidence(schema, shown))), 0.5)


def test_parents_that_tell_least_are_dropped_first():
    rng = np.random.default_rng(0)
    a, b, c = (rng.integers(0, 2, 60) for _ in range(3))
    y = np.where(rng.random(60) < 0.9, a, b)
    table = tw.read_table({"c": c, "a": a, "b": b, "y": y, "z": rng.integers(0, 3, 60)})
    counter = tw.count(table)
    dag = tw.Dag(table.schema, [("a", "y"), ("b", "y"), ("c", "y")])
    index = table.schema.index
    told = sorted("abc", key=lambda name: mutual_information(counter, name, "y"))
    assert told[-1] == "a"
    for last, order in ((), told), (("b",), [*(n for n in told if n != "b"), "b"]):
        network = smoothed_network(dag, counter, 2.0, [index(name) for name in last])
        expected = backed_off(np.asarray(counter.counts((*order, "y")), dtype=float), 2.0)
        parents = dag.parents("y")
        np.testing.assert_allclose(
            network.tables[index("y")], expected.transpose([*(order.index(p) for p in parents), 3])
        )

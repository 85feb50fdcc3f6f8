"""Sigmoid networks: the likelihood of the score, draws, what is exact, estimates and refusals."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import treewright as tw
from treewright import _core
from treewright.errors import GraphError, ImpossibleEvidence, NoExactAnswer, SchemaError


def sigma(z):
    return 1 / (1 + np.exp(-z))


@pytest.fixture
def model():
    """x -> y <- u, y -> z."""
    schema = tw.Schema([tw.Variable(name) for name in "xuyz"])
    dag = tw.Dag(schema, [("x", "y"), ("u", "y"), ("y", "z")])
    return tw.models.SigmoidNetwork(
        dag,
        [
            tw.statistics.SigmoidFamily("x", (), 1.0, 0.0, 0.0, (), 1.0),
            tw.statistics.SigmoidFamily("u", (), 0.0, 0.0, 0.0, (), 4.0),
            tw.statistics.SigmoidFamily("y", ("x", "u"), -1.0, 4.0, 0.5, (2.0, -1.0), 0.25),
            tw.statistics.SigmoidFamily("z", ("y",), 0.0, -3.0, 0.0, (1.5,), 0.5),
        ],
    )


def test_densities_by_hand(model):
    rows = model.sample(50, rng=np.random.default_rng(0))
    x, u, y, z = rows.columns
    expected = sum(
        -0.5 * (np.log(2 * np.pi * s2) + (value - mean) ** 2 / s2)
        for value, mean, s2 in (
            (x, 1.0, 1.0),
            (u, 0.0, 4.0),
            (y, -1 + 4 * sigma(0.5 + 2 * x - u), 0.25),
            (z, -3 * sigma(1.5 * y), 0.5),
        )
    )
    assert np.allclose(model.log_probability(rows), expected, rtol=1e-12)
    assert model.score(rows) == pytest.approx(expected.mean())
    assert np.allclose(model.conditional_mean(rows, "y"), -1 + 4 * sigma(0.5 + 2 * x - u))
    assert model.conditional_mean(rows, "x").tolist() == [1.0] * 50
    assert model.conditional_variance("z") == 0.5
    # far out, nothing overflows
    far = tw.Table(rows.schema, [[1e6, -1e6], [0.0, 0.0], [3.0, -1.0], [0.0, 0.0]])
    assert model.conditional_mean(far, "y").tolist() == [3.0, -1.0]
    assert np.isfinite(model.log_probability(far)).all()


def test_the_likelihood_of_a_fit_is_that_of_the_score(model):
    table = model.sample(400, rng=np.random.default_rng(1))
    fitted = tw.models.fit_sigmoid(model.dag, table)
    score = tw.SigmoidBIC(table)
    likelihood = float(fitted.log_probability(table).sum())
    assert score.score(model.dag) == pytest.approx(
        likelihood - 0.5 * math.log(400) * fitted.n_parameters, rel=1e-9
    )
    assert fitted.n_parameters == 2 + 2 + 6 + 5
    assert fitted.score(table) >= model.score(table)
    fit = score.fit_family("y", ("u", "x"))
    assert fitted.family("y").w == fit.w
    assert (fitted.family("y").th0, fitted.family("y").s2) == (fit.th0, fit.s2)


def test_a_fit_does_not_depend_on_the_order_of_columns(model):
    table = model.sample(200, rng=np.random.default_rng(2))
    turned = table.reordered(list("zyux"))
    other = tw.models.fit_sigmoid(tw.Dag(turned.schema, model.dag.edges()), turned)
    fitted = tw.models.fit_sigmoid(model.dag, table)
    assert all(other.family(name) == fitted.family(name) for name in "xuyz")


def test_weighted_rows_count_that_often(model):
    table = model.sample(100, rng=np.random.default_rng(3))
    twice = tw.models.fit_sigmoid(model.dag, table.take(np.repeat(np.arange(100), 2)))
    weighted = tw.models.fit_sigmoid(model.dag, table.with_weights(np.full(100, 2)))
    assert weighted.score(table) == pytest.approx(twice.score(table), rel=1e-6)


def test_samples_follow_the_model_on_any_number_of_threads(model):
    rows = model.sample(100_000, rng=np.random.default_rng(4))
    rest = rows.column("y") - model.conditional_mean(rows, "y")
    assert rest.mean() == pytest.approx(0, abs=0.01)
    assert rest.var() == pytest.approx(0.25, rel=0.02)
    try:
        _core.set_threads(3)
        assert model.sample(100_000, rng=np.random.default_rng(4)) == rows
    finally:
        _core.set_threads(0)
    assert model.sample(501, rng=np.random.default_rng(4)) == rows.head(501)
    fixed = model.sample(10, given={"x": 0.5, "u": 1.0}, rng=np.random.default_rng(4))
    assert set(fixed.column("x").tolist()) == {0.5}


def test_what_is_exact(model):
    answer = model.query("y", given={"x": 0.0, "u": 0.5})
    assert (answer.mean, answer.variance) == (pytest.approx(1.0), 0.25)
    assert model.query(["z"], given={"y": 0.0, "x": 7.0}).mean == -1.5
    assert model.query("x", given={"u": 2.0}).mean == 1.0


@pytest.mark.parametrize(
    ("target", "known"),
    [
        ("y", {"x": 0.0}),
        ("y", {"x": 0.0, "u": 0.5, "z": 1.0}),
        ("x", {"z": 1.0}),
        (["x", "u"], {}),
        ("x", {"x": 1.0}),
    ],
)
def test_what_is_not_is_refused(model, target, known):
    with pytest.raises(NoExactAnswer, match="a sigmoid network has no exact distribution of"):
        model.query(target, given=known)


def test_refusals_show_the_way_out(model):
    with pytest.raises(NoExactAnswer) as refusal:
        model.sample(3, given={"y": 1.0, "u": 0.0}, rng=np.random.default_rng(0))
    assert str(refusal.value) == (
        "a sigmoid network has no exact draws given y, whose parent x is not given; it has some where the "
        "parents of whatever is given are given too. query_by_sampling estimates it, and tw.fit(dag, "
        "tw.moments(table)) gives a Gaussian network, which answers every question exactly"
    )
    with pytest.raises(NoExactAnswer, match="no exact distributions of all variables"):
        model.marginals()
    with pytest.raises(NoExactAnswer, match="no exact most probable values"):
        model.mpe({"x": 1.0})


def test_estimates_find_the_posterior(model):
    known = {"z": -2.5, "u": 0.0}
    answer = model.query_by_sampling(["x", "y"], known, n=200_000, rng=np.random.default_rng(5))
    # by quadrature over x and y
    x, y = np.meshgrid(np.linspace(-5, 7, 1201), np.linspace(-4, 6, 1001), indexing="ij")
    logs = (
        -0.5 * (x - 1) ** 2 - (y + 1 - 4 * sigma(0.5 + 2 * x)) ** 2 / 0.5 - (-2.5 + 3 * sigma(1.5 * y)) ** 2
    )
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    for name, grid in (("x", x), ("y", y)):
        mean = float((weights * grid).sum())
        assert abs(answer.means[name] - mean) < 5 * answer.standard_errors[name] + 1e-3
        assert answer.variances[name] == pytest.approx(float((weights * (grid - mean) ** 2).sum()), rel=0.05)
    assert 1000 < answer.effective_rows < answer.n_rows == 200_000


def test_estimates_without_evidence_are_plain_means(model):
    answer = model.query_by_sampling("u", n=10_000, rng=np.random.default_rng(6))
    assert answer.effective_rows == pytest.approx(10_000)
    assert answer.log_density_of_evidence == 0
    assert answer.means["u"] == pytest.approx(0, abs=5 * answer.standard_errors["u"])
    with pytest.raises(SchemaError, match="an estimate needs two rows at least; asked for 1"):
        model.query_by_sampling("u", n=1, rng=np.random.default_rng(6))
    with pytest.raises(ImpossibleEvidence, match="what is given has no weight in any of 10 rows drawn"):
        model.query_by_sampling("u", {"x": 1e200}, n=10, rng=np.random.default_rng(6))


def test_it_is_a_value(model, tmp_path):
    assert pickle.loads(pickle.dumps(model)) == model
    model.save(tmp_path / "m.twm")
    assert tw.load(tmp_path / "m.twm") == model
    assert hash(model) == hash(tw.load(tmp_path / "m.twm"))
    assert model != 3
    assert repr(model) == "<SigmoidNetwork: 4 variables, 3 arcs, 15 parameters>"
    assert model.structure == model.dag
    assert '"x" -> "y";' in model.to_dot()
    networkx = pytest.importorskip("networkx")
    graph = model.to_networkx()
    assert isinstance(graph, networkx.DiGraph)
    assert graph.edges["u", "y"] == {"w": -1.0}
    assert graph.nodes["z"] == {"th0": 0.0, "th1": -3.0, "b": 0.0, "s2": 0.5}


def test_families_that_do_not_fit_are_refused():
    schema = tw.Schema([tw.Variable("x"), tw.Variable("y")])
    dag = tw.Dag(schema, [("x", "y")])
    root = tw.statistics.SigmoidFamily("x", (), 0, 0, 0, (), 1)
    for family, message in (
        (
            tw.statistics.SigmoidFamily("y", (), 0, 1, 0, (), 1),
            r"needs one weight for each of its parents \('x'\); found 0 for none",
        ),
        (
            tw.statistics.SigmoidFamily("y", ("x",), 0, 1, 0, (1.0,), 0.0),
            "needs finite numbers and a positive variance s2",
        ),
        (
            tw.statistics.SigmoidFamily("z", ("x",), 0, 1, 0, (1.0,), 1.0),
            "every variable needs one family; found none for 'y'",
        ),
        (root, "every variable needs one family; found none for 'y'"),
    ):
        with pytest.raises(SchemaError, match=message):
            tw.models.SigmoidNetwork(dag, [root, family])
    table = tw.Table(schema, [[0.0, 1.0], [0.5, 2.0]])
    with pytest.raises(GraphError, match="fit_sigmoid puts sigmoids on a Dag; found UndirectedGraph"):
        tw.models.fit_sigmoid(dag.skeleton(), table)
    with pytest.raises(SchemaError, match="a sigmoid network is fitted to one row at least; found 0"):
        tw.models.fit_sigmoid(dag, table.head(0))
    with pytest.raises(SchemaError, match="the model needs a column 'y', which the table lacks"):
        tw.models.fit_sigmoid(dag, table.select(["x"]))

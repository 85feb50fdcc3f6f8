"""Variables with more parents than an array has axes: those of one state go without one."""

import numpy as np
import pytest

import treewright as tw
from treewright.limits import table_axes
from treewright.models import read_model, write_model

N_CONSTANTS = 70
CONSTANTS = [f"p{i:02d}" for i in range(N_CONSTANTS)]


@pytest.fixture(scope="module")
def table():
    rows = {name: ["only"] * 40 for name in CONSTANTS}
    return tw.read_table({**rows, "x": ["u", "u", "v", "w"] * 10, "y": ["a", "b"] * 20})


@pytest.fixture(scope="module")
def dag(table):
    return tw.Dag(table.schema, [*((name, "y") for name in CONSTANTS), ("x", "y")])


@pytest.fixture(scope="module")
def model(table, dag):
    return tw.fit(dag, tw.count(table))


@pytest.fixture(scope="module")
def plain(table):
    """The same distribution without the constant columns."""
    narrow = table.select(["x", "y"])
    return tw.fit(tw.Dag(narrow.schema, [("x", "y")]), tw.count(narrow))


def test_axes(table):
    schema = table.schema
    assert table_axes(schema, schema.scope(["x", *CONSTANTS, "y"])) == schema.scope(["x", "y"])
    assert table_axes(schema, schema.scope(["y", *CONSTANTS])) == schema.scope(["y", CONSTANTS[-1]])
    few = schema.scope(["x", *CONSTANTS[:62], "y"])
    assert table_axes(schema, few) == few


def test_counts_and_tables(table, model, plain):
    counted = tw.count(table).counts(["x", *CONSTANTS, "y"])
    assert counted.tolist() == tw.count(table).counts(["x", "y"]).tolist()
    assert model.table("y").tolist() == plain.table("y").tolist()
    assert model.n_parameters == plain.n_parameters


def test_answers(model, plain):
    given = {"x": "v", "p07": "only"}
    assert dict(model.query("y", given)) == pytest.approx(dict(plain.query("y", {"x": "v"})))
    assert dict(model.marginals(given)["y"]) == pytest.approx(dict(plain.query("y", {"x": "v"})))
    assert model.mpe(given)["y"] == plain.mpe({"x": "v"})["y"]
    rows = model.sample(50, rng=np.random.default_rng(0))
    assert (rows.n_rows, set(rows.to_dict()["p00"])) == (50, {"only"})


def test_joint_answers(model, plain):
    targets = ["x", *CONSTANTS, "y"]
    joint = model.query(targets)
    alone = plain.query(["x", "y"])
    assert len(joint) == len(alone) == 6
    for x, y in alone:
        assert joint[(x, *["only"] * N_CONSTANTS, y)] == pytest.approx(alone[x, y])
    best, same = model.marginal_map(targets), plain.marginal_map(["x", "y"])
    assert (best["x"], best["p33"], best["y"]) == (same["x"], "only", same["y"])
    assert model.joint(targets).shape == (3, 2)


def test_rows(table, model, plain):
    own = plain.log_probability(table.select(["x", "y"]))
    np.testing.assert_allclose(model.log_probability(table), own)


def test_more_rows(table, dag):
    first, second = table.shards(2)
    model = tw.fit(dag, tw.count(first), keep_counts=True).partial_fit(second)
    assert model == tw.fit(dag, tw.count(table))


@pytest.mark.parametrize("ending", ["twm", "bif", "net", "xdsl", "xml", "uai"])
def test_files(tmp_path, model, plain, ending):
    path = tmp_path / f"model.{ending}"
    if ending == "twm":
        model.save(path)
        back = tw.load(path)
        assert back == model
    else:
        write_model(model, path)
        back = read_model(path)
    name = back.schema.names[model.schema.index("y")]
    found = list(back.query(name).values())
    assert found == pytest.approx(list(plain.query("y").values()))


def test_kept_counts_in_files(tmp_path, table, dag):
    model = tw.fit(dag, tw.count(table), keep_counts=True)
    model.save(tmp_path / "model.twm")
    assert tw.load(tmp_path / "model.twm").counts == model.counts


def test_missing_values(table, dag, plain):
    fitted = tw.models.fit_em(dag, table)
    assert fitted.model.table("y").shape == plain.table("y").shape


def test_scores_and_feature_networks(table):
    counter = tw.count(table)
    assert tw.BIC(counter).local("y", ["x", *CONSTANTS]) == tw.BIC(counter).local("y", ["x"])
    learned = tw.learn_cutset_network(counter, smoothing=1.0, shrinkage=0.0, min_rows=5)
    joint = tw.FeatureNetwork(learned.structure).query(["x", *CONSTANTS, "y"])
    assert sum(joint.values()) == pytest.approx(1)

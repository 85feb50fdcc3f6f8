"""Mixed tables on the command line: kept as they are or cut, asked, saved and refused."""

import json

import numpy as np
import pytest
from tests.automatic.test_mixed import clouds

import treewright as tw


@pytest.fixture
def rows(tmp_path):
    table = clouds()
    lines = [",".join(table), *(",".join(map(str, row)) for row in zip(*table.values(), strict=True))]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(lines))
    return path


def test_learn_and_ask(run, rows, tmp_path):
    model = tmp_path / "m.twm"
    learned = json.loads(run("learn", rows, "-o", model, "--json").output)
    assert learned["criterion"] == "sparse-mixed-bic"
    assert "stay as they are" in learned["notes"][0]
    assert learned["edges"] == [list(edge) for edge in tw.learn(clouds()).structure.edges()]
    mixed = json.loads(run("learn", rows, "--method", "mixed", "--json").output)
    assert mixed["edges"] == learned["edges"]
    network = tw.load(model)
    asked = json.loads(run("query", model, "x", "--given", "state=on", "--json").output)
    assert asked["mean"] == network.query("x", {"state": "on"}).mean
    states = json.loads(run("query", model, "state", "--given", "y=1.5", "--json").output)
    assert states["distribution"]["on"] == network.query("state", {"y": 1.5})["on"]
    every = json.loads(run("marginals", model, "--json").output)
    assert every["y"]["standard_deviation"] == network.query("y").standard_deviation
    assert every["state"]["on"] == network.query("state")["on"]
    best = json.loads(run("mpe", model, "--given", "x=0.5", "--json").output)
    assert best["values"] == dict(network.mpe({"x": 0.5}))
    for command in ("marginals", "mpe"):
        assert "state" in run(command, model, "--given", "x=0.5").output
    score = json.loads(run("score", model, rows, "--json").output)
    assert score["log_likelihood"] == pytest.approx(network.score(tw.read_table(clouds())))


def test_cut_where_only_tables_serve(run, rows):
    for options in (["--score", "bic"], ["--bins", "3"]):
        found = json.loads(run("learn", rows, "--json", *options).output)
        assert found["criterion"] != "sparse-mixed-bic"
    narrow = json.loads(run("learn", rows, "--json", "--treewidth", "1").output)
    assert (narrow["criterion"], narrow["width"]) == ("sparse-mixed-bic", 1)


def test_refusals(run, rows, tmp_path):
    found = run("learn", rows, "--method", "mixed", "--checkpoint", tmp_path / "kept", code=1)
    assert "--method mixed learns from one table of rows" in found.output
    model = tmp_path / "m.twm"
    run("learn", rows, "--method", "mixed", "-o", model)
    assert (
        "is for networks of discrete variables" in run("convert", model, tmp_path / "m.xdsl", code=1).output
    )
    assert np.isfinite(tw.load(model).score(tw.read_table(clouds())))


def test_numbers_are_set_as_states_are(run, rows, tmp_path):
    model = tmp_path / "m.twm"
    run("learn", rows, "-o", model)
    network = tw.load(model)
    number, other = network.continuous[:2]
    asked = json.loads(run("query", model, other, "--do", f"{number}=0.5", "--json").output)
    assert asked["mean"] == pytest.approx(network.do({number: 0.5}).query(other).mean)
    assert asked["assumptions"]

import numpy as np
import pytest

import treewright as tw


def test_score(run, run_json, asia_rows, asia_model):
    expected = asia_model.score(tw.read_table(asia_rows))
    found = run_json("score", "asia", asia_rows)
    assert found == {"log_likelihood": expected, "rows": 2_000, "impossible_rows": 0}
    assert float(run("score", "asia", asia_rows, "--quiet").stdout) == expected
    assert "nats per row" in run("score", "asia", asia_rows).stdout


def test_impossible_rows(run, run_json, tmp_path, asia_model):
    path = tmp_path / "a.csv"
    states = dict.fromkeys(asia_model.schema.names, "no") | {"lung": "yes"}  # either is no: impossible
    path.write_text(",".join(states) + "\n" + ",".join(states.values()) + "\n")
    assert run_json("score", "asia", path) == {"log_likelihood": None, "rows": 1, "impossible_rows": 1}
    assert "1 row with probability zero" in run("score", "asia", path).stdout
    assert run("score", "asia", path, "-q").stdout == "-inf\n"


def test_score_reads_states_by_how_they_are_written(run_json, tmp_path):
    schema = tw.Schema([tw.Variable("a", ("1", "2")), tw.Variable("b", (True, False))])
    model = tw.BayesianNetwork(tw.Dag(schema, []), [[0.5, 0.5], [0.25, 0.75]])
    model.save(tmp_path / "m.twm")
    path = tmp_path / "rows.csv"
    path.write_text("extra,b,a\nx,true,1\ny,false,2\n")
    found = run_json("score", tmp_path / "m.twm", path)
    assert found["log_likelihood"] == pytest.approx(np.mean(np.log([0.125, 0.375])))


def test_intervals_and_missing_states_are_read_again_as_they_were(run_json, tmp_path):
    path = tmp_path / "rows.csv"
    lines = [f"{i / 3:.2f},{'' if i % 10 == 0 else 'low' if i < 30 else 'high'}" for i in range(60)]
    path.write_text("\n".join(["x,y", *lines]) + "\n")
    model = tmp_path / "m.twm"
    learned = run_json("learn", path, "--bins", "3", "--missing", "state", "-o", model)
    for policy in ("state", "em"):
        found = run_json("score", model, path, "--missing", policy)
        assert found["log_likelihood"] == pytest.approx(learned["log_likelihood"])


def test_missing_cells_of_scored_rows(run_json, refused, asia_rows):
    lines = asia_rows.read_text().splitlines()
    lines[1] = "," + lines[1].partition(",")[2]
    asia_rows.write_text("\n".join(lines) + "\n")
    assert "--missing drop" in refused("score", "asia", asia_rows)
    assert run_json("score", "asia", asia_rows, "--missing", "drop")["rows"] == 1_999
    summed = run_json("score", "asia", asia_rows, "--missing", "em")
    rows = tw.read_table(asia_rows, missing="em")
    assert summed["rows"] == 2_000
    assert summed["log_likelihood"] == pytest.approx(float(tw.load_network("asia").log_evidence(rows).mean()))

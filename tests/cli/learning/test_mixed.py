"""Tables of states and numbers on the command line, uncut."""

import pytest
from tests.criteria.tests.test_mixed_tests import sampled


@pytest.mark.parametrize("method", ["pc", "mixed"])
def test_numbers_among_labels_stay(run_json, tmp_path, method):
    rows = tmp_path / "rows.csv"
    sampled(3_000).to_pandas().to_csv(rows, index=False)
    found = run_json("learn", rows, "--method", method, "-o", tmp_path / "m.twm")
    assert {tuple(edge) for edge in found["edges"]} == {("a", "v"), ("a", "z"), ("b", "z"), ("z", "w")}
    asked = run_json("query", tmp_path / "m.twm", "z", "--given", "a=x", "--given", "b=p")
    assert abs(asked["mean"]) < 0.2


@pytest.mark.parametrize("method", ["mixed", "auto"])
def test_a_bound_on_the_width_is_kept_and_proved(run_json, tmp_path, method):
    rows, model = tmp_path / "rows.csv", tmp_path / "m.twm"
    sampled(3_000).to_pandas().to_csv(rows, index=False)
    found = run_json("learn", rows, "--method", method, "--treewidth", "1", "-o", model)
    assert found["width"] == 1
    assert {tuple(edge) for edge in found["edges"]} < {("a", "v"), ("a", "z"), ("b", "z"), ("z", "w")}
    proved = run_json("verify", model)
    assert (proved["valid"], proved["width"], proved["bound"], proved["certificate"]) == (
        True,
        1,
        1,
        "stored",
    )
    assert run_json("learn", rows, "--method", method)["width"] == 2

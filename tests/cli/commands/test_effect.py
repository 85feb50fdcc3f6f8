import numpy as np
import pytest

import treewright as tw


def test_an_effect_says_what_it_rests_on(run, run_json, asia_model):
    found = run_json("effect", "asia", "bronc", "dysp")
    told = asia_model.effect("bronc", "dysp")
    assert (found["treatment"], found["outcome"], found["adjusted_for"]) == ("bronc", "dysp", ["either"])
    assert found["distributions"]["yes"] == told["yes"].dict()
    assert found["assumptions"] == list(told.assumptions)
    text = run("effect", "asia", "bronc", "dysp").stdout
    assert text.startswith("dysp given do(bronc)")
    assert "if every arc is a cause" in text
    assert run("effect", "asia", "bronc", "dysp", "--quiet").stdout.startswith("dysp given do(bronc)\n")


def test_a_set_to_adjust_for(run_json, refused):
    found = run_json("effect", "asia", "bronc", "dysp", "--adjust-for", "smoke")
    assert found["adjusted_for"] == ["smoke"]
    assert "{either} does" in refused("effect", "asia", "bronc", "dysp", "--adjust-for", "xray")
    hidden = run_json("effect", "asia", "bronc", "dysp", "--hidden", "either")
    assert hidden["adjusted_for"] == ["lung"]
    assert hidden["front_door"] is None
    both = ("--class", "--adjust-for", "smoke")
    assert "leave --adjust-for out" in refused("effect", "asia", "smoke", "lung", *both)


def test_effects_over_a_class(run, run_json):
    found = run_json("effect", "asia", "smoke", "lung", "--class")
    assert found["members"] == 6
    assert [one["parents"] for one in found["effects"]] == [[], ["bronc"], ["lung"]]
    assert "in 6 members of the class" in run("effect", "asia", "smoke", "lung", "--class").stdout


def test_lines_have_a_slope(run_json, refused, tmp_path):
    schema = tw.Schema([tw.Variable(name) for name in "xy"])
    model = tw.GaussianNetwork(tw.Dag(schema, [("x", "y")]), [1, 2], {"y": {"x": 3.0}}, [1, 1])
    model.save(tmp_path / "lines.twm")
    found = run_json("effect", tmp_path / "lines.twm", "x", "y")
    assert (found["slope"], found["intercept"]) == (3.0, 2.0)
    rows = tw.load_network("asia").sample(100, rng=np.random.default_rng(0))
    tw.fit(tw.UndirectedGraph(rows.schema, []), tw.count(rows)).save(tmp_path / "lots.twm")
    for asked in (("effect", "smoke", "lung"), ("query", "lung", "--do", "smoke=yes")):
        command, *rest = asked
        assert "found a MarkovNetwork" in refused(command, tmp_path / "lots.twm", *rest)


def test_a_query_after_setting(run_json, asia_model):
    found = run_json("query", "asia", "dysp", "--do", "bronc=yes", "--do", "smoke=no", "-g", "xray=yes")
    answer = asia_model.do(bronc="yes", smoke="no").query("dysp", {"xray": "yes"})
    assert found["distribution"]["yes"] == pytest.approx(answer["yes"], abs=1e-12)

import pytest

import treewright as tw


@pytest.fixture
def learned_file(run, asia_rows, tmp_path):
    run("learn", asia_rows, "-o", tmp_path / "learned.twm")
    return tmp_path / "learned.twm"


def test_document(run_json, learned_file, asia_model):
    found = run_json("compare", "asia", learned_file)
    expected = tw.compare(asia_model, tw.load(learned_file))
    assert found["shd"] == expected.shd
    assert found["hamming"] == expected.hamming
    assert {"tp", "fp", "fn", "precision", "recall", "f1", "dist"} <= found["skeleton"].keys()
    assert found["skeleton"]["f1"] == expected.skeleton.f1
    assert found["treewidths"] == [2, 2]


def test_a_model_is_itself(run, run_json, asia_file):
    assert run_json("compare", asia_file, "asia")["shd"] == 0
    text = run("compare", "asia", asia_file).stdout
    assert text.startswith("structural Hamming distance 0\n")
    assert "difference" not in text


def test_for_people_and_scripts(run, learned_file):
    text = run("compare", "asia", learned_file).stdout
    assert "missed" in text
    assert "F1" in text
    lines = dict(line.split("\t") for line in run("compare", "asia", learned_file, "-q").stdout.splitlines())
    assert set(lines) >= {"shd", "hamming", "f1"}


def test_long_lists_are_cut_for_people(run, tmp_path):
    alarm = tw.load_network("alarm")
    empty = tw.fit(tw.Dag(alarm.schema, []), tw.count(tw.Table(alarm.schema, [[]] * 37)))
    empty.save(tmp_path / "empty.twm")
    text = run("compare", "alarm", tmp_path / "empty.twm").stdout
    assert "and 26 more differences; --json lists them all" in text


def test_refusals(refused, tmp_path, asia_file):
    assert "speak of different variables" in refused("compare", "alarm", asia_file)
    assert "there is no model file" in refused("compare", tmp_path / "no.twm", asia_file)


def test_formats_of_other_programs(tmp_path, asia_file, run_json, asia_model):
    path = tmp_path / "asia.bif"
    tw.write_model(asia_model, path)
    assert run_json("compare", path, asia_file)["shd"] == 0

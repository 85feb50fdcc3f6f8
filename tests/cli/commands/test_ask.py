import json
import math

import numpy as np
import pytest

import treewright as tw
from treewright.cli.commands.ask import query_document


def test_one_target(run_json, asia_model):
    found = run_json("query", "asia", "lung", "--given", "smoke=yes", "--given", "xray=yes")
    answer = asia_model.query("lung", {"smoke": "yes", "xray": "yes"})
    assert found["variable"] == "lung"
    assert found["variables"] == ["lung"]
    assert found["distribution"] == {"yes": answer["yes"], "no": answer["no"]}
    assert found["probability_of_evidence"] == answer.probability_of_evidence


def test_several_targets_are_nested_in_the_order_asked_for(run_json, asia_model):
    found = run_json("query", "asia", "lung", "bronc")
    assert found["variables"] == ["lung", "bronc"]
    assert "variable" not in found
    assert found["distribution"]["yes"]["no"] == asia_model.query(["lung", "bronc"])["yes", "no"]


def test_evidence_may_follow_as_arguments(run_json):
    one = run_json("query", "asia", "lung", "--given", "smoke=yes", "--given", "xray=yes")
    assert run_json("query", "asia", "lung", "--given", "smoke=yes", "xray=yes") == one
    assert run_json("query", "asia", "smoke=yes", "xray=yes", "lung") == one
    assert run_json("marginals", "asia", "smoke=yes") == run_json("marginals", "asia", "-g", "smoke=yes")


def test_models_of_files(run_json, asia_file):
    assert run_json("query", asia_file, "lung") == run_json("query", "asia", "lung")


def test_query_for_people_and_scripts(run):
    text = run("query", "asia", "lung", "--given", "smoke=yes").stdout
    assert text.startswith("lung, given smoke=yes")
    assert "0.100000" in text
    assert "probability of what is given: 0.5" in text
    lines = run("query", "asia", "lung", "smoke", "--quiet").stdout.splitlines()
    assert [line.split("\t")[:2] for line in lines] == [
        ["yes", "yes"],
        ["yes", "no"],
        ["no", "yes"],
        ["no", "no"],
    ]
    assert sum(float(line.split("\t")[2]) for line in lines) == pytest.approx(1)


def test_large_answers_are_cut_for_people_only(run, run_json):
    names = ["HR", "CO", "BP", "TPR", "CVP"]
    assert "and 143 more; --json lists them all" in run("query", "alarm", *names).stdout
    assert len(run("query", "alarm", *names, "-q").stdout.splitlines()) == 3**5


def test_marginals(run, run_json, asia_model):
    found = run_json("marginals", "asia", "--given", "smoke=yes")
    answer = asia_model.marginals({"smoke": "yes"})
    assert found == {name: dict(answer[name]) for name in asia_model.schema.names}
    assert "8 variables, given smoke=yes" in run("marginals", "asia", "-g", "smoke=yes").stdout
    assert run("marginals", "asia", "-q").stdout.splitlines()[0].startswith("asia\tyes\t0.01")


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
    found = run_json("score", model, path, "--missing", "state")
    assert found["log_likelihood"] == pytest.approx(learned["log_likelihood"])


def test_missing_cells_of_scored_rows(run_json, refused, asia_rows):
    lines = asia_rows.read_text().splitlines()
    lines[1] = "," + lines[1].partition(",")[2]
    asia_rows.write_text("\n".join(lines) + "\n")
    assert "--missing drop" in refused("score", "asia", asia_rows)
    assert run_json("score", "asia", asia_rows, "--missing", "drop")["rows"] == 1_999


def test_unicode_and_types_survive(run, run_json, tmp_path):
    schema = tw.Schema([tw.Variable("größe=ж", ("klein", "groß")), tw.Variable("n", (1, "1"))])
    model = tw.BayesianNetwork(tw.Dag(schema, []), [[0.25, 0.75], [0.5, 0.5]])
    model.save(tmp_path / "m.twm")
    assert run_json("query", tmp_path / "m.twm", "größe=ж")["distribution"] == {"klein": 0.25, "groß": 0.75}
    found = run_json("query", tmp_path / "m.twm", "n", "--given", "größe=ж=groß")
    assert found["distribution"] == {"1": 0.5, '"1"': 0.5}
    assert found["probability_of_evidence"] == pytest.approx(0.75)
    found = run_json("query", tmp_path / "m.twm", "größe=ж", "-g", "n=1")
    assert found["probability_of_evidence"] == pytest.approx(0.5)
    assert "größe=ж" in run("query", tmp_path / "m.twm", "größe=ж").stdout


def test_documents_are_json_even_without_a_terminal(asia_model):
    json.dumps(query_document(asia_model.query("lung")))


def test_refusals(refused, asia_rows, tmp_path):
    assert "did you mean 'lung'?" in refused("query", "asia", "lungs")
    message = refused("query", "asia", "lung", "--given", "smoke=yess")
    assert (
        "evidence smoke='yess' is not a state of smoke; states are 'yes', 'no'; did you mean 'yes'?"
        in message
    )
    assert "asks about at least one variable" in refused("query", "asia", "smoke=yes")
    assert "has probability zero" in refused("query", "asia", "tub", "-g", "lung=yes", "-g", "either=no")
    assert "what is given is written name=state" in refused("marginals", "asia", "lung")
    assert "example networks are 'alarm', 'asia'; did you mean 'asia'?" in refused("query", "asai", "x")
    assert "there is no folder" in refused("query", tmp_path / "no" / "m.twm", "x")
    assert "the schema has columns that the source has not" in refused("score", "alarm", asia_rows)


def test_joint_tables_that_are_too_large(refused):
    message = refused("query", "alarm", *tw.load_network("alarm").schema.names, code=2)
    assert "memory" in message
    refused("query", "asia", "lung", "bronc", "--memory", "8B", code=2)


@pytest.mark.parametrize("content", [b"", b"\xff\x00", b"{}", b'{"format": "treewright model"}', b"[1, 2"])
def test_broken_models(refused, tmp_path, content):
    path = tmp_path / "m.twm"
    path.write_bytes(content)
    for command in (["query", path, "x"], ["marginals", path], ["explore", path], ["compare", "asia", path]):
        assert str(path) in refused(*command)


def test_a_folder_is_no_model(refused, tmp_path):
    assert "is a folder; a model is a file" in refused("query", tmp_path, "x")


def test_damaged_numbers_are_noticed(refused, asia_file):
    asia_file.write_text(asia_file.read_text().replace("0.99", "0.98"))
    assert "the checksum does not match" in refused("query", asia_file, "lung")


def test_evidence_of_probability_near_zero(run_json):
    found = run_json("query", "alarm", "HR", "-g", "PRESS=ZERO", "-g", "MINVOL=HIGH", "-g", "CVP=LOW")
    assert math.isfinite(found["log_probability_of_evidence"])


def test_most_probable_states(run_json, run, asia_model):
    found = run_json("mpe", "asia", "--given", "xray=yes")
    answer = asia_model.mpe({"xray": "yes"})
    assert found["states"] == dict(answer)
    assert found["log_probability"] == answer.log_probability
    assert run("mpe", "asia", "xray=yes").stdout.startswith(
        "most probable states of 8 variables, given xray=yes"
    )

import json
import math

import pytest

import treewright as tw
from treewright.cli.commands.query import query_document


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
    told = refused("query", "asai", "x")
    assert "example networks are 'alarm', 'andes', " in told
    assert "did you mean 'asia'?" in told
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


def test_acting_says_what_it_assumes(run, run_json):
    found = run_json("query", "asia", "dysp", "--do", "lung=yes")
    assert found["assumptions"][0] == "every arc is a cause"
    assert "assumptions" not in run_json("query", "asia", "dysp")
    assert (
        "if setting lung changes nothing but lung" in run("query", "asia", "dysp", "--do", "lung=yes").stdout
    )

import json
import os

import numpy as np
import pytest

import treewright as tw
from treewright.cli.learning.methods import METHODS
from treewright.cli.learning.options import LearnOptions
from treewright.cli.learning.prepared import prepare_rows
from treewright.cli.learning.task import Task
from treewright.types import Step


@pytest.mark.slow
def test_document(run_json, asia_rows, tmp_path):
    target = tmp_path / "m.twm"
    found = run_json("learn", asia_rows, "--method", "bounded", "-o", target)
    table = tw.read_table(asia_rows)
    score = tw.BIC(tw.count(table))
    learned = tw.learn_bounded_treewidth(score, treewidth=4)
    model = tw.load(target)
    assert found["method"] == "bounded"
    assert found["variables"] == list(table.schema.names)
    assert found["edges"] == [list(edge) for edge in learned.structure.edges()]
    assert found["directed"] is True
    assert found["width"] == learned.width <= 4
    assert found["rows"] == 2_000
    assert found["score"] == pytest.approx(score.score(learned.structure))
    assert found["log_likelihood"] == pytest.approx(model.score(table))
    assert found["seconds"] > 0
    assert found["output"] == str(target)
    assert model.structure.edges() == learned.structure.edges()
    assert "valid_log_likelihood" not in found


@pytest.mark.slow
def test_held_out_rows(run_json, run, asia_model, asia_rows, tmp_path):
    valid = tmp_path / "valid.csv"
    run("sample", "asia", "-n", "500", "--seed", "9", "-o", valid)
    target = tmp_path / "m.twm"
    found = run_json("learn", asia_rows, "--valid", valid, "-o", target)
    held_out = asia_model.sample(500, rng=np.random.default_rng(9))
    assert found["valid_rows"] == 500
    assert found["valid_log_likelihood"] == pytest.approx(tw.load(target).score(held_out))


@pytest.mark.parametrize("score", ["loglik", "aic", "bic", "bdeu", "k2", "qnml", "sparse-qnml"])
def test_scores(run_json, asia_rows, score):
    found = run_json("learn", asia_rows, "--method", "chow-liu", "--score", score)
    assert found["criterion"] == score
    assert len(found["edges"]) <= 7


@pytest.mark.slow
def test_equivalent_sample_size(run_json, refused, asia_rows):
    one, ten = (run_json("learn", asia_rows, "--score", "bdeu", "--ess", ess)["score"] for ess in (1, 10))
    assert one != ten
    assert "--ess belongs to --score bdeu" in refused("learn", asia_rows, "--ess", "2")
    assert "must be a finite number above 0" in refused("learn", asia_rows, "--score", "bdeu", "--ess", "0")


@pytest.mark.slow
def test_order(run_json, refused, asia_rows, tmp_path):
    names = run_json("learn", asia_rows, "--order", "natural")["variables"]
    edges = run_json("learn", asia_rows, "--order", "natural")["edges"]
    assert all(names.index(a) < names.index(b) for a, b in edges)
    order = tmp_path / "order.txt"
    order.write_text("\n".join(reversed(names)) + "\n\n")
    edges = run_json("learn", asia_rows, "--order", order)["edges"]
    assert all(names.index(a) > names.index(b) for a, b in edges)
    order.write_text("asia\n")
    assert "an order names every variable; it lacks 'tub'" in refused("learn", asia_rows, "--order", order)
    order.write_text("asiaa\n")
    assert "did you mean 'asia'?" in refused("learn", asia_rows, "--order", order)
    assert "there is no file" in refused("learn", asia_rows, "--order", tmp_path / "none.txt")
    order.write_bytes(b"\xff\xfe")
    assert "is not text in UTF-8" in refused("learn", asia_rows, "--order", order)


@pytest.mark.slow
def test_several_files_are_united(run_json, asia_rows, tmp_path):
    header, *lines = asia_rows.read_text().splitlines()
    parts = [tmp_path / "part1.csv", tmp_path / "part2.csv"]
    for part, rows in zip(parts, (lines[:700], lines[700:]), strict=True):
        part.write_text("\n".join([header, *rows]) + "\n")
    whole = run_json("learn", asia_rows)
    for sources in (parts, [tmp_path / "part*.csv"]):
        found = run_json("learn", *sources)
        assert found["rows"] == 2_000
        assert found["edges"] == whole["edges"]
        assert found["score"] == pytest.approx(whole["score"])


def test_files_with_other_columns_are_refused(refused, asia_rows, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n")
    assert "do not have the same columns" in refused("learn", asia_rows, other)


def test_trace(run, asia_rows, tmp_path):
    trace = tmp_path / "trace.json"
    run("learn", asia_rows, "--method", "bounded", "--trace", trace)
    document = json.loads(trace.read_text())
    assert document["method"] == "bounded"
    names = [phase["name"] for phase in document["phases"]]
    assert names == ["narrower", "tree", "climb", "reopt", "settle", "iterate", "final"]


@pytest.mark.slow
def test_for_people(run, asia_rows, tmp_path):
    text = run("learn", asia_rows).stdout
    assert text.startswith("auto: 8 variables")
    assert "log-likelihood" in text
    assert "not saved; -o M.twm keeps it" in text
    assert f"saved to {tmp_path / 'm.twm'}" in run("learn", asia_rows, "-o", tmp_path / "m.twm").stdout


@pytest.mark.slow
def test_quiet(run, run_json, asia_rows, tmp_path):
    assert run("learn", asia_rows, "-o", tmp_path / "m.twm", "--quiet").output == ""
    lines = run("learn", asia_rows, "--quiet").stdout.splitlines()
    assert [line.split("\t") for line in lines] == run_json("learn", asia_rows)["edges"]


@pytest.mark.slow
def test_bins_missing_and_ignored_columns(run_json, refused, tmp_path):
    path = tmp_path / "a.csv"
    rows = [f"k{i},{i / 7:.3f},{'' if i == 3 else 'low' if i < 50 else 'high'}" for i in range(100)]
    path.write_text("\n".join(["id,x,y", *rows]) + "\n")
    for given in (("--method", "bounded"), ("--missing", "error")):
        message = refused("learn", path, *given)
        assert "missing cells in 'y' (1)" in message
        assert "on the command line: --missing drop, --missing state or --missing em" in message
    message = refused("learn", path, "--missing", "drop", "--method", "bounded")
    assert "--score bic is for discrete columns; continuous: x." in message
    found = run_json("learn", path, "-m", "bounded", "--missing", "drop", "--bins", "x=2", "--ignore", "id")
    assert found["rows"] == 99
    assert found["edges"] == [["x", "y"]]
    assert found["notes"] == ["1 of 100 rows dropped for missing cells"]
    noted = run_json("learn", path, "-m", "bounded", "--missing", "state", "--bins", "2")["notes"]
    assert noted == ["looks like an identifier, better left out with --ignore: id"]


@pytest.mark.slow
def test_files_without_a_header(run_json, refused, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("0,0\n1,1\n" * 20)
    assert "on the command line: --no-header" in refused("learn", path)
    model = tmp_path / "m.twm"
    found = run_json("learn", path, "--no-header", "-o", model)
    assert (found["rows"], found["variables"], found["edges"]) == (40, ["x0", "x1"], [["x0", "x1"]])
    assert run_json("score", model, path, "--no-header")["rows"] == 40
    assert run_json("inspect", path, "--no-header", "--ignore", "x0")["rows"] == 40


def test_states_of_another_model(run, asia_rows, asia_file, tmp_path):
    run("learn", asia_rows, "--schema", asia_file, "-o", tmp_path / "m.twm")
    assert tw.load(tmp_path / "m.twm").schema == tw.load(asia_file).schema


def test_unknown_methods_and_scores_name_what_there_is(refused, asia_rows):
    for method in ("junction-forest", "chow-lu"):
        message = refused("learn", asia_rows, "--method", method)
        assert (
            f"--method '{method}' is not in treewright {tw.__version__}; available: 'auto', 'bounded'"
            in message
        )
    assert "did you mean 'bic'?" in refused("learn", asia_rows, "--score", "bicc")


@pytest.mark.slow
def test_refused_for_size(refused, asia_rows):
    message = refused("learn", asia_rows, "--memory", "100B", code=2)
    assert "more than the limit of 100 bytes" in message
    assert "--memory 8GiB" in message
    assert "a memory limit is a number of bytes" in refused("learn", asia_rows, "--memory", "much")


@pytest.mark.slow
def test_threads(run_json, refused, asia_rows):
    assert run_json("learn", asia_rows, "--threads", "1")["rows"] == 2_000
    assert "--threads" in refused("learn", asia_rows, "--threads", "0")


@pytest.mark.parametrize("option", ["-o", "--trace"])
def test_outputs_are_refused_before_the_work(refused, tmp_path, option):
    # the data file is not even looked for
    message = refused("learn", tmp_path / "none.csv", option, tmp_path / "no" / "m.twm")
    assert "there is no folder" in message
    assert "it is a folder" in refused("learn", tmp_path / "none.csv", option, tmp_path)


@pytest.mark.slow
def test_devices_are_written_to_not_replaced(run, spawn, asia_rows, tmp_path):
    before = os.stat("/dev/null").st_rdev
    run("learn", asia_rows, "-o", "/dev/null")
    assert os.stat("/dev/null").st_rdev == before
    done = spawn("learn", asia_rows, "-o", "/dev/stdout", "--quiet")
    (tmp_path / "m.twm").write_text(done.stdout)
    assert len(tw.load(tmp_path / "m.twm").schema) == 8


@pytest.mark.slow
def test_held_out_rows_with_unknown_states(run, asia_rows, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text(asia_rows.read_text().replace("yes", "maybe"))
    run("learn", asia_rows, "--valid", other, "-o", tmp_path / "m.twm")
    assert tw.load(tmp_path / "m.twm").schema["lung"].states == ("maybe", "no", "yes")


@pytest.mark.slow
def test_rows_with_missing_cells_are_kept_for_em(run_json, run, refused, asia_model, asia_rows, tmp_path):
    rng = np.random.default_rng(1)
    table = tw.read_table(asia_rows)
    holes = {name: rng.random(table.n_rows) < 0.05 for name in table.schema.names}
    lines = [",".join(table.schema.names)]
    labels = {name: table.labels(name) for name in table.schema.names}
    for r in range(table.n_rows):
        lines.append(",".join("" if holes[name][r] else str(labels[name][r]) for name in table.schema.names))
    path, target = tmp_path / "holes.csv", tmp_path / "m.twm"
    path.write_text("\n".join(lines) + "\n")
    found = run_json("learn", path, "--missing", "em", "--valid", path, "-o", target)
    rows = tw.read_table(path, missing="em")
    complete = rows.take(~np.logical_or.reduce(list(rows.missing.values())))
    structure = tw.learn_bounded_treewidth(tw.BIC(tw.count(complete)), treewidth=4).structure
    fitted = tw.fit_em(structure, rows)
    assert found["rows"] == 2_000
    assert tw.load(target) == fitted.model
    assert tw.load(target).provenance["fitted_by"] == "expectation maximisation"
    assert found["log_likelihood"] == pytest.approx(fitted.trace.log_likelihood[-1] / 2_000)
    assert found["valid_log_likelihood"] == found["log_likelihood"]
    (note,) = [note for note in found["notes"] if "EM" in note]
    assert note.startswith(f"structure and tables from all 2,000 rows, {complete.n_rows:,} of which miss")
    path.write_text("a,b\nx,\n,y\n,y\n")
    alone = run_json("learn", path, "--missing", "em", "--method", "auto")  # no row is whole: all are used
    assert alone["rows"] == 3
    assert any("from all 3 rows, 0 of which miss nothing" in note for note in alone["notes"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "method",
    ["bounded", "chow-liu", "hill-climbing", "tabu", "aggressive", "chains", "thin-junction-tree"],
)
def test_knowledge_from_a_file(run_json, asia_rows, tmp_path, method):
    known = tw.Knowledge(required=[("dysp", "bronc")], tiers=[["dysp"], ["smoke", "bronc"]])
    file = tmp_path / "known.json"
    known.to_json(file)
    found = run_json("learn", asia_rows, "--method", method, "--knowledge", file, "--seed", "1")
    schema = tw.read_table(asia_rows).schema
    known.on(schema).check(tw.Dag(schema, [tuple(edge) for edge in found["edges"]]))
    names = list(schema.names)
    ordered = run_json("learn", asia_rows, "--method", method, "--order", "natural")["edges"]
    assert all(names.index(a) < names.index(b) for a, b in ordered)


def test_knowledge_that_cannot_be_used(refused, asia_rows, tmp_path):
    file = tmp_path / "known.json"
    file.write_text('{"required": [["smoke", "lung"], ["lung", "smoke"]]}')
    assert "the required arcs close a cycle: lung -> smoke -> lung" in refused(
        "learn", asia_rows, "--knowledge", file
    )
    file.write_text('{"required": ["smoke"]}')
    assert "'required' must be a list of lists of names" in refused("learn", asia_rows, "--knowledge", file)
    assert "there is no file" in refused("learn", asia_rows, "--knowledge", tmp_path / "none.json")


@pytest.mark.slow
@pytest.mark.parametrize("method", ["hill-climbing", "hybrid", "tabu", "pc"])
def test_searches_for_structure(run_json, asia_rows, method):
    found = run_json("learn", asia_rows, "--method", method)
    counter = tw.count(tw.read_table(asia_rows))
    assert found["directed"] is True
    assert ["lung", "either"] in found["edges"]
    if method != "tabu":
        assert all(sorted(edge) in map(sorted, found["edges"]) for edge in found["undirected_edges"])
    score = tw.BIC(counter) if method == "pc" else tw.SparseQNML(counter)
    dag = tw.Dag(counter.schema, [tuple(edge) for edge in found["edges"]])
    assert found["score"] == pytest.approx(score.score(dag), rel=1e-12)


@pytest.mark.slow
def test_options_belong_to_methods(run_json, refused, asia_rows):
    assert run_json("learn", asia_rows, "--method", "hill-climbing", "--effort", "0")["edges"]
    few = run_json("learn", asia_rows, "--method", "pc", "--alpha", "1e-9")["edges"]
    assert len(few) <= len(run_json("learn", asia_rows, "--method", "pc", "--alpha", "0.05")["edges"])
    message = refused("learn", asia_rows, "--method", "pc", "--effort", "1")
    assert "--effort means nothing to --method pc; it belongs to bounded, hill-climbing, hybrid" in message
    assert "alpha must lie between 0 and 1" in refused("learn", asia_rows, "--method", "pc", "--alpha", "2")
    assert "ess belongs to the score bdeu" in refused("learn", asia_rows, "--score", "bic", "--ess", "2")
    assert run_json("learn", asia_rows, "--score", "bdeu", "--ess", "2")["criterion"] == "bdeu"


@pytest.mark.slow
@pytest.mark.parametrize("method", ["bounded", "chains", "thin-junction-tree"])
def test_width_is_promised_and_kept_with_the_model(run_json, run, asia_rows, tmp_path, method):
    target = tmp_path / "m.twm"
    found = run_json("learn", asia_rows, "--method", method, "--treewidth", "2", "-o", target)
    assert 1 <= found["width"] <= 2
    checked = run_json("verify", target)
    assert checked["valid"] is True
    assert checked["width"] <= 2
    assert checked["bound"] == 2
    assert checked["certificate"] == "stored"


@pytest.mark.parametrize("method", ["bounded", "chains", "thin-junction-tree"])
def test_searches_under_a_bound_tell_where_they_are(method):
    table = tw.load_network("alarm").sample(300, rng=np.random.default_rng(0))
    told = []
    options = LearnOptions(data=[], treewidth=3)
    learned = METHODS[method].learn(Task(prepare_rows(table, "bic"), options, progress=told.append))
    assert told
    assert all(step.done >= 0 and step.width <= 3 and step.score < 0 for step in told)
    assert told[-1].score <= learned.score + 1e-9


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_method_tells_where_it_is(method):
    table = tw.load_network("asia").sample(200, rng=np.random.default_rng(0))
    told = []
    options = LearnOptions(data=[], method=method, effort=0 if "effort" in METHODS[method].options else None)
    METHODS[method].learn(Task(prepare_rows(table, "bic"), options, progress=told.append))
    assert told
    assert all(isinstance(step, Step) and step.phase for step in told)


@pytest.mark.slow
def test_the_clock_may_end_a_search_and_a_note_says_so(run_json, refused, asia_rows):
    bounded = ("learn", asia_rows, "--method", "bounded")
    found = run_json(*bounded, "--effort", 1_000_000, "--seconds", 0.1)
    assert any("the clock ended the search" in note for note in found["notes"])
    assert not any("clock" in note for note in run_json(*bounded, "--seconds", 60)["notes"])
    assert "a time above 0" in refused(*bounded, "--seconds", 0)
    message = refused("learn", asia_rows, "--method", "chains", "--seconds", 1)
    assert "--seconds means nothing to --method chains; it belongs to auto, bounded" in message


@pytest.mark.slow
def test_bootstrap(run_json, run, asia_rows):
    asked = ("learn", asia_rows, "--method", "hill-climbing", "--bootstrap", "20", "--seed", "3")
    found = run_json(*asked)["confidence"]
    assert found == run_json(*asked, "--threads", "1")["confidence"]
    assert all(0 < edge["strength"] <= 1 and 0.5 <= edge["direction"] <= 1 for edge in found)
    assert found[0]["strength"] == 1
    assert "strength" in run(*asked).stdout


@pytest.mark.slow
@pytest.mark.parametrize("method", ["bjp", "ib", "mpl"])
def test_undirected_graphs_by_blankets(run_json, run, refused, asia_rows, tmp_path, method):
    target = tmp_path / "m.twm"
    found = run_json("learn", asia_rows, "--method", method, "--treewidth", 2, "-o", target)
    model = tw.load(target)
    assert found["directed"] is False
    assert found["criterion"] == method
    assert found["width"] <= 2
    assert ["bronc", "dysp"] in found["edges"]
    assert found["undirected_edges"] == found["edges"]
    assert found["log_likelihood"] == pytest.approx(model.score(tw.read_table(asia_rows)))
    assert isinstance(model, tw.MarkovNetwork)
    assert any(note.startswith("fitted by") for note in found["notes"])
    run("verify", target)
    message = refused("learn", asia_rows, "--method", method, "--score", "bic")
    assert f"--score and --ess mean nothing to --method {method}" in message


@pytest.mark.slow
def test_regressions_learn_a_markov_network(run_json, refused, asia_rows, tmp_path):
    target = tmp_path / "m.twm"
    found = run_json("learn", asia_rows, "--method", "l1", "-o", target)
    assert (found["directed"], found["criterion"]) == (False, "ebic")
    assert ["bronc", "dysp"] in found["edges"]
    assert found["score"] < 0
    assert isinstance(tw.load(target), tw.MarkovNetwork)
    message = refused("learn", asia_rows, "--method", "l1", "--order", "natural")
    assert "--knowledge and --order mean nothing to --method l1" in message

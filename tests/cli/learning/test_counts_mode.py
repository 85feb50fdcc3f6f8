"""`treewright learn --mode counts`: the database counts, and the model is that of the rows."""

import json

import duckdb
import numpy as np
import pytest
from tests.postgres_server import PASSWORD

import treewright as tw


@pytest.fixture(scope="module")
def rows():
    return tw.load_network("asia").sample(800, rng=np.random.default_rng(4)).to_pandas().astype(str)


@pytest.fixture
def duck(rows, tmp_path):
    path = tmp_path / "asia.duckdb"
    with duckdb.connect(str(path)) as file:
        file.register("here", rows)
        file.execute("CREATE TABLE asia AS SELECT * FROM here")
    return f"{path}::asia"


def learned(run, path, data, *options):
    said = json.loads(run("learn", data, "-o", str(path), "--json", *options).stdout)
    model = json.loads(path.read_text(encoding="utf-8"))
    return (
        said,
        {key: model[key] for key in model if key not in ("provenance", "checksum")},
        model["provenance"],
    )


@pytest.mark.parametrize("method", ["auto", "chow-liu", "bjp"])
def test_the_model_is_that_of_the_rows(run, duck, tmp_path, method):
    by_rows = learned(run, tmp_path / "rows.twm", duck, "-m", method)
    by_counts = learned(run, tmp_path / "counts.twm", duck, "-m", method, "--mode", "counts")
    assert by_counts[0]["edges"] == by_rows[0]["edges"]
    if method != "bjp":  # whose factors are chosen by rows that are held out
        assert by_counts[1] == by_rows[1]
    told = by_counts[0]["log_likelihood"], by_rows[0]["log_likelihood"]
    assert told[0] is None if method == "bjp" else told[0] == pytest.approx(told[1], rel=1e-12)
    assert any("tables were asked for" in remark for remark in by_counts[0]["notes"])
    advice = [remark for remark in by_counts[0]["notes"] if "reading all rows once" in remark]
    assert "use --mode rows where they may leave" in advice[0]
    assert by_counts[2]["options"]["mode"] == "counts"


def test_a_server_is_learned_from_without_showing_its_password(run, postgres, rows, tmp_path):
    postgres.put("asia_rows", rows.to_dict(orient="list"))
    data = f"{postgres.url()}::asia_rows"
    texts = [run("inspect", data).output, run("pack", data, "-o", str(tmp_path / "rows.twp")).output]
    models = []
    for name, more in (
        ("rows", []),
        ("counts", ["--mode", "counts", "--checkpoint", str(tmp_path / "c.twc")]),
    ):
        said, model, provenance = learned(run, tmp_path / f"{name}.twm", data, "-m", "chow-liu", *more)
        models.append(model)
        texts += [
            json.dumps(said),
            json.dumps(provenance),
            run("learn", data, "-m", "chow-liu", *more).output,
        ]
    assert models[0] == models[1]
    wrong = [f"{data}s", data.replace("reader", "nobody"), data[: data.rindex("::")]]
    for address in wrong:
        result = run("learn", address, "--json", code=1)
        texts += [result.output, result.stderr]
    assert "asia_rows" in "".join(texts)
    assert [text for text in texts if "s3cret" in text or PASSWORD in text or "9zz" in text] == []


def test_what_takes_rows_is_refused(run, duck, tmp_path):
    asked = ["learn", duck, "--mode", "counts"]
    for more, said in {
        ("--bins", "3"): "--bins means nothing to --mode counts, which reads no rows",
        ("--valid", "x.csv"): "--valid takes rows, and --mode counts leaves them in the database",
        ("--bootstrap", "3"): "--bootstrap takes rows",
        ("-m", "lem"): "looks at rows, and a DatabaseCounter has none to show",
        ("-m", "separation-tree"): "--method separation-tree takes tables of rows",
    }.items():
        assert said in " ".join(run(*asked, *more, code=1).stderr.split())
    assert "--mode is rows or counts; found 'all'" in run("learn", duck, "--mode", "all", code=1).stderr
    (tmp_path / "a.csv").write_text("a\n1\n", encoding="utf-8")
    refused = run("learn", str(tmp_path / "a.csv"), "--mode", "counts", code=1).stderr
    assert "--mode counts is for a table of a database" in " ".join(refused.split())

"""`learn --rows N --certify` and `learn --dask ADDRESS`, the latter with workers of this process."""

import numpy as np
import pytest
from tests.statistics.cluster.pools import HerePool

import treewright as tw
from treewright.tables.packing import evenly

ROWS = tw.load_network("asia").sample(2_000, rng=np.random.default_rng(0))
PLAIN = ("edges", "score", "rows", "criterion")


@pytest.fixture
def pieces(tmp_path, monkeypatch):
    monkeypatch.setattr("treewright.statistics.cluster.counter.as_pool", lambda _: HerePool())
    for i, shard in enumerate(ROWS.shards(3)):
        tw.pack(shard, tmp_path / f"piece-{i}.twp")
    return str(tmp_path / "piece-*.twp")


@pytest.fixture
def packed(tmp_path):
    tw.pack(ROWS, tmp_path / "rows.twp")
    return tmp_path / "rows.twp"


def same(one, other):
    assert [one[key] for key in PLAIN] == [other[key] for key in PLAIN]


@pytest.mark.parametrize("method", ["auto", "bounded", "hill-climbing", "tabu"])
def test_some_rows_then_all(run_json, packed, tmp_path, method):
    some = run_json("learn", packed, "-m", method, "--rows", 400, "-o", tmp_path / "m.twm")
    sample = tmp_path / "sample.twp"
    tw.pack(evenly(ROWS, 400), sample)
    assert some["edges"] == run_json("learn", sample, "-m", method)["edges"]
    assert some["rows"] == 2_000
    said = "structure from 400 of 2,000 rows, evenly taken in 64 runs; parameters from all rows"
    assert said in some["notes"]
    model = tw.load(tmp_path / "m.twm")
    assert model.score(ROWS) == tw.fit(model.dag, tw.count(ROWS)).score(ROWS)
    assert model.provenance["options"]["rows"] == 400
    certified = run_json("learn", packed, "-m", method, "--rows", 400, "--certify", "-s", "bic")
    assert certified["score"] >= run_json("learn", packed, "-m", method, "--rows", 400, "-s", "bic")["score"]
    assert any("then searched on with all rows" in note for note in certified["notes"])


def test_threads_change_nothing(run_json, packed):
    one, two = (
        run_json("learn", packed, "--rows", 400, "--certify", "--threads", threads) for threads in (1, 2)
    )
    same(one, two)


def test_densities_are_learned_from_some_rows(run_json, packed):
    found = run_json("learn", packed, "-m", "cutset", "--rows", 500)
    assert "structure and parameters from 500 of 2,000 rows, evenly taken in 64 runs" in found["notes"]


def test_graphs_without_directions_are_fitted_to_all_rows(run_json, packed):
    found = run_json("learn", packed, "-m", "mpl", "--rows", 500)
    assert found["rows"] == 2_000


def test_refusals(refused, packed):
    assert "--certify searches on with all rows from what --rows found; give both" in refused(
        "learn", packed, "--certify"
    )
    assert "--certify means nothing to --method pc" in refused(
        "learn", packed, "-m", "pc", "--rows", 100, "--certify"
    )


@pytest.mark.parametrize("method", ["auto", "chow-liu", "pc", "knots"])
def test_workers_count(run_json, pieces, packed, tmp_path, method):
    there = run_json("learn", pieces, "-m", method, "--dask", "tcp://here", "-o", tmp_path / "there.twm")
    here = run_json("learn", packed, "-m", method, "-o", tmp_path / "here.twm")
    same(there, here)
    assert there["log_likelihood"] == pytest.approx(here["log_likelihood"], rel=1e-12)
    models = [tw.load(tmp_path / f"{name}.twm") for name in ("there", "here")]
    assert models[0].score(ROWS) == models[1].score(ROWS)
    assert "counted by workers, in 3 pieces" in there["notes"]
    assert models[0].provenance["rows"] == 2_000


def test_workers_with_everything_else(run_json, pieces, packed, tmp_path):
    more = ("-m", "hill-climbing", "--rows", 500, "--certify", "--bootstrap", 3, "--valid", packed)
    kept = ("--checkpoint", tmp_path / "run.twc")
    there = [run_json("learn", pieces, "--dask", "tcp://here", *more, *kept) for _ in range(2)]
    assert there[0]["edges"] == there[1]["edges"]
    assert len(there[0]["confidence"]) >= 7
    assert there[0]["valid_rows"] == 2_000
    whole = ("-m", "hill-climbing", "--bootstrap", 3)
    one, other = (
        run_json("learn", pieces, "--dask", "tcp://here", *whole),
        run_json("learn", packed, *whole),
    )
    assert one["confidence"] == other["confidence"]


def test_what_workers_cannot_do(refused, pieces, tmp_path):
    csv = tmp_path / "a.csv"
    csv.write_text("x,y\na,1.5\nb,2.5\n")
    for said, *options in (
        ("--missing em needs rows here", pieces, "--missing", "em"),
        ("--states needs rows here", pieces, "--states", csv),
        ("bins= looks at all rows", csv, "--bins", "4"),
        ("is for discrete columns; continuous: y", csv, "-m", "chow-liu"),
    ):
        assert said in refused("learn", *options, "--dask", "tcp://here")


def test_dask_may_be_missing(refused, packed, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "distributed", None)
    said = refused("learn", packed, "--dask", "tcp://127.0.0.1:1")
    assert "clusters need Dask: pip install 'treewright[dask]'" in said


def folds(answer):
    return [(one["log_likelihood"], one["folds"]) for one in answer["methods"].values()]


def test_folds_on_workers(run_json, pieces, packed):
    """Over one packed file, and over pieces of it: the same as here."""
    asked = ("-m", "chow-liu", "-m", "pc", "-m", "auto", "--folds", 3)
    here = folds(run_json("cross-validate", packed, *asked))
    for source in (packed, pieces):
        assert folds(run_json("cross-validate", source, *asked, "--dask", "tcp://here")) == here


def test_numbers_on_workers(run_json, tmp_path, monkeypatch):
    """What counts do not tell of is learned from whole tables."""
    for module in ("reports.cross_validation", "statistics.cluster.counter"):
        monkeypatch.setattr(f"treewright.{module}.as_pool", lambda _: HerePool())
    rng = np.random.default_rng(0)
    tw.pack({"x": rng.normal(size=300), "y": rng.normal(size=300)}, tmp_path / "numbers.twp")
    asked = ("cross-validate", tmp_path / "numbers.twp", "-m", "hill-climbing", "--folds", 3)
    assert folds(run_json(*asked, "--dask", "tcp://here")) == folds(run_json(*asked))

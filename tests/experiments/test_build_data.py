"""The folder of data from fetched files and from addresses; nothing is fetched from outside here."""

import gzip
import json
import os
from pathlib import Path

import numpy as np
import pytest
from experiments.build_data import Sources, build, density_set, digest, edge_list, main, read_graph

import treewright as tw
from experiments import build_data

ROWS = {"train": "0,1,1\n1,0,1\n", "valid": "1,1,1\n", "test": "0,0,0\n0,0,1\n1,1,0\n"}
KEPT = json.loads(build_data.SOURCES.read_text(encoding="utf-8"))
NLTCS = {"density/nltcs.npz": KEPT["files"]["density/nltcs.npz"]}


def split_files(folder, name="nltcs", rows=ROWS):
    folder.mkdir(parents=True, exist_ok=True)
    for part, text in rows.items():
        (folder / f"{name}.{part}.data").write_text(text)


def test_files_that_were_fetched_make_a_set_that_experiments_read(tmp_path, monkeypatch):
    split_files(tmp_path / "downloads" / "anywhere")
    sources = Sources({}, [tmp_path / "downloads"])
    assert build(tmp_path / "data", sources, NLTCS) == {"density/nltcs.npz": "differs from what was measured"}
    monkeypatch.setenv("TREEWRIGHT_DATA", str(tmp_path / "data"))
    from experiments.common import density

    read = density("nltcs")
    assert np.array(read.train.columns).T.tolist() == [[0, 1, 1], [1, 0, 1]]
    assert (read.valid.n_rows, read.test.n_rows) == (1, 3)


@pytest.mark.parametrize("source", ["DEBD", "dcsn"])
def test_addresses_are_asked_one_after_the_other(tmp_path, source):
    here = {"DEBD": "datasets/nltcs", "dcsn": "data/generative"}[source]
    (tmp_path / here).mkdir(parents=True)
    for part, text in ROWS.items():
        name = f"nltcs.{part}.data" if source == "DEBD" else f"nltcs.{part.replace('train', 'ts')}.data.gz"
        raw = text.encode()
        (tmp_path / here / name).write_bytes(raw if source == "DEBD" else gzip.compress(raw))
    bases = {"DEBD": "file:///nowhere", "dcsn": "file:///nowhere", source: tmp_path.as_uri()}
    assert "missing" in build(tmp_path / "a", Sources(bases), NLTCS)["density/nltcs.npz"]  # nobody may ask
    found = build(tmp_path / "b", Sources(bases, fetches=True), NLTCS)
    assert found == {"density/nltcs.npz": "differs from what was measured"}


def test_what_is_missing_is_told_and_the_rest_is_built(tmp_path, capsys):
    (tmp_path / "downloads").mkdir()
    network = tmp_path / "downloads" / "asia.bif"
    network.write_text("network unknown {}\n")
    assert main([str(tmp_path / "data"), "--files", str(tmp_path / "downloads")]) == 1
    told = capsys.readouterr().out
    assert "networks/asia.bif.gz: differs from what was measured" in told
    assert "density/nltcs.npz: missing: no nltcs.train.data or nltcs.ts.data.gz" in told
    assert "graphs/karate.csv: as measured" in told
    packed = tmp_path / "data" / "networks" / "asia.bif.gz"
    assert gzip.decompress(packed.read_bytes()) == network.read_bytes()
    made = {file.name for file in (tmp_path / "data" / "graphs").iterdir()}
    assert {"karate.csv", "hub_64.csv", "scale_free_64_2.csv", "six_star.csv"} <= made
    assert f"15 of {len(KEPT['files'])} files are as measured" in told


@pytest.mark.parametrize(
    "text",
    [
        "graph [\n edge\n [\n  source 1\n  target 0\n ]\n edge\n [\n source 1\n target 2\n ]\n]",
        "%%MatrixMarket matrix coordinate pattern symmetric\n% a comment\n3 3 4\n1 1\n2 1\n3 2\n2 3\n",
        "u,v\n1,0\n1,2\n",
    ],
    ids=["gml", "matrix", "list"],
)
def test_graphs_of_three_formats(text):
    assert read_graph(text.encode()) == edge_list([(0, 1), (1, 2)]) == b"u,v\n0,1\n1,2\n"


@pytest.mark.parametrize("rows", [{**ROWS, "test": "0,1\n"}, {**ROWS, "test": "0,1,2\n"}])
def test_splits_that_do_not_fit_are_refused(tmp_path, rows):
    split_files(tmp_path, rows=rows)
    found = build(tmp_path / "data", Sources({}, [tmp_path]), NLTCS)
    assert found["density/nltcs.npz"].startswith("not built: splits are rows of zeros and ones")
    with pytest.raises(ValueError, match=r"^splits are rows of zeros and ones with as many columns; found"):
        density_set([text.encode() for text in rows.values()])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--address", "DEBD"],
            "--address says SOURCE=URL; sources are DEBD, dcsn, pgmpy, netdata, matrices",
        ),
        (["--address", "elsewhere=file:///x"], "found 'elsewhere=file:///x'"),
        (["--files", "nowhere"], "--files names a folder of fetched files; 'nowhere' is none"),
    ],
)
def test_refusals(tmp_path, capsys, options, message):
    with pytest.raises(SystemExit):
        main([str(tmp_path / "data"), *options])
    assert message in capsys.readouterr().err


def test_the_folder_at_hand_is_the_one_that_was_measured():
    folder = Path(os.environ.get("TREEWRIGHT_DATA", "nowhere"))
    if not folder.is_dir():
        pytest.skip("TREEWRIGHT_DATA names no folder")
    for name, about in KEPT["files"].items():
        assert digest(name, (folder / name).read_bytes()) == about["digest"], name


def test_a_set_that_is_unpacked_and_built_again_is_as_measured(tmp_path):
    file = Path(os.environ.get("TREEWRIGHT_DATA", "nowhere"), "density", "nltcs.npz")
    if not file.is_file():
        pytest.skip("TREEWRIGHT_DATA names no folder with the set")
    arrays = np.load(file)
    n = int(arrays["n_vars"])
    rows = {}
    for part in ROWS:
        codes = np.unpackbits(arrays[part], axis=1)[:, :n]
        rows[part] = "\n".join(",".join(map(str, row)) for row in codes.tolist()) + "\n"
    split_files(tmp_path / "downloads", rows=rows)
    found = build(tmp_path / "data", Sources({}, [tmp_path / "downloads"]), NLTCS)
    assert found == {"density/nltcs.npz": "as measured"}
    assert tw.networks.list_graphs()

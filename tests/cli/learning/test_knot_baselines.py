"""`learn --method tpda` and `--method blocks`."""

import numpy as np

import treewright as tw


def test_three_phases(run_json, asia_rows):
    found = run_json("learn", asia_rows, "--method", "tpda", "--alpha", "0.01")
    assert ["bronc", "dysp"] in [sorted(edge) for edge in found["edges"]]


def test_blocks_are_labelled_and_kept(run_json, asia_rows, tmp_path):
    model = tmp_path / "blocks.twm"
    found = run_json("learn", asia_rows, "--method", "blocks", "-o", model)
    assert any(note.startswith("BL (reconstructed): ") for note in found["notes"])
    assert tw.load(model).structure.clusters.overlapping


def test_continuous_columns(run_json, tmp_path):
    rng = np.random.default_rng(2)
    x, z = rng.normal(size=(2, 400))
    lines = [f"{a},{b},{a + b + 0.1 * c}" for a, b, c in zip(x, z, rng.normal(size=400), strict=True)]
    path = tmp_path / "lines.csv"
    path.write_text("\n".join(["x,z,y", *lines]) + "\n", encoding="utf-8")
    for method in ("tpda", "blocks"):
        assert run_json("learn", path, "--method", method)["edges"] == [["x", "y"], ["z", "y"]]

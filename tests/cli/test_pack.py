import numpy as np
import pytest

import treewright as tw


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.csv"
    table = tw.load_network("asia").sample(500, rng=np.random.default_rng(0))
    table.to_pandas().to_csv(path, index=False)
    return path


def test_pack_then_learn(run_json, rows, tmp_path):
    packed = tmp_path / "rows.twp"
    told = run_json("pack", rows, "-o", packed)
    assert (told["rows"], told["output"], told["bytes"]) == (500, str(packed), packed.stat().st_size)
    assert tw.open_table(packed) == tw.read_table(rows)
    one = run_json("learn", rows, "--method", "hill-climbing")
    other = run_json("learn", packed, "--method", "hill-climbing")
    assert {key: one[key] for key in ("edges", "score", "log_likelihood", "rows")} == {
        key: other[key] for key in ("edges", "score", "log_likelihood", "rows")
    }


def test_options_of_reading(run, rows, tmp_path):
    packed = tmp_path / "rows.twp"
    assert "500 rows of 7 columns in" in run("pack", rows, "-o", packed, "--ignore", "xray").stdout
    assert "xray" not in tw.open_table(packed).schema
    run("pack", rows, "-o", packed, "--rows", "100", "--quiet")
    assert tw.open_table(packed).n_rows == 100


def test_an_input_is_not_replaced(refused, rows):
    assert "it is one of the inputs" in refused("pack", rows, "-o", rows)


def test_a_checkpoint_is_replayed(run_json, rows, tmp_path):
    kept = tmp_path / "run.twc"
    plain = run_json("learn", rows, "--method", "hill-climbing")
    for _ in range(2):
        found = run_json("learn", rows, "--method", "hill-climbing", "--checkpoint", kept)
        assert {key: found[key] for key in ("edges", "score")} == {
            key: plain[key] for key in ("edges", "score")
        }
    assert kept.stat().st_size > 0


def test_a_checkpoint_of_other_rows_is_refused(run, refused, rows, tmp_path):
    kept = tmp_path / "run.twc"
    run("learn", rows, "--method", "chow-liu", "--checkpoint", kept)
    lines = rows.read_text().splitlines()
    rows.write_text("\n".join([*lines, lines[-1]]) + "\n")
    assert "is the checkpoint of other rows" in refused(
        "learn", rows, "--method", "chow-liu", "--checkpoint", kept
    )


def test_inspect_checks_every_section(run, run_json, refused, rows, tmp_path):
    packed = tmp_path / "rows.twp"
    run("pack", rows, "-o", packed)
    assert f"{packed}: 500 rows, " in run("inspect", packed, "--check").stdout
    (told,) = run_json("inspect", packed, "--check")["files"]
    file = tw.open_table(packed).file
    assert (told["digest"], told["sections"]) == (file.digest, len(file.sections))
    whole = packed.read_bytes()
    for section in file.sections:
        damaged = bytearray(whole)
        damaged[section.offset + section.length // 2] ^= 1
        packed.write_bytes(damaged)
        assert section.name in " ".join(refused("inspect", packed, "--check").split())
    assert "--check is for packed files" in refused("inspect", rows, "--check")


def test_a_pattern_stands_for_the_packed_files_that_match(run, run_json, rows, tmp_path):
    run("pack", rows, "-o", tmp_path / "a.twp")
    one = run_json("learn", tmp_path / "*.twp", "--method", "chow-liu")
    assert one["edges"] == run_json("learn", rows, "--method", "chow-liu")["edges"]
    run("pack", rows, "-o", tmp_path / "b.twp")
    two = run_json("learn", tmp_path / "*.twp", "--method", "chow-liu")
    assert two["edges"] == run_json("learn", rows, rows, "--method", "chow-liu")["edges"]

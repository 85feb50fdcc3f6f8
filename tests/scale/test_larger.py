"""More rows than memory: twenty million, in processes that may take less than their codes alone."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.scale.limited import LIMIT

import treewright as tw
from treewright.graphs import Cpdag
from treewright.tables.packing import write_packed

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs limits as Linux has them"),
]
ROOT = Path(__file__).resolve().parents[2]
N_ROWS, BLOCK = 20_000_000, 1 << 20


def network():
    """Arcs that so many rows cannot miss, and none that they could take for nothing."""
    return tw.random_network(28, 2, states=(2, 3), rng=np.random.default_rng(5))


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """The rows, drawn block by block into a file a column, and packed from there."""
    folder, model = tmp_path_factory.mktemp("larger"), network()
    names = model.schema.names
    files = [open(folder / name, "wb") for name in names]  # noqa: SIM115
    for i, begin in enumerate(range(0, N_ROWS, BLOCK)):
        rows = model.sample(min(BLOCK, N_ROWS - begin), rng=np.random.default_rng(i))
        for file, column in zip(files, rows.columns, strict=True):
            column.tofile(file)
    for file in files:
        file.close()
    columns = [np.memmap(folder / name, dtype=np.uint8, mode="r") for name in names]
    write_packed(tw.Table(model.schema, columns), str(folder / "rows.twp"))
    for name in names:
        os.remove(folder / name)
    yield folder / "rows.twp"
    os.remove(folder / "rows.twp")


def limited(what, path, *more):
    environment = {**os.environ, "TREEWRIGHT_MEMORY": "128MB"}
    command = [sys.executable, "-m", "tests.scale.limited", what, str(path), *map(str, more)]
    done = subprocess.run(
        command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def test_the_codes_alone_are_more_than_may_be_taken(packed):
    table = tw.open_table(packed)
    assert table.n_rows * len(table.schema) > LIMIT
    assert packed.stat().st_size > 1.5 * LIMIT


def test_a_tree_and_its_parameters(packed):
    found = limited("tree", packed)
    counter = tw.count(tw.open_table(packed))  # without a limit
    learned = tw.learn_chow_liu(tw.BIC(counter))
    assert found["edges"] == [list(edge) for edge in sorted(map(sorted, learned.structure.edges()))]
    assert found["score"] == learned.score
    fitted = limited("fit", packed)
    cells = np.concatenate([one.ravel() for one in tw.fit(learned.structure, counter).tables])
    np.testing.assert_array_equal(fitted["cells"], cells)


def test_climbing_finds_the_class_of_the_network(packed):
    truth = network().dag
    found = tw.Dag(truth.schema, [tuple(arc) for arc in limited("climb", packed)["arcs"]])
    assert Cpdag.of(found) == Cpdag.of(truth)


def test_pc_finds_its_skeleton(packed):
    expected = [list(pair) for pair in sorted(map(sorted, network().dag.edges()))]
    assert limited("pc", packed)["edges"] == expected


def test_the_command_line_within_the_same_limit(packed, tmp_path):
    found = limited("command", packed, "-m", "chow-liu", "-o", tmp_path / "m.twm")
    model = tw.load(tmp_path / "m.twm")
    assert found["rows"] == N_ROWS
    rows = network().sample(200_000, rng=np.random.default_rng(99))
    assert found["log_likelihood"] == pytest.approx(model.score(rows), abs=0.02)

import numpy as np

import treewright
from treewright import _core
from treewright.cli import checks
from treewright.cli.checks import run_checks


def test_document(run_json):
    found = run_json("doctor")
    assert found["ok"] is True
    assert found["treewright"] == treewright.__version__
    assert found["simd"] == {"available": _core.simd_levels(), "in_use": _core.simd_level()}
    assert found["threads"] >= 1
    assert found["memory_limit"] == treewright.memory_limit()
    assert found["libraries"]["numpy"] == np.__version__
    assert set(found["extras"]) >= {"pandas", "polars", "pyarrow", "networkx"}
    assert all(check["passed"] for check in found["checks"])
    assert sum("counts equal NumPy's" in check["name"] for check in found["checks"]) == len(
        _core.simd_levels()
    )


def test_for_people_and_scripts(run):
    text = run("doctor").stdout
    assert "all is well" in text
    assert "vector levels" in text
    assert all(line.startswith("ok\t") for line in run("doctor", "--quiet").stdout.splitlines())


def test_levels_and_threads_are_left_as_they_were():
    _core.set_threads(3)
    level = _core.simd_level()
    run_checks()
    assert (_core.simd_level(), _core.threads()) == (level, 3)


def test_wrong_counts_are_noticed(run, run_json, monkeypatch):
    monkeypatch.setattr(checks, "count_with_numpy", lambda columns, shape: np.zeros(shape))
    assert run_json("doctor", code=1)["ok"] is False
    assert "something is wrong" in run("doctor", code=1).stdout


def test_a_check_that_raises_has_failed(run_json, monkeypatch):
    def fail(name):
        raise RuntimeError("no network")

    monkeypatch.setattr(checks, "load_network", fail)
    failed = [check for check in run_json("doctor", code=1)["checks"] if not check["passed"]]
    assert len(failed) == 2
    assert failed[0]["detail"] == "RuntimeError: no network"


def test_a_library_that_is_not_there(run, run_json, monkeypatch):
    monkeypatch.setattr("treewright.cli.commands.doctor.find_spec", lambda name: None)
    assert run_json("doctor")["extras"]["pandas"] is None
    assert "not installed" in run("doctor").stdout

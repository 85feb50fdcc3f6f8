"""The benchmark of classifiers on three small tables, with its bars."""

import json
import subprocess
import sys

import pytest
from tests.survey import ROOT

SCRIPT = ROOT / "benchmarks" / "classifiers" / "bench_classifiers.py"


@pytest.mark.slow
def test_small_tables_hold_their_bars(tmp_path):
    pytest.importorskip("sklearn")
    kept = tmp_path / "kept.json"
    who = ["--who", "ours", "CategoricalNB", "forest", "--times", "2", "--keep", str(kept)]
    for name in ("wine", "sachs", "diabetes in thirds"):
        done = subprocess.run(
            [sys.executable, str(SCRIPT), "--tables", name, *who], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(kept.read_text(encoding="utf-8"))
    assert [*found] == ["wine", "sachs", "diabetes in thirds"]
    assert all(sorted(one) == ["CategoricalNB", "forest", "ours"] for one in found.values())

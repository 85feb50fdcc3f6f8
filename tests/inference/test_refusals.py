"""Questions that would not fit: refused in no time and no memory, measured in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import treewright as tw
from treewright.errors import TableTooLarge

pytestmark = pytest.mark.skipif(
    "asan" in os.environ.get("LD_PRELOAD", ""),
    reason="a sanitised process takes more memory than these limits allow",
)

HEAD = """
import json, resource, time
import numpy as np
import treewright as tw
from treewright.inference import Factor

def megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

def told(ask):
    before, start = megabytes(), time.process_time()
    try:
        ask()
        message = None
    except tw.errors.TableTooLarge as error:
        message = str(error)
    return {"message": message, "seconds": time.process_time() - start, "megabytes": megabytes() - before}
"""

GRID = """
n = 100
schema = tw.Schema(tw.Variable(f"x{i}y{j}", (0, 1)) for i in range(n) for j in range(n))
table = np.array([[2.0, 1.0], [1.0, 2.0]])
across = [Factor((i * n + j, i * n + j + 1), table) for i in range(n) for j in range(n - 1)]
down = [Factor((i * n + j, (i + 1) * n + j), table) for i in range(n - 1) for j in range(n)]
engine = tw.inference.JunctionTreeEngine(schema, across + down)
answer = {"cost": told(lambda: engine.cost()), "query": told(lambda: engine.marginals())}
cost = engine.cost()
answer |= {"refused": cost.refused, "width": cost.width, "cells": cost.largest_cells, "shown": str(cost)}
"""

MANY_STATES = """
import copy

def named(i):  # without checking ten thousand labels again
    variable = copy.copy(first)
    object.__setattr__(variable, "name", f"v{i:04}")
    return variable

first = tw.Variable("v", tuple(range(10_000)))
schema = tw.Schema(named(i) for i in range(5_000))
engine = tw.inference.JunctionTreeEngine(schema, [Factor((0,), np.full(10_000, 1e-4))])
everything = tuple(range(5_000))
answer = {"all": told(lambda: engine.joint(everything)), "three": told(lambda: engine.joint((0, 1, 2)))}
answer["counts"] = told(lambda: tw.limits.check_table(schema, everything))
answer["cost"] = told(lambda: engine.cost(targets=everything))
cost = engine.cost(targets=everything)
answer |= {"refused": cost.refused, "exact": cost.largest_cells == 10_000**5_000, "width": cost.width}
answer["shown"] = str(cost)
"""


def in_a_process(script: str, *, megabytes: int) -> dict:
    """Run a script with a limit on its memory; what it leaves in `answer`."""
    limit = f"import resource\nresource.setrlimit(resource.RLIMIT_AS, ({megabytes << 20},) * 2)\n"
    code = f"{limit}{HEAD}{script}\nprint(json.dumps(answer))"
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_a_grid_of_ten_thousand_is_refused_in_a_second():
    found = in_a_process(GRID, megabytes=2000)
    assert found["refused"]
    assert found["cells"] == 2 ** (found["width"] + 1)
    assert found["cells"] > 2**29  # 4 GiB
    assert found["shown"].endswith("; above the memory limit")
    assert found["cost"]["message"] is None
    message = found["query"]["message"]
    assert message.startswith("this question needs a table over 'x")
    assert " more: " in message
    assert "bytes, above the memory limit of 4,294,967,296" in message
    assert "give evidence on some of these variables" in message
    for asked in (found["cost"], found["query"]):
        assert asked["seconds"] < 1
        assert asked["megabytes"] < 200


@pytest.mark.slow
def test_sizes_saturate_and_never_wrap():
    found = in_a_process(MANY_STATES, megabytes=2000)
    assert found["refused"]
    assert found["width"] == 4_999
    assert found["exact"]  # all twenty thousand digits
    assert "largest table about 10^20000 cells" in found["shown"]
    assert "'v0000', 'v0001'" in found["all"]["message"]
    assert "and 4988 more: about 10^20000 bytes, above the memory limit" in found["all"]["message"]
    assert "'v0000', 'v0001', 'v0002': 8,000,000,000,000 bytes" in found["three"]["message"]
    assert "would take about 10^20000 bytes, more than the limit of 4.0 GiB" in found["counts"]["message"]
    for asked in (found["all"], found["three"], found["counts"], found["cost"]):
        assert asked["seconds"] < 1
        assert asked["megabytes"] < 200


@pytest.mark.slow
def test_link_is_answered_without_evidence():
    folder = os.environ.get("TREEWRIGHT_DATA")
    file = Path(folder) / "networks" / "link.bif.gz" if folder else None
    if file is None or not file.exists():
        pytest.skip("TREEWRIGHT_DATA names no folder with networks/link.bif.gz")
    link = tw.read_model(file)
    start = time.process_time()
    answer = link.marginals()
    assert time.process_time() - start < 10  # a tenth of that on a quiet machine
    assert answer.probability_of_evidence == pytest.approx(1, abs=1e-9)
    assert all(sum(answer[name].values()) == pytest.approx(1) for name in link.schema.names)
    tw.set_memory_limit("1MiB")
    try:
        with pytest.raises(TableTooLarge, match="above the memory limit of 1,048,576"):
            link.marginals()
    finally:
        tw.set_memory_limit(None)

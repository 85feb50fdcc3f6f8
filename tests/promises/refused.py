"""Work whose n-th native allocation is refused, n = 1, 2, ...: `python -m tests.promises.refused learn_pc`.

The library of refusing.cpp has to be loaded first, by LD_PRELOAD. Each kind of work goes on in one process:
whatever a refusal left behind, the next try has to get along with, and the last one has to work.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.promises.work import LEARNERS, OTHERS, Work, questions

from treewright import _core

HERE = Path(__file__).parent
MOST_TRIES = 60  # of one work; the first allocations all, then fewer and fewer
ENOUGH = 1 << 40
FEW = 40  # allocations of which every single one is refused


def library(folder: Path) -> Path | None:
    """The compiled library, where there is a compiler."""
    compiler = shutil.which(os.environ.get("CXX", "g++"))
    if compiler is None:
        return None
    target = folder / "refusing.so"
    options = ["-std=c++20", "-O1", "-shared", "-fPIC"]
    command = [compiler, *options, str(HERE / "refusing.cpp"), "-o", str(target)]
    subprocess.run(command, check=True)
    return target


def core_range() -> tuple[int, int]:
    """Where the core lies in memory."""
    places = [
        [int(place, 16) for place in line.split()[0].split("-")]
        for line in Path("/proc/self/maps").read_text().splitlines()
        if line.endswith(str(_core.__file__))
    ]
    return min(begin for begin, _ in places), max(end for _, end in places)


def refused(work: Work) -> dict[str, int]:
    """How often an allocation was refused, and how often the work then raised MemoryError."""
    process = ctypes.CDLL(None)
    process.allocations_left.restype = ctypes.c_long
    begin, end = (ctypes.c_size_t(place) for place in core_range())
    tried = raised = 0
    process.refuse_allocation(ctypes.c_long(ENOUGH), 1, begin, end)
    work()
    asked = ENOUGH - process.allocations_left()
    process.stop_refusing()
    n, most = 1, 2 * FEW + 2 if asked <= FEW else MOST_TRIES
    while tried < most:
        for only_once in (1, 0):
            process.refuse_allocation(ctypes.c_long(n), only_once, begin, end)
            try:
                work()
            except MemoryError:
                raised += 1
            finally:
                came = process.stop_refusing()
            if not came:
                work()
                return {"asked": asked, "refusals": tried, "raised": raised}
            tried += 1
        n += 1 if asked <= FEW else 1 + n // 4
    work()
    return {"asked": asked, "refusals": tried, "raised": raised}


def main(names: list[str]) -> Iterator[dict[str, object]]:
    _core.set_threads(4)
    every = LEARNERS | OTHERS | questions()
    for name in names or list(every):
        every[name]()
        yield {"work": name, **refused(every[name])}


if __name__ == "__main__":
    for case in main(sys.argv[1:]):
        print(json.dumps(case), flush=True)

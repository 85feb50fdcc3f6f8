"""What reading one file costs, measured in a process of its own: processor time and memory."""

from __future__ import annotations

import gc
import os
import pickle
import resource
import signal
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.fuzz.text_attacks import ALL_ATTACKS

import treewright as tw
from treewright.collector import no_cycles
from treewright.errors import TreewrightError
from treewright.graphs.knowledge.files import read_hypergraph
from treewright.models.formats import read_model_with_report

SIZE = 400_000
SECONDS = 0.5  # processor time for a file of SIZE bytes, on a core that is not shared
# Three notes and three looks for each of 33,000 columns of two rows: these files may take twice that.
TWICE = frozenset(("gap_columns.csv", "mended_columns.mended.csv", "mended_names.mended.csv"))
SWIFT = 0.035  # seconds that such a core takes for `_reckon`, and more than it takes for `_make_objects`
MEMORY = 150 * 2**20
PATIENCE = 20  # seconds after which a reader that goes on is ended


@dataclass(frozen=True)
class Cost:
    """What a call took, how it answered, and what went wrong if anything did."""

    seconds: float
    memory: int
    answer: str
    fault: str = ""


def limit() -> float:
    """Seconds that a file may take on this core, as busy as it is: a slower one gets time in proportion."""
    return SECONDS * max(1.0, _seconds_of(_reckon) / SWIFT, _seconds_of(_make_objects) / SWIFT)


def _seconds_of(work: Callable[[], int]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _reckon() -> int:
    return sum(number * number for number in range(600_000))


@no_cycles()
def _make_objects() -> int:
    """Many small things in much memory, as reading makes: neighbours who use the memory too slow it down."""
    held = {f"name {number}": (number, [number], {number: number}) for number in range(60_000)}
    return sum(map(len, held.values()))


def cost_of_attack(name: str, size: int) -> Cost:
    """Read a file that is made to stop its reader."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(ALL_ATTACKS[name](size))
        _import_reader("".join(path.suffixes))
        return cost_of(lambda: read_any(path))


@cache
def _import_reader(ending: str) -> None:
    """Read little once, here: what a reader imports and compiles for its first file is no cost of a file."""
    name = next(name for name in ALL_ATTACKS if name.endswith(ending))
    with tempfile.TemporaryDirectory() as folder, suppress(TreewrightError):
        path = Path(folder) / name
        path.write_bytes(ALL_ATTACKS[name](200))
        read_any(path)


def read_any(path: Path) -> object:
    """What the ending of a name stands for."""
    match path.suffixes[0]:
        case ".json":
            return tw.Knowledge.from_json(path)
        case ".txt":
            return read_hypergraph(path)
        case ".csv":
            return tw.read_table(path, missing="state")
        case ".mended":
            return tw.read_table(path, missing="em", mend=True)
        case _:
            return read_model_with_report(path)


def cost_of(call: Callable[[], object]) -> Cost:
    """Call in a child of this process, which has no threads yet; whatever kills the child is a fault."""
    receiving, sending = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(receiving)
        _run(call, sending)
    os.close(sending)
    with os.fdopen(receiving, "rb") as pipe:
        said = pipe.read()
    _, status, used = os.wait4(child, 0)
    if not said:
        how = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"code {status >> 8}"
        return Cost(used.ru_utime + used.ru_stime, 1024 * used.ru_maxrss, "", f"the process ended: {how}")
    found: Cost = pickle.loads(said)
    return found


def _run(call: Callable[[], object], sending: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE))
    answer = fault = ""
    gc.freeze()  # what is there already is not looked at again
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    try:
        answer = type(call()).__name__
    except TreewrightError as error:
        answer = f"{type(error).__name__}: {error}"[:500]
    except BaseException:
        fault = traceback.format_exc()
    seconds = time.process_time() - start
    memory = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - held)
    with os.fdopen(sending, "wb") as pipe:
        pickle.dump(Cost(seconds, memory, answer, fault), pipe)
    os._exit(0)

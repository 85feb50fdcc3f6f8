"""Work in a process that may take only so much more memory: `python -m tests.promises.exhausted learn_pc 8`.

Each case runs in a fork of one process that has everything loaded, with the address space limited to what is
there and so many MiB more. It has to end with an answer or with a MemoryError, and once the limit is lifted
the same process has to answer as if nothing had been.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import select
import signal
import sys
import time
import traceback
from collections.abc import Iterable, Iterator

from tests.promises.work import LEARNERS, OTHERS, Work, questions

from treewright import _core

MIB = 1 << 20
PATIENCE = 120.0  # seconds, of a machine that others use too


def address_space() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def leave_holes(libc: ctypes.CDLL, n: int = 256, size: int = 8192) -> None:
    """Let small requests succeed: NumPy ends the process where one of its own fails, and that is not ours."""
    libc.malloc.restype, libc.malloc.argtypes, libc.free.argtypes = (
        ctypes.c_void_p,
        [ctypes.c_size_t],
        [ctypes.c_void_p],
    )
    pieces = [libc.malloc(size) for _ in range(2 * n)]
    for piece in pieces[::2]:  # what lies between is kept, so that the holes do not grow together
        libc.free(piece)


def grow_stack(depth: int = 20_000) -> None:
    """Let calls go deep: a stack that may not grow ends the process, and nobody can say so in words."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(2 * depth)
    json.loads("[" * depth + "]" * depth)
    sys.setrecursionlimit(before)


def tried(work: Work, headroom: int) -> str:
    """How the work ends with so many bytes more."""
    libc = ctypes.CDLL(None)
    libc.malloc_trim(0)  # nothing is left over from before
    leave_holes(libc)
    grow_stack()
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (address_space() + headroom, hard))
    try:
        work()
    except MemoryError:
        return "refused"
    except BaseException as error:
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
        traceback.print_exception(error)
        return f"{type(error).__name__}: {error}"
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    return "done"


def ended(work: Work, headroom: int) -> str:
    """In a fork: how the work ended, and whether the process can still do it afterwards."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _core.set_threads(4)
        how = tried(work, headroom)
        work()
        os.write(writing, how.encode()[:500])
        os._exit(0)
    os.close(writing)
    try:
        if not select.select([reading], [], [], PATIENCE)[0]:
            os.kill(child, signal.SIGKILL)
            return "hung"
        said = os.read(reading, 1000).decode()
    finally:
        os.close(reading)
        status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return f"killed by signal {os.WTERMSIG(status)}"
    return said or "could not work afterwards"


def main(names: Iterable[str], levels: Iterable[float]) -> Iterator[dict[str, object]]:
    _core.set_threads(1)  # no thread before a fork
    every = LEARNERS | OTHERS | questions()
    names, levels = list(names) or list(every), list(levels)
    for name in names:
        every[name]()  # what it imports is there
        for level in levels:
            began = time.time()
            how = ended(every[name], int(level * MIB))
            yield {"work": name, "MiB": level, "ended": how, "seconds": time.time() - began}


if __name__ == "__main__":
    words = sys.argv[1:]
    numbers = [float(word) for word in words if word[0].isdigit()]
    for case in main([word for word in words if not word[0].isdigit()], numbers):
        print(json.dumps(case), flush=True)

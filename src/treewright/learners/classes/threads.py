"""The same work on many parts, on threads that each make native calls of their own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Lock
from typing import TypeVar

import numpy as np

from treewright import _core

Part = TypeVar("Part")
Found = TypeVar("Found")

_ROOM_OF_A_THREAD = 16 << 20  # its stack, and what the C library keeps for it
_lock = Lock()
_inside, _before = 0, 1


def _begin_in_a_fork() -> None:
    """A fork has none of the threads that wanted one native thread, nor whoever would unlock the lock."""
    global _lock, _inside  # noqa: PLW0603
    _lock = Lock()
    if _inside > 0:
        _inside = 0
        _core.set_threads(_before)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_in_a_fork)


def each_of(work: Callable[[Part], Found], parts: Sequence[Part], threads: int | None) -> Iterator[Found]:
    """What the work makes of every part, in their order; where no thread can start, one after the other."""
    with one_native_thread() as available:
        n_threads = min(threads or available, len(parts))
        if n_threads <= 1 or not _is_room_for(n_threads):
            yield from map(work, parts)
            return
        pool = ThreadPoolExecutor(max_workers=n_threads)
        try:
            yield from _handed_out(pool, work, parts)
        finally:
            pool.shutdown(cancel_futures=True)


def _handed_out(
    pool: ThreadPoolExecutor, work: Callable[[Part], Found], parts: Sequence[Part]
) -> Iterator[Found]:
    try:
        return pool.map(work, parts)
    except RuntimeError:  # there is no memory for another thread
        pool.shutdown(cancel_futures=True)
        return map(work, parts)


def _is_room_for(n_threads: int) -> bool:
    """Ask first: the C library ends the process when memory runs out while a thread begins."""
    try:
        np.empty(n_threads * _ROOM_OF_A_THREAD, dtype=np.uint8)  # is never touched
    except MemoryError:
        return False
    return True


@contextmanager
def one_native_thread() -> Iterator[int]:
    """Native calls on one thread each for a while; gives the number there was, to all but the first: one."""
    global _inside, _before  # noqa: PLW0603
    with _lock:
        available = _core.threads()
        if _inside == 0:
            _before = available
            _core.set_threads(1)
        _inside += 1
    try:
        yield available
    finally:
        with _lock:
            _inside = max(_inside - 1, 0)
            if _inside == 0:  # whoever came first need not be the last
                _core.set_threads(_before)

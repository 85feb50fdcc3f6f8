"""Garbage collection paused while many small objects are made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_cycles() -> Iterator[None]:
    """Pause the garbage collector while many objects are made that form no cycles.

    It would look at all of them again and again, for a fifth of the time that reading a file of many small
    parts takes. Where it is paused already it is left so; of two threads, the first that is done resumes it.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()

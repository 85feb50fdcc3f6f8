"""How long work goes on after an interrupt, in processor time, since others may be busy."""

from __future__ import annotations

import gc
import signal
import time
from collections.abc import Callable

import pytest

needs_a_timer = pytest.mark.skipif(
    not hasattr(signal, "setitimer"), reason="the platform has no interval timer"
)


def seconds_to_stop(work: Callable[[], object], after: float = 0.2) -> float:
    """Interrupt the work after some processor time; what it took from then on."""
    rung: list[float] = []

    def ring(*_: object) -> None:
        rung.append(time.process_time())
        raise KeyboardInterrupt

    collects = gc.isenabled()
    gc.disable()  # an interrupt inside a collection is not raised: callbacks of others swallow it
    before = signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, after)
    start = time.process_time()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
        stopped = time.process_time()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        if collects:
            gc.enable()
    assert len(rung) == 1
    return stopped - start - after

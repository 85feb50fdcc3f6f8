"""A limit of time for work that knows of none: when it is over, the work is interrupted and keeps its best.

Searches obey Ctrl-C at any moment and then carry the best that they have found. A clock that runs out says
the same in another way: as a signal that nobody sends, seen by the handlers of the main thread, also while
the core works. In another thread there are no handlers; there the clock is looked at after each phase.
"""

from __future__ import annotations

import _thread
import math
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from types import FrameType

from treewright.errors import SettingError
from treewright.types import Progress, Step

_SIGNAL: int = getattr(signal, "SIGUSR2", getattr(signal, "SIGBREAK", 0))  # handled here, never sent


class Clock:
    """How much time there is.

    Examples
    --------
    >>> Clock(None).left, Clock(3600).ran_out
    (inf, False)
    """

    def __init__(self, seconds: float | None) -> None:
        if seconds is not None and not 0 < seconds < math.inf:
            raise SettingError(f"seconds= is a time above 0, or None; found {seconds!r}")
        self.seconds = seconds
        self.began = perf_counter()

    @property
    def left(self) -> float:
        """Seconds that are left; infinitely many where nobody set a limit."""
        return math.inf if self.seconds is None else self.seconds - (perf_counter() - self.began)

    @property
    def ran_out(self) -> bool:
        return self.left <= 0

    def listening(self, progress: Progress | None) -> Progress | None:
        """The same progress; after a phase beyond the limit it interrupts."""
        if self.seconds is None:
            return progress

        def listen(step: Step) -> None:
            if progress is not None:
                progress(step)
            if self.ran_out:
                raise KeyboardInterrupt("out of time")

        return listen

    @contextmanager
    def interrupting(self) -> Iterator[None]:
        """Interrupt the work inside when the time is over, where the main thread does it."""
        if self.seconds is None or threading.current_thread() is not threading.main_thread():
            yield
            return
        inside = True

        def stop(number: int, frame: FrameType | None) -> None:
            if inside:  # not when the work was done in time after all
                raise KeyboardInterrupt("out of time")

        before = signal.signal(_SIGNAL, stop)
        timer = threading.Timer(max(self.left, 0.0), _thread.interrupt_main, [_SIGNAL])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            inside = False
            timer.cancel()
            timer.join()
            signal.signal(_SIGNAL, before)

"""Workers to hand calls to: processes of this machine, or those of a Dask cluster.

A pool names its workers and submits a call to one of them. Whoever waits for an answer is told
:class:`WorkerLost` when the worker has gone, hangs, or nobody can ask it any more; an error of the call
itself comes back as it was raised. Nothing is kept on a worker that a second call could not make again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, ProcessPoolExecutor
from concurrent.futures import Future as ProcessFuture
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any, Protocol, runtime_checkable

from treewright import _core
from treewright.arguments import described
from treewright.errors import ArgumentError, ConnectionLost, SettingError

_LOOK = 0.5  # seconds between two looks whether a worker that has not answered is still there
_CONNECT = 10  # seconds for a scheduler to answer


class WorkerLost(Exception):  # noqa: N818
    """A worker that will not answer; the same call can be made elsewhere."""


class Answer(Protocol):
    """What a worker will say."""

    def result(self, timeout: float) -> Any:
        """The result; an error of the call is raised, :class:`WorkerLost` where no answer will come."""
        ...

    def cancel(self) -> object:
        """Nobody waits for it any more."""
        ...


@runtime_checkable
class Pool(Protocol):
    """Workers that calls are handed to."""

    def workers(self) -> Sequence[str]:
        """Who is there now, in a fixed order."""
        ...

    def submit(self, function: Callable[..., Any], *arguments: Any, where: str) -> Answer:
        """Have a function called by a worker; it and its arguments are pickled."""
        ...


class HerePool:
    """One worker that is this process: what is submitted has been done when submitting returns.

    Examples
    --------
    >>> HerePool().submit(divmod, 7, 2, where="here").result(60.0)
    (3, 1)
    """

    def workers(self) -> Sequence[str]:
        return ("here",)

    def submit(self, function: Callable[..., Any], *arguments: Any, where: str) -> Answer:
        return _Done(function(*arguments))


@dataclass(frozen=True)
class _Done:
    found: Any

    def result(self, timeout: float) -> Any:
        return self.found

    def cancel(self) -> object:
        return False


class LocalPool:
    """Processes of this machine.

    Parameters
    ----------
    n
        How many workers; each counts on one thread.

    Examples
    --------
    >>> with LocalPool(1) as pool:
    ...     pool.submit(divmod, 7, 2, where=pool.workers()[0]).result(60.0)
    (3, 1)
    """

    def __init__(self, n: int) -> None:
        if n < 1:
            raise SettingError(f"a pool has at least one worker; found {n}")
        context = get_context("spawn")  # a fork would copy threads that are at work
        self._processes = {
            f"local-{i:03}": ProcessPoolExecutor(1, mp_context=context, initializer=_count_alone)
            for i in range(n)
        }

    def workers(self) -> Sequence[str]:
        return tuple(self._processes)

    def submit(self, function: Callable[..., Any], *arguments: Any, where: str) -> Answer:
        process = self._processes.get(where)
        try:
            future = None if process is None else process.submit(function, *arguments)
        except BrokenProcessPool:
            future = None
        return _LocalAnswer(self, where, future)

    def drop(self, where: str) -> None:
        """A worker that has gone."""
        process = self._processes.pop(where, None)
        if process is not None:
            process.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        for process in self._processes.values():
            process.shutdown(cancel_futures=True)
        self._processes.clear()

    def __enter__(self) -> LocalPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _LocalAnswer:
    def __init__(self, pool: LocalPool, where: str, future: ProcessFuture[Any] | None) -> None:
        self._pool, self._where, self._future = pool, where, future

    def result(self, timeout: float) -> Any:
        if self._future is None:
            self._pool.drop(self._where)
            raise WorkerLost(f"{self._where} has gone")
        try:
            return self._future.result(timeout)
        except (BrokenProcessPool, CancelledError) as error:
            self._pool.drop(self._where)
            raise WorkerLost(f"{self._where} has gone") from error
        except TimeoutError as error:
            if self._future.done():  # the call itself says so
                raise
            raise WorkerLost(f"{self._where} has not answered for {timeout:g} s") from error

    def cancel(self) -> object:
        return self._future is not None and self._future.cancel()


class DaskPool:
    """The workers of a Dask cluster.

    Parameters
    ----------
    client
        A ``distributed.Client``, or the address of a scheduler such as ``"tcp://10.0.0.1:8786"``, to which
        the connection is made anew when it is lost.
    """

    def __init__(self, client: Any) -> None:
        self._distributed = _distributed()
        self._address = client if isinstance(client, str) else None
        self._client = None if self._address is not None else client
        if self._address is not None:
            try:
                self._connected()
            except (OSError, TimeoutError, ValueError) as error:
                raise ConnectionLost(
                    f"no Dask scheduler answers at {self._address!r} ({error}); start one with `dask "
                    "scheduler` and workers with `dask worker ADDRESS`, and give its address"
                ) from error

    def _connected(self) -> Any:
        """The client; a new one in place of one of ours that has lost its scheduler."""
        if self._address is not None and (self._client is None or self._client.status != "running"):
            self.close()
            self._client = self._distributed.Client(
                self._address, timeout=_CONNECT, set_as_default=False, name="treewright"
            )
        return self._client

    def close(self) -> None:
        """Leave the cluster, which goes on; a client that was given stays open."""
        if self._address is not None and self._client is not None:
            self._client.close(timeout=1)
            self._client = None

    def workers(self) -> Sequence[str]:
        try:
            return tuple(sorted(self._connected().nthreads()))
        except (OSError, TimeoutError, RuntimeError, CancelledError):  # nobody answers
            return ()

    def submit(self, function: Callable[..., Any], *arguments: Any, where: str) -> Answer:
        try:
            future = self._connected().submit(
                _called_alone, function, *arguments, workers=[where], allow_other_workers=False, pure=False
            )
        except (OSError, TimeoutError, RuntimeError, CancelledError):
            future = None
        return _DaskAnswer(self, where, future)


class _DaskAnswer:
    def __init__(self, pool: DaskPool, where: str, future: Any) -> None:
        self._pool, self._where, self._future = pool, where, future

    def result(self, timeout: float) -> Any:
        deadline = time.monotonic() + timeout
        while True:
            try:
                if self._future is None:
                    raise CancelledError("nothing was submitted")
                return self._future.result(timeout=min(_LOOK, max(0.0, deadline - time.monotonic())))
            except TimeoutError as error:
                if self._future.status == "error":  # the call itself says so
                    raise
                is_late = time.monotonic() >= deadline
                if is_late or self._where not in self._pool.workers():
                    self.cancel()
                    said = f"has not answered for {timeout:g} s" if is_late else "has gone"
                    raise WorkerLost(f"{self._where} {said}") from error
            except self._gone as error:
                raise WorkerLost(f"{self._where} has gone") from error

    @property
    def _gone(self) -> tuple[type[BaseException], ...]:
        dask = _distributed()
        return (dask.KilledWorker, dask.comm.CommClosedError, CancelledError)

    def cancel(self) -> object:
        return self._future is not None and self._future.cancel()


def as_pool(client: Any) -> Pool:
    """The pool that somebody names: one, the client of a Dask cluster, or the address of its scheduler."""
    if isinstance(client, Pool):
        return client
    if isinstance(client, str) or hasattr(client, "nthreads"):
        return DaskPool(client)
    raise ArgumentError(
        f"client= is a distributed.Client, the address of a scheduler, or a pool; found {described(client)}"
    )


def _called_alone(function: Callable[..., Any], *arguments: Any) -> Any:
    _count_alone()
    return function(*arguments)


def _count_alone() -> None:
    """A worker has as many threads as it was given; each counts by itself."""
    _core.set_threads(1)


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise ImportError("clusters need Dask: pip install 'treewright[dask]'") from None
    return distributed

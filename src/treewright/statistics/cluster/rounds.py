"""Asking workers: who has which pieces, one task a worker, and what was lost is asked again.

Every question is about pieces of the rows and changes nothing, so whoever is lost costs time only: the pieces
of a lost worker are dealt to the others, and only those are asked again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, TypedDict, TypeVar, Unpack

from treewright.errors import ConnectionLost
from treewright.statistics.cluster.pools import Answer, Pool, WorkerLost

Found = TypeVar("Found")

_PAUSE = 1.0  # seconds before the first time that everybody is asked again; then twice as many each time
_LOOK_AGAIN = 5.0  # seconds between two looks whether workers have joined


class Deal:
    """Which worker has which piece: by size, and as it was before wherever that is possible."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self._sizes = sizes
        self._home: dict[int, str] = {}

    def shares(self, workers: Sequence[str], pieces: Sequence[int]) -> dict[str, list[int]]:
        """The workers that have some of these pieces, with their pieces in order."""
        self._settle(workers)
        shares: dict[str, list[int]] = {}
        for piece in sorted(pieces):
            shares.setdefault(self._home[piece], []).append(piece)
        return dict(sorted(shares.items()))

    def _settle(self, workers: Sequence[str]) -> None:
        if set(self._home.values()) == set(workers) and len(self._home) == len(self._sizes):
            return
        self._home = {piece: home for piece, home in self._home.items() if home in workers}
        load = dict.fromkeys(sorted(workers), 0)
        for piece, home in self._home.items():
            load[home] += self._sizes[piece]
        by_size = sorted(range(len(self._sizes)), key=lambda piece: (-self._sizes[piece], piece))
        for piece in by_size:
            if piece not in self._home:
                self._move(piece, min(load, key=load.__getitem__), load)
        self._even_out(by_size, load)

    def _even_out(self, by_size: Sequence[int], load: dict[str, int]) -> None:
        """Pieces move to whoever has least as long as that makes the largest load smaller."""
        moved = True
        while moved:
            moved = False
            most, least = max(load, key=load.__getitem__), min(load, key=load.__getitem__)
            for piece in by_size:
                size = self._sizes[piece]
                if self._home[piece] == most and 0 < size < load[most] - load[least]:
                    load[most] -= size
                    self._move(piece, least, load)
                    moved = True
                    break

    def _move(self, piece: int, home: str, load: dict[str, int]) -> None:
        self._home[piece] = home
        load[home] += self._sizes[piece]


class Patience(TypedDict):
    """How long to wait for an answer, and how often to ask everybody again."""

    timeout: float
    retries: int


class Rounds:
    """Questions about pieces, one task a worker."""

    def __init__(self, pool: Pool, sizes: Sequence[int], **patience: Unpack[Patience]) -> None:
        self.pool, self.timeout, self.retries = pool, patience["timeout"], patience["retries"]
        self.n_rounds = 0
        self._deal = Deal(sizes)
        self._n_pieces = len(sizes)
        self._workers: Sequence[str] = ()
        self._looked = -1e300

    def ask(self, question: Callable[..., Found], pieces: Sequence[Any], *more: Any) -> list[Found]:
        """What each worker answers about its share of the pieces: ``question(share, *more)``."""
        self.n_rounds += 1
        answers: list[Found] = []
        left, failures, away = list(range(self._n_pieces)), 0, set[str]()
        while left:
            workers = self._present(away)
            shares = self._deal.shares(workers, left) if workers else {}
            tasks = {where: [[pieces[i] for i in share], *more] for where, share in shares.items()}
            found = self._ask_once(question, tasks)
            answers += found.values()
            left = [i for i in left if not any(i in shares[where] for where in found)]
            if not left:
                break
            lost = set(shares) - set(found)
            self._look()
            away |= lost & set(self._workers)  # there, but without an answer
            failures = 0 if len(lost) < len(shares) else failures + 1
            if failures > self.retries:
                raise self._nobody(len(left))
            if not set(self._workers) - away:
                away.clear()
                self._looked = -1e300
                time.sleep(_PAUSE * 2 ** max(0, failures - 1))
        return answers

    def _ask_once(self, question: Callable[..., Found], tasks: dict[str, list[Any]]) -> dict[str, Found]:
        """What those answer who do."""
        found: dict[str, Found] = {}
        asked: dict[str, Answer] = {}
        try:
            for where, arguments in tasks.items():
                asked[where] = self.pool.submit(question, *arguments, where=where)
            for where, answer in asked.items():
                with suppress(WorkerLost):
                    found[where] = answer.result(self.timeout)
        except BaseException:
            for answer in asked.values():
                answer.cancel()
            raise
        return found

    def _present(self, away: set[str]) -> Sequence[str]:
        if time.monotonic() - self._looked > _LOOK_AGAIN:
            self._look()
        return [worker for worker in self._workers if worker not in away]

    def _look(self) -> None:
        self._workers, self._looked = self.pool.workers(), time.monotonic()

    def _nobody(self, n_left: int) -> ConnectionLost:
        there = len(self._workers)
        found = f"{there} workers are there and do not answer" if there else "no worker is there"
        return ConnectionLost(
            f"{n_left} of {self._n_pieces} pieces could not be counted after {self.retries + 1} attempts: "
            f"{found}; start workers (`dask worker ADDRESS`) and run again, with a checkpoint from there on"
        )


def each_on(
    pool: Pool,
    work: Callable[..., Found],
    parts: Sequence[Any],
    *,
    timeout: float = 86_400.0,
    retries: int = 3,
) -> list[Found]:
    """What the work makes of every part, on the workers of a pool, in the order of the parts.

    A part is a tuple of arguments. What a lost worker had is done by another one.

    Examples
    --------
    >>> from treewright.statistics.cluster import LocalPool
    >>> with LocalPool(1) as pool:
    ...     each_on(pool, divmod, [(7, 2), (9, 4)])
    [(3, 1), (2, 1)]
    """
    found: dict[int, Found] = {}
    failures = 0
    while len(found) < len(parts):
        before, workers = len(found), pool.workers()
        left: SimpleQueue[int] = SimpleQueue()
        for i in range(len(parts)):
            if i not in found:
                left.put(i)

        def serve(where: str, left: SimpleQueue[int] = left) -> None:
            for i in _taken(left):
                try:
                    found[i] = pool.submit(work, *parts[i], where=where).result(timeout)
                except WorkerLost:
                    return
                except BaseException:
                    while list(_taken(left)):  # nobody begins anything more
                        pass
                    raise

        with ThreadPoolExecutor(max(1, len(workers))) as threads:
            list(threads.map(serve, workers))
        failures = 0 if len(found) > before else failures + 1
        if failures > retries:
            raise ConnectionLost(
                f"{len(parts) - len(found)} of {len(parts)} tasks could not be done after {retries + 1} "
                "attempts; start workers (`dask worker ADDRESS`) and run again"
            )
        if failures:
            time.sleep(_PAUSE * 2 ** (failures - 1))
    return [found[i] for i in range(len(parts))]


def _taken(queue: SimpleQueue[int]) -> Iterator[int]:
    while True:
        try:
            yield queue.get_nowait()
        except Empty:
            return

"""A pool in this process, whose workers can be lost at any call; what it is asked is pickled."""

from __future__ import annotations

import pickle

from treewright.statistics.cluster.pools import WorkerLost


class HerePool:
    """Workers by name; `lost` calls, counted from 0, get no answer, and their worker is gone with `takes`."""

    def __init__(self, *names: str, lost: set[int] = frozenset(), takes: bool = True) -> None:
        self.names, self.lost, self.takes = list(names or ("w0", "w1")), set(lost), takes
        self.calls: list[str] = []
        self.waiting = 0

    def workers(self):
        return tuple(self.names)

    def submit(self, function, *arguments, where):
        number = len(self.calls)
        self.calls.append(where)
        return HereAnswer(self, number, pickle.dumps((function, arguments)), where)


class HereAnswer:
    def __init__(self, pool, number, work, where):
        self.pool, self.number, self.work, self.where = pool, number, work, where

    def result(self, timeout):
        if self.number in self.pool.lost or self.where not in self.pool.names:
            if self.pool.takes and self.where in self.pool.names:
                self.pool.names.remove(self.where)
            raise WorkerLost(self.where)
        function, arguments = pickle.loads(self.work)
        return pickle.loads(pickle.dumps(function(*arguments)))

    def cancel(self):
        self.pool.waiting += 1

"""A Dask scheduler and its workers as processes of this machine, spoken to over TCP; each can be killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

REQUIRED = bool(os.environ.get("TREEWRIGHT_DASK_REQUIRED"))
needs_dask = pytest.mark.skipif(
    find_spec("distributed") is None and not REQUIRED, reason="needs Dask: pip install 'treewright[dask]'"
)
PATIENCE = 60.0  # seconds for a process to begin, on a machine that is busy


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Cluster:
    """A scheduler and workers; `kill` ends a worker as a machine ends that loses its power."""

    def __init__(self, folder: Path, n_workers: int) -> None:
        self.folder, self.port = folder, free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.n_started = 0
        try:
            self.start_scheduler()
            for _ in range(n_workers):
                self.start_worker()
        except BaseException:
            self.close()
            raise

    def start_scheduler(self) -> None:
        self._start("scheduler", "scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-show")
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise TimeoutError("the scheduler does not begin")

    def start_worker(self) -> str:
        """Begin a worker; it is there once the scheduler knows it."""
        name, port = f"worker-{self.n_started}", free_port()
        self.n_started += 1
        where = ("--host", "127.0.0.1", "--worker-port", str(port), "--local-directory", str(self.folder))
        self._start(name, "worker", self.address, "--no-nanny", "--nthreads", "1", *where)
        return name

    def _start(self, name: str, kind: str, *arguments: str) -> None:
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--no-dashboard", *arguments]
        log = open(self.folder / f"{name}.log", "wb")  # noqa: SIM115
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        environment |= {"DASK_DISTRIBUTED__SCHEDULER__IDLE_TIMEOUT": "10 minutes"}
        self.processes[name] = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        log.close()

    def wait_for(self, pool, n_workers: int) -> None:
        deadline = time.monotonic() + PATIENCE
        while len(pool.workers()) != n_workers:
            if time.monotonic() > deadline:
                logs = {file.name: file.read_text()[-500:] for file in self.folder.glob("*.log")}
                raise TimeoutError(f"{n_workers} workers do not come: {logs}")
            time.sleep(0.05)

    def kill(self, name: str) -> None:
        process = self.processes.pop(name)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
        process.wait()

    def close(self) -> None:
        for name in list(self.processes):
            self.kill(name)

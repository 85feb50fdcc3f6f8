"""Processes that are killed, limited, forked or closed: what the tests of the promises need of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path

import treewright

ROOT = Path(__file__).parents[2]


def environment() -> dict[str, str]:
    """Of a process that has the package and the tests at hand, and is not slowed down by idle threads."""
    source = Path(treewright.__file__).parents[1]
    paths = [str(source), str(ROOT), os.environ.get("PYTHONPATH", "")]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "OPENBLAS_NUM_THREADS": "1",
    }


def started(script: str, *arguments: object, before: Sequence[str] = ()) -> subprocess.Popen[str]:
    """A Python process with the package at hand, run by another command where one is given."""
    return subprocess.Popen(
        [*before, sys.executable, "-c", textwrap.dedent(script), *map(str, arguments)],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_until_ready(process: subprocess.Popen[str]) -> None:
    """Until the script says so."""
    assert process.stdout is not None
    said = process.stdout.readline()
    if said != "ready\n":
        raise AssertionError(said + process.communicate(timeout=60)[1])


def finished(process: subprocess.Popen[str], seconds: float = 60) -> tuple[int, str, str]:
    """Its exit code, or minus its signal, and what it said; one that goes on for ever is killed."""
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        raise AssertionError(f"the process did not end: {process.communicate()}") from None
    return process.returncode, out, err


def fork_that(work: Callable[[], object]) -> int:
    """The number of a fork that does the work, and no more."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException as error:  # of the child alone
            print(repr(error), file=sys.stderr)
        finally:
            os._exit(code)
    return child


def ended(child: int) -> int:
    """The exit code of a fork, or minus the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def forked(work: Callable[[], object], seconds: int = 600) -> int:
    """The exit code of a fork that does the work: 0 when nothing was raised; one that hangs is ended."""

    def before_the_bell() -> None:
        signal.alarm(seconds)
        work()

    return ended(fork_that(before_the_bell))

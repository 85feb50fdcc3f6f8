"""Which kept figures would come out otherwise today: `python -m experiments.stale`, or some by their names.

The first rows of each experiment are measured again, as many as `--seconds` of the processor allow, and
compared with those that are kept, all but times and memory. A figure that differs is stale: a learner has
changed since the commit that the results name. Each experiment has a process of its own, which ends in time.
With `--write` the results, and the pages, name the figures that are stale.
"""

from __future__ import annotations

import argparse
import importlib
import math
import pkgutil
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

import experiments
from experiments.common import Cell, Experiment, Row, read_results, write_results
from experiments.common.experiment import fill_tables
from treewright import _core

OF_THE_MACHINE = ("seconds", "peak", "idle", "bytes")
_CLOSE = 1e-6  # kept numbers have eight digits


def all_experiments() -> Iterator[Experiment]:
    """Every `EXPERIMENT` of a module below `experiments`."""
    for module in pkgutil.walk_packages(experiments.__path__, "experiments."):
        if module.name.endswith("__main__"):
            continue
        found = getattr(importlib.import_module(module.name), "EXPERIMENT", None)
        if found is not None and f"experiments.{found.name}" == module.name:
            yield found


def changed_rows(experiment: Experiment, seconds: float) -> Iterator[tuple[Row, list[str]]]:
    """Rows that were measured again within a time, each with the names of the figures that differ."""
    kept = read_results(experiment.results_file()).rows
    end = time.process_time() + seconds
    anew: Iterator[Row | Cell] = experiment.measure(True)
    for old, found in zip(kept, anew, strict=False):
        new = _measured(found)
        yield new, [name for name in old if _comparable(name) and not _agree(old[name], new.get(name))]
        if time.process_time() > end:
            return


def _measured(found: Row | Cell) -> Row:
    return found.row([]) if isinstance(found, Cell) else found


def _comparable(name: str) -> bool:
    return not any(part in name for part in OF_THE_MACHINE)


def _agree(old: Any, new: Any) -> bool:
    if isinstance(old, float | int) and isinstance(new, float | int):
        return math.isclose(old, new, rel_tol=_CLOSE, abs_tol=1e-9)
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(
            _agree(old[name], new[name]) for name in old if _comparable(name)
        )
    if isinstance(old, list | tuple) and isinstance(new, list | tuple):
        return len(old) == len(new) and all(map(_agree, old, new))
    return bool(old == new)


def tell(name: str, seconds: float, write: bool) -> None:
    """One line about one experiment."""
    experiment = next(one for one in all_experiments() if one.name == name)
    _core.set_threads(1)
    found = list(changed_rows(experiment, seconds))
    stale = sorted(set(chain.from_iterable(names for _, names in found)))
    print(f"{name}: {len(found)} rows measured again, {', '.join(stale) or 'no figure'} changed")
    if write:
        results = replace(read_results(experiment.results_file()), stale=tuple(stale))
        write_results(experiment.results_file(), results)
        fill_tables(experiment, results)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", help="such as bounded_treewidth.search; all without any")
    parser.add_argument("--seconds", type=float, default=20.0, help="of the processor for each")
    parser.add_argument("--write", action="store_true", help="say so in results and pages")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(2 * asked.seconds) + 5, resource.RLIM_INFINITY))
        tell(asked.one, asked.seconds, asked.write)
        return
    for experiment in all_experiments():
        if (asked.names and experiment.name not in asked.names) or not experiment.results_file().exists():
            continue
        command = ["-m", "experiments.stale", "--seconds", str(asked.seconds), "--one", experiment.name]
        command += ["--write"] * asked.write
        done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
        late = done.returncode == -signal.SIGXCPU
        print(
            f"{experiment.name}: the first row takes longer" if late else done.stdout or done.stderr, end=""
        )
        print(end="\n" if late else "", flush=True)


if __name__ == "__main__":
    main()

"""Errors, rows not seen, seconds and bytes of every learner on every network of the catalogue.

Each sample is learned in a process of its own, which ends after `SECONDS` of learning. Who has not come back
by then is judged as if nothing had been learned, by the network without arcs and by all those seconds, and is
not asked for the other samples.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import treewright as tw
from experiments.common import Cell, Experiment, Interval, Row, markdown_table, mean_interval, run
from experiments.scoreboard.judge import SECONDS, nothing_learned
from experiments.scoreboard.learners import DENSITIES, LEARNERS
from experiments.scoreboard.peers import PEERS, installed_peers
from experiments.scoreboard.picture import Bar, draw_board

ROWS, SAMPLES = 2_000, 3
MOST_VARIABLES = 250  # beyond, most learners and peers would be late
NO_FIGURE = "-"
PAGE = "docs/measured/scoreboard.md"


def measure(full: bool) -> Iterator[Cell]:
    described = tw.networks.describe_networks()
    names = [one.name for one in described if one.variables <= MOST_VARIABLES] if full else ["asia"]
    learners = [*LEARNERS, *installed_peers()] if full else ["default", "LEM"]
    for name, learner in product(names, learners):
        yield Cell({"network": name, "learner": learner, "rows": ROWS}, _figures(name, learner, full))


def _figures(name: str, learner: str, full: bool) -> Any:
    def figures() -> Row:
        found: list[Row] = []
        for seed in range(SAMPLES if full else 1):
            late = bool(found) and not found[-1]["came_back"]
            found.append((_missing if late else judge_apart)(name, learner, ROWS, seed))
        lists = {figure: [one[figure] for one in found] for figure in found[0]}
        return {"arcs": tw.load_network(name).dag.n_edges, **lists}

    return figures


def judge_apart(name: str, learner: str, n_rows: int, seed: int) -> Row:
    """What a process of its own finds, or what is said of one that does not come back.

    A peer that ends with an error has found nothing, either; one of ours ends the run.
    """
    command = [sys.executable, "-m", "experiments.scoreboard.judge", name, learner, str(n_rows), str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        row: Row = json.loads(done.stdout.splitlines()[-1])
        return {**row, "came_back": True}
    last = "late" if done.returncode == -signal.SIGXCPU else done.stderr.splitlines()[-1]
    if last != "late" and "TableTooLarge" not in last and learner not in PEERS:
        raise RuntimeError(done.stderr)
    print(f"{learner} on {name}: {last[:100]}", flush=True)
    return _missing(name, learner, n_rows, seed)


def _missing(name: str, learner: str, n_rows: int, seed: int) -> Row:
    nothing = nothing_learned(name, n_rows, seed)
    if learner in DENSITIES:
        nothing["errors"] = None
    return {**nothing, "seconds": SECONDS, "bytes": 0, "came_back": False}


def tables(rows: list[Row]) -> Mapping[str, str]:
    networks = list(dict.fromkeys(row["network"] for row in rows))
    board = [
        [
            learner,
            _shown(errors_of(rows, learner), 1),
            behind_of(rows, learner).shown(4),
            f"{seconds_of(rows, learner):.2f}",
            f"{max(max(row['bytes']) for row in rows if row['learner'] == learner) / 1e6:,.0f}",
            f"{sum(all(row['came_back']) for row in rows if row['learner'] == learner)} of {len(networks)}",
        ]
        for learner in ranked(rows)
    ]
    heads = ["learner", "errors, % of the arcs", "nats a cell behind the truth", "seconds, all networks"]
    errors = [
        [learner, *(_mean_errors(rows, learner, name) for name in networks)]
        for learner in ranked(rows)
        if errors_of(rows, learner) is not None
    ]
    return {
        "board": markdown_table([*heads, "megabytes, at most", "networks in time"], board),
        "errors": markdown_table(["learner", *networks], errors),
    }


def ranked(rows: list[Row]) -> list[str]:
    """Learners by their errors, those without arrows behind by what they say of rows."""

    def place(learner: str) -> tuple[float, float, str]:
        errors = errors_of(rows, learner)
        return (errors.mean if errors else 1e9, behind_of(rows, learner).mean, learner)

    return sorted(dict.fromkeys(row["learner"] for row in rows), key=place)


def errors_of(rows: list[Row], learner: str) -> Interval | None:
    """Errors in a hundred arcs, the mean of all networks; samples are what repeats."""
    of = [row for row in rows if row["learner"] == learner]
    if of[0]["errors"][0] is None:
        return None
    shares = [[100 * found / row["arcs"] for found in row["errors"]] for row in of]
    return mean_interval([sum(sample) / len(of) for sample in zip(*shares, strict=True)])


def behind_of(rows: list[Row], learner: str) -> Interval:
    of = [row["behind"] for row in rows if row["learner"] == learner]
    return mean_interval([sum(sample) / len(of) for sample in zip(*of, strict=True)])


def seconds_of(rows: list[Row], learner: str) -> float:
    """Of one sample of every network, one after the other."""
    of = [row["seconds"] for row in rows if row["learner"] == learner]
    return float(sum(sum(found) / len(found) for found in of))


def _shown(interval: Interval | None, decimals: int) -> str:
    return NO_FIGURE if interval is None else interval.shown(decimals)


def _mean_errors(rows: list[Row], learner: str, name: str) -> str:
    found = next(row for row in rows if (row["learner"], row["network"]) == (learner, name))
    mean = sum(found["errors"]) / len(found["errors"])
    return f"{mean:.1f}" if all(found["came_back"]) else f"({mean:.1f})"


def pictures(rows: list[Row]) -> Mapping[str, str]:
    bars = [
        Bar(learner, interval.mean, interval.half_width, seconds_of(rows, learner), learner in PEERS)
        for learner in ranked(rows)
        if (interval := errors_of(rows, learner)) is not None
    ]
    return {"scoreboard.svg": draw_board(bars)}


EXPERIMENT = Experiment("scoreboard.board", measure, tables, PAGE, pictures, needs_data=False)

if __name__ == "__main__":
    run(EXPERIMENT)

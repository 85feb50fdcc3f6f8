"""Running the commands of documents: in this process, after the page's Python, on a reader's files."""

from __future__ import annotations

import io
import re
import shlex
from collections.abc import Callable, Mapping
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.docs.markdown import Block, blocks_of, expect
from tests.statistics.cluster.processes import REQUIRED, Cluster

import treewright as tw
from treewright.cli.app import run

Names = Mapping[str, Any]  # what the Python of the page has made so far
ROOT = Path(__file__).resolve().parents[2]
HEAD = "tcp://head:8786"


def run_shell(block: Block, path: Path, names: Names) -> int:
    """Run every command of a block; none may fail."""
    with ExitStack() as ending:
        there: dict[str, str] = {}
        for command in commands_of(block.text):
            code, said = done(command, names, there, ending)
            assert code == 0, f"{path}:{block.line}: {command} ends with {code}: {said}"
    return 1


def run_session(block: Block, path: Path, names: Names) -> int:
    """Run what stands behind each `$`, and compare what it says with the lines that follow."""
    shown = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            printed = io.StringIO()
            with redirect_stdout(printed), ExitStack() as ending:
                _, said = done(line[2:], names, {}, ending)
            shown += [line, *(printed.getvalue() + said).splitlines()]
    expect(block.text, "\n".join(shown) + "\n", f"{path}:{block.line}")
    return 1


SHELLS = {"sh": run_shell, "console": run_session}


def commands_of(text: str) -> list[str]:
    lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    parts = [part.strip() for line in lines for part in line.split(" && ")]
    return [part for part in parts if shlex.split(part, comments=True)]


def done(command: str, names: Names, there: dict[str, str], ending: ExitStack) -> tuple[int, str]:
    """The exit code of a command, and what it says on stderr; `there` says what stands for other places."""
    program, *arguments = shlex.split(command, comments=True)
    if program in ("pip", "pytest"):
        return 0, ""  # somebody did, or this would not run
    if program == "dask":
        return cluster(arguments, there, ending), ""
    assert program == "treewright", f"{command!r} is a command of another program"
    if "folder" in names:
        there = there | {"/data/runs": str(names["folder"])}
    for short, long in there.items():
        arguments = [part.replace(short, long) for part in arguments]
    lay_out(arguments, names)
    said = io.StringIO()
    with redirect_stderr(said):
        return run(arguments), said.getvalue()


def lay_out(arguments: list[str], names: Names) -> None:
    """Make the files that a command is to read, and one of another kind in the way of what it writes."""
    for before, part in pairwise(arguments):
        file = Path(part.partition("::")[0])
        if str(file) in FILES and not file.exists() and (before != "-o" or file.suffix == ".md"):
            FILES[str(file)](file, names)


def cluster(arguments: list[str], there: dict[str, str], ending: ExitStack) -> int:
    """A scheduler of Dask, or one worker more, for as long as the block runs."""
    if not REQUIRED:
        pytest.importorskip("distributed")
    if arguments == ["scheduler", "&"]:
        begun = Cluster(Path.cwd(), 0)
        ending.callback(begun.close)
        CLUSTERS[HEAD], there[HEAD] = begun, begun.address
        return 0
    assert arguments == ["worker", HEAD, "--nthreads", "1", "&"]
    CLUSTERS[HEAD].start_worker()
    return 0


CLUSTERS: dict[str, Cluster] = {}


# Files of a reader


def patients(path: Path, names: Names, *, seed: int = 0) -> None:
    """Made up, for pages that speak of a table of patients."""
    rng, n = np.random.default_rng(seed), 400
    smoker, age = rng.random(n) < 0.4, rng.integers(2, 9, n) * 10
    died = rng.random(n) < 0.1 + 0.3 * smoker + 0.005 * age
    rows = zip(np.where(smoker, "yes", "no"), age, np.where(died, "yes", "no"), strict=True)
    lines = ["smoker,age,died", *(f"{smokes},{years},{dies}" for smokes, years, dies in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def made(path: Path, names: Names, *, name: str, number: int | None = None) -> None:
    """A table that the Python of the page has made."""
    table = names.get(name, names.get("table")) if number is None else names[name][number]
    frame = table.to_pandas()
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    elif path.suffix == ".duckdb":
        with pytest.importorskip("duckdb").connect(str(path)) as database:
            database.execute("CREATE TABLE visits AS SELECT * FROM frame")
    else:
        frame.to_csv(path, index=False)


def runs(path: Path, names: Names) -> None:
    """Two files for a pattern."""
    path.parent.mkdir(exist_ok=True)
    for seed in range(2):
        rows = tw.load_network("asia").sample(500, rng=np.random.default_rng(seed))
        rows.to_pandas().to_parquet(path.with_name(f"{seed}.parquet"))


def days(path: Path, names: Names) -> None:
    """Two days that are packed, the model of them, and the rows of a third."""
    network, place = tw.load_network("asia"), path.with_name("days")
    place.mkdir()
    *before, third = (network.sample(300, rng=np.random.default_rng(day)) for day in range(3))
    for day, rows in enumerate(before, 1):
        tw.pack(rows, place / f"{day}.twp")
    network.save(path.with_name("m.twm"))
    third.to_pandas().to_csv(path, index=False)


def learned(path: Path, names: Names) -> None:
    tw.ChowLiuTree().fit(tw.load_network("alarm").sample(500, rng=np.random.default_rng(0))).model_.save(path)


def sets(path: Path, names: Names) -> None:
    """As the page shows it."""
    page = (ROOT / "docs" / "tutorial" / "three_clinics.md").read_text(encoding="utf-8")
    (shown,) = (block.text for block in blocks_of(page) if block.text.startswith("# variables"))
    path.write_text(shown, encoding="utf-8")


def everybody(path: Path, names: Names) -> None:
    names["city"].sample(5_000, rng=np.random.default_rng(1)).to_pandas().to_csv(path, index=False)


def notes(path: Path, names: Names) -> None:
    path.write_text("# Notes\n", encoding="utf-8")


FILES: dict[str, Callable[[Path, Names], None]] = {
    "patients.csv": patients,
    "survey.csv": patients,
    "later.csv": partial(patients, seed=1),
    "runs/*.parquet": runs,
    "day-3.csv": days,
    "learned.twm": learned,
    "rows.csv": partial(made, name="rows"),
    "weather.csv": partial(made, name="table"),
    "practice.csv": partial(made, name="tables", number=0),
    "dietician.parquet": partial(made, name="tables", number=1),
    "hospital.duckdb": partial(made, name="tables", number=2),
    "everything.csv": everybody,
    "sets.txt": sets,
    "notes.md": notes,
}

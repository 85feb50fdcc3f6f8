"""Count how many small errors the tests of a module notice.

python -m tests.mutation --module statistics.several.homogeneity            # all mutants of a module
python -m tests.mutation --module ... --most 20 --seed 1            # a sample, the same for the same seed
python -m tests.mutation --all       # the samples of modules.py, into results.json
python -m tests.mutation --again ... # what survived in a module, with the tests that there are now
python -m tests.mutation --core      # the patches of core.py, which CMake and a compiler try
python -m tests.mutation --render    # README.md beside this file, from what was found
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from tests.mutation.core import try_core
from tests.mutation.loop import MutationLoop
from tests.mutation.modules import MODULES, tests_of
from tests.mutation.operators import Mutant, mutants_of
from tests.mutation.pages import RESULTS, keep, load, render

SRC = Path(__file__).parents[2] / "src" / "treewright"


def sample_of(module: str, most: int, seed: int) -> list[Mutant]:
    everything = mutants_of(SRC.joinpath(*module.split(".")).with_suffix(".py").read_text(encoding="utf-8"))
    chosen = random.Random(f"{module} {seed}").sample(range(len(everything)), min(most, len(everything)))
    return [everything[i] for i in sorted(chosen)]


def survivors_of(module: str) -> list[Mutant]:
    """What survived in the last run and is still there."""
    before = [(one["operator"], one["what"]) for one in load(RESULTS)[module]["survivors"]]
    found = []
    for mutant in sample_of(module, 10**6, 0):
        if (mutant.operator, mutant.place) in before:
            before.remove((mutant.operator, mutant.place))
            found.append(mutant)
    return found


def try_again(module: str) -> None:
    """Try what survived once more; what was killed stays killed, since tests are only added."""
    before, left = load(RESULTS)[module], survivors_of(module)
    if not left:
        return
    found = try_mutants(module, left)
    gone = len(before["survivors"]) - int(found["mutants"])  # of sources that have changed
    counts = {"mutants": before["mutants"] - gone, "killed": before["killed"] + int(found["killed"])}
    keep(module, found | counts | {"stopped": before["stopped"] + int(found["stopped"])})
    print(f"{module}: {found['killed']} of {len(left)} that survived are killed", flush=True)


def try_module(module: str, most: int, seed: int) -> dict[str, object]:
    """Try a sample of one module's mutants; what became of them."""
    return try_mutants(module, sample_of(module, most, seed))


def try_mutants(module: str, mutants: list[Mutant]) -> dict[str, object]:
    files = tests_of(module)
    loop = MutationLoop(f"treewright.{module}", mutants)
    options = [
        "-q",
        "-x",
        "-m",
        "not slow",
        "-p",
        "no:cacheprovider",
        "--no-header",
        "-p",
        "no:xdist",
    ]
    pytest.main([*files, *options], plugins=[loop])
    if loop.broken or not loop.items:
        raise SystemExit(f"{module}: {loop.broken or 'no tests'} ({', '.join(files)})")
    left = [(m, v) for m, v in loop.verdicts if v in {"survived", "not reached"}]
    return {
        "mutants": sum(v != "no mutant" for _, v in loop.verdicts),
        "killed": sum(v in {"killed", "time", "died"} for _, v in loop.verdicts),
        "stopped": sum(v == "time" for _, v in loop.verdicts),
        "tests": len(loop.items),
        "survivors": [{"operator": m.operator, "what": m.place, "line": m.line, "how": v} for m, v in left],
    }


def try_all(seed: int) -> None:
    """Every module in a process of its own, since a warm one has one module's tests in it."""
    for module, most in MODULES.items():
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "found.json"
            command = ["--module", module, "--most", str(most), "--seed", str(seed), "--json", str(file)]
            done = subprocess.run(
                [sys.executable, "-m", "tests.mutation", *command], capture_output=True, check=False
            )
            if done.returncode != 0:
                raise SystemExit(done.stdout.decode() + done.stderr.decode())
            keep(module, json.loads(file.read_text()))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument("--module")
    parser.add_argument("--most", type=int, default=10**6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--again")
    for name in ("--all", "--core", "--render"):
        parser.add_argument(name, action="store_true")
    asked = parser.parse_args()
    if asked.module:
        found = try_module(asked.module, asked.most, asked.seed)
        print(f"{asked.module}: {found['killed']} of {found['mutants']} killed by {found['tests']} tests")
        for one in found["survivors"]:
            print(f"  line {one['line']}, {one['operator']}, {one['how']}: {one['what']}")
        if asked.json:
            asked.json.write_text(json.dumps(found))
    if asked.again:
        try_again(asked.again)
    if asked.all:
        try_all(asked.seed)
    if asked.core:
        try_core()
    if asked.render:
        render()


if __name__ == "__main__":
    main()

"""Feed damaged input to every reader, for as long as you like.

    python -m tests.fuzz.fuzz --seconds 300 --seed 0 [--target bif ...]

A reader may answer, or refuse with an error of the package. Anything else (another exception, two readers
that disagree, a call that takes seconds) is printed with the bytes that caused it, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
from dataclasses import dataclass, field

from tests.fuzz.targets import TARGETS, Target

SLOW = 2.0  # seconds of processor time for a file of a few kilobytes


@dataclass
class Outcome:
    """How many inputs a reader was fed, and those that it stumbled over."""

    tried: int = 0
    faults: list[str] = field(default_factory=list)


def campaign(target: Target, seed: int, seconds: float, most: int | None = None) -> Outcome:
    """Feed one reader for so many seconds of processor time, or so many inputs."""
    rng = random.Random(f"{target.name} {seed}")
    outcome = Outcome()
    end = time.process_time() + seconds
    while time.process_time() < end and (most is None or outcome.tried < most):
        data = target.make(rng)
        start = time.process_time()
        try:
            target.feed(data)
        except Exception:
            outcome.faults.append(f"{target.name}: {data!r}\n{traceback.format_exc()}")
        if time.process_time() - start > SLOW:
            outcome.faults.append(f"{target.name} took {time.process_time() - start:.1f} s: {data!r}")
        outcome.tried += 1
    return outcome


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="processor time, shared by the targets")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--target", action="append", choices=[target.name for target in TARGETS])
    options = parser.parse_args()
    chosen = [target for target in TARGETS if not options.target or target.name in options.target]
    failed = 0
    for target in chosen:
        outcome = campaign(target, options.seed, options.seconds / len(chosen))
        failed += len(outcome.faults)
        for fault in outcome.faults[:5]:
            print(fault)
        print(f"{target.name}: {outcome.tried:,} inputs, {len(outcome.faults)} faults", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())

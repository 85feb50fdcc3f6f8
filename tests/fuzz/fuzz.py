"""Feed damaged input to every reader, for as long as you like.

    python -m tests.fuzz.fuzz --seconds 300 --seed 0 [--target bif ...]
    python -m tests.fuzz.fuzz --cases 1000000
    python -m tests.fuzz.fuzz --attacks --seconds 120      # as CI does: first, files made to stop a reader

A reader may answer, or refuse with an error of the package. Anything else (another exception, two readers
that disagree, a model that cannot be verified or written and read back, a call that takes seconds) is printed
with the bytes that caused it, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import base64
import faulthandler
import math
import random
import resource
import sys
import time
import traceback
import zlib
from dataclasses import dataclass, field

from tests.fuzz.costs import MEMORY, SECONDS, SIZE, TWICE, cost_of_attack, limit
from tests.fuzz.large import LARGE
from tests.fuzz.targets import TARGETS, Target
from tests.fuzz.text_attacks import ALL_ATTACKS

SLOW = 2.0  # seconds of processor time for a file of a few kilobytes; large ones have limits of their own
EVERY = (*LARGE, *TARGETS)  # the large ones first: a process that has no threads is forked for each file
TRIES = 5  # a core that others use as well is slow now and then
SHARE_OF_LARGE = 1 / 3  # of the seconds, when they are shared


@dataclass
class Outcome:
    """How many inputs a reader was fed, and those that it stumbled over."""

    tried: int = 0
    faults: list[str] = field(default_factory=list)


def shown(data: bytes) -> str:
    """The bytes as Python writes them; long ones packed, for `zlib.decompress(base64.b85decode(...))`."""
    return repr(data) if len(data) < 2_000 else f"packed {base64.b85encode(zlib.compress(data)).decode()}"


def spent() -> float:
    """Processor time of this process and of those that it made."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def campaign(target: Target, seed: int, seconds: float, most: int | None = None) -> Outcome:
    """Feed one reader for so many seconds of processor time, or so many inputs."""
    rng = random.Random(f"{target.name} {seed}")
    outcome = Outcome()
    end = spent() + seconds
    while spent() < end and (most is None or outcome.tried < most):
        data = target.make(rng)
        start = time.process_time()
        try:
            target.feed(data)
        except Exception:
            outcome.faults.append(f"{target.name}: {shown(data)}\n{traceback.format_exc()}")
        if time.process_time() - start > SLOW:
            outcome.faults.append(f"{target.name} took {time.process_time() - start:.1f} s: {shown(data)}")
        outcome.tried += 1
    return outcome


def attacks() -> Outcome:
    """Read every file that is made to stop a reader, each within its limits."""
    outcome = Outcome()
    for name in ALL_ATTACKS:
        outcome.tried += 1
        for _ in range(TRIES):
            found = cost_of_attack(name, SIZE)
            share = 2 if name in TWICE else 1
            is_slow = found.seconds > share * SECONDS and found.seconds > share * limit()
            if not is_slow:
                break
        if found.fault or is_slow or found.memory > MEMORY:
            told = f"{found.seconds:.2f} s of {share * limit():.2f} s, {found.memory >> 20} MB"
            outcome.faults.append(f"{name}: {told} {found.fault}")
    return outcome


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="processor time, shared by the targets")
    parser.add_argument("--cases", type=int, help="inputs in all, shared by the targets, instead of seconds")
    parser.add_argument("--attacks", action="store_true", help="begin with files made to stop a reader")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--target", action="append", choices=[target.name for target in EVERY])
    options = parser.parse_args()
    faulthandler.enable()
    chosen = [target for target in EVERY if not options.target or target.name in options.target]
    start, tried, failed = spent(), 0, 0

    def tell(name: str, outcome: Outcome) -> None:
        nonlocal tried, failed
        tried, failed = tried + outcome.tried, failed + len(outcome.faults)
        for fault in outcome.faults[:5]:
            print(fault)
        print(f"{name}: {outcome.tried:,} inputs, {len(outcome.faults)} faults", flush=True)

    if options.attacks:  # first, since a process that has threads cannot be forked
        tell("attacks", attacks())
    for position, target in enumerate(chosen):
        if options.cases is None:
            among = [other for other in chosen[position:] if (other in LARGE) == (target in LARGE)]
            kept = (1 - SHARE_OF_LARGE) * options.seconds if len(among) < len(chosen) - position else 0.0
            left = max(options.seconds - kept - (spent() - start), 0)
            outcome = campaign(target, options.seed, left / len(among))
        else:
            share = target.weight / sum(other.weight for other in chosen)
            outcome = campaign(target, options.seed, 1e9, most=math.ceil(share * options.cases))
        tell(target.name, outcome)
    print(f"{tried:,} inputs, {failed} faults, {spent() - start:.0f} s of processor time")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())

"""A moment of damage for every reader; `python -m tests.fuzz.fuzz` goes on for as long as you like."""

import os
import random
import subprocess
import sys

import numpy as np
import pytest
from tests.fuzz import costs
from tests.fuzz.costs import MEMORY, SIZE
from tests.fuzz.fuzz import campaign
from tests.fuzz.large import BYTES, feed_large, make_large
from tests.fuzz.mutation import damage, disturb
from tests.fuzz.targets import TARGETS, Target

SECONDS = float(os.environ.get("TREEWRIGHT_FUZZ_SECONDS", "0.2"))  # processor time for each reader
MOST = None if "TREEWRIGHT_FUZZ_SECONDS" in os.environ else 1_000


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_readers_answer_or_refuse(target):
    share = 4 if target.name == "csv" else 1  # opening a table takes a while
    outcome = campaign(target, seed=1, seconds=share * SECONDS, most=MOST)
    assert outcome.tried > 0
    assert not outcome.faults, outcome.faults[0]


def test_faults_are_noticed():
    def stumble(data):
        if b"2" in data:
            raise IndexError(data)

    outcome = campaign(Target("brittle", lambda rng: damage(b"1 2 3", rng), stumble), 0, 60.0, most=200)
    assert 0 < len(outcome.faults) < outcome.tried == 200
    assert "IndexError" in outcome.faults[0]


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (lambda path: sum(range(10**6)), "took 0"),
        (lambda path: np.ones(MEMORY // 8 + 10**6), "MB"),
        (lambda path: {}["x"], "KeyError"),
        (lambda path: os._exit(3), "code 3"),
    ],
)
def test_what_large_files_cost_is_noticed(read, said, monkeypatch):
    if said == "took 0":
        monkeypatch.setattr(costs, "SECONDS", 0.001)
    with pytest.raises(AssertionError, match=said):
        feed_large("some", read, b"bytes")


def test_large_files_stay_large():
    data = make_large("large.txt", random.Random(1))
    assert data == make_large("large.txt", random.Random(1))
    assert SIZE // 2 < len(data) <= SIZE
    feed_large("large.txt", BYTES["large.txt"][1], data)


def test_damage_is_reproducible():
    content = {"a": [1, {"b": 2}], "c": "d"}
    assert disturb(content, random.Random(1)) == disturb(content, random.Random(1))
    assert damage(b"some bytes", random.Random(2)) == damage(b"some bytes", random.Random(2))


READ = """
import sys
from tests.fuzz.costs import cost_of_attack
for name in sys.argv[2:]:
    found = cost_of_attack(name, int(sys.argv[1]))
    print(name, found.seconds, found.memory, found.answer.split(":")[0] or found.fault)
"""


def read_attacks(size, *names):
    """Seconds, bytes and answers, from a process that has no threads yet and can be forked."""
    run = [sys.executable, "-W", "ignore", "-c", READ, str(size), *names]
    told = subprocess.run(run, check=True, capture_output=True, text=True).stdout.splitlines()
    parts = [line.split(" ", 3) for line in told]
    return {name: (float(seconds), int(memory), answer) for name, seconds, memory, answer in parts}


@pytest.mark.slow
def test_files_that_stopped_a_reader_no_longer_do():
    """They took 3 to 20 s and up to 4 GB, or went on for ever."""
    names = ("many_factors.twm", "no_factors.uai", "lone_tables.uai", "all_but_one.uai", "unknown_names.twm")
    for seconds, memory, answer in read_attacks(SIZE, *names).values():
        assert seconds < 2.5  # of a core that others use as well; a third of it when it is idle
        assert memory < MEMORY
        assert answer in ("tuple", "FormatError")


@pytest.mark.slow
def test_twice_the_file_takes_twice_the_time():
    """Reading is linear in the size of the file; four times as much would be sixteen were it quadratic."""
    names = (
        "many_factors.twm",
        "no_direction.twm",
        "lone_factors.twm",
        "lone_families.uai",
        "all_tables.bif",
    )
    wide = ("text_columns.csv", "mended_columns.mended.csv", "mended_names.mended.csv")  # 20 to 60 s before
    for some in (names, wide):
        short, long = (read_attacks(size, *some) for size in (100_000, 400_000))
        assert sum(cost[0] for cost in long.values()) < 10 * sum(cost[0] for cost in short.values())

"""A few seconds of damage for every reader; `python -m tests.fuzz.fuzz` goes on for as long as you like."""

import os
import random

import pytest
from tests.fuzz.fuzz import campaign
from tests.fuzz.mutation import damage, disturb
from tests.fuzz.targets import TARGETS, Target

SECONDS = float(os.environ.get("TREEWRIGHT_FUZZ_SECONDS", "0.5"))  # processor time for each reader
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


def test_damage_is_reproducible():
    content = {"a": [1, {"b": 2}], "c": "d"}
    assert disturb(content, random.Random(1)) == disturb(content, random.Random(1))
    assert damage(b"some bytes", random.Random(2)) == damage(b"some bytes", random.Random(2))

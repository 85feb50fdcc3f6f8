"""When memory runs out, every learner and every question ends with MemoryError, and the process goes on."""

import json
import os
import subprocess
import sys

import pytest
from tests.promises import refused
from tests.promises.children import ROOT, environment
from tests.promises.work import LEARNERS

from treewright import learners

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux")
QUICK = ["learn_exact", "learn_efficient_markov", "learn_knots", "learn_blocks", "bayesian: marginals"]


def run(module, *words, **more):
    """The lines that a module of this folder prints, each a case."""
    command = [sys.executable, "-m", f"tests.promises.{module}", *map(str, words)]
    done = subprocess.run(
        command, env=environment() | more, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.returncode, done.stdout[-300:], done.stderr[-3000:])
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_every_learner_is_tried():
    assert set(LEARNERS) == {name for name in dir(learners) if name.startswith("learn_")} | {"learn"}


# Not understood: with no room at all these end by a fault now and then, in our code or in another's.
# The page of promises says so.
MAY_DIE = {("learn mixed", 0.0), ("learn mixed and narrow", 0.0)}


def unexpected(cases):
    return [case for case in cases if case["ended"] not in ("done", "refused") and not may_die(case)]


def may_die(case):
    return case["ended"] == "killed by signal 11" and (case["work"], case["MiB"]) in MAY_DIE


def test_so_much_memory_and_no_more(record_property):
    cases = run("exhausted", *QUICK, 0.5, 12)
    record_property("cases", len(cases))
    assert unexpected(cases) == []
    assert any(case["ended"] == "refused" for case in cases)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_so_much_memory_and_no_more_for_anything(record_property):
    cases = run("exhausted", 0, 1, 8, 32)
    record_property("cases", len(cases))
    assert unexpected(cases) == []
    assert {case["ended"] for case in cases if not may_die(case)} == {"done", "refused"}


@pytest.fixture(scope="session")
def refusing(tmp_path_factory):
    found = refused.library(tmp_path_factory.mktemp("refusing"))
    if found is None:
        pytest.skip("there is no compiler for the library that refuses allocations")
    return {"LD_PRELOAD": os.fspath(found)}


def test_one_native_allocation_is_refused(refusing, record_property):
    cases = run("refused", *QUICK, **refusing)
    record_property("cases", sum(case["refusals"] for case in cases))
    assert all(case["raised"] > 0 for case in cases)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_one_native_allocation_is_refused_for_anything(refusing, record_property):
    cases = run("refused", **refusing)
    record_property("cases", sum(case["refusals"] for case in cases))
    assert len(cases) > 150
    assert sum(case["raised"] for case in cases) > 4_000

"""How often one call of a learner crosses into the core: few times, since every crossing has its price.

Calls of functions and methods are counted, reading a property is not.
"""

import functools
from collections import Counter

import numpy as np
import pytest

import treewright as tw
from treewright import _core


@pytest.fixture(scope="module")
def counter():
    return tw.count(tw.load_network("alarm").sample(1000, rng=np.random.default_rng(0)))


@pytest.fixture
def crossings(monkeypatch):
    """The calls made since, by name."""
    made = Counter()

    def counted(call, name):
        @functools.wraps(call, assigned=("__name__", "__doc__"), updated=())
        def crossed(*args, **kwargs):
            made[name] += 1
            return call(*args, **kwargs)

        return crossed

    for name, value in list(vars(_core).items()):
        if name.startswith("__"):
            continue
        if isinstance(value, type):
            for method, call in list(vars(value).items()):
                if type(call).__name__ in ("nb_method", "nb_func") and not method.startswith("__"):
                    monkeypatch.setattr(value, method, counted(call, f"{name}.{method}"))
        elif callable(value):
            monkeypatch.setattr(_core, name, counted(value, name))
    return made


def test_a_search_under_a_width_bound(counter, crossings):
    learned = tw.learn_bounded_treewidth(tw.BIC(counter), treewidth=2)
    assert learned.iterations
    assert sum(crossings.values()) <= 20, crossings


def test_the_diary_costs_nothing(counter, crossings):
    """As many calls for a long search as for a short one, and for one that is watched."""
    made, heard = [], []
    for settings in ({}, {"effort": 20}, {"progress": heard.append}):
        tw.learn_bounded_treewidth(tw.BIC(counter), treewidth=2, **settings)
        made.append(crossings.total())
        crossings.clear()
    assert made[0] == made[1] == made[2] - 1  # `listen`
    assert len(heard) > 10


def test_knots(counter, crossings):
    tw.learn_knots(counter)
    assert sum(crossings.values()) <= 60, crossings


def rows_of(kind):
    """Rows that pairs are counted of in different ways: whole numbers, real weights, many states."""
    rows = tw.load_network("alarm").sample(1000, rng=np.random.default_rng(0)).to_dict()
    rng = np.random.default_rng(1)
    if kind == "real weights":
        return tw.read_table({**rows, "weight": rng.uniform(0.5, 1.5, 1000)}, weights="weight")
    if kind == "many states":
        states = rng.integers(80, size=1000)
        rows |= {"more": [f"s{i:02}" for i in states], "most": [f"s{i:02}" for i in (states * 7 + 3) % 80]}
    return tw.read_table(rows)


@pytest.mark.parametrize("kind", ["whole numbers", "real weights", "many states"])
def test_pairs_are_judged_once_by_each_score(kind, monkeypatch):
    judged = []

    def noted(table, kind, ess, variables):
        judged.append((kind, ess))
        return score_pairs(table, kind, ess, variables)

    score_pairs = _core.score_pairs
    monkeypatch.setattr(_core, "score_pairs", noted)
    counter = tw.count(rows_of(kind))
    learned = tw.learn_bounded_treewidth(tw.BIC(counter), treewidth=4)
    assert any(phase.name == "narrower" for phase in learned.trace.phases)
    assert len(judged) == 1
    judged.clear()
    tw.learn_knots(counter)
    assert len(judged) == len(set(judged))

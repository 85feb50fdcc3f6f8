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

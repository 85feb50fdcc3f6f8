"""How narrow a network has to be for its answers to be cheap."""

from dataclasses import replace

import numpy as np
import pytest

import treewright as tw
from treewright.automatic.price import Price, affordable, bound_for, price_of
from treewright.automatic.search import most_plausible
from treewright.learners import LearnedNetwork, Trace


@pytest.fixture(scope="module")
def price():
    network = tw.load_network("alarm")
    return price_of(network.dag, tw.count(network.sample(100, rng=np.random.default_rng(0))))


def wide(price, **changes):
    return replace(price, cost=replace(price.cost, **changes))


def test_a_cheap_network_stays_as_it_is(price):
    assert affordable(price)
    assert bound_for(price, None) is None
    assert bound_for(price, price.width) is None
    assert bound_for(price, price.width - 1) == price.width - 1


def test_a_refused_network_is_narrowed_by_what_memory_allows(price):
    tables = wide(price, refused=True, largest_cells=2**40, width=39)
    tables = replace(tables, certificate=tw.JunctionTree(price.certificate.schema, [tuple(range(37))], []))
    assert not affordable(tables)
    assert tables.width == 36
    assert bound_for(tables, None) == 28  # 2^29 cells of eight bytes are 4 GiB
    assert bound_for(tables, 10) == 10


def test_a_slow_network_is_narrowed_by_its_speed(price):
    slow = wide(price, largest_cells=2**20, width=19, seconds=4.0)
    parts = [tuple(range(20)), *((v,) for v in range(20, 37))]
    slow = replace(slow, certificate=tw.JunctionTree(price.certificate.schema, parts, []))
    assert bound_for(slow, None) == 17
    assert bound_for(replace(slow, cost=replace(slow.cost, seconds=float("inf"))), None) == 18


def test_tables_that_do_not_fit_at_all(price):
    none = Price(price.certificate, None)
    assert not affordable(none)
    assert bound_for(none, None) == price.width - 1
    assert str(none) == f"with treewidth {price.width} an exact answer takes more than the memory limit"
    assert none.to_dict() == {"width": price.width}


def test_what_is_narrowed_is_no_narrower_than_one(price):
    tree = tw.JunctionTree(price.certificate.schema, [(0, 1), *((v,) for v in range(2, 37))], [])
    for cost in (None, replace(price.cost, largest_cells=2**20, width=19, seconds=1e9)):
        assert bound_for(Price(tree, cost), None) == 1


def test_a_costly_network_of_numbers_is_narrowed_by_one():
    rng = np.random.default_rng(0)
    table = tw.read_table({name: rng.normal(size=50) for name in "abcd"})
    dag = tw.Dag(table.schema, [("a", "d"), ("b", "d"), ("c", "d")])
    price = price_of(dag, tw.moments(table))
    assert affordable(price)
    refused = replace(price, cost=replace(price.cost, refused=True))
    assert (refused.width, bound_for(refused, None), bound_for(refused, 1)) == (3, 2, 1)


def test_words(price):
    assert "takes less than a millisecond and" in str(price)
    assert "about 0.25 s and" in str(wide(price, seconds=0.25))
    assert str(wide(price, refused=True)).endswith(", above the memory limit")
    assert price.to_dict()["largest_cells"] == price.cost.largest_cells


class Fixed:
    """A score that knows some networks."""

    def __init__(self, *values):
        self.values = values

    def score(self, dag):
        return self.values[dag.n_edges - 1]


def rivals(*edges):
    schema = tw.Schema([tw.Variable(name, (0, 1)) for name in "abcdefgh"])
    return [LearnedNetwork(tw.Dag(schema, [tuple(pair) for pair in one.split()]), Trace()) for one in edges]


def test_networks_too_close_to_tell_apart_claim_as_little_as_possible():
    one, two, three = rivals("ab", "ac bc", "ab bc ac")
    assert most_plausible([two, one], Fixed(-9.0, -5.0)) is two
    assert most_plausible([two, one], Fixed(-7.2, -5.0)) is one
    assert most_plausible([three, one], Fixed(-5.0, -9.0, -5.0)) is three  # neither claims an arrow


def test_a_weak_edge_does_not_direct_a_whole_region():
    """Without b -> a six arrows become lines, for one edge: worth four bits, 2.77 nats."""
    directed, without = rivals("ba ca ad ae af ag ah", "ca ad ae af ag ah")
    assert len(directed.pattern.directed_edges()) == 7
    assert len(without.pattern.undirected_edges()) == 6
    beside = [0.0] * 5
    found = [directed, directed, without]
    assert most_plausible(found, Fixed(*beside, -2.7, 0.0)) is without
    assert most_plausible(found, Fixed(*beside, -2.8, 0.0)) is directed
    # two arrows become lines: no reason to give up an edge
    small, smaller = rivals("ba ca ad", "ca ad")
    assert most_plausible([small, small, smaller], Fixed(0.0, -0.1, 0.0)) is small

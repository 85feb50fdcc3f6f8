"""The fewest tables that hold every family."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import treewright as tw
from treewright.errors import SettingError
from treewright.graphs.knowledge.database_design import _Packing


def smallest_by_brute_force(dag, room):
    """Set partitions of the families into unions that fit, by trying all of them."""
    names = dag.schema.names
    families = {frozenset((names[v], *dag.schema.names_of(dag.parents(v)))) for v in range(len(names))}
    families = [f for f in families if not any(f < g for g in families)]

    def pack(i, tables, best):
        if len(tables) >= best:
            return best
        if i == len(families):
            return len(tables)
        for k, table in enumerate(tables):
            if len(table | families[i]) <= room:
                best = pack(i + 1, [*tables[:k], table | families[i], *tables[k + 1 :]], best)
        return pack(i + 1, [*tables, families[i]], best)

    return pack(0, [], len(families) + 1)


@pytest.mark.parametrize("seed", range(12))
def test_it_is_legitimate_small_and_honest(seed):
    rng = np.random.default_rng(seed)
    dag = tw.networks.random_dag(7, n_arcs=8, rng=rng)
    largest = max(len(dag.parents(v)) + 1 for v in range(7))
    for room in (largest, largest + 1, 7):
        design = tw.graphs.design_databases(dag, room)
        tw.graphs.check_legitimate(dag, design.tables, databases=True)
        assert max(map(len, design)) <= room
        smallest = smallest_by_brute_force(dag, room)
        assert design.at_least <= smallest <= len(design)
        assert design.is_smallest
        assert len(design) == smallest


def test_the_order_of_columns_does_not_matter():
    dag = tw.load_network("alarm").dag
    turned = tw.Schema(reversed(list(dag.schema)))
    assert tw.graphs.design_databases(dag, 12) == tw.graphs.design_databases(tw.Dag(turned, dag.edges()), 12)


@pytest.mark.slow
def test_large_networks_get_few_tables():
    dag = tw.load_network("alarm").dag
    for room, most in ((6, 10), (12, 4), (18, 3), (37, 1)):
        design = tw.graphs.design_databases(dag, room)
        tw.graphs.check_legitimate(dag, design.tables, databases=True)
        assert len(design) <= most
        assert design.at_least <= len(design)


def test_a_family_that_does_not_fit_is_named():
    schema = tw.Schema([tw.Variable(name) for name in "abcd"])
    dag = tw.Dag(schema, [("a", "d"), ("b", "d"), ("c", "d")])
    with pytest.raises(SettingError, match="'d' and its parents 'a', 'b', 'c' are 4 columns; a table"):
        tw.graphs.design_databases(dag, 3)
    with pytest.raises(SettingError, match="max_columns must be a whole number from 1 on; found 0"):
        tw.graphs.design_databases(dag, 0)


def test_parts_without_a_common_column_need_tables_of_their_own_or_share_one():
    schema = tw.Schema([tw.Variable(name) for name in "abcdef"])
    dag = tw.Dag(schema, [(u, v) for u, v in ("ab", "cd", "ef")])
    assert [len(tw.graphs.design_databases(dag, room)) for room in (2, 4, 6)] == [3, 2, 1]
    assert all(tw.graphs.design_databases(dag, room).is_smallest for room in (2, 4, 6))
    assert len(list(combinations(tw.graphs.design_databases(dag, 2).tables, 2))) == 3


def test_columns_that_hang_together_take_so_many_tables():
    """Five families of a hub and a leaf: a table of three columns holds two leaves."""
    assert _Packing([0b1 | 1 << leaf for leaf in range(1, 6)], 3).bound() == 3
    assert _Packing([0b11], 3).bound() == 1


@pytest.mark.parametrize("seed", range(30))
def test_trying_everything_finds_the_fewest(seed):
    rng = np.random.default_rng(seed)
    sets = {frozenset(rng.choice(7, size=rng.integers(2, 4), replace=False).tolist()) for _ in range(6)}
    families = [f for f in sets if not any(f < g for g in sets)]
    room = int(rng.integers(max(map(len, families)), 6))

    def fewest(i, tables):
        if i == len(families):
            return len(tables)
        places = [k for k, table in enumerate(tables) if len(table | families[i]) <= room]
        joined = [[*tables[:k], tables[k] | families[i], *tables[k + 1 :]] for k in places]
        return min(fewest(i + 1, more) for more in [*joined, [*tables, families[i]]])

    packing = _Packing([sum(1 << v for v in family) for family in families], room)
    best, is_proven = packing.exhaustive([0] * (len(families) + 1), 0)
    assert is_proven
    assert len(best) == fewest(0, []) >= packing.bound()
    assert all(table.bit_count() <= room for table in best)
    assert all(any(family & ~table == 0 for table in best) for family in packing.families)

"""The fewest tables that hold every family."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import treewright as tw
from treewright.errors import SettingError


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

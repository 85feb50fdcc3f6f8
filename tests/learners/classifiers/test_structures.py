"""Networks around a class beside their definitions."""

from itertools import combinations

import numpy as np
import pytest

import treewright as tw
from treewright.errors import SchemaError, SettingError, TreewrightError
from treewright.learners import (
    learn_class_blanket,
    learn_k_dependence,
    learn_naive_bayes,
    learn_tree_augmented,
)
from treewright.learners.classifiers.structures import shared_given

ALL = [learn_naive_bayes, learn_tree_augmented, learn_k_dependence]


@pytest.fixture(scope="module")
def rows():
    return tw.load_network("asia").sample(500, rng=np.random.default_rng(0))


def test_shared_given_is_conditional_information(rows):
    counter = tw.count(rows)
    shared = shared_given(counter, 0, [1, 2, 3])
    for i, j in combinations(range(3), 2):
        p = np.asarray(counter.counts((0, i + 1, j + 1)), float) / rows.n_rows
        parts = (
            p.sum(axis=(1, 2), keepdims=True)
            * p
            / (p.sum(2, keepdims=True) * p.sum(1, keepdims=True) + 1e-300)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = np.nansum(np.where(p > 0, p * np.log(parts), 0.0))
        assert shared[i, j] == shared[j, i] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("learn", ALL)
def test_the_class_is_a_parent_of_all(learn, rows):
    dag = learn(tw.count(rows), "lung").structure
    assert dag.parents("lung") == ()
    assert len(dag.children("lung")) == len(rows.schema) - 1


def test_a_tree_is_the_heaviest(rows):
    counter, names = tw.count(rows), rows.schema.names
    v = rows.schema.index("lung")
    others = [u for u in range(len(names)) if u != v]
    shared = shared_given(counter, v, others)
    arcs = [(a, b) for a, b in learn_tree_augmented(counter, "lung").structure.edges() if a != "lung"]
    place = {names[u]: i for i, u in enumerate(others)}
    weight = sum(shared[place[a], place[b]] for a, b in arcs)
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph()
    graph.add_weighted_edges_from((i, j, shared[i, j]) for i, j in combinations(range(len(others)), 2))
    best = networkx.maximum_spanning_tree(graph).size(weight="weight")
    assert weight == pytest.approx(best)


def test_k_dependence_counts_its_parents(rows):
    counter = tw.count(rows)
    assert (
        learn_k_dependence(counter, "lung", max_parents=0).structure == learn_naive_bayes(counter, "lung").dag
    )
    for k in (1, 2, 3):
        dag = learn_k_dependence(counter, "lung", max_parents=k).structure
        assert max(len(dag.parents(name)) for name in rows.schema.names) <= k + 1


def test_parents_of_k_dependence_are_those_of_its_definition(rows):
    """Sahami (1996): findings by what they tell about the class, then what shares most with each."""
    counter, names = tw.count(rows), [name for name in rows.schema.names if name != "lung"]
    told = {name: tw.statistics.mutual_information(counter, "lung", name) for name in names}
    shared = {
        (a, b): tw.statistics.mutual_information(counter, a, b, ["lung"])
        for a in names
        for b in names
        if a != b
    }
    order = sorted(names, key=lambda name: (-told[name], name))
    for k in (1, 2):
        learned = learn_k_dependence(counter, "lung", max_parents=k)
        for place, name in enumerate(order):
            best = sorted(order[:place], key=lambda other: -shared[name, other])[:k]
            expected = {other for other in best if shared[name, other] > 1e-12}
            assert set(rows.schema.names_of(learned.structure.parents(name))) - {"lung"} == expected
        assert learned.trace.phases[0].tallies["pairs"] == 21


def test_findings_that_tell_nothing_alone():
    """Where the class says nothing, the order is that of the names."""
    columns = {"y": [0, 0, 1, 1] * 5, "c": [0, 1] * 10, "a": [0, 1] * 10, "b": [0, 1] * 10}
    dag = learn_k_dependence(tw.count(tw.read_table(columns)), "y", max_parents=1).structure
    assert set(dag.edges()) == {("y", "a"), ("y", "b"), ("y", "c"), ("a", "b"), ("a", "c")}


def plain_left_out(table, dag, target):
    """Log-probability of each class from the counts of all other rows, by loops."""
    columns = np.stack([np.asarray(c, dtype=int) for c in table.columns])
    v, cards, total = table.schema.index(target), table.schema.cardinalities, 0.0
    for r in range(table.n_rows):
        rest = np.delete(columns, r, axis=1)
        logs = []
        for c in range(cards[v]):
            row = columns[:, r].copy()
            row[v] = c
            log = 0.0
            for u in range(len(cards)):
                parents = list(dag.parents(u))
                same = (rest[parents] == row[parents, None]).all(axis=0)
                n = (same & (rest[u] == row[u])).sum()
                log += np.log((n + 2.0 / cards[u]) / (same.sum() + 2.0))
            logs.append(log)
        total += logs[columns[v, r]] - np.logaddexp.reduce(logs)
    return total


def test_the_blanket_is_judged_by_rows_left_out(rows):
    some = rows.head(60)
    learned = learn_class_blanket(some, "lung")
    assert learned.score == pytest.approx(plain_left_out(some, learned.structure, "lung"))
    nothing = learn_class_blanket(some, "lung", steps=0)
    assert learned.score >= nothing.score


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (lambda rows: learn_naive_bayes(rows, "lung"), TreewrightError),
        (lambda rows: learn_k_dependence(tw.count(rows), "lung", max_parents=-1), SettingError),
        (lambda rows: learn_class_blanket(rows, "lung", max_parents=0), SettingError),
        (lambda rows: learn_naive_bayes(tw.count(rows), "lungs"), TreewrightError),
        (lambda rows: learn_class_blanket(tw.read_table({"a": [0.5, 1.25], "b": [0, 1]}), "b"), SchemaError),
    ],
)
def test_refusals(ask, error, rows):
    with pytest.raises(error):
        ask(rows)

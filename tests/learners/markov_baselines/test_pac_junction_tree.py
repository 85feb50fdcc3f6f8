"""Junction trees from conditional independences: trees, widths, certificates and refusals."""

import math
from itertools import combinations

import numpy as np
import pytest

import treewright as tw
from treewright import _core
from treewright.errors import SettingError, TreewidthError
from treewright.graphs import is_chordal
from treewright.learners.markov_baselines.pac_junction_tree import conditional_informations
from treewright.types import Step


def rng(seed=0):
    return np.random.default_rng(seed)


def strong_tree(seed, n=8):
    """A random tree whose neighbours agree in four cases of five."""
    chance = rng(seed)
    schema = tw.Schema([tw.Variable(f"x{v}", (0, 1)) for v in range(n)])
    edges = [(int(chance.integers(v)), v) for v in range(1, n)]
    return tw.MarkovNetwork(schema, [(e, [[4.0, 1.0], [1.0, 4.0]]) for e in edges])


@pytest.mark.parametrize("seed", range(6))
def test_a_tree_is_found_again(seed):
    truth = strong_tree(seed)
    counter = tw.count(truth.sample(5_000, rng=rng(seed)))
    learned = tw.learners.learn_pac_junction_tree(counter, treewidth=1, threshold=0.01)
    assert learned.structure == truth.structure
    searched = tw.learners.learn_pac_junction_tree(counter, treewidth=1)
    assert searched.structure == truth.structure
    assert searched.threshold <= 0.01


@pytest.mark.parametrize("width", [1, 2, 3])
def test_the_width_is_kept_and_the_graph_is_chordal(width):
    counter = tw.count(tw.random_network(9, 3, rng=rng(5)).sample(500, rng=rng(6)))
    learned = tw.learners.learn_pac_junction_tree(counter, treewidth=width)
    assert is_chordal(learned.structure)
    assert learned.certificate.width == width
    assert tw.fit(learned.structure, counter).cost().width <= width


def test_separators_part_what_stays_below_the_threshold():
    counter = tw.count(tw.random_network(7, 2, rng=rng(7)).sample(2_000, rng=rng(8)))
    learned = tw.learners.learn_pac_junction_tree(counter, treewidth=2)
    for separator in learned.certificate.separators:
        if len(separator) != 2:
            continue
        for part in (frozenset(c) for c in learned.certificate.clusters):
            inside = sorted(part - set(separator))
            assert inside or part <= set(separator)
    assert learned.threshold >= 0


def test_informations_are_conditional_mutual_informations():
    counter = tw.count(tw.random_network(5, 2, rng=rng(9)).sample(700, rng=rng(1)))
    found = conditional_informations(counter, [(0, 2)]).reshape(5, 5)
    names = sorted(counter.schema.names)
    wanted = tw.mutual_information(counter, names[1], names[4], given=(names[0], names[2]))
    assert found[1, 4] == found[4, 1] == pytest.approx(wanted, abs=1e-9)
    assert not found[0].any()


def test_no_separator_may_join_what_it_parts():
    """Three variables that all depend on each other have no tree of width one without a threshold."""
    pair = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0]], dtype=float).ravel()
    information = np.array([pair, [0, 0, 1, 0, 0, 0, 1, 0, 0], [0, 1, 0, 1, 0, 0, 0, 0, 0]], dtype=float)
    masks = np.array([1, 2, 4], dtype=np.uint64)
    assert _core.consistent_tree(masks, information, 3, 0.5) is None
    assert sorted(_core.consistent_tree(masks, information, 3, 1.0)) == [3, 5]


def test_few_variables_are_one_clique():
    counter = tw.count(tw.read_table({"a": [0, 1], "b": [0, 1]}))
    learned = tw.learners.learn_pac_junction_tree(counter, treewidth=3)
    assert learned.structure.edges() == [("a", "b")]


def test_the_order_of_columns_does_not_matter():
    table = tw.random_network(8, 2, rng=rng(2)).sample(400, rng=rng(3))
    turned = table.reordered(table.schema.names[::-1])
    first, second = (
        tw.learners.learn_pac_junction_tree(tw.count(one), treewidth=2) for one in (table, turned)
    )
    assert first.structure.edges() == second.structure.edges()


def test_refusals():
    counter = tw.count(tw.read_table({f"x{v:02d}": ["a", "b"] for v in range(50)}))
    with pytest.raises(TreewidthError, match="treewidth is at least 1; found 0"):
        tw.learners.learn_pac_junction_tree(counter, treewidth=0)
    with pytest.raises(SettingError, match=r"an information from 0 on, in nats; found -1\.0"):
        tw.learners.learn_pac_junction_tree(counter, treewidth=1, threshold=-1.0)
    with pytest.raises(TreewidthError, match=r"50 variables have .* separators of size 5, which take"):
        tw.learners.learn_pac_junction_tree(counter, treewidth=5)
    many = tw.count(tw.read_table({f"x{v:02d}": ["a", "b"] for v in range(65)}))
    with pytest.raises(TreewidthError, match="at most 64 variables; found 65: use learn_bounded_treewidth"):
        tw.learners.learn_pac_junction_tree(many, treewidth=1)
    truth = strong_tree(1, 4).sample(500, rng=rng(1))
    with pytest.raises(TreewidthError, match="no junction tree has separators that part all pairs"):
        tw.learners.learn_pac_junction_tree(tw.count(truth), treewidth=1, threshold=0.0)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_what_one_clique_holds_is_not_tested(n):
    rows = tw.read_table({name: rng(1).integers(0, 2, 50) for name in "abc"[:n]})
    learned = tw.learners.learn_pac_junction_tree(tw.count(rows), treewidth=2, threshold=0.0)
    assert learned.structure.n_edges == math.comb(n, 2)
    assert not learned.trace.phases


def test_the_smallest_threshold_is_found_and_every_test_is_told(monkeypatch):
    """Of all informations, the least that a tree meets, by trying each; as many trees as are told."""
    counter = tw.count(strong_tree(3, n=5).sample(300, rng=rng(2)))
    separators = list(combinations(range(5), 1))
    information = conditional_informations(counter, separators)
    masks = np.array([1 << v for (v,) in separators], dtype=np.uint64)
    met = [t for t in np.unique(information) if _core.consistent_tree(masks, information, 5, t) is not None]
    asked = []

    def counted(*arguments):
        asked.append(arguments)
        return tree_of(*arguments)

    tree_of = _core.consistent_tree
    monkeypatch.setattr(_core, "consistent_tree", counted)
    learned = tw.learners.learn_pac_junction_tree(counter, treewidth=1)
    assert learned.threshold == met[0]
    assert learned.trace.total("thresholds") == len(asked)
    assert learned.trace.total("tests") == 5 * math.comb(4, 2)
    asked.clear()
    again = tw.learners.learn_pac_junction_tree(counter, treewidth=1, threshold=float(met[0]))
    assert again.structure == learned.structure
    assert again.trace.total("thresholds") == len(asked) == 1


def test_no_rows_inform_about_nothing():
    schema = tw.Schema([tw.Variable(name, (0, 1)) for name in "abcd"])
    empty = tw.read_table({name: [] for name in "abcd"}, schema=schema)
    assert not conditional_informations(tw.count(empty), [(0,), (1,)]).any()


def test_tests_are_counted_before_they_are_made(monkeypatch):
    monkeypatch.setattr("treewright.learners.markov_baselines.pac_junction_tree.MOST_TESTS", 89)
    rows = tw.read_table({name: [0, 1] for name in "abcdef"})
    with pytest.raises(
        TreewidthError, match="15 separators of size 2, which take 90 conditional informations"
    ):
        tw.learners.learn_pac_junction_tree(tw.count(rows), treewidth=2)
    monkeypatch.setattr("treewright.learners.markov_baselines.pac_junction_tree.MOST_TESTS", 90)
    tw.learners.learn_pac_junction_tree(tw.count(rows), treewidth=2)


def test_each_separator_is_told_of():
    told = []
    rows = tw.read_table({name: [0, 1] for name in "abcd"})
    tw.learners.learn_pac_junction_tree(tw.count(rows), treewidth=2, progress=told.append)
    assert told == [Step("separators", done, 6) for done in range(1, 7)]

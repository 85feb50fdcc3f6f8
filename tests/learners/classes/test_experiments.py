"""Rows of which some were made: counts, scores and classes beside their definitions."""

import math
from collections import defaultdict
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.graphs.directed import all_dags

import treewright as tw
from treewright.criteria import ExperimentScore
from treewright.errors import TreewrightError
from treewright.graphs import bind_knowledge
from treewright.learners import learn_from_experiments
from treewright.learners.classes.experiments import pattern_of
from treewright.statistics import Experiments


def made_rows(network, targets, n, seed=0):
    """Rows of a network, `n` for each target; what is set is drawn evenly, whatever its causes are."""
    rng = np.random.default_rng(seed)
    columns = defaultdict(list)
    for target in targets:
        codes = {}
        for name in (network.schema.names[i] for i in network.dag.topological_order):
            table = network.table(name)
            chances = table[tuple(codes[parent] for parent in network.dag.parents(name))]
            if name in target:
                chances = np.full(table.shape[-1], 1 / table.shape[-1])
            steps = np.broadcast_to(np.cumsum(chances, axis=-1), (n, table.shape[-1]))
            codes[name] = (rng.random(n)[:, None] > steps[:, :-1]).sum(axis=1)
        for name, drawn in codes.items():
            columns[name] += drawn.tolist()
        columns["set"] += ["+".join(sorted(target)) or "none"] * n
    return columns


def chain(names="abc", strength=0.9):
    schema = tw.Schema([tw.Variable(name, (0, 1)) for name in names])
    dag = tw.Dag(schema, list(pairwise(names)))
    weak = [[strength, 1 - strength], [1 - strength, strength]]
    return tw.BayesianNetwork(dag, {name: [0.5, 0.5] if name == names[0] else weak for name in names})


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_families_are_counted_where_their_child_was_not_set(seed):
    rng = np.random.default_rng(seed)
    rows = {name: rng.integers(0, 3, 40).tolist() for name in "abc"}
    kinds = ["none", "a", "b", "a+c", "-"]
    rows["set"] = [kinds[i] for i in rng.integers(0, len(kinds), 40)]
    experiments = Experiments(tw.read_table(rows), "set")
    score, states = ExperimentScore(experiments, "loglik"), experiments.schema.variables
    for child in "abc":
        kept = [i for i in range(40) if child not in rows["set"][i].split("+")]
        assert experiments.rows_of(child) == len(kept)
        others = [name for name in "abc" if name != child]
        for parents in ([], others[:1], others):
            scope = tuple(experiments.schema.index(name) for name in (*parents, child))
            counts = np.zeros([states[v].cardinality for v in scope], dtype=int)
            for i in kept:
                cell = tuple(states[v].states.index(rows[states[v].name][i]) for v in scope)
                counts[cell] += 1
            assert (np.asarray(experiments.counts_many([scope])[0]) == counts).all()
            flat = counts.reshape(-1, counts.shape[-1])
            expected = sum(n * math.log(n / row.sum()) for row in flat for n in row if n)
            assert score.local(child, parents) == pytest.approx(expected, abs=1e-9)


def test_the_class_is_that_of_all_networks_which_no_experiment_tells_apart():
    """Same independences, and each experiment cuts the same edges off (Hauser & Buehlmann 2012)."""
    names = "abcd"
    schema = tw.Schema([tw.Variable(name, (0, 1)) for name in names])
    dags = [tw.Dag(schema, [(names[u], names[v]) for u, v in arcs]) for arcs in sampled(all_dags(4))]
    every = [tw.Dag(schema, [(names[u], names[v]) for u, v in arcs]) for arcs in all_dags(4)]
    by_class = defaultdict(list)
    for dag in every:
        by_class[tw.Cpdag.of(dag)].append(dag)
    for i, dag in enumerate(dags):
        targets = [(), *list(combinations(names, 1 + i % 2))[i % 4 : i % 4 + 2]]
        rows = {name: [0, 1] * len(targets) for name in names}
        rows["set"] = [" + ".join(target) or "none" for target in targets for _ in range(2)]
        experiments = Experiments(tw.read_table(rows), "set")
        alike = [
            other
            for other in by_class[tw.Cpdag.of(dag)]
            if all(left_by(other, target) == left_by(dag, target) for target in targets)
        ]
        told = tw.Dag(experiments.schema, dag.edges())
        pattern = pattern_of(told, experiments, bind_knowledge(None, experiments.schema))
        shared = set.intersection(*(set(other.edges()) for other in alike))
        assert set(pattern.directed_edges()) == shared


def sampled(dags):
    return list(dags)[::7]


def left_by(dag, target):
    """The skeleton once the arcs into what is set are cut."""
    return {frozenset(arc) for arc in dag.edges() if arc[1] not in target}


def test_what_was_set_directs_a_chain_that_rows_alone_leave_open():
    rows = made_rows(chain(), [(), ("b",)], 400)
    learned = learn_from_experiments(Experiments(tw.read_table(rows), "set"))
    assert learned.pattern.directed_edges() == [("a", "b"), ("b", "c")]
    assert learned.cpdag.directed_edges() == []
    assert learned.notes[-1] == "what was set directs 2 of 2 edges itself"


def test_tables_are_fitted_to_rows_that_were_not_set():
    rows = made_rows(chain(strength=0.95), [(), ("b",)], 2_000)
    table = tw.read_table(rows)
    experiments = Experiments(table, "set")
    dag = tw.Dag(experiments.schema, [("a", "b"), ("b", "c")])
    right = tw.fit(dag, experiments)
    naive = tw.fit(dag, tw.count(experiments.table))
    assert abs(right.table("b")[0, 0] - 0.95) < 0.02 < abs(naive.table("b")[0, 0] - 0.95)


def test_without_experiments_it_is_the_search_of_the_rows():
    rows = made_rows(chain("abcd"), [()], 500)
    experiments = Experiments(tw.read_table(rows), "set")
    learned = learn_from_experiments(experiments)
    plain = tw.learners.learn_tabu(tw.BIC(tw.count(experiments.table)))
    assert learned.score == pytest.approx(plain.score)
    assert learned.pattern == plain.cpdag


def test_the_order_of_rows_and_columns_does_not_matter():
    rows = made_rows(chain("abcd"), [(), ("c",)], 300)
    order = np.random.default_rng(1).permutation(600)
    turned = {name: [rows[name][i] for i in order] for name in reversed(rows)}
    found = [learn_from_experiments(Experiments(tw.read_table(one), "set")) for one in (rows, turned)]
    assert sorted(found[0].dag.edges()) == sorted(found[1].dag.edges())
    assert found[0].score == pytest.approx(found[1].score)


def test_a_variable_that_was_always_set_gets_no_parents():
    rows = made_rows(chain(), [("b",)], 300)
    experiments = Experiments(tw.read_table(rows), "set")
    assert ExperimentScore(experiments).local("b", ["a"]) == -math.inf
    assert "b" not in {head for _, head in learn_from_experiments(experiments).dag.edges()}


def test_a_missing_cell_sets_nothing():
    rows = {"a": [0, 1, 0, 1], "set": ["a", None, None, "a"]}
    experiments = Experiments(tw.read_table(rows, missing="em"), "set")
    assert experiments.rows_of("a") == 2
    assert experiments.targets == (frozenset(), frozenset({"a"}))


def test_wrong_names_are_refused():
    with pytest.raises(TreewrightError, match="no column is called 'dos'; columns are 'dose'"):
        Experiments(tw.read_table({"dose": [0, 1], "set": ["none", "dos"]}), "set")
    with pytest.raises(TreewrightError, match="takes rows of experiments; found a Table"):
        learn_from_experiments(tw.read_table({"a": [0, 1]}))
    with pytest.raises(TreewrightError, match="holds numbers"):
        Experiments(tw.read_table({"a": [0, 1, 0], "set": [0.5, 1.5, 2.5]}), "set")


def test_what_was_set_is_told_by_size_and_names():
    names = [f"v{i}" for i in range(7)]
    sets = [f"{a}+{b}" for i, a in enumerate(names) for b in names[:i]]
    rows = {name: [0, 1, 0] * len(sets) for name in names}
    found = Experiments(
        tw.read_table({**rows, "set": [*sets, "v3", "none"] + ["none"] * (3 * len(sets) - len(sets) - 2)}),
        "set",
    )
    told = [tuple(sorted(one)) for one in found.targets]
    assert told == sorted(told, key=lambda one: (len(one), one))
    assert told[:2] == [(), ("v3",)]
    assert len(told) == 2 + len(sets)

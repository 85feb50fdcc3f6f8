"""Scores chosen by the rows."""

import numpy as np
import pytest

import treewright as tw
from treewright.errors import SettingError
from treewright.learners.score_choice import CANDIDATES, choose_score


def rows_of(name, n_rows, seed=0):
    return tw.load_network(name).sample(n_rows, rng=np.random.default_rng(seed))


def test_near_certain_tables_call_for_a_small_sample_size():
    network = tw.random_network(12, 2, states=(2, 3), concentration=0.05, rng=np.random.default_rng(1))
    assert choose_score(tw.count(network.sample(500, rng=np.random.default_rng(2)))).name.startswith("bdeu")


def test_even_tables_do_not():
    network = tw.random_network(12, 2, states=(3, 4), concentration=3.0, rng=np.random.default_rng(1))
    choice = choose_score(tw.count(network.sample(500, rng=np.random.default_rng(2))))
    assert choice.name == "qnml"
    assert all(nats <= 0 for nats in choice.evidence.values())


def test_the_choice_codes_the_rows_best():
    counter = tw.count(rows_of("alarm", 300))
    choice = choose_score(counter)
    assert list(choice.evidence) == list(CANDIDATES)
    assert choice.evidence["qnml"] == 0
    assert choice.evidence[choice.name] == max(choice.evidence.values())
    dag = tw.learn_hill_climbing(choice.score).structure
    gap = choice.score.score(dag) - tw.SparseQNML(counter).score(dag)
    assert gap > 0


def test_columns_and_counters_do_not_matter():
    table = rows_of("alarm", 200, seed=3)
    expected = choose_score(tw.count(table))
    names = np.random.default_rng(0).permutation(table.schema.names).tolist()
    shuffled = choose_score(tw.count(table.reordered(names)))
    assert shuffled.name == expected.name
    assert shuffled.evidence == pytest.approx(expected.evidence, abs=1e-6)


def test_own_candidates_and_one_round():
    counter = tw.count(rows_of("asia", 200))
    only = choose_score(counter, {"mine": tw.QNML}, rounds=1)
    assert (only.name, dict(only.evidence)) == ("mine", {"mine": 0.0})
    assert only.score.local("dysp", ["bronc"]) == tw.SparseQNML(counter).local("dysp", ["bronc"])


def test_groups_are_the_same_for_all():
    rng = np.random.default_rng(5)
    code = rng.integers(30, size=300)
    noisy = {name: (code % 3 + (rng.random(300) < 0.1)) % 3 for name in "uvwxyz"}
    choice = choose_score(tw.count(tw.read_table({"code": [f"s{c}" for c in code], **noisy})))
    assert len(choice.score.groups["code"]) == 3
    learned = tw.learn_hill_climbing(choice.score)
    assert {frozenset(edge) for edge in learned.structure.edges()} == {frozenset(("code", n)) for n in noisy}


def test_knowledge_keeps_pairs_apart():
    table = rows_of("asia", 500)
    known = tw.Knowledge(forbidden=[("bronc", "dysp"), ("dysp", "bronc")])
    assert choose_score(tw.count(table), knowledge=known).name in CANDIDATES


def test_refusals():
    counter = tw.count(rows_of("asia", 50))
    with pytest.raises(SettingError, match="one candidate and one round are needed at least; found 0 candid"):
        choose_score(counter, {})
    with pytest.raises(SettingError, match="found 5 candidates, rounds=0"):
        choose_score(counter, rounds=0)
    with pytest.raises(SettingError, match="needs a score that is score-equivalent"):
        choose_score(counter, {"k2": tw.K2})

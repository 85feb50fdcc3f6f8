"""Scores chosen by the rows."""

import numpy as np
import pytest

import treewright as tw
from treewright.criteria.scores.native_scores import CountedScore, native_scores
from treewright.errors import SettingError
from treewright.learners.classes import score_choice
from treewright.learners.classes.class_search import class_search
from treewright.learners.classes.score_choice import CANDIDATES, choose_score, codes, suited_score

FOUND = class_search(tw.BIC(tw.count(tw.read_table({"a": [0, 1], "b": [0, 1]}))))


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


@pytest.mark.parametrize("name", ["alarm", "asia"])
def test_what_the_choice_counted_is_not_counted_again(name):
    counter = tw.count(rows_of(name, 400))
    choice = suited_score(counter)
    fresh = class_search(choice.score)
    going_on = class_search(choice.score, counted=choice.counted)
    assert (going_on.cpdag, going_on.score) == (fresh.cpdag, fresh.score)
    first = {phase.name: phase.tallies.get("tables", 0) for phase in going_on.trace.phases}["first pairs"]
    again = {phase.name: phase.tallies.get("tables", 0) for phase in fresh.trace.phases}["first pairs"]
    assert first == 0 < again <= choice.tables
    assert going_on.trace.total("tables") == fresh.trace.total("tables") - again


def test_a_score_asked_by_two_searches_counts_once():
    score = tw.SparseQNML(tw.count(rows_of("alarm", 300)))
    counted = CountedScore(score)
    runs = [class_search(score, effort=1, counted=counted) for _ in range(2)]
    assert runs[0].cpdag == runs[1].cpdag
    assert runs[0].trace.total("tables") > 0
    assert runs[1].trace.total("tables") == 0


def test_what_was_counted_for_another_score_is_refused():
    counter = tw.count(rows_of("asia", 100))
    others = (tw.BIC(tw.count(rows_of("asia", 100, seed=1))), tw.SparseQNML(counter), tw.BIC(counter))
    for other in (*map(CountedScore, others), native_scores(others[0]), 3):
        with pytest.raises(
            SettingError, match="counted must be a CountedScore of the very score that is sear"
        ):
            class_search(tw.BIC(counter), counted=other)


def test_one_table_is_judged_by_all():
    asked = []

    class Noted:
        inner = tw.count(rows_of("alarm", 300))
        schema, n_rows = inner.schema, inner.n_rows

        def counts(self, scope):
            return self.counts_many([scope])[0]

        def counts_many(self, scopes):
            asked.extend(scopes)
            return self.inner.counts_many(scopes)

    counter = Noted()
    scores = {name: tw.criteria.GroupedScore(make, counter) for name, make in CANDIDATES.items()}
    dag = tw.load_network("alarm").dag
    evidence, n_tables = codes(scores, dag)
    assert n_tables == sum(len(dag.parents(v)) > 1 for v in range(37))
    assert 0 < len(asked) == len(set(asked)) <= 37  # none twice; one inside another is added up
    own = {name: score.inner.score(dag) for name, score in scores.items()}  # prices code no row
    assert evidence == pytest.approx({name: value - own["qnml"] for name, value in own.items()}, abs=1e-9)
    mine = {
        **scores,
        "mine": tw.criteria.GroupedScore(lambda seen: tw.criteria.CachedScore(tw.BIC(seen)), counter),
    }
    assert codes(mine, dag)[1] == len(mine) * n_tables  # who has no table in common counts on their own


def test_refusals():
    counter = tw.count(rows_of("asia", 50))
    with pytest.raises(SettingError, match="one candidate and one round are needed at least; found 0 candid"):
        choose_score(counter, {})
    with pytest.raises(SettingError, match="found 5 candidates, rounds=0"):
        choose_score(counter, rounds=0)
    with pytest.raises(SettingError, match="needs a score that is score-equivalent"):
        choose_score(counter, {"k2": tw.K2})


@pytest.mark.parametrize("rounds", [1, 2, 4])
def test_no_more_searches_than_rounds(monkeypatch, rounds):
    searched = []
    monkeypatch.setattr(score_choice, "class_search", lambda score, **_: searched.append(score) or FOUND)

    def turn(scores, structure):  # whatever is tried, the next one is better
        return {name: float(i == len(searched)) for i, name in enumerate(scores)}, 0

    monkeypatch.setattr(score_choice, "codes", turn)
    choice = choose_score(tw.count(rows_of("asia", 50)), rounds=rounds)
    assert searched == list(choice.candidates.values())[:rounds]
    assert choice.name == list(CANDIDATES)[rounds]


def test_a_score_that_was_tried_ends_the_search(monkeypatch):
    searched = []
    monkeypatch.setattr(score_choice, "class_search", lambda score, **_: searched.append(score) or FOUND)
    monkeypatch.setattr(score_choice, "codes", lambda scores, _: (dict.fromkeys(scores, 0.0), 0))
    choice = choose_score(tw.count(rows_of("asia", 50)), rounds=4)
    assert (len(searched), choice.name) == (1, "qnml")  # the first one wins ties


@pytest.mark.parametrize("rounds", [1, 3])
def test_tables_of_searching_and_of_judging_add_up(monkeypatch, rounds):
    searched = []

    def turn(scores, structure):
        return {name: float(i == len(searched)) for i, name in enumerate(scores)}, 5

    monkeypatch.setattr(score_choice, "class_search", lambda score, **_: searched.append(score) or FOUND)
    monkeypatch.setattr(score_choice, "codes", turn)
    choice = choose_score(tw.count(rows_of("asia", 50)), rounds=rounds)
    assert choice.tables == rounds * (int(FOUND.trace.total("tables")) + 5)

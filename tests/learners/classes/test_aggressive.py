"""The aggressive baseline: never below a climb, obedient, and a function of its seed."""

import numpy as np
import pytest
from tests.learners.classes.test_dag_climbing import all_dags, random_table

from treewright import BIC, K2, Dag, Knowledge, count, learn_aggressive, load_network
from treewright.errors import SettingError
from treewright.learners import learn_dag_climbing, learn_tabu


def seeded(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("kind", [BIC, K2])
@pytest.mark.parametrize("seed", range(4))
def test_the_optimum_of_four_variables_is_found(kind, seed):
    score = kind(count(random_table(seed, [2, 3, 2, 2], 100)))
    best = max(score.score(dag) for dag in all_dags(score.schema))
    assert score.score(learn_aggressive(score, rng=seeded()).structure) == pytest.approx(best, abs=1e-9)


def test_it_never_ends_below_a_climb_or_a_tabu_search_of_the_same_settings():
    for seed in range(4):
        score = BIC(count(random_table(seed, [2, 3, 2, 2, 3, 2, 2], 150)))
        found = score.score(learn_aggressive(score, rng=seeded()).structure)
        assert found >= score.score(learn_dag_climbing(score).structure)
        assert found >= score.score(learn_tabu(score, structures=100, patience=15).structure)


def test_the_trace_tells_how_long_it_went_on():
    score = BIC(count(load_network("asia").sample(500, rng=seeded(3))))
    trace = learn_aggressive(score, rng=seeded(), perturbations=4, patience=5).trace
    assert trace.total("perturbations") >= 4
    assert trace.total("steps") >= 4 * 5
    empty = score.score(Dag.empty(score.schema))
    learned = learn_aggressive(score, rng=seeded())
    assert learned.trace.total("gain") == pytest.approx(score.score(learned.structure) - empty, abs=1e-6)


def test_the_seed_decides_and_the_columns_do_not():
    table = load_network("asia").sample(1_000, rng=seeded(5))
    turned = table.reordered(table.schema.names[::-1])
    first = learn_aggressive(BIC(count(table)), rng=seeded(2))
    assert learn_aggressive(BIC(count(turned)), rng=seeded(2)).structure == first.structure
    again = learn_aggressive(BIC(count(table)), rng=seeded(2))
    assert again.trace.total("steps") == first.trace.total("steps")
    other = learn_aggressive(BIC(count(table)), rng=seeded(3))
    assert other.trace.total("steps") != first.trace.total("steps")


def test_knowledge_and_limits_hold_in_random_moves_too():
    table = load_network("asia").sample(500, rng=seeded(1))
    known = Knowledge(required=[("asia", "smoke")], tiers=[["asia", "smoke"], ["lung", "tub", "bronc"]])
    for seed in range(3):
        learned = learn_aggressive(BIC(count(table)), rng=seeded(seed), knowledge=known, max_parents=2)
        known.on(table.schema).check(learned.structure)
        assert max(len(learned.structure.parents(v)) for v in range(8)) <= 2


def test_nothing_can_move():
    table = load_network("asia").sample(50, rng=seeded(1))
    fixed = Knowledge(parents={name: [] for name in table.schema.names})
    assert learn_aggressive(BIC(count(table)), rng=seeded(), knowledge=fixed).structure.edges() == []


def test_settings_are_checked():
    score = BIC(count(load_network("asia").sample(50, rng=seeded(1))))
    for name in ("tabu", "patience", "perturbations"):
        with pytest.raises(SettingError, match=f"{name} must be 1 or more; found 0"):
            learn_aggressive(score, rng=seeded(), **{name: 0})
    with pytest.raises(SettingError, match="perturbed_share must be above 0 and at most 1; found 2"):
        learn_aggressive(score, rng=seeded(), perturbed_share=2)

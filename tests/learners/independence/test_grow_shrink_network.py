"""Grow-shrink Markov networks: oracles and rules."""

import numpy as np
import pytest

import treewright as tw
from treewright.errors import SettingError


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("rule", ["and", "or"])
def test_an_oracle_gives_the_moral_graph(seed, rule):
    dag = tw.networks.random_dag(8, n_arcs=9, rng=np.random.default_rng(seed))
    learned = tw.learners.learn_grow_shrink_network(tw.DSeparationOracle(dag), rule=rule)
    assert learned.structure == dag.moral_graph()
    assert learned.trace.total("tests") > 0


def test_both_blankets_are_stricter_than_one():
    model = tw.networks.random_markov_network(tw.networks.load_graph("karate"), rng=np.random.default_rng(1))
    test = tw.PosteriorTest(tw.count(model.sample(500, rng=np.random.default_rng(2))))
    both, one = (tw.learners.learn_grow_shrink_network(test, rule=rule, largest=4) for rule in ("and", "or"))
    assert both.structure.is_subgraph_of(one.structure)
    assert both.found == one.found


def test_other_rules_are_refused():
    schema = tw.Schema([tw.Variable(name) for name in "ab"])
    with pytest.raises(SettingError, match="rule must be one of 'and', 'or'; found 'xor'"):
        tw.learners.learn_grow_shrink_network(tw.DSeparationOracle(tw.Dag(schema, [])), rule="xor")

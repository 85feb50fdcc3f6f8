"""How often a learner asks whoever counts: a question may be a journey to a server or a cluster.

The figures were measured on one sample of ALARM of 10,000 rows; a tenth more is allowed here, on the average
of a few samples where a learner is quick. Those of R50, and of learners that came later, were measured here.
"""

from dataclasses import replace
from itertools import product
from statistics import mean

import numpy as np
import pytest
from tests.scale.r50 import r50
from tests.scale.searches import OF_ALL_VARIABLES, SEARCHES
from tests.scale.sources import FIRST

import treewright as tw
from treewright.graphs import bind_knowledge
from treewright.learners.bounded_treewidth.default_search import search_from
from treewright.learners.bounded_treewidth.search import BoundedSettings

# questions for tables, and for occupied cells of large ones
ROUNDS = {
    "chow-liu": (2, 0),
    "graphical lasso": (2, 0),
    "clusters": (2, 0),
    "hill climbing": (61, 0),
    "dag climbing": (53, 0),
    "tabu": (61, 0),
    "thin junction tree": (57, 0),
    "bounded": (415, 0),  # a search at each bound up to 3, and as many kicks as pay
    "chains": (57, 0),
    "pc": (24, 0),
    "separation tree": (9, 0),
    "independence graph": (10, 0),
    "knots": (318, 0),
    "paper knots": (69, 0),
    "blocks": (187, 19),
    "mpl": (96, 0),
    "bjp": (330, 150),
    "independence-based score": (452, 279),
    "tpda": (280, 4),
    "pac junction tree": (630, 0),
    "sampled steps": (1050, 55),
    "Markov blankets": (202, 128),
    "grow-shrink": (291, 254),
    "one blanket": (7, 6),
    "aggressive": (63, 0),
    "exact": (12, 1),
    "hybrid": (70, 0),
    "hypergraph": (48, 0),
    "naive Bayes": (0, 0),
    "tree-augmented": (1, 0),
    "k-dependence": (2, 0),
    "L1": (0, 1),
    "feature induction": (0, 2),
}
ONCE = {
    "independence-based score",
    "Markov blankets",
    "grow-shrink",
    "sampled steps",
    "knots",
    "pac junction tree",
    "bjp",
    "aggressive",
    "exact",
    *OF_ALL_VARIABLES,
}
FEW_COLUMNS = {"exact", *OF_ALL_VARIABLES}
# on R50 with 100,000 rows: questions, and passes over the rows when they are packed
ROUNDS_OF_MANY = {
    "climbing": (145, 267),
    "hill climbing, BIC": (207, 329),
    "bounded, one search": (542, 541),
    "chains": (85, 133),
}


class Asked:
    """A counter that only counts, and how often it was asked."""

    def __init__(self, counter):
        self._counter = counter
        self.schema, self.n_rows = counter.schema, counter.n_rows
        self.rounds = self.sparse_rounds = 0

    def counts_many(self, scopes):
        self.rounds += 1
        return self._counter.counts_many(scopes)

    def counts(self, scope):
        return self.counts_many([scope])[0]

    def sparse_counts_many(self, scopes):
        self.sparse_rounds += 1
        return self._counter.sparse_counts_many(scopes)

    def sparse_counts(self, scope):
        return self.sparse_counts_many([scope])[0]


def sample(seed):
    return tw.count(tw.load_network("alarm").sample(10_000, rng=np.random.default_rng(seed)))


def sample_for(learner, seed):
    """The sample, with as many columns as the learner takes, and a column that it may be told by name."""
    table = sample(seed).table
    first, *others = table.schema
    table = tw.Table(tw.Schema([replace(first, name=FIRST), *others]), table.columns)
    return tw.count(table.select(sorted(table.schema.names)[:12]) if learner in FEW_COLUMNS else table)


def one_search(score, seed=0):
    """Under a bound of 3, without those at narrower ones."""
    shared = BoundedSettings(score, bind_knowledge(None, score.schema), 3, None)
    return search_from(None, shared, [seed], effort=1)


@pytest.mark.slow
@pytest.mark.parametrize("learner", SEARCHES)
def test_few_questions_reach_the_source(learner):
    asked = [Asked(sample_for(learner, seed)) for seed in ((1,) if learner in ONCE else range(5))]
    for counter in asked:
        SEARCHES[learner](counter)
    few, few_sparse = ROUNDS[learner]
    assert mean(counter.rounds for counter in asked) <= 1.1 * few
    assert mean(counter.sparse_rounds for counter in asked) <= 1.1 * few_sparse


@pytest.mark.slow
def test_few_questions_reach_the_source_from_one_search_at_a_width():
    rounds = []
    for seed, counter in product(range(4), map(sample, range(5))):
        asked = Asked(counter)
        one_search(tw.BIC(asked), seed)
        rounds.append(asked.rounds)
    assert mean(rounds) <= 1.1 * 187


@pytest.fixture(scope="module")
def many_rows():
    return r50().sample(100_000, rng=np.random.default_rng(0))


MANY = {
    "climbing": lambda counter: tw.learn_hill_climbing(tw.BIC(counter), effort=0),
    "hill climbing, BIC": lambda counter: tw.learn_hill_climbing(tw.BIC(counter), effort=2),
    "bounded, one search": lambda counter: tw.learn_bounded_treewidth(
        tw.BIC(counter), treewidth=3, effort=1, seconds=1e6
    ),  # a clock leaves no time to narrower bounds
    "chains": SEARCHES["chains"],
}


@pytest.mark.slow
@pytest.mark.parametrize("learner", ROUNDS_OF_MANY)
def test_few_passes_over_many_rows(many_rows, remembers, learner):
    few, few_passes = ROUNDS_OF_MANY[learner]
    asked = Asked(tw.count(many_rows))
    learned = MANY[learner](asked)
    assert asked.rounds <= 1.1 * few
    assert asked.sparse_rounds == 0
    packed = MANY[learner](tw.count(many_rows))
    assert (packed.structure, packed.score) == (learned.structure, learned.score)
    assert 0 < packed.trace.total("passes") <= 1.1 * few_passes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("learner", "told", "few", "many"),
    [
        ("hill climbing, BIC", 147, {"seed": 51}, {"seed": 50}),
        ("bounded, one search", 291, {"evenness": 1.5}, {"seed": 50}),
    ],
)
def test_rounds_of_a_network_do_not_follow_from_its_size(learner, told, few, many):
    """Rounds were told of 50 columns, 126 planes and 108 arcs: some such networks take fewer, others more."""
    asked = []
    for which in (few, many):
        network = r50(**which)
        assert (len(network.schema), network.dag.n_edges) == (50, 108)
        assert sum(network.schema.cardinalities) - 50 == 126
        asked.append(Asked(tw.count(network.sample(100_000, rng=np.random.default_rng(0)))))
        MANY[learner](asked[-1])
    assert asked[0].rounds <= told < 1.1 * told < asked[1].rounds


def test_every_learner_has_a_bound():
    assert ROUNDS.keys() == SEARCHES.keys()


@pytest.mark.parametrize("learner", ["hill climbing", "chow-liu", "pc"])
def test_the_trace_tells_what_was_asked(learner):
    counter = Asked(tw.count(tw.load_network("asia").sample(500, rng=np.random.default_rng(0))))
    trace = SEARCHES[learner](counter).trace
    assert 0 < trace.total("rounds") <= counter.rounds  # some tables need no memory
    assert trace.total("tables") >= trace.total("rounds")
    assert {"rounds", "tables", "passes", "bytes_read"} <= trace.to_dict().keys()
    again = SEARCHES[learner](counter).trace  # everything is remembered
    assert again.total("rounds") == 0


def test_passes_over_packed_rows_are_tallied(tmp_path, remembers):
    table = tw.load_network("asia").sample(500, rng=np.random.default_rng(0))
    counter = tw.count(tw.pack(table, tmp_path / "rows.twp"))
    trace = tw.learn_hill_climbing(tw.BIC(counter)).trace
    assert trace.total("passes") >= 1
    assert trace.total("bytes_read") >= 0
    assert tw.learn_chow_liu(tw.BIC(tw.count(table.take(slice(0, 100))))).trace.total("scores") > 0

"""Tables and searches that the tests of the search over classes share."""

import numpy as np
from tests.reference.graphs.directed import random_dag

import treewright as tw
from treewright import _core
from treewright.criteria.scores.native_scores import native_scores
from treewright.criteria.scores.score import PluralScore

SCORES = [tw.AIC, tw.BIC, tw.QNML, tw.BDeu, tw.SparseQNML]


def marks_from(native):
    directed, undirected = native
    return frozenset(map(tuple, directed.tolist())), frozenset(map(tuple, undirected.tolist()))


def sampled_table(seed, n=5, n_rows=300, density=0.5):
    """Rows of a random network over scrambled names."""
    rng = np.random.default_rng(seed)
    dag = random_dag(n, density, rng)
    columns = {}
    for v in dag.topological_order:
        key = sum((i + 2) * columns[p] for i, p in enumerate(dag.parents(v))) if dag.parents(v) else 0
        noise = rng.integers(2 + v % 2, size=n_rows)
        columns[v] = np.where(rng.random(n_rows) < 0.75, (key + v) % (2 + v % 2), noise)
    return tw.read_table({dag.schema.names[v]: columns[v] for v in range(n)})


def native_search(score, **settings_):
    scores = native_scores(score)
    n = len(score.schema)
    return _core.ClassSearch(scores, settings_.get("max_parents", n), settings_.get("largest_set", n))


def member_at_random(dag, rng):
    """Another member of the class, by random covered reversals."""
    for _ in range(3 * dag.n_edges):
        covered = dag.covered_arcs()
        if not covered:
            break
        dag = dag.with_reversed(*covered[rng.integers(len(covered))])
    return dag


def asia_score(n_rows=3_000):
    return tw.BIC(tw.count(tw.load_network("asia").sample(n_rows, rng=np.random.default_rng(4))))


def trapped():
    """Rows on which the first search ends in an optimum that reopening does not leave."""
    rng = np.random.default_rng(16)
    return tw.random_network(12, 3, states=(2, 4), rng=rng).sample(2_000, rng=rng)


class Plain(PluralScore):
    """A user's score: no resolution, asked through Python."""

    is_score_equivalent = True

    def __init__(self, inner):
        self.inner = inner

    @property
    def schema(self):
        return self.inner.schema

    def local_many(self, families):
        return self.inner.local_many(families)

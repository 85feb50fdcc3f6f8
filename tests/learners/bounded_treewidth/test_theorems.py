"""What Elidan & Gould prove of the whole learner: the bound, one wider for each chain, and growth in N."""

from itertools import pairwise

import numpy as np
import pytest

import treewright as tw
from treewright.graphs import fits


def learned_from(n, treewidth, seed, learn=tw.learn_treewidth_chains):
    truth = tw.random_network(n, 3, states=(2, 2), concentration=0.4, rng=np.random.default_rng(seed))
    score = tw.BIC(tw.count(truth.sample(400, rng=np.random.default_rng(seed + 1))))
    return learn(score, treewidth=treewidth)


@pytest.mark.parametrize("treewidth", [2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_each_chain_widens_by_one_at_most_and_never_beyond_the_bound(treewidth, seed):
    """So there are as many chains that widen as the bound has room, and the score only rises."""
    learned = learned_from(18, treewidth, seed)
    widths = [1, *(one.width for one in learned.iterations)]
    assert all(after - before <= 1 for before, after in pairwise(widths))
    assert max(widths) <= treewidth
    assert fits(learned.structure.moral_graph(), treewidth) is not None
    scores = [one.score for one in learned.iterations]
    assert scores == sorted(scores)


@pytest.mark.parametrize("treewidth", [2, 3])
def test_work_grows_with_the_square_of_the_number_of_variables(treewidth):
    """Gains of all pairs once, and of one child again for each arc: polynomial in N, as promised."""
    for n in (10, 20, 40, 80):
        for learn in (tw.learn_treewidth_chains, tw.learners.learn_thin_junction_tree):
            learned = learned_from(n, treewidth, n, learn)
            arcs = learned.structure.n_edges
            assert learned.trace.total("scores") <= n * (n + arcs)
            assert len(learned.iterations) <= arcs


@pytest.mark.parametrize("n", [10, 20, 40, 80])
def test_a_network_of_bounded_width_has_few_arcs_and_small_cliques(n):
    """At most K N arcs, and inference over N cliques of K + 1 variables: linear in N for a fixed K."""
    learned = learned_from(n, 3, 2 * n)
    clusters = learned.certificate.cluster_scopes
    assert learned.structure.n_edges <= 3 * n
    assert len(clusters) <= n
    assert max(map(len, clusters)) <= 4

"""Who is on the board: from counts to something that parameters go on, all with their own defaults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import treewright as tw
from treewright import learners

Learn = Callable[[Any], Any]  # from tw.count(table)

# networks: directed, so that errors can be counted
NETWORKS: dict[str, Learn] = {
    "default": lambda counter: tw.learn(counter).structure,
    "knots": lambda counter: tw.learn_knots(counter).structure,
    "hill climbing": lambda counter: tw.learn_hill_climbing(tw.SparseQNML(counter)).structure,
    "bounded, K = 4": lambda counter: tw.learn_bounded_treewidth(tw.BIC(counter), treewidth=4).structure,
    "hybrid": lambda counter: tw.learn_hybrid(tw.SparseQNML(counter), tw.GTest(counter, 0.05)).structure,
    "tabu": lambda counter: learners.learn_tabu(tw.SparseQNML(counter)).structure,
    "chains, K = 4": lambda counter: tw.learn_treewidth_chains(tw.BIC(counter), treewidth=4).structure,
    "PC": lambda counter: tw.learn_pc(tw.GTest(counter, 0.01)).dag,
    "TPDA": lambda counter: tw.learn_tpda(tw.GTest(counter, 0.05)).dag,
    "Chow-Liu": lambda counter: tw.learn_chow_liu(tw.BIC(counter)).structure,
}
# Markov networks and mixtures: rows that were not seen can be judged, arrows there are none
DENSITIES: dict[str, Learn] = {
    "MPL": lambda counter: tw.learn_blankets(tw.MarginalPseudoLikelihood(counter), treewidth=12).structure,
    "L1": lambda counter: tw.learn_l1_neighbourhoods(counter).structure,
    "LEM": lambda counter: tw.learn_efficient_markov(counter).structure,
    "cutset network": lambda counter: tw.learn_cutset_network(counter).structure,
    "hidden tree": lambda counter: tw.learn_hidden_tree(counter).structure,
    "mixture": lambda counter: tw.learn_mixture(counter).structure,
}
LEARNERS = {**NETWORKS, **DENSITIES}

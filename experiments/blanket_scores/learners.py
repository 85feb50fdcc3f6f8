"""The learners that are compared, by the names of the tables."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import treewright as tw
from treewright.graphs import UndirectedGraph
from treewright.learners import Learned

Learn = Callable[[tw.Counter], Learned[UndirectedGraph]]

LARGEST_BLANKET = 8  # grow-shrink blankets of few rows would grow over everything


def _tree(counter: tw.Counter) -> Learned[UndirectedGraph]:
    learned = tw.learn_chow_liu(tw.BIC(counter))
    return Learned(learned.structure.skeleton(), learned.trace)


LEARNERS: dict[str, Learn] = {
    "auto": lambda counter: tw.learn_blankets(tw.BlanketsJointPosterior(counter)),
    "BJP HC": lambda counter: tw.learn_blankets(tw.BlanketsJointPosterior(counter), "ibmap"),
    "IB HC": lambda counter: tw.learn_blankets(tw.IndependenceBasedScore(counter), "ibmap"),
    "IB walk": lambda counter: tw.learn_blankets(tw.IndependenceBasedScore(counter)),
    "MPL": lambda counter: tw.learn_blankets(tw.MarginalPseudoLikelihood(counter), "three-phase"),
    "walk p=.9": lambda counter: tw.learn_blankets(tw.BlanketsJointPosterior(counter, prior=0.9), "walk"),
    "L1": tw.learn_l1_neighbourhoods,
    "graphical lasso": tw.learners.learn_graphical_lasso,
    "GSMN": lambda counter: tw.learners.learn_grow_shrink_network(
        tw.PosteriorTest(counter), rule="and", largest=LARGEST_BLANKET
    ),
    "Chow-Liu": _tree,
}


@dataclass(frozen=True)
class Errors:
    """One run: edges too many and too few, tests asked (0 where a learner asks none), processor seconds."""

    false_positives: int
    false_negatives: int
    tests: int
    seconds: float

    @property
    def distance(self) -> int:
        return self.false_positives + self.false_negatives


def judged(name: str, table: tw.Table, truth: UndirectedGraph) -> Errors:
    """Learn from rows, and compare with the graph that they come from. Counting starts from nothing."""
    start = time.process_time()
    learned = LEARNERS[name](tw.count(table))
    seconds = time.process_time() - start
    wanted, found = set(truth.edges()), set(learned.structure.edges())
    return Errors(len(found - wanted), len(wanted - found), int(learned.trace.total("tests")), seconds)

"""Networks that rounds of structural EM begin with, from what rows with gaps show without any model.

What a model expects favours what it joins already, so where rounds begin tells where they end. Tests need no
model: each takes the rows that show its columns, and PC joins what they show, boldly or carefully. What it
finds is a better beginning than a tree, whose wrong neighbours stay.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

from treewright.automatic.price import affordable, price_of
from treewright.automatic.rows import is_complete
from treewright.automatic.search import Source
from treewright.criteria import BIC, GaussianBIC, GTest, MixedBIC
from treewright.criteria.scores.edge_prior import make_sparse_score
from treewright.errors import DataWarning, KnowledgeError
from treewright.graphs import BoundKnowledge, Dag, Knowledge
from treewright.learners import (
    Learned,
    LearnedNetwork,
    learn_chow_liu,
    learn_dag_climbing,
    learn_mixed,
    learn_pc,
)
from treewright.statistics import Counter, MixedMoments, Moments
from treewright.tables import Table

# Fewer complete rows than these for each variable say too little to begin with.
_ROWS_TO_BEGIN = 5
_LEVELS = (0.05, 0.001)  # of the tests of bold and of careful beginnings

Start = tuple[str, Learned[Any]]


def list_starts(
    table: Table,
    there: Source,
    whole: Callable[[Table], Source],
    search: Callable[[Any], Learned[Any]],
    knowledge: Knowledge | BoundKnowledge | None = None,
    *,
    climbs: bool = True,
) -> Iterator[Start]:
    """By the pairs that are there, by tests of what is there, and what complete rows lead to."""
    if isinstance(there, MixedMoments):
        only: dict[str, Any] = {"max_parents": 1, "perturbations": 0, "knowledge": knowledge}
        yield "the columns by themselves", learn_mixed(MixedBIC(there), **only)
    else:
        score = GaussianBIC(there) if isinstance(there, Moments) else BIC(there)
        yield "the tree of the pairs that are there", learn_chow_liu(score, knowledge=knowledge)
        if climbs and isinstance(there, Moments):
            yield from _narrow(
                "a climb by the pairs that are there",
                learn_dag_climbing(make_sparse_score(there), knowledge=knowledge),
                there,
            )
        elif climbs and isinstance(there, Counter):
            yield from by_tests(there, knowledge)
    kept = is_complete(table)
    if int(kept.sum()) >= _ROWS_TO_BEGIN * len(table.schema):
        yield "the complete rows", search(whole(table.take(kept)))


def by_tests(there: Counter, knowledge: Knowledge | BoundKnowledge | None) -> Iterator[Start]:
    """What PC finds where each test takes the rows that show its columns."""
    for level in _LEVELS:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DataWarning)  # a beginning may be wrong
                found = learn_pc(GTest(there, alpha=level), knowledge=knowledge)
        except KnowledgeError:
            return  # what tests leave cannot obey it
        network = LearnedNetwork(Dag(there.schema, found.dag.edges()), found.trace)
        yield from _narrow(f"tests of what is there, at {level}", network, there)


def _narrow(said: str, found: LearnedNetwork[Dag], there: Source) -> Iterator[Start]:
    """A network whose expectations are affordable."""
    if affordable(price_of(found.dag, there)):
        yield said, found

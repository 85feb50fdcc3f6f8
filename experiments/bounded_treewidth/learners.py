"""The methods that are compared, and what each kind of rows is scored and fitted with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import treewright as tw

Learner = Callable[..., tw.Learned[tw.Dag]]

# under a bound: learner(score, treewidth=, order=)
BOUNDED: dict[str, Learner] = {
    "chains": tw.learn_treewidth_chains,
    "thin junction tree": tw.learn_thin_junction_tree,
    "default search": tw.learn_bounded_treewidth,
}
AGGRESSIVE = "aggressive"


@dataclass(frozen=True)
class Kind:
    """How rows of one kind are scored, and how networks of them are fitted."""

    shown: str
    score: Callable[[tw.Table], Any]
    fit: Callable[[tw.Dag, tw.Table], Any]
    most_parents: int | None = None  # without a bound on the width: tables have to fit into memory

    def learn_unbounded(self, score: Any, order: Sequence[str] | None = None) -> tw.Dag:
        """The aggressive search, in the order of the variables if there is one."""
        known = None if order is None else tw.Knowledge(order=order)
        rng = np.random.default_rng(0)
        learned = tw.learn_aggressive(score, rng=rng, knowledge=known, max_parents=self.most_parents)
        return learned.structure

    def log_loss(self, dag: tw.Dag, train: tw.Table, test: tw.Table) -> float:
        """Nats for each row that was held out."""
        return -float(self.fit(dag, train).score(test))


def _fit_tables(dag: tw.Dag, rows: tw.Table) -> Any:
    return tw.fit(dag, tw.count(rows), prior=tw.Dirichlet(1.0))


BIC = Kind("BIC", lambda rows: tw.BIC(tw.count(rows)), _fit_tables, 8)
BDEU = Kind("BDeu", lambda rows: tw.BDeu(tw.count(rows), ess=1.0), _fit_tables, 8)
GAUSSIAN = Kind(
    "Gaussian BIC",
    lambda rows: tw.GaussianBIC(tw.moments(rows)),
    lambda dag, rows: tw.fit(dag, tw.moments(rows)),
)
SIGMOID = Kind("sigmoid BIC", partial(tw.SigmoidBIC, screen=10), tw.models.fit_sigmoid)

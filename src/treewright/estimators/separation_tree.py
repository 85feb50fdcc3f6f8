"""The estimator that knows who belongs together, and learns from one table or from several."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, Self

from treewright.errors import SettingError
from treewright.estimators.estimator import Estimator, warn_of_identifiers
from treewright.estimators.rows import not_fitted
from treewright.estimators.settings import Sets, with_settings
from treewright.graphs import Pdag
from treewright.graphs.knowledge.files import read_hypergraph
from treewright.learners import Absence
from treewright.learners.separation_trees.audit import Legitimacy
from treewright.learners.separation_trees.databases import learn_from_databases
from treewright.learners.separation_trees.learned_databases import LearnedFromDatabases
from treewright.learners.separation_trees.settings import DatabaseSettings, TreeSettings
from treewright.models import fit
from treewright.models.fitting.databases import score_tables
from treewright.tables import Databases, Schema, read_databases
from treewright.tables._reading.missing import reading_policy


@with_settings
class SeparationTree(Estimator):
    """A network from a table, or from several tables that share only some of their columns.

    ``fit(table)`` learns from one table, ``fit([table, table, ...])`` from tables with overlapping columns,
    whose rows are different individuals: nothing is joined, and the model still answers questions about
    columns that no table has together. The columns may be discrete, or all of them continuous.

    Attributes
    ----------
    cpdag_
        The equivalence class; with directed knowledge, what is left open by it.
    tree_
        The d-separation tree: its `clusters` are the nodes, its `separators` what they share.
    separators_
        For each pair that a test separated, smaller name first, the smallest set that did it; empty for the
        engine "class". :meth:`why_not` answers for both.
    databases_
        The tables as they were aligned.
    homogeneity_
        Whether what tables share is distributed alike in all of them.
    never_observed_together_, undecided_edges_, model_based_
        What no table could say, see :class:`~treewright.learners.LearnedFromDatabases`.
    audit_
        What the rows say about the separators of the hypergraph; None where there is nothing to ask.
    warnings_
        What to know before the result is trusted, in sentences.
    learned_
        All of this in one object; ``learned_.report()`` tells the whole story.

    References
    ----------
    .. [1] Xie, Geng & Zhao (2006). Decomposition of structural learning about directed acyclic graphs.
       Artificial Intelligence 170, 422-439.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> network, rng = tw.load_network("asia"), np.random.default_rng(0)
    >>> first = network.sample(10_000, rng=rng).select(["asia", "tub", "lung", "either", "xray"])
    >>> second = network.sample(10_000, rng=rng).select(["smoke", "lung", "bronc", "either", "dysp"])
    >>> found = tw.SeparationTree().fit([first, second])
    >>> found.tree_.separators
    (('either', 'lung'),)
    >>> found.query("dysp", given={"xray": "yes"})["yes"] > 0.5  # no table has both
    True
    >>> print(found.why_not("dysp", "xray"))
    dysp and xray share no node; the tree separates them by {either, lung}
    """

    hypergraph: Sets | None
    legitimacy: Legitimacy

    def fit(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> Self:
        """Learn a network from a frame, array, file or table, or from a list of them.

        `y` and `sample_weight` go with one table; of several, each has its own columns and weights.
        """
        if is_several(X) or isinstance(X, Databases):
            if y is not None or sample_weight is not None:
                raise SettingError("y and sample_weight go with one table; several have columns of their own")
            self.target_ = None
            databases = self._read_all(X, self.schema)
        else:
            databases = Databases([self._joined(X, y, sample_weight)])
        warn_of_identifiers(*databases.tables)
        learned = self._learn(databases)
        prior = None if databases.is_continuous else self._dirichlet()
        self._keep(fit(learned.dag, databases, prior=prior), learned, databases)
        self._tell(learned)
        return self

    def _learn(self, counter: Databases) -> LearnedFromDatabases:
        sets = self._sets()
        # what tables contradict in their own columns is reported
        legitimacy = "report" if sets is None and self.legitimacy == "error" else self.legitimacy
        tree = TreeSettings(**self._given("refine_above", "alpha_uig"))
        return learn_from_databases(
            counter,
            hypergraph=sets,
            legitimacy=legitimacy,
            settings=DatabaseSettings(tree=tree, **self._given("completion")),
            **self._given("engine", "score", "effort", "max_parents", "test", "alpha", "knowledge"),
        )

    def _sets(self) -> Iterable[Iterable[str]] | None:
        if isinstance(self.hypergraph, str | os.PathLike):
            return read_hypergraph(self.hypergraph)
        return self.hypergraph

    def _tell(self, learned: LearnedFromDatabases) -> None:
        self.learned_ = learned
        self.databases_ = learned.databases
        self.cpdag_: Pdag = learned.structure
        self.tree_ = learned.tree
        self.separators_ = {} if learned.found is None else learned.found.separators
        self.homogeneity_ = learned.homogeneity
        self.never_observed_together_ = learned.never_observed_together
        self.undecided_edges_ = learned.undecided_edges
        self.model_based_ = learned.model_based
        self.audit_ = learned.audit
        self.warnings_ = learned.notes

    def _read_all(self, X: Any, schema: Schema | None) -> Databases:
        if isinstance(X, Databases):
            return X
        if not is_several(X):
            return Databases([self._read(X, schema)])
        bins = None if schema is not None else self.bins
        how: dict[str, Any] = {"missing": reading_policy(self.missing), "unseen": self.unseen}
        return read_databases(X, schema=schema, bins=bins, **how)

    def why_not(self, u: str, v: str) -> Absence:
        """Why there is no edge between two variables; `str()` says it in a sentence."""
        if not hasattr(self, "learned_"):
            raise not_fitted(type(self).__name__)
        return self.learned_.why_not(u, v)

    def score(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> float:
        """Mean log-likelihood of the rows, in nats; of several tables, of the columns that each row has."""
        model = self._fitted()
        if isinstance(X, Databases) or is_several(X):
            return score_tables(model, self._read_all(X, model.schema))
        return super().score(X, y, sample_weight=sample_weight)


def is_several(X: Any) -> bool:
    """Whether what is to be fitted is a list of tables."""
    is_matrix = (
        isinstance(X, Sequence) and bool(X) and isinstance(X[0], Sequence) and not isinstance(X[0], str)
    )
    return isinstance(X, Sequence) and not isinstance(X, str) and not is_matrix

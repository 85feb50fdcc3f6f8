"""The estimators of Bayesian networks: by a score, under a bound on width, by tests, and with a map."""

from __future__ import annotations

from typing import Any, Self

from treewright import learners, models
from treewright.automatic.experiments import made_rows
from treewright.criteria.registry import independence_test_named, score_named
from treewright.errors import MissingValuesError, SettingError
from treewright.estimators.counting import CountingEstimator
from treewright.estimators.rows import Target, note_columns, rows_for, weighted
from treewright.estimators.settings import with_settings
from treewright.graphs import Clusters, Cpdag, Dag, JunctionTree, Pdag
from treewright.learners import Learned
from treewright.statistics import Counter
from treewright.tables import read_table


@with_settings
class ChowLiuTree(CountingEstimator):
    """The best network in which each variable has at most one parent.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = {"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 9, "c": [0, 1, 0, 1] * 9}
    >>> tree = tw.ChowLiuTree().fit(rows)
    >>> tree.structure_.edges(), tree.width_
    ([('a', 'b')], 1)
    >>> tree.predict({"b": [1, 0]}, target="a").tolist()
    [1, 0]
    """

    _fills_gaps = _takes_available = True

    def _learn(self, counter: Counter) -> Learned[Dag]:
        return learners.learn_chow_liu(score_named(self.criterion, counter), **self._given("knowledge"))


@with_settings
class HillClimbing(CountingEstimator):
    """A network of high score, by greedy search over equivalence classes.

    Attributes
    ----------
    cpdag_
        The equivalence class of `structure_`: directions that the data cannot tell are open in it; with
        `set_by` those that what was set cannot tell either.
    copies_
        Pairs of columns that are relabellings of each other.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> rows = tw.load_network("asia").sample(5_000, rng=np.random.default_rng(0))
    >>> climbed = tw.HillClimbing().fit(rows)
    >>> climbed.cpdag_.directed_edges()
    [('bronc', 'dysp'), ('either', 'dysp'), ('either', 'xray'), ('lung', 'either'), ('tub', 'either')]
    """

    set_by: str | None
    cpdag_: Pdag
    copies_: tuple[tuple[str, str], ...]

    _fills_gaps = True

    def fit(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> Self:
        """Learn a network; where `set_by` names a column, from rows of which some were made."""
        if self.set_by is None:
            return super().fit(X, y, sample_weight=sample_weight)
        if self.missing not in ("error", "drop"):
            raise SettingError(
                f"set_by= learns from rows that miss nothing; found missing={self.missing!r}, take 'drop'"
            )
        X = rows_for(self, X, fitting=True)
        table = read_table(
            X, schema=self.schema, missing="em", **({} if self.schema else self._given("bins", "mend"))
        )
        note_columns(self, table, X)
        self.target_ = None if y is None else Target.of(y, table, type(self).__name__)
        table = weighted(table if self.target_ is None else self.target_.beside(table, y), sample_weight)
        experiments, left_out = made_rows(table, self.set_by)
        if left_out and self.missing == "error":
            raise MissingValuesError("columns beside set_by= miss cells; missing='drop' leaves out such rows")
        common = self._given("knowledge", "max_parents")
        learned = learners.learn_from_experiments(experiments, self.criterion, **common)
        self.cpdag_ = learned.pattern
        self.copies_ = ()
        model = models.fit(learned.structure, experiments, prior=self._dirichlet())
        self._keep(model, learned, experiments.table)
        return self

    def partial_fit(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> Self:
        """Learn from the first rows, and add the counts of further ones: the structure stays what it was."""
        if self.set_by is not None:
            raise SettingError("partial_fit counts rows that nobody made; with set_by= fit all rows at once")
        return super().partial_fit(X, y, sample_weight=sample_weight)

    def _learn(self, counter: Counter) -> Learned[Dag]:
        learned = learners.learn_hill_climbing(
            score_named(self.criterion, counter), **self._given("knowledge", "effort", "max_parents")
        )
        self.cpdag_ = learned.cpdag
        self.copies_ = learned.copies
        return learned


@with_settings
class BoundedTreewidth(CountingEstimator):
    """A network of high score and bounded treewidth: every question is answered exactly, at a known cost.

    Attributes
    ----------
    certificate_
        A junction tree that proves the bound; `width_` is its width.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> rows = tw.load_network("asia").sample(5_000, rng=np.random.default_rng(0))
    >>> tw.BoundedTreewidth(treewidth=2).fit(rows).width_
    2
    """

    _fills_gaps = True

    def _learn(self, counter: Counter) -> Learned[Dag]:
        learned = learners.learn_bounded_treewidth(
            score_named(self.criterion, counter),
            rng=self._chance(),
            **self._given("treewidth", "effort", "knowledge", "max_parents"),
        )
        self.certificate_: JunctionTree = learned.certificate
        return learned


@with_settings
class PC(CountingEstimator):
    """The equivalence class that independence tests find, and a model of one of its members.

    Attributes
    ----------
    cpdag_
        The equivalence class; with directed knowledge, what is left open by it.
    separators_
        For each pair that was separated, in either order, a set that did it.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> rows = tw.load_network("asia").sample(20_000, rng=np.random.default_rng(0))
    >>> found = tw.PC().fit(rows)
    >>> ("lung", "either") in found.cpdag_.directed_edges(), found.separators_["smoke", "xray"]
    (True, ('lung',))
    """

    test: str
    alpha: float

    _fills_gaps = _takes_available = _judges_by_tests = True

    def _learn(self, counter: Counter) -> learners.LearnedPattern:
        learned = learners.learn_pc(
            independence_test_named(self.test, counter, alpha=self.alpha),
            **self._given("depth", "collider_rule", "knowledge"),
        )
        self.cpdag_: Pdag = learned.cpdag
        self.separators_ = learned.separators
        return learned


@with_settings
class Knots(CountingEstimator):
    """A large network from few rows, with a map of its variables.

    Attributes
    ----------
    clusters_
        The map: also `structure_.clusters`, and in the picture of the model.
    cpdag_
        The equivalence class of `structure_`.
    account_
        The score, and pairs and tables by stage.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> rows = tw.load_network("alarm").sample(500, rng=np.random.default_rng(0))
    >>> found = tw.Knots().fit(rows)
    >>> len(found.clusters_.disjoint), found.account_.certificate
    (7, True)
    """

    _fills_gaps = True

    def _learn(self, counter: Counter) -> Learned[Dag]:
        learned = learners.learn_knots(
            counter,
            score=None if self.criterion == "auto" else score_named(self.criterion, counter, also=("auto",)),
            **self._given("fast", "expansion", "filter", "effort", "max_parents", "knowledge"),
        )
        self.clusters_: Clusters = learned.clusters
        self.cpdag_: Cpdag = learned.cpdag
        self.account_: learners.KnotsReport = learned.report
        return learned

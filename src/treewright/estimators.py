"""The scikit-learn door: one thin class per learner, over the four verbs.

An estimator keeps its settings as attributes of the same name and does nothing until :meth:`Estimator.fit`;
there it reads, counts, learns and fits, and keeps what came out under names that end in an underscore. It
works with scikit-learn's `clone`, `Pipeline` and `GridSearchCV`, and without scikit-learn installed.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import numpy.typing as npt

from treewright.criteria.named import independence_test_named, score_named, structure_score_named
from treewright.errors import NotFittedError, SchemaError, SettingError, nearest
from treewright.graphs import Cpdag, Dag, JunctionTree, Knowledge, Pdag, UndirectedGraph
from treewright.graphs.compare import moral_graph
from treewright.graphs.treewidth import treewidth_upper_bound
from treewright.inference.evidence import Given
from treewright.learners import (
    Learned,
    LearnedFeatureGraph,
    LearnedGraph,
    Trace,
    learn_blankets,
    learn_bounded_treewidth,
    learn_chow_liu,
    learn_efficient_markov,
    learn_hill_climbing,
    learn_pc,
)
from treewright.learners.collider_rules import ColliderRule
from treewright.learners.efficient_markov import FeatureSearch, MarkovLeaf, MarkovSettings, PartitionScore
from treewright.models import (
    BayesianNetwork,
    BestFitting,
    Dirichlet,
    Distribution,
    Explanation,
    FeatureNetwork,
    Marginals,
    MarkovNetwork,
    fit,
)
from treewright.reports import notebook_picture
from treewright.statistics import Counter, count
from treewright.tables import Schema, Table, read_table
from treewright.tables.bins import Bins
from treewright.tables.missing import MissingPolicy
from treewright.tables.report import Report

if TYPE_CHECKING:
    from collections.abc import Mapping


class Settings:
    """Settings as scikit-learn knows them: the arguments of `__init__`, kept under their own names.

    Only `score=` lives elsewhere, as `criterion`: `.score(rows)` is a method.
    """

    @classmethod
    def _names(cls) -> tuple[str, ...]:
        return tuple(name for name in inspect.signature(cls).parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Settings by name; `deep` has no meaning here, since no setting has settings of its own."""
        return {name: getattr(self, _attribute(name)) for name in self._names()}

    def set_params(self, **settings: Any) -> Self:
        """Change settings by name."""
        known = self._names()
        for name, value in settings.items():
            if name not in known:
                raise SettingError(
                    f"{type(self).__name__} has no setting {name!r}; it has {nearest(name, known)}"
                )
            setattr(self, _attribute(name), value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        changed = (f"{n}={v!r}" for n, v in self.get_params().items() if v is not defaults[n].default)
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self) -> Any:
        # asked for by scikit-learn only, so it is there
        from sklearn.utils import InputTags, Tags, TargetTags  # type: ignore[import-not-found,unused-ignore]

        return Tags(
            estimator_type="density_estimator",
            target_tags=TargetTags(required=False),
            input_tags=InputTags(categorical=True, string=True, allow_nan=True),
        )


def _attribute(setting: str) -> str:
    return "criterion" if setting == "score" else setting


class Estimator(Settings, ABC):
    """What all estimators share: read, count, learn, fit; then ask.

    Settings common to all: `prior` (see :class:`~treewright.Dirichlet`; None is maximum likelihood),
    `missing`, `bins` and `schema` (see :func:`~treewright.read_table`; a schema says which states there are,
    also those that a fold of the rows happens not to show), `seed` for whatever is random.

    Attributes
    ----------
    model_
        The fitted model.
    structure_
        Its graph.
    trace_
        Phases of the work, with seconds.
    report_
        What was done to read the rows.
    width_
        An upper bound of the treewidth of `structure_`: answers cost no more than a tree of that width.
    """

    prior: Dirichlet | None
    missing: MissingPolicy
    bins: Bins | None
    schema: Schema | None
    seed: int

    model_: BayesianNetwork | FeatureNetwork
    structure_: Dag | UndirectedGraph
    trace_: Trace
    report_: Report | None
    width_: int

    @abstractmethod
    def _learn(self, counter: Counter) -> Learned[Any]:
        """Search for the structure."""

    def fit(self, X: Any, y: object = None) -> Self:
        """Learn a structure from the rows of a frame, array, file or table, and fit its parameters."""
        table = self._read(X, self.schema)
        counter = count(table)
        learned = self._learn(counter)
        self._keep(self._parameters(learned, counter), learned, table)
        return self

    def _keep(self, model: Any, learned: Learned[Any], table: Table) -> None:
        self.model_ = model
        self.structure_ = model.structure
        self.trace_ = learned.trace
        self.report_ = table.report
        proof, shape = learned.certificate, model.structure
        undirected = moral_graph(shape) if isinstance(shape, Dag) else shape
        self.width_ = proof.width if proof else treewidth_upper_bound(undirected)

    def _parameters(self, learned: Learned[Any], counter: Counter) -> Any:
        """Put parameters on what was learned."""
        return fit(learned.structure, counter, prior=self.prior)

    def _read(self, X: Any, schema: Schema | None) -> Table:
        if isinstance(X, Table) and schema is None and self.bins is None:
            return X
        return read_table(X, schema=schema, missing=self.missing, bins=None if schema else self.bins)

    def _fitted(self) -> BayesianNetwork | FeatureNetwork:
        if not hasattr(self, "model_"):
            raise NotFittedError(f"this {type(self).__name__} has learned nothing yet; call .fit(rows) first")
        return self.model_

    def score(self, X: Any, y: object = None) -> float:
        """Mean log-likelihood of the rows, in nats."""
        model = self._fitted()
        return model.score(self._read(X, model.schema))

    def log_probability(self, X: Any) -> npt.NDArray[np.float64]:
        """Log-probability of each row, in nats."""
        model = self._fitted()
        return model.log_probability(self._read(X, model.schema))

    def predict(self, X: Any, target: str) -> npt.NDArray[Any]:
        """The most probable state of `target` in each row, given the other columns.

        Columns may be absent and cells missing: what is not seen is not conditioned on.
        """
        model = self._fitted()
        return model.predict(self._read_evidence(X, model.schema, target), target)

    def _read_evidence(self, X: Any, schema: Schema, target: str) -> Table:
        schema.index(target)  # an unknown name is refused here, with the known ones
        names = _column_names(X)
        if names is None:
            return read_table(X, schema=schema, missing="em")
        seen = [name for name in schema.names if name in names and name != target]
        if not seen:
            raise SchemaError(
                f"to predict {target!r} the rows need a column of the model beside it; the model has "
                f"{nearest(target, schema.names)}"
            )
        return read_table(X, schema=schema.select(seen), missing="em")

    def query(self, targets: str | Sequence[str], given: Given | None = None) -> Distribution:
        """Distribution of one variable, or joint of several, given evidence."""
        return self._fitted().query(targets, given)

    def marginals(self, given: Given | None = None) -> Marginals:
        """Distribution of every variable given evidence."""
        return self._fitted().marginals(given)

    def mpe(self, given: Given | None = None) -> Explanation:
        """The most probable row given evidence."""
        return self._fitted().mpe(given)

    def sample(self, n: int, given: Given | None = None, *, rng: np.random.Generator | None = None) -> Table:
        """Draw rows; without `rng` from a generator of the setting `seed`."""
        return self._fitted().sample(n, given, rng=rng or np.random.default_rng(self.seed))

    def _repr_html_(self) -> str:
        return notebook_picture(self.model_) if hasattr(self, "model_") else f"<code>{self!r}</code>"


def _column_names(X: Any) -> set[str] | None:
    """Names that a source shows without being read; None for files and bare arrays."""
    if isinstance(X, Table):
        return set(X.schema.names)
    if isinstance(X, str) or not (hasattr(X, "columns") or hasattr(X, "keys") or hasattr(X, "column_names")):
        return None
    if hasattr(X, "column_names"):
        return set(X.column_names)
    shown: Mapping[str, Any] | Sequence[str] = X.columns if hasattr(X, "columns") else X.keys()
    return set(shown)


class ChowLiuTree(Estimator):
    """The best network in which each variable has at most one parent.

    Parameters
    ----------
    score
        What to maximise: "bic" (leaves out edges that do not pay), "loglik", "aic", "bdeu", "k2", "qnml" or
        "sparse-qnml".
    knowledge
        Arcs that are required or forbidden.
    prior, missing, bins, schema, seed
        As for every estimator.

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

    def __init__(
        self,
        *,
        score: str = "bic",
        knowledge: Knowledge | None = None,
        prior: Dirichlet | None = Dirichlet(1.0),  # noqa: B008 -- frozen
        missing: MissingPolicy = "error",
        bins: Bins | None = None,
        schema: Schema | None = None,
        seed: int = 0,
    ) -> None:
        self.criterion = score
        self.knowledge = knowledge
        self.prior = prior
        self.missing = missing
        self.bins = bins
        self.schema = schema
        self.seed = seed

    def _learn(self, counter: Counter) -> Learned[Dag]:
        return learn_chow_liu(score_named(self.criterion, counter), knowledge=self.knowledge)


class BoundedTreewidth(Estimator):
    """A network of high score and bounded treewidth: every question is answered exactly, at a known cost.

    Parameters
    ----------
    treewidth
        The bound.
    score
        What to maximise: "bic", "bdeu", "sparse-qnml", "aic", "qnml", "k2" or "loglik".
    effort
        How long to search on, for each variable; 0 ends at the local optimum.
    max_parents
        No child gets more; the treewidth bounds it anyway.
    knowledge
        Arcs that are required or forbidden.
    prior, missing, bins, schema, seed
        As for every estimator; the seed starts the search.

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

    def __init__(
        self,
        *,
        treewidth: int = 4,
        score: str = "bic",
        effort: float = 1,
        max_parents: int | None = None,
        knowledge: Knowledge | None = None,
        prior: Dirichlet | None = Dirichlet(1.0),  # noqa: B008 -- frozen
        missing: MissingPolicy = "error",
        bins: Bins | None = None,
        schema: Schema | None = None,
        seed: int = 0,
    ) -> None:
        self.treewidth = treewidth
        self.criterion = score
        self.effort = effort
        self.max_parents = max_parents
        self.knowledge = knowledge
        self.prior = prior
        self.missing = missing
        self.bins = bins
        self.schema = schema
        self.seed = seed

    def _learn(self, counter: Counter) -> Learned[Dag]:
        learned = learn_bounded_treewidth(
            score_named(self.criterion, counter),
            treewidth=self.treewidth,
            effort=self.effort,
            rng=np.random.default_rng(self.seed),
            knowledge=self.knowledge,
            max_parents=self.max_parents,
        )
        self.certificate_: JunctionTree = learned.certificate
        return learned


class HillClimbing(Estimator):
    """A network of high score, by greedy search over equivalence classes.

    Parameters
    ----------
    score
        What to maximise. "sparse-qnml" finds structure best; "bic", "bdeu", "aic", "qnml", "k2" and "loglik"
        are there too.
    effort
        How much is looked at again, 0 to 3.
    max_parents
        No child gets more; by default the score alone decides.
    knowledge
        Arcs that are required or forbidden.
    prior, missing, bins, schema, seed
        As for every estimator.

    Attributes
    ----------
    cpdag_
        The equivalence class of `structure_`: directions that the data cannot tell are open in it.
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

    def __init__(
        self,
        *,
        score: str = "sparse-qnml",
        effort: int = 2,
        max_parents: int | None = None,
        knowledge: Knowledge | None = None,
        prior: Dirichlet | None = Dirichlet(1.0),  # noqa: B008 -- frozen
        missing: MissingPolicy = "error",
        bins: Bins | None = None,
        schema: Schema | None = None,
        seed: int = 0,
    ) -> None:
        self.criterion = score
        self.effort = effort
        self.max_parents = max_parents
        self.knowledge = knowledge
        self.prior = prior
        self.missing = missing
        self.bins = bins
        self.schema = schema
        self.seed = seed

    def _learn(self, counter: Counter) -> Learned[Dag]:
        learned = learn_hill_climbing(
            score_named(self.criterion, counter),
            knowledge=self.knowledge,
            effort=self.effort,
            max_parents=self.max_parents,
        )
        self.cpdag_: Cpdag = learned.cpdag
        self.copies_ = learned.copies
        return learned


class PC(Estimator):
    """The equivalence class that independence tests find, and a model of one of its members.

    Parameters
    ----------
    test
        "g" (G test), "chi-square" or "posterior".
    alpha
        Level of the test.
    depth
        Largest separator looked for; None is no limit.
    collider_rule
        How separators that disagree are judged: "contest", "majority", "conservative" or "first".
    knowledge
        Arcs that are required or forbidden.
    prior, missing, bins, schema, seed
        As for every estimator.

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

    def __init__(
        self,
        *,
        test: str = "g",
        alpha: float = 0.01,
        depth: int | None = 3,
        collider_rule: ColliderRule = "contest",
        knowledge: Knowledge | None = None,
        prior: Dirichlet | None = Dirichlet(1.0),  # noqa: B008 -- frozen
        missing: MissingPolicy = "error",
        bins: Bins | None = None,
        schema: Schema | None = None,
        seed: int = 0,
    ) -> None:
        self.test = test
        self.alpha = alpha
        self.depth = depth
        self.collider_rule = collider_rule
        self.knowledge = knowledge
        self.prior = prior
        self.missing = missing
        self.bins = bins
        self.schema = schema
        self.seed = seed

    def _learn(self, counter: Counter) -> Learned[Dag]:
        learned = learn_pc(
            independence_test_named(self.test, counter, alpha=self.alpha),
            depth=self.depth,
            collider_rule=self.collider_rule,
            knowledge=self.knowledge,
        )
        self.cpdag_: Pdag = learned.structure
        self.separators_ = learned.separators
        return Learned(learned.dag, learned.trace)


class BlanketMarkov(Estimator):
    """A Markov network by a score of its blankets; `model_` is a Markov network, `structure_` undirected.

    Parameters
    ----------
    score
        "bjp" (blankets joint posterior), "ib" (independence-based score) or "mpl" (marginal
        pseudo-likelihood).
    search
        "auto", "fast", "ibmap", "walk", "tabu", "exhaustive" or, for "mpl", "three-phase"; see
        :func:`~treewright.learn_blankets`.
    max_width
        Treewidth that the graph must not exceed, so that answers are exact. With None and a wide graph the
        factors are fitted by pseudo-likelihood, and only :func:`~treewright.sample_gibbs` can ask the model.
    max_blanket
        Neighbours that no variable exceeds; None is no bound.
    knowledge
        Edges that are required or forbidden.
    prior, missing, bins, schema, seed
        As for every estimator; the seed chooses the rows that decide how factors are fitted.

    Attributes
    ----------
    learned_
        What the search said: score, start, accepted flips.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = {"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 9, "c": [0, 1, 0, 1] * 9}
    >>> found = tw.BlanketMarkov().fit(rows)
    >>> found.structure_.edges(), found.width_
    ([('a', 'b')], 1)
    """

    def __init__(
        self,
        *,
        score: str = "bjp",
        search: str = "auto",
        max_width: int | None = 12,
        max_blanket: int | None = None,
        knowledge: Knowledge | None = None,
        prior: Dirichlet | None = Dirichlet(1.0),  # noqa: B008 -- frozen
        missing: MissingPolicy = "error",
        bins: Bins | None = None,
        schema: Schema | None = None,
        seed: int = 0,
    ) -> None:
        self.criterion = score
        self.search = search
        self.max_width = max_width
        self.max_blanket = max_blanket
        self.knowledge = knowledge
        self.prior = prior
        self.missing = missing
        self.bins = bins
        self.schema = schema
        self.seed = seed

    def _learn(self, counter: Counter) -> LearnedGraph:
        self.learned_ = learn_blankets(
            structure_score_named(self.criterion, counter),
            self.search,
            knowledge=self.knowledge,
            max_width=self.max_width,
            max_blanket=self.max_blanket,
        )
        return self.learned_

    def _parameters(self, learned: Learned[Any], counter: Counter) -> MarkovNetwork:
        how = BestFitting(seed=self.seed)
        return fit(learned.structure, counter, prior=self.prior, estimator=how)


class EfficientMarkov(Estimator):
    """A Markov network that answers in time linear in its size, whatever its treewidth.

    Parameters
    ----------
    delta
        More information than this, in nats, keeps variables in one block; ``"auto"`` chooses on validation
        rows, ``"gtest"`` by a test.
    q, k, search, min_vars, leaf, score, balance_tol, max_depth
        See :func:`treewright.learn_efficient_markov`.
    min_rows, alpha
        Rows that a context needs to be split, and rows of even spread that smooth every distribution; None
        chooses on validation rows.
    prior
        Not used: `alpha` smooths.
    missing, bins, schema, seed
        As for every estimator; the seed draws the rows that are held out when there are no validation rows.

    Attributes
    ----------
    graph_
        The feature graph behind `model_`; `structure_` joins the variables that meet on one of its paths.
    settings_
        What was given, and what validation rows chose.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> rows = tw.load_network("asia").sample(3_000, rng=np.random.default_rng(0))
    >>> markov = tw.EfficientMarkov(min_rows=100, alpha=1.0).fit(rows)
    >>> markov.graph_.is_deterministic, markov.query("lung", given={"smoke": "yes"})["yes"] < 0.15
    (True, True)
    """

    def __init__(
        self,
        *,
        delta: float | Literal["auto", "gtest"] = "auto",
        q: int = 3,
        k: int = 1,
        search: FeatureSearch = "greedy",
        min_rows: float | None = None,
        min_vars: int = 5,
        alpha: float | None = None,
        leaf: MarkovLeaf = "tree",
        score: PartitionScore = "inverse-square",
        balance_tol: float = 0.05,
        max_depth: int | None = None,
        prior: Dirichlet | None = None,
        missing: MissingPolicy = "error",
        bins: Bins | None = None,
        schema: Schema | None = None,
        seed: int = 0,
    ) -> None:
        self.delta = delta
        self.q = q
        self.k = k
        self.search = search
        self.min_rows = min_rows
        self.min_vars = min_vars
        self.alpha = alpha
        self.leaf = leaf
        self.criterion = score
        self.balance_tol = balance_tol
        self.max_depth = max_depth
        self.prior = prior
        self.missing = missing
        self.bins = bins
        self.schema = schema
        self.seed = seed

    def fit(self, X: Any, y: object = None, *, valid: Any = None) -> Self:
        """Learn a feature graph with its parameters; `valid` rows choose what is left open."""
        table = self._read(X, self.schema)
        learned = self._learn(count(table), None if valid is None else self._read(valid, table.schema))
        self._keep(FeatureNetwork(learned.structure), learned, table)
        self.graph_ = learned.structure
        self.settings_ = learned.settings
        return self

    def _learn(self, counter: Counter, valid: Table | None = None) -> LearnedFeatureGraph[MarkovSettings]:
        return learn_efficient_markov(
            counter,
            delta=self.delta,
            q=self.q,
            k=self.k,
            search=self.search,
            min_rows=self.min_rows,
            min_vars=self.min_vars,
            alpha=self.alpha,
            leaf=self.leaf,
            score=self.criterion,
            balance_tol=self.balance_tol,
            max_depth=self.max_depth,
            valid=valid,
            rng=np.random.default_rng(self.seed),
        )

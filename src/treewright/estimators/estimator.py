"""What all estimators share: settings as scikit-learn knows them, reading, fitting and asking.

An estimator keeps its settings as attributes of the same name and does nothing until :meth:`Estimator.fit`;
there it reads, counts, learns and fits, and keeps what came out under names that end in an underscore.
"""

from __future__ import annotations

import inspect
import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from treewright import models
from treewright.automatic.rows import is_complete
from treewright.automatic.structural_em import fill_gaps
from treewright.errors import DataWarning, SettingError, nearest
from treewright.estimators.routing import Routed, tags_class
from treewright.estimators.rows import (
    Target,
    counted,
    flat,
    holds,
    library_of,
    not_fitted,
    note_columns,
    rows_for,
    taken,
    weighted,
)
from treewright.estimators.settings import attribute_of
from treewright.graphs import Dag, UndirectedGraph
from treewright.graphs.compare import moral_graph
from treewright.graphs.undirected.triangulation import bound_treewidth_above
from treewright.inference.evidence import Given
from treewright.learners import Learned, LearnedPattern, Trace
from treewright.models import BayesianNetwork, FeatureNetwork
from treewright.models.model import Unseen
from treewright.origins import described, rows_behind, version
from treewright.ranges import Number, generator, in_range
from treewright.reports import draw_for_notebook
from treewright.statistics import AvailableCounter, Counter, count
from treewright.tables import Schema, Table, read_table
from treewright.tables._reading.bins import Bins
from treewright.tables._reading.interpret import identifiers
from treewright.tables._reading.missing import AvailablePolicy, reading_policy
from treewright.tables.databases import Databases
from treewright.tables.report import Report, remark_on_identifiers

_CUTS = (
    "the check draws real numbers: columns of states are wanted, and where bins= cuts numbers evenly, "
    "the cuts are those of the rows, whatever they weigh; weights of rows of "
    "states are rows repeated"
)
_REALS = (
    "where NaN is taken the check draws real numbers, and columns of states are wanted: with bins= numbers "
    "are cut, negative ones too"
)
_GAPS = "fit refuses NaN, as missing='error' says; predict takes it, since what is not seen is summed out"


class Settings(Routed):
    """Settings as scikit-learn knows them: the keywords of `__init__`, which the table of settings makes."""

    # the setting `score`, whose name is a method's; in a slot, since scikit-learn looks for names of settings
    __slots__ = ("__dict__", "__weakref__", "criterion")
    criterion: Any

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        return {name: row.default for name, row in inspect.signature(cls).parameters.items()}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Settings by name; `deep` has no meaning here, since no setting has settings of its own."""
        return self._given(*self._defaults())

    def _given(self, *names: str) -> dict[str, Any]:
        """Some of the settings, for a learner that calls them the same."""
        return {name: getattr(self, attribute_of(name)) for name in names}

    def set_params(self, **settings: Any) -> Self:
        """Change settings by name."""
        known = self._defaults()
        for name, value in settings.items():
            if name not in known:
                raise SettingError(
                    f"{type(self).__name__} has no setting {name!r}; it has {nearest(name, known)}"
                )
            setattr(self, attribute_of(name), value)
        return self

    def __repr__(self) -> str:
        defaults = self._defaults()
        changed = (f"{n}={v!r}" for n, v in self.get_params().items() if v is not defaults[n])
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self) -> Any:
        # asked for by scikit-learn only, so it is there
        from sklearn.utils import InputTags, TargetTags  # type: ignore[import-not-found,unused-ignore]

        return tags_class()(
            estimator_type="density_estimator",
            target_tags=TargetTags(required=False),
            input_tags=InputTags(
                categorical=True, string=True, sparse=True, allow_nan=getattr(self, "missing", "") != "error"
            ),
            expected_failed_checks=self._expected_failed_checks(),
        )

    def _expected_failed_checks(self) -> dict[str, str]:
        """See :func:`~treewright.estimators.expected_failed_checks`."""
        return {}


class Estimator(Settings, ABC):
    """What all estimators share: read, count, learn, fit; then ask.

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

    prior: models.Dirichlet | float | None
    missing: AvailablePolicy
    unseen: Unseen
    bins: Bins | None
    mend: bool
    schema: Schema | None
    seed: int

    model_: BayesianNetwork | FeatureNetwork
    structure_: Dag | UndirectedGraph
    target_: Target | None
    trace_: Trace
    report_: Report | None
    width_: int

    @abstractmethod
    def _learn(self, counter: Any) -> Learned[Any]:
        """Search for the structure: in counts, or in what an estimator that reads for itself has read."""

    def fit(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> Self:
        """Learn a structure from the rows of a frame, array, file or table, and fit its parameters.

        A `y` becomes a column of its own, "y" or as it is called, which :meth:`predict` then tells.
        `sample_weight` says how often each row counts.
        """
        table = self._joined(X, y, sample_weight)
        warn_of_identifiers(table)
        if table.has_missing and self._fills_gaps:
            model, learned = self._learn_from_gaps(table)
        else:
            counter = count(table)
            learned = self._learn(counter)
            model = self._parameters(learned, counter)
        self._keep(model, learned, table)
        return self

    def _expected_failed_checks(self) -> dict[str, str]:
        made = {f"check_sample_weight_equivalence_on_{kind}_data": _CUTS for kind in ("dense", "sparse")}
        if self.missing == "error":
            return {**made, "check_estimators_nan_inf": _GAPS}
        return {**made, "check_positive_only_tag_during_fit": _REALS}

    _fills_gaps = False  # whether rows with gaps lead to a network
    _judges_by_tests = False  # which take the rows that show their columns, not expected counts
    _takes_available = False  # counts of different rows, by which classes do not score alike

    def _learn_from_gaps(self, table: Table) -> tuple[Any, Learned[Any]]:
        """Structure and parameters from all rows, whatever they miss."""
        if self.missing == "available" and not self._takes_available:
            raise SettingError(
                "missing='available' is for ChowLiuTree and PC, since counts of different rows do not score "
                f"equivalent networks alike; {type(self).__name__} takes missing='em'"
            )
        if self.missing == "available" or self._judges_by_tests:
            learned = self._learn(AvailableCounter(table))
            shape = learned.dag if isinstance(learned, LearnedPattern) else learned.structure
            return models.fit_em(shape, table, prior=self._dirichlet()).model, learned
        said: list[tuple[Learned[Any], dict[str, Any]]] = []

        def search(counter: Counter) -> Learned[Any]:
            found = self._learn(counter)
            said.append((found, dict(vars(self))))
            return found

        filled = fill_gaps(table, search, prior=self._dirichlet())
        # what a search says of itself is that of the round that was kept
        vars(self).update(next(about for found, about in said if found is filled.learned))
        self.observed_scores_ = filled.scores
        return filled.model, filled.learned

    def _joined(self, X: Any, y: Any, sample_weight: Any) -> Table:
        """The rows with `y` and weights, as they are to be learned from."""
        X, y, sample_weight = self._whole(rows_for(self, X, fitting=True), y, sample_weight, self.schema)
        if sample_weight is not None and isinstance(X, np.ndarray):  # rows that do not count make no cuts
            X, y, sample_weight = counted(X, y, sample_weight)
        table = self._read(X, self.schema)
        note_columns(self, table, X)
        self.target_ = None if y is None else Target.of(y, table, type(self).__name__)
        if self.target_ is not None:
            table = self.target_.beside(table, y)
        return weighted(table, sample_weight)

    def _whole(self, X: Any, y: Any, sample_weight: Any, schema: Schema | None) -> tuple[Any, Any, Any]:
        """Where rows with gaps are left out, what goes beside them is left out with them."""
        if self.missing != "drop" or (y is None and sample_weight is None):
            return X, y, sample_weight
        table = read_table(X, schema=schema, missing="em", unseen=self.unseen)
        kept = is_complete(table)
        if kept.all() or not kept.any():
            return X, y, sample_weight
        y = None if y is None else taken(y if hasattr(y, "name") else flat(y, len(kept), "fit"), kept)
        sample_weight = None if sample_weight is None else np.asarray(sample_weight)[kept]
        some = taken(X, kept)
        return table.take(kept) if some is None else some, y, sample_weight

    def _keep(self, model: Any, learned: Learned[Any], rows: Table | Databases) -> None:
        self.model_ = model.with_provenance(
            {
                **model.provenance,
                "estimator": type(self).__name__,
                "settings": described(self.get_params()),
                **rows_behind(rows),
                "columns": list(model.schema.names),
                **version(),
            }
        )
        self.structure_ = model.structure
        self.trace_ = learned.trace
        self.report_ = rows.report
        proof, shape = learned.certificate, model.structure
        undirected = moral_graph(shape) if isinstance(shape, Dag) else shape
        self.width_ = proof.width if proof else bound_treewidth_above(undirected)

    def _parameters(self, learned: Learned[Any], counter: Counter) -> Any:
        """Put parameters on what was learned."""
        shape = learned.dag if isinstance(learned, LearnedPattern) else learned.structure
        return models.fit(shape, counter, prior=self._dirichlet(), keep_counts=self._keeps_counts)

    _keeps_counts = False

    def _dirichlet(self) -> models.Dirichlet | None:
        if self.prior is None or isinstance(self.prior, models.Dirichlet):
            return self.prior
        return models.Dirichlet(Number("prior", False, None, ()).checked(type(self).__name__, self.prior))

    def _read(self, X: Any, schema: Schema | None) -> Table:
        if isinstance(X, Table) and schema is None and self.bins is None and self.unseen != "state":
            return X
        how: dict[str, Any] = {} if schema else {"bins": self.bins, "mend": self.mend}
        return read_table(X, schema=schema, missing=reading_policy(self.missing), unseen=self.unseen, **how)

    def _fitted(self) -> BayesianNetwork | FeatureNetwork:
        if not hasattr(self, "model_"):
            raise not_fitted(type(self).__name__)
        return self.model_

    def score(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> float:
        """Mean log-likelihood of the rows, in nats; of a `y` that was fitted together with them, if given."""
        model = self._fitted()
        table = self._known(X, y, sample_weight)
        if self._is_open(y):
            return models.many_rows.mean_by_blocks(table, model.log_evidence)
        return model.score(table, unseen="ignore" if table.has_missing else self.unseen)

    def log_probability(self, X: Any, y: Any = None) -> npt.NDArray[np.float64]:
        """Log-probability of each row, in nats."""
        model = self._fitted()
        rows = self._known(X, y)
        sums_out = self.unseen == "ignore" or self._is_open(y) or rows.has_missing
        return model.log_evidence(rows) if sums_out else model.log_probability(rows)

    def _known(self, X: Any, y: Any, sample_weight: Any = None) -> Table:
        """Rows in the states of the model; without a `y` those of the other columns."""
        schema, X = self._fitted().schema, rows_for(self, X)
        target = (
            None if y is None and self.target_ is not None and holds(X, self.target_.name) else self.target_
        )
        if target is not None:
            schema = schema.select([name for name in schema.names if name != target.name])
        X, y, sample_weight = self._whole(X, y, sample_weight, schema)
        table = self._read(X, schema)
        return weighted(table if target is None or y is None else target.beside(table, y), sample_weight)

    def _is_open(self, y: Any) -> bool:
        return self.target_ is not None and y is None

    def predict(self, X: Any, target: str | None = None) -> npt.NDArray[Any]:
        """The most probable state of `target` in each row, given the other columns; by default of `y`.

        Columns may be absent and cells missing: what is not seen is not conditioned on.
        """
        model, X = self._fitted(), rows_for(self, X)
        if target is not None:
            return model.predict(X, target, unseen=self.unseen)
        if self.target_ is None:
            raise SettingError("predict takes a target, the name of a column, unless fit was given a y")
        name = self.target_.name
        return self.target_.labels(model.predict_table(X, name, unseen=self.unseen).array.argmax(axis=1))

    def predict_table(self, X: Any, target: str) -> models.Predictions:
        """The same with the probability of every state of `target`; its frame is of the library of `X`."""
        said = self._fitted().predict_table(rows_for(self, X), target, unseen=self.unseen)
        return models.Predictions(said.variable, said.array, library_of(X))

    def query(self, targets: str | Sequence[str], given: Given | None = None) -> models.Distribution:
        """Distribution of one variable, or joint of several, given evidence."""
        return self._fitted().query(targets, given)

    def marginals(self, given: Given | None = None) -> models.Marginals:
        """Distribution of every variable given evidence."""
        return self._fitted().marginals(given)

    def mpe(self, given: Given | None = None) -> models.Explanation:
        """The most probable row given evidence."""
        return self._fitted().mpe(given)

    @in_range
    def sample(self, n: int, given: Given | None = None, *, rng: np.random.Generator | None = None) -> Table:
        """Draw rows; without `rng` from a generator of the setting `seed`, the same each time."""
        return self._fitted().sample(n, given, rng=rng or self._chance())

    def _chance(self) -> np.random.Generator:
        return generator(type(self).__name__, self.seed)

    def _repr_html_(self) -> str:
        return draw_for_notebook(self.model_) if hasattr(self, "model_") else f"<code>{self!r}</code>"


def warn_of_identifiers(*tables: Table) -> None:
    """Name the columns of what is to be fitted that had better be left out; called by `fit` itself."""
    names = [name for table in tables for name in identifiers(table)]
    if names:
        said = remark_on_identifiers(list(dict.fromkeys(names)), "with read_table(..., columns=[...])")
        warnings.warn(said, DataWarning, stacklevel=_depth_of_caller())


def _depth_of_caller() -> int:
    """How many calls up the line is that is not of this package."""
    frame, depth = inspect.currentframe(), 0
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("treewright."):
        frame, depth = frame.f_back, depth + 1
    return depth

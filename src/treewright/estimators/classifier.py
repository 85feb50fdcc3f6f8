"""The classifier: one variable told from the others, by a network or by several."""

from __future__ import annotations

from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt

from treewright import learners
from treewright.criteria import SparseQNML
from treewright.errors import SchemaError, SettingError, nearest
from treewright.estimators.estimator import Settings, warn_of_identifiers
from treewright.estimators.explaining import Findings, explained
from treewright.estimators.rows import Target, counted, library_of, not_fitted, rows_for, weighted
from treewright.estimators.settings import with_settings
from treewright.models import Predictions
from treewright.models.classifying.dealing import dealt, even_edges, sorted_rows
from treewright.models.classifying.experts import Panel, decided, network_member, opinions_of
from treewright.models.classifying.members import Member, NormalNaive, OneDependence
from treewright.models.classifying.pool import pool_weights
from treewright.models.model import Unseen
from treewright.ranges import MOST, Number
from treewright.reports.reliability import Reliability, reliability_of
from treewright.statistics import count
from treewright.tables import Schema, Table, Variable, read_table
from treewright.types import Floats

STRUCTURES = ("naive", "tree", "averaged", "k-dependence", "network")
BY_SCORE = "network by score"  # in a stack only
BESIDE = ("naive", "averaged", "tree")  # on even cuts, where columns are cut at all
EVEN = 7  # intervals of equal frequency
LEAST_SAY = 0.05  # beside the member that says most
MANY = 10  # whole numbers that take more values are cut
_ANY = np.array([-np.inf, np.inf])


@with_settings
class BayesianClassifier(Settings):
    """Tell a class from the other columns: by naive Bayes, by networks, or by a stack of them.

    Columns of numbers, also whole ones of more than ten values, are cut where that tells classes apart. Cells
    that are missing later are summed out exactly, unless the rows that are learned from had missing cells in
    that column too: then missing is a state of it. The same rows in any order give the same classifier.

    Attributes
    ----------
    classes_
        The labels, sorted.
    structure_
        What was taken: a structure, or "stack".
    weights_
        How much each member says; None for a single one that was not corrected.
    losses_
        Of "auto" and "stack": the mean log-loss of each member, and of the stack, on rows held out.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> rows = tw.load_network("asia").sample(2_000, rng=np.random.default_rng(0)).to_pandas()
    >>> told = tw.BayesianClassifier(structure="tree").fit(rows.drop(columns="lung"), rows["lung"])
    >>> told.predict(rows.drop(columns="lung").head(3)).tolist()
    ['yes', 'no', 'no']
    >>> print(told.explain({"xray": ["yes"], "smoke": ["yes"]}))
    lung=yes: 0.05794 before, 0.6648 now
      xray=yes   +3.17 bits (+3.17 alone)
      smoke=yes  +0.35 bits (+0.83 alone)
    """

    structure: str
    max_parents: int
    smoothing: float
    calibrate: bool
    folds: int
    class_weight: Any
    bins: int | None
    unseen: Unseen

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags  # asked for by scikit-learn only

        tags = super().__sklearn_tags__()
        tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: Any, y: Any, *, sample_weight: Any = None) -> Self:
        """Learn to tell `y`, one label for each row, from the rows of a frame, array or table."""
        self._check()
        if y is None:
            raise SettingError("BayesianClassifier requires y to be passed, but the target y is None")
        X = rows_for(self, X, fitting=True)
        if sample_weight is not None and isinstance(X, np.ndarray):
            X, y, sample_weight = counted(X, y, sample_weight)
        table = read_table(X, missing="em")
        warn_of_identifiers(table)
        self._target = Target.of(y, table, type(self).__name__)
        self.classes_ = self._target.classes
        table = weighted(self._target.beside(table, y), sample_weight)
        rows = self._balanced(table)
        self._learn(rows)
        return self

    def _check(self) -> None:
        known = (*STRUCTURES, "stack", "auto")
        if self.structure not in known:
            raise SettingError(
                f"structure is one of {nearest(self.structure, known)}; found {self.structure!r}"
            )
        if self.unseen not in ("ignore", "error"):
            raise SettingError(f"unseen is 'ignore' or 'error' for a class; found {self.unseen!r}")
        least = {"folds": 2, "max_parents": 0, "bins": 1}
        for name, is_whole in (("smoothing", False), ("folds", True), ("max_parents", True), ("bins", True)):
            value = getattr(self, name)
            if name == "bins" and value is None:
                continue
            number = Number(name, is_whole, MOST.get(name), ()).checked(type(self).__name__, value)
            if number < least.get(name, 0) or (name == "smoothing" and number == 0):
                raise SettingError(f"{name}= of BayesianClassifier is too small; found {number}")

    def _balanced(self, table: Table) -> Table:
        """Rows with the weights of their classes."""
        if self.class_weight is None:
            return table
        codes = np.asarray(table.columns[-1], dtype=np.intp)
        base = np.ones(table.n_rows) if table.weights is None else np.asarray(table.weights, dtype=np.float64)
        seen = np.bincount(codes, base, minlength=len(self.classes_))
        if isinstance(self.class_weight, str):
            if self.class_weight != "balanced":
                raise SettingError(f"class_weight is 'balanced' or a dictionary; found {self.class_weight!r}")
            each = base.sum() / (len(seen) * np.maximum(seen, 1e-12))
        else:
            each = np.array([float(self.class_weight.get(label, 1.0)) for label in self.classes_.tolist()])
        return table.with_weights(base * each[codes])

    def _learn(self, rows: Table) -> None:
        single = self.structure not in ("auto", "stack")
        names = (self.structure,) if single else (*STRUCTURES, BY_SCORE)
        rows = sorted_rows(with_numbers(rows), len(rows.schema) - 1)
        self.weights_: Floats | None = None
        self.structure_ = self.structure if single else "stack"
        self.losses_: dict[str, float] = {}
        self._panels = self._make(rows, names, beside=not single)
        if single and not self.calibrate:
            return
        truth, opinions, counts = self._held_out(rows, names, beside=not single)
        if not opinions:  # nothing to hold out: all say alike
            n = sum(len(panel.members) for panel in self._panels)
            self.weights_ = np.full(n, 1.0 / n)
            return
        if single:
            self.weights_ = pool_weights(opinions, truth, counts)
        else:
            self._stack(opinions, truth, counts)

    def _stack(self, opinions: list[Floats], truth: Any, counts: Floats) -> None:
        """Weigh the members, leave out who says next to nothing, or take one that is better than all."""
        keys = [(panel, name) for panel in self._panels for name in panel.members]
        losses = [log_loss(one, truth, counts) for one in opinions]
        self.losses_ = {name + p.remark: loss for (p, name), loss in zip(keys, losses, strict=True)}
        weights = pool_weights(opinions, truth, counts)
        kept = np.flatnonzero(weights >= LEAST_SAY * weights.max())
        alone, opinions = opinions, [opinions[m] for m in kept]
        self.weights_ = pool_weights(opinions, truth, counts)
        stack = decided(opinions, self.weights_)
        self.losses_["stack"] = log_loss(stack, truth, counts)
        best = int(np.argmin(losses))
        if self.structure == "auto" and is_clearly_better(alone[best], stack, truth, counts):
            kept, self.structure_, self.weights_ = np.array([best]), keys[best][1], None
        left = [keys[m] for m in kept]
        panels = [panel.only([name for p, name in left if p is panel]) for panel in self._panels]
        self._panels = [panel for panel in panels if panel.members]

    def _held_out(
        self, rows: Table, names: tuple[str, ...], *, beside: bool
    ) -> tuple[Any, list[Floats], Floats]:
        """What members say about rows that they have not seen, whose classes they have."""
        truth = np.asarray(rows.columns[-1], dtype=np.intp)
        weights = np.ones(len(truth)) if rows.weights is None else np.asarray(rows.weights, dtype=np.float64)
        made: list[list[Floats]] = []
        places, counts = [], []
        if len(self.classes_) < 2:
            return truth, [], weights
        for held in dealt(weights, self.folds):
            here, there = np.flatnonzero(held > 0), np.flatnonzero(weights - held > 0)
            if not len(here) or not len(there):
                continue
            rest = rows.take(there).with_weights(_whole((weights - held)[there]))
            made.append(opinions_of(self._make(rest, names, beside=beside), rows.take(here)))
            places.append(here)
            counts.append(held[here])
        if not made:
            return truth, [], weights
        opinions = [np.concatenate(one) for one in zip(*made, strict=True)]
        return truth[np.concatenate(places)], opinions, np.concatenate(counts)

    def _make(self, rows: Table, names: tuple[str, ...], *, beside: bool) -> list[Panel]:
        """Members of the rows: on cuts that tell the classes apart, and on even ones and none beside them."""
        reals = [v.name for v in rows.schema if not v.is_discrete]
        target = rows.schema.names[-1]
        weights = np.ones(rows.n_rows) if rows.weights is None else np.asarray(rows.weights, dtype=np.float64)
        even = self.bins is not None
        cut = evenly(rows, weights, int(self.bins or EVEN)) if even else dict.fromkeys(reals, ("mdl", target))
        panels = [self._panel(rows, names, cut)]
        if beside and reals and not even:
            panels.append(self._panel(rows, BESIDE, evenly(rows, weights, EVEN), " on even cuts"))
            uncut = {"naive": NormalNaive.of(rows, len(rows.schema) - 1, self.smoothing)}
            panels.append(Panel(rows.schema, len(rows.schema) - 1, uncut, " of normal numbers"))
        return panels

    def _panel(self, rows: Table, names: tuple[str, ...], bins: dict[str, Any], remark: str = "") -> Panel:
        table = read_table(rows, bins=bins or None, missing="state")
        table = table if rows.weights is None else table.with_weights(rows.weights)
        table = _with_classes(table, rows.schema)
        members = {name: self._member(name, table) for name in names}
        return Panel(table.schema, len(table.schema) - 1, members, remark)

    def _member(self, name: str, table: Table) -> Member:
        target, counter = len(table.schema) - 1, count(table)
        if name == "averaged":
            return OneDependence.of(counter, target, self.smoothing)
        if name == "naive":
            learned = learners.learn_naive_bayes(counter, target)
        elif name == "tree":
            learned = learners.learn_tree_augmented(counter, target)
        elif name == "k-dependence":
            learned = learners.learn_k_dependence(counter, target, max_parents=self.max_parents)
        elif name == BY_SCORE:
            learned = learners.learn_hill_climbing(SparseQNML(counter))
        else:
            learned = learners.learn_class_blanket(table, target)
        return network_member(learned.structure, counter, target, self.smoothing)

    def predict_log_proba(self, X: Any) -> Floats:
        """Log-probability of each class in each row, in the order of `classes_`."""
        if not hasattr(self, "_panels"):
            raise not_fitted(type(self).__name__)
        rows = rows_for(self, X)
        return decided(opinions_of(self._panels, rows, self.unseen), self.weights_)

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class in each row, in the order of `classes_`."""
        made = np.exp(self.predict_log_proba(X))
        return cast("Floats", made / made.sum(axis=1, keepdims=True))

    def predict_table(self, X: Any) -> Predictions:
        """The same with names; its frame is of the library of `X`."""
        return Predictions(self._target.variable, self.predict_proba(X), library_of(X))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The most probable class of each row."""
        places = self.predict_log_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[places])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows whose class is told right."""
        right = self.predict(X) == np.asarray(y)
        return float(np.average(right, weights=None if sample_weight is None else np.asarray(sample_weight)))

    def explain(self, row: Any) -> Findings:
        """Which findings of a row moved its class, and by how many bits; they add up to the whole way."""
        if not hasattr(self, "_panels"):
            raise not_fitted(type(self).__name__)
        return explained(self, row)

    def reliability(self, X: Any, y: Any, *, bins: int = 10) -> Reliability:
        """How often classes come true that were given some probability; shows itself as a picture."""
        codes = self._target.codes(y, len(np.asarray(y)), type(self).__name__)
        return reliability_of(self.predict_proba(X), codes, bins=bins)


def with_numbers(rows: Table) -> Table:
    """The rows, where whole numbers that take many values are numbers to be cut, not states."""
    variables, columns = list(rows.schema), list(rows.columns)
    for v, variable in enumerate(variables[:-1]):
        states = variable.states or ()
        if len(states) > MANY and all(isinstance(state, int) for state in states):
            column = np.array(states, dtype=np.float64)[np.asarray(columns[v], dtype=np.intp)]
            variables[v] = Variable(variable.name, None)
            columns[v] = np.where(rows.missing[v], np.nan, column) if v in rows.missing else column
    missing = dict(rows.missing)
    return Table(Schema(variables), columns, weights=rows.weights, missing=missing, report=rows.report)


def evenly(rows: Table, weights: Floats, intervals: int) -> dict[str, Floats]:
    """Edges of equal frequency for every column of numbers."""
    made = {}
    for v, variable in enumerate(rows.schema):
        if not variable.is_discrete:
            seen = ~np.asarray(rows.missing[v]) if v in rows.missing else np.ones(rows.n_rows, dtype=np.bool_)
            values = np.asarray(rows.columns[v], dtype=np.float64)[seen]
            made[variable.name] = even_edges(values, weights[seen], intervals) if len(values) else _ANY
    return made


def _whole(weights: Floats) -> npt.NDArray[Any]:
    return weights if (weights != np.rint(weights)).any() else weights.astype(np.int64)


def _with_classes(table: Table, whole: Schema) -> Table:
    """The rows with all classes, also those that a part of them lacks."""
    target = whole.variables[-1]
    if table.schema.variables[-1].states == target.states:
        return table
    schema = Schema([*table.schema.variables[:-1], target])
    own = table.schema.variables[-1].states or ()
    place = {state: code for code, state in enumerate(target.states or ())}
    codes = np.array([place[state] for state in own])[np.asarray(table.columns[-1], dtype=np.intp)]
    columns = [*table.columns[:-1], codes]
    return Table(schema, columns, weights=table.weights, missing=dict(table.missing), report=table.report)


def log_loss(opinion: Floats, truth: npt.NDArray[np.intp], counts: Floats) -> float:
    """Mean surprise about the true classes, in nats."""
    if not counts.sum() > 0:
        raise SchemaError("a loss is a mean over rows; none counts")
    return float(-(opinion[np.arange(len(truth)), truth] @ counts) / counts.sum())


def is_clearly_better(one: Floats, other: Floats, truth: npt.NDArray[np.intp], counts: Floats) -> bool:
    """Whether an opinion gives the true classes more by two errors of the mean: the best of many is lucky."""
    rows = np.arange(len(truth))
    gain = one[rows, truth] - other[rows, truth]
    mean = float(np.average(gain, weights=counts))
    spread = float(np.average((gain - mean) ** 2, weights=counts))
    return bool(mean > 2 * np.sqrt(spread / counts.sum()))

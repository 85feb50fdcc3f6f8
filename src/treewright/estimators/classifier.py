"""The classifier: one variable told from the others, by a network or by several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt

from treewright.errors import SettingError, nearest
from treewright.estimators.categories import settled
from treewright.estimators.estimator import Settings, warn_of_identifiers
from treewright.estimators.explaining import Findings, explained
from treewright.estimators.further import FurtherRows
from treewright.estimators.panels import (
    BY_SCORE,
    STRUCTURES,
    Recipe,
    log_loss,
    weights_of,
)
from treewright.estimators.rows import (
    Target,
    counted,
    library_of,
    not_fitted,
    note_columns,
    rows_for,
    weighted,
)
from treewright.estimators.settings import with_settings
from treewright.inference.batch import EvidenceColumns
from treewright.models import Predictions
from treewright.models.classifying.dealing import sorted_rows
from treewright.models.classifying.experts import decided, opinions_of
from treewright.models.classifying.pool import pool_weights
from treewright.models.classifying.reading import read_rows
from treewright.models.model import Unseen
from treewright.ranges import MOST, Number
from treewright.reports.reliability import Reliability, reliability_of
from treewright.tables import Table, read_table
from treewright.types import Floats

LEAST_SAY = 0.05  # beside the member that says most


@with_settings
class BayesianClassifier(Settings):
    """Tell a class from the other columns: by naive Bayes, by networks, or by a stack of them.

    Columns of numbers are cut where that tells classes apart, also whole ones of more than ten values, unless
    they are declared (`categorical`). A cell that is missing in rows to be told is summed out exactly; in a
    column that missed cells when it was learned from, `missing` says whether that is a state of its own. The
    same rows in any order give the same classifier.

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
    missing: str
    categorical: Any

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags  # asked for by scikit-learn only

        tags = super().__sklearn_tags__()
        tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: Any, y: Any, *, sample_weight: Any = None) -> Self:
        """Learn to tell `y`, one label for each row, from the rows of a frame, array or table."""
        self._learn(self._read(X, y, sample_weight, None))
        return self

    partial_fit = FurtherRows()

    def _read(self, X: Any, y: Any, sample_weight: Any, classes: Any) -> Table:
        """The rows with their classes behind the columns, as they are to be learned from."""
        self._check()
        if y is None:
            raise SettingError("BayesianClassifier requires y to be passed, but the target y is None")
        X = rows_for(self, X, fitting=True)
        if sample_weight is not None and isinstance(X, np.ndarray):
            X, y, sample_weight = counted(X, y, sample_weight)
        read = read_table(X, missing="em")
        note_columns(self, read, X)
        table = settled(read, X, self.categorical)
        warn_of_identifiers(table)
        self._target = Target.of(y, table, type(self).__name__, classes)
        self.classes_ = self._target.classes
        return self._balanced(weighted(self._target.beside(table, y), sample_weight))

    def _check(self) -> None:
        known = (*STRUCTURES, "stack", "auto")
        if self.structure not in known:
            raise SettingError(
                f"structure is one of {nearest(self.structure, known)}; found {self.structure!r}"
            )
        if self.unseen not in ("ignore", "error"):
            raise SettingError(f"unseen is 'ignore' or 'error' for a class; found {self.unseen!r}")
        if self.missing not in ("state", "sum"):
            raise SettingError(f"missing is 'state' or 'sum' for a class; found {self.missing!r}")
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
        codes, base = np.asarray(table.columns[-1], dtype=np.intp), weights_of(table)
        if isinstance(self.class_weight, str) and self.class_weight == "balanced":
            seen = np.bincount(codes, base, minlength=len(self.classes_))
            each = base.sum() / (len(seen) * np.maximum(seen, 1e-12))
        else:
            each = self._weights_of_classes()
        return table.with_weights(base * each[codes])

    def _weights_of_classes(self) -> Floats:
        """Those that the dictionary names; others count once, unless what it names is no class."""
        if not isinstance(self.class_weight, Mapping):
            raise SettingError(
                f"class_weight is 'balanced' or a dictionary; found {self.class_weight!r}. Write "
                "{label: weight}"
            )
        labels = self.classes_.tolist()
        strange = [label for label in self.class_weight if label not in labels]
        if strange and any(label not in self.class_weight for label in labels):
            raise SettingError(
                f"class_weight names {strange[0]!r}, which is no class; classes are "
                f"{nearest(strange[0], labels)}"
            )
        number = Number("class_weight", False, None, ())
        each = [number.checked(type(self).__name__, self.class_weight.get(label, 1.0)) for label in labels]
        if min(each) < 0:
            raise SettingError(f"class_weight of BayesianClassifier is at least 0; found {min(each)}")
        return np.array(each, dtype=np.float64)

    def _learn(self, rows: Table) -> None:
        single = self.structure not in ("auto", "stack")
        names = (self.structure,) if single else (*STRUCTURES, BY_SCORE)
        rows = sorted_rows(rows, len(rows.schema) - 1)
        recipe = self._recipe()
        self._schema = rows.schema
        self.weights_: Floats | None = None
        self.structure_ = self.structure if single else "stack"
        self.losses_: dict[str, float] = {}
        if single and not self.calibrate:
            self._panels = recipe.panels(rows, names, beside=False)
            return
        truth, opinions, counts, found = recipe.held_out(rows, names, beside=not single)
        self._panels = recipe.panels(rows, names, beside=not single, found=None if single else found)
        if not opinions:  # nothing to hold out: all say alike
            n = sum(len(panel.members) for panel in self._panels)
            self.weights_ = np.full(n, 1.0 / n)
            return
        if single:
            self.weights_ = pool_weights(opinions, truth, counts)
        else:
            self._stack(opinions, truth, counts)

    def _stack(self, opinions: list[Floats], truth: Any, counts: Floats) -> None:
        """Weigh the members, leave out who says next to nothing, or all but networks if that is as good."""
        keys = [(panel, name) for panel in self._panels for name in panel.members]
        losses = [log_loss(one, truth, counts) for one in opinions]
        self.losses_ = {name + p.remark: loss for (p, name), loss in zip(keys, losses, strict=True)}
        weights = pool_weights(opinions, truth, counts)
        kept = np.flatnonzero(weights >= LEAST_SAY * weights.max())
        opinions = [opinions[m] for m in kept]
        self.weights_ = pool_weights(opinions, truth, counts)
        self.losses_["stack"] = log_loss(decided(opinions, self.weights_), truth, counts)
        plain = [name for _, name in keys].index("network")
        if self.structure == "auto" and losses[plain] <= self.losses_["stack"]:
            kept, self.structure_, self.weights_ = np.array([plain]), "network", None
        left = [keys[m] for m in kept]
        panels = [panel.only([name for p, name in left if p is panel]) for panel in self._panels]
        self._panels = [panel for panel in panels if panel.members]

    def _recipe(self) -> Recipe:
        return Recipe(self.max_parents, self.smoothing, self.bins, self.folds, self.missing == "state")

    def _shown(self, X: Any) -> EvidenceColumns:
        """What rows of any kind show, in the columns that were learned from."""
        if not hasattr(self, "_panels"):
            raise not_fitted(type(self).__name__)
        return read_rows(self._schema, rows_for(self, X), len(self._schema) - 1, self.unseen)

    def _said(self, rows: EvidenceColumns, hidden: Any = ()) -> Floats:
        return decided(opinions_of(self._panels, rows, hidden), self.weights_)

    def predict_log_proba(self, X: Any) -> Floats:
        """Log-probability of each class in each row, in the order of `classes_`."""
        return self._said(self._shown(X))

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
        return explained(self, self._shown(row))

    def reliability(self, X: Any, y: Any, *, bins: int = 10, sample_weight: Any = None) -> Reliability:
        """How often classes come true that were given some probability; shows itself as a picture."""
        codes = self._target.codes(y, len(np.asarray(y)), type(self).__name__)
        return reliability_of(self.predict_proba(X), codes, bins=bins, weights=sample_weight)

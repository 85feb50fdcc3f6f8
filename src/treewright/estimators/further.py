"""Further rows for a classifier that is counts and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np

from treewright.errors import SchemaError, SettingError
from treewright.estimators.rows import rows_for, weighted
from treewright.inference.batch import EvidenceColumns
from treewright.models.classifying.counts import COUNTED, PairCounts, counted_member
from treewright.models.classifying.reading import in_words, read_rows
from treewright.statistics import count_shown
from treewright.tables import Table

if TYPE_CHECKING:
    from treewright.estimators.classifier import BayesianClassifier


class NotCountedError(SettingError, AttributeError):
    """Asked for further rows where more than counts was learned; to scikit-learn the method is not there."""


class FurtherRows:
    """The method `partial_fit`, of classifiers that counts make."""

    @overload
    def __get__(self, owner: None, kind: type) -> Self: ...
    @overload
    def __get__(self, owner: BayesianClassifier, kind: type) -> Callable[..., BayesianClassifier]: ...

    def __get__(self, owner: Any, kind: type) -> Any:
        if owner is None:
            return self
        for name, is_so, wanted in (
            ("structure", owner.structure in COUNTED, "'naive' or 'averaged'"),
            ("calibrate", not owner.calibrate, "False"),
            ("class_weight", owner.class_weight != "balanced", "None or a dictionary"),
        ):
            if not is_so:
                raise NotCountedError(
                    f"partial_fit adds counts, and {name}={getattr(owner, name)!r} asks for more: take "
                    f"{name}={wanted}, or fit all rows at once"
                )

        def partial_fit(X: Any, y: Any, classes: Any = None, *, sample_weight: Any = None) -> Any:
            """Learn from the first rows, or add the counts of further ones to their states and cuts.

            `classes` are all labels that will come, given with the first rows.
            """
            return _added(owner, X, y, classes, sample_weight)

        return partial_fit


def _added(owner: Any, X: Any, y: Any, classes: Any, sample_weight: Any) -> Any:
    wanted = None if classes is None else np.unique(np.asarray(classes))
    if not hasattr(owner, "_panels"):
        owner._learn(owner._read(X, y, sample_weight, wanted))
        return owner
    if wanted is not None and not np.array_equal(wanted, owner.classes_):
        raise SettingError(
            f"classes of further rows are those of the first, {owner.classes_.tolist()}; found "
            f"{wanted.tolist()}"
        )
    counts = owner._panels[0].counts
    if counts is None:
        raise NotCountedError(
            "partial_fit adds counts, and what was fitted before is more than these; fit again"
        )
    table = _table_of(owner, X, y, sample_weight)
    counts = counts + PairCounts.of(count_shown(table), counts.target, owner.structure)
    members = {owner.structure: counted_member(owner.structure, counts, owner.smoothing)}
    owner._panels = [replace(owner._panels[0], members=members, counts=counts)]
    return owner


def _table_of(owner: BayesianClassifier, X: Any, y: Any, sample_weight: Any) -> Table:
    """Further rows in the states of the first, with their classes and weights."""
    panel, names = owner._panels[0], owner._schema.names
    shown: EvidenceColumns = read_rows(owner._schema, rows_for(owner, X), len(names) - 1, owner.unseen)
    for v, name in enumerate(names[:-1]):
        if shown.codes[v] is None:
            raise SchemaError(f"further rows need the columns of the first; {name!r} is not there")
    rows = in_words(panel.words, panel.schema, shown)
    codes: list[Any] = [np.zeros(rows.n_rows, np.uint8) if c is None else c for c in rows.codes]
    gaps = [
        np.ones(rows.n_rows, np.bool_) if c is None else m
        for c, m in zip(rows.codes, rows.missing, strict=True)
    ]
    codes[-1] = owner._target.codes(y, rows.n_rows, "BayesianClassifier")
    missing = {v: mask for v, mask in enumerate(gaps[:-1]) if mask is not None}
    return owner._balanced(weighted(Table(panel.schema, codes, missing=missing), sample_weight))

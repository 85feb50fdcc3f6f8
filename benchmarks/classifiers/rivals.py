"""Classifiers to be compared: ours, scikit-learn's and pyAgrum's, each made for a frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer, OneHotEncoder, OrdinalEncoder

import treewright as tw

Make = Callable[[pd.DataFrame], Any]
PIXELS = 64
AGRUM = ("Chow-Liu", "NaiveBayes", "TAN", "MIIC", "GHC", "Tabu")


def classifiers() -> dict[str, Make]:
    """All of them, by name."""
    made: dict[str, Make] = {"ours": ours, "CategoricalNB": naive, "forest": forest}
    return made | {f"pyAgrum {method}": agrum(method) for method in AGRUM}


def ours(X: pd.DataFrame) -> Any:
    return tw.BayesianClassifier()


def naive(X: pd.DataFrame) -> Any:
    """scikit-learn's, on intervals of equal frequency; a label that was not seen is a state."""
    numbers, words = columns(X)
    cut = KBinsDiscretizer(5, encode="ordinal", strategy="quantile", quantile_method="averaged_inverted_cdf")
    told = Pipeline(
        [
            ("told", OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)),
            ("shift", FunctionTransformer(lambda codes: codes + 1)),
        ]
    )
    states = [5] * len(numbers) + [X[name].nunique() + 1 for name in words]
    steps = ColumnTransformer([("cut", cut, numbers), ("told", told, words)])
    return Pipeline([("states", steps), ("naive", CategoricalNB(min_categories=states))])


def forest(X: pd.DataFrame) -> Any:
    """300 trees; missing cells are filled with the median, or the most frequent label."""
    numbers, words = columns(X)
    spread = Pipeline(
        [
            ("fill", SimpleImputer(strategy="most_frequent")),
            ("spread", OneHotEncoder(handle_unknown="ignore")),
        ]
    )
    steps = ColumnTransformer(
        [("fill", SimpleImputer(strategy="median"), numbers), ("spread", spread, words)]
    )
    return Pipeline([("states", steps), ("forest", RandomForestClassifier(300, random_state=0))])


def agrum(method: str) -> Make:
    """pyAgrum's, its columns of numbers cut into five intervals of equal frequency."""

    def made(X: pd.DataFrame) -> Any:
        from pyagrum import skbn
        from pyagrum.lib.discreteTypeProcessor import DiscreteTypeProcessor

        how = "uniform" if X.shape[1] == PIXELS else "quantile"  # which it cannot on pixels that are mostly 0
        processor = DiscreteTypeProcessor(
            defaultDiscretizationMethod=how, defaultNumberOfBins=5, discretizationThreshold=10
        )
        told = skbn.BNClassifier(
            learningMethod=method, prior="Smoothing", priorWeight=1, type_processor=processor
        )
        return Pipeline([("known", KnownLabels()), ("network", told)])

    return made


class KnownLabels(TransformerMixin, BaseEstimator):
    """Puts the nearest value that was seen, or the most frequent label, where pyAgrum knows none."""

    def fit(self, X: pd.DataFrame, y: Any = None) -> KnownLabels:
        self.seen_ = {name: X[name].value_counts().index.to_numpy() for name in X if X[name].nunique() <= 10}
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        made = X.copy()
        for name, seen in self.seen_.items():
            strange = ~X[name].isin(seen)
            if strange.any():
                put = seen[0]
                if seen.dtype.kind in "iuf":
                    off = np.abs(X.loc[strange, name].to_numpy()[:, None] - seen)
                    put = seen[off.argmin(axis=1)]
                made.loc[strange, name] = put
        return made


def columns(X: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Those of numbers, and the others."""
    numbers = [name for name in X if pd.api.types.is_numeric_dtype(X[name])]
    return numbers, [name for name in X if name not in numbers]


def classes_of(fitted: Any, y: np.ndarray) -> np.ndarray:
    """The labels that the columns of `predict_proba` stand for."""
    found = getattr(fitted, "classes_", None)
    return np.unique(y) if found is None else np.asarray(found)

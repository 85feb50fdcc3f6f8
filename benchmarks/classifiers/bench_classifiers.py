"""Classifiers beside those that people use: log-loss and accuracy on rows not seen, also with missing cells.

`python benchmarks/classifiers/bench_classifiers.py` takes twelve tables (scikit-learn's, and 2,000 rows of
networks that the folder TREEWRIGHT_DATA has), cuts each into two halves five times over, and prints the mean
log-loss (nats) and accuracy of each classifier; then both again where a fifth of the cells of the rows to be
told is missing, beside a forest whose cells are filled in. `--tables iris wine` takes some, `--times 1` fewer
halves, `--speed` measures how long 10,000 rows of ALARM take instead. All probabilities are kept above 0.001
before they are judged, so that no single row decides; that is in favour of who says 0.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for benchmarks/common.py
from common import console, folder, one_thread  # before NumPy is loaded: it sets its threads

# isort: split

import numpy as np
import pandas as pd
from rich.table import Table as RichTable
from sklearn import datasets
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, OrdinalEncoder

import treewright as tw

LEAST = 1e-3
PIXELS = 64
MISSING = 0.2
ROWS = 2_000
NETWORKS = {
    "asia": "dysp",
    "alarm": "HYPOVOLEMIA",
    "child": "Disease",
    "insurance": "Accident",
    "sachs": "Akt",
    "hailfinder": "R5Fcst",
    "hepar2": "Cirrhosis",
}
Rows = tuple[pd.DataFrame, np.ndarray]


def tables() -> dict[str, Callable[[], Rows]]:
    """Twelve of them; those of networks that are not there are left out."""
    made: dict[str, Callable[[], Rows]] = {
        name: lambda load=load: _frame(load(as_frame=True))
        for name, load in {
            "iris": datasets.load_iris,
            "wine": datasets.load_wine,
            "breast cancer": datasets.load_breast_cancer,
            "digits": datasets.load_digits,
        }.items()
    }
    made["diabetes in thirds"] = _thirds
    where = folder()
    for name, target in NETWORKS.items():
        if where is not None or name in ("asia", "alarm"):
            made[name] = lambda name=name, target=target: _sampled(name, target)
    return made


def _frame(loaded: Any) -> Rows:
    return loaded.data, loaded.target.to_numpy()


def _thirds() -> Rows:
    loaded = datasets.load_diabetes(as_frame=True)
    return loaded.data, np.searchsorted(np.quantile(loaded.target, [1 / 3, 2 / 3]), loaded.target)


def network(name: str) -> tw.BayesianNetwork:
    where = folder()
    inside = name in ("asia", "alarm")
    return tw.load_network(name) if inside else tw.read_model(where / "networks" / f"{name}.bif.gz")


def _sampled(name: str, target: str) -> Rows:
    rows = network(name).sample(ROWS, rng=np.random.default_rng(0)).to_pandas().astype(str)
    rows = rows.map("is {}".format)  # pyAgrum takes TRUE for no label
    return rows.drop(columns=target), rows[target].to_numpy()


# Classifiers: each makes one for a frame


def ours(structure: str) -> Callable[[pd.DataFrame], Any]:
    return lambda X: tw.BayesianClassifier(structure=structure)


def naive(X: pd.DataFrame) -> Any:
    """scikit-learn's, on intervals of equal frequency."""
    numbers, words = columns(X)
    cut = KBinsDiscretizer(5, encode="ordinal", strategy="quantile", quantile_method="averaged_inverted_cdf")
    told = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    states = [5] * len(numbers) + [X[name].nunique() + 1 for name in words]
    steps = ColumnTransformer([("cut", cut, numbers), ("told", told, words)])
    return Pipeline(
        [("states", steps), ("shift", _Shift(len(numbers))), ("naive", CategoricalNB(min_categories=states))]
    )


class _Shift:
    """Makes a state of labels that were not seen."""

    def __init__(self, first: int) -> None:
        self.first = first

    def fit(self, X: Any, y: Any = None) -> _Shift:
        return self

    def transform(self, X: Any) -> Any:
        moved = np.array(X, dtype=int)
        moved[:, self.first :] += 1
        return moved

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        return self.transform(X)


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


def agrum(method: str) -> Callable[[pd.DataFrame], Any]:
    """pyAgrum's, its columns of numbers cut into five intervals of equal frequency."""
    from pyagrum import skbn
    from pyagrum.lib.discreteTypeProcessor import DiscreteTypeProcessor

    def made(X: pd.DataFrame) -> Any:
        how = "uniform" if X.shape[1] == PIXELS else "quantile"  # which it cannot on pixels that are mostly 0
        processor = DiscreteTypeProcessor(
            defaultDiscretizationMethod=how, defaultNumberOfBins=5, discretizationThreshold=10
        )
        return skbn.BNClassifier(
            learningMethod=method, prior="Smoothing", priorWeight=1, type_processor=processor
        )

    return made


def columns(X: pd.DataFrame) -> tuple[list[str], list[str]]:
    numbers = [name for name in X if pd.api.types.is_numeric_dtype(X[name])]
    return numbers, [name for name in X if name not in numbers]


def classifiers() -> dict[str, Callable[[pd.DataFrame], Any]]:
    made = {"ours": ours("auto"), "CategoricalNB": naive, "forest": forest}
    try:
        made |= {"pyAgrum TAN": agrum("TAN"), "pyAgrum MIIC": agrum("MIIC")}
    except ImportError:
        console.print("[yellow]pyAgrum is not installed[/]")
    return made


# Judging


def judged(said: np.ndarray, y: np.ndarray, classes: np.ndarray) -> tuple[float, float]:
    """Mean log-loss and accuracy."""
    kept = np.maximum(np.asarray(said, dtype=float), LEAST)
    kept /= kept.sum(axis=1, keepdims=True)
    places = np.searchsorted(classes, y)
    return -float(np.log(kept[np.arange(len(y)), places]).mean()), float(
        (kept.argmax(axis=1) == places).mean()
    )


def with_holes(X: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    return X.mask(rng.random(X.shape) < MISSING)


def halves(X: pd.DataFrame, y: np.ndarray, times: int) -> Any:
    return RepeatedStratifiedKFold(n_splits=2, n_repeats=times, random_state=1).split(X, y)


def measured(make: Any, X: pd.DataFrame, y: np.ndarray, times: int, *, holes: bool) -> tuple[Any, Any, float]:
    """Means over the halves: of whole rows, of rows with holes; and processor seconds of a fit."""
    whole, gaps, seconds = [], [], []
    for number, (train, test) in enumerate(halves(X, y, times)):
        started = time.process_time()
        fitted = make(X).fit(X.iloc[train], y[train])
        seconds.append(time.process_time() - started)
        classes = np.unique(y[train])
        whole.append(judged(fitted.predict_proba(X.iloc[test]), y[test], classes))
        if holes:
            torn = with_holes(X.iloc[test], np.random.default_rng(number))
            gaps.append(judged(fitted.predict_proba(torn), y[test], classes))
    return np.mean(whole, axis=0), np.mean(gaps, axis=0) if holes else None, float(np.mean(seconds))


def compare(names: list[str], times: int) -> None:
    makers = classifiers()
    shown = RichTable("table", "rows", *makers, title="log-loss / accuracy (seconds of a fit)")
    torn = RichTable("table", "ours", "forest, filled", title=f"the same, {MISSING:.0%} of the cells missing")
    won: dict[str, list[bool]] = {}
    for name, load in tables().items():
        if names and name not in names:
            continue
        X, y = load()
        results = {}
        for who, make in makers.items():
            try:
                results[who] = measured(make, X, y, times, holes=who in ("ours", "forest"))
            except Exception as error:
                console.print(f"[yellow]{who} on {name}: {type(error).__name__}: {str(error)[:100]}[/]")
        cells = [_shown(results[who]) if who in results else "failed" for who in makers]
        shown.add_row(name, str(len(X)), *cells)
        mine, theirs = results["ours"][1], results["forest"][1]
        torn.add_row(name, *(f"{loss:.4f} / {right:.4f}" for loss, right in (mine, theirs)))
        for who, (said, _, _) in results.items():
            if who != "ours":
                won.setdefault(f"{who}: loss", []).append(results["ours"][0][0] <= said[0])
                won.setdefault(f"{who}: accuracy", []).append(results["ours"][0][1] >= said[1])
        won.setdefault("missing cells: loss", []).append(mine[0] <= theirs[0])
        won.setdefault("missing cells: accuracy", []).append(mine[1] >= theirs[1])
    console.print(shown, torn)
    for what, wins in won.items():
        console.print(f"ours is at least as good, {what}: {sum(wins)} of {len(wins)}")


def _shown(result: tuple[Any, Any, float]) -> str:
    (loss, right), _, seconds = result
    return f"{loss:.4f} / {right:.4f} ({seconds:.2f})"


def speed() -> None:
    """Processor seconds of telling 10,000 rows of ALARM, whole and with holes."""
    rows = network("alarm").sample(12_000, rng=np.random.default_rng(0)).to_pandas().astype(str)
    X, y = rows.drop(columns="HYPOVOLEMIA"), rows["HYPOVOLEMIA"].to_numpy()
    shown = RichTable("structure", "table", "frame", "frame with holes", title="ms for 10,000 rows of ALARM")
    many, torn = X.iloc[2_000:], with_holes(X.iloc[2_000:], np.random.default_rng(0))
    for structure in ("naive", "tree", "averaged", "k-dependence", "network", "stack"):
        told = tw.BayesianClassifier(structure=structure).fit(X.iloc[:2_000], y[:2_000])
        cells = [
            _milliseconds(lambda what=what, told=told: told.predict_proba(what))
            for what in (tw.read_table(many), many, torn)
        ]
        shown.add_row(structure, *cells)
    console.print(shown)


def _milliseconds(call: Callable[[], object]) -> str:
    call()
    best = np.inf
    for _ in range(5):
        started = time.process_time()
        call()
        best = min(best, time.process_time() - started)
    return f"{1000 * best:.1f}"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--tables", nargs="*", default=[])
    options.add_argument("--times", type=int, default=5)
    options.add_argument("--speed", action="store_true")
    chosen = options.parse_args()
    one_thread()
    speed() if chosen.speed else compare(chosen.tables, chosen.times)

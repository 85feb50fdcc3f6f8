"""Twelve public tables with a class: scikit-learn's, and 2,000 rows of networks of the catalogue."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets

import treewright as tw

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
OTHERS = {
    "asia": ("xray", "bronc"),
    "survey": ("T",),
    "sachs": ("Mek", "PKA"),
    "child": ("LungParench", "CO2", "Sick"),
    "insurance": ("PropCost", "ThisCarDam", "DrivQuality", "RiskAversion"),
    "alarm": ("CATECHOL", "CVP", "VENTLUNG", "SAO2"),
    "hailfinder": ("PlainsFcst", "CompPlFcst"),
    "hepar2": ("Steatosis", "ChHepatitis", "PBC", "fat"),
    "win95pts": ("Problem1", "Problem6"),
}
Rows = tuple[pd.DataFrame, np.ndarray]


def tables() -> dict[str, Callable[[], Rows]]:
    """Each by its name; made when it is called."""
    loaders = {
        "iris": datasets.load_iris,
        "wine": datasets.load_wine,
        "breast cancer": datasets.load_breast_cancer,
        "digits": datasets.load_digits,
    }
    made: dict[str, Callable[[], Rows]] = {
        name: lambda load=load: _frame(load(as_frame=True)) for name, load in loaders.items()
    }
    made["diabetes in thirds"] = _thirds
    for name, target in NETWORKS.items():
        made[name] = lambda name=name, target=target: _sampled(name, target)
    return made


def others() -> dict[str, Callable[[], Rows]]:
    """Other classes of networks, by which rules are chosen: not those by which they are judged."""
    pairs = [(name, target) for name, targets in OTHERS.items() for target in targets]
    return {
        f"{name} {target}": lambda name=name, target=target: _sampled(name, target, seed=11)
        for name, target in pairs
    }


def _frame(loaded: Any) -> Rows:
    return loaded.data, loaded.target.to_numpy()


def _thirds() -> Rows:
    loaded = datasets.load_diabetes(as_frame=True)
    return loaded.data, np.searchsorted(np.quantile(loaded.target, [1 / 3, 2 / 3]), loaded.target)


def _sampled(name: str, target: str, seed: int = 0) -> Rows:
    rows = tw.load_network(name).sample(ROWS, rng=np.random.default_rng(seed)).to_pandas().astype(str)
    rows = rows.map("is {}".format)  # pyAgrum takes TRUE for no label
    return rows.drop(columns=target), rows[target].to_numpy()

"""Draw what a method finds in rows of asia, for the page of its paper, and how far classifiers are believed.

`python docs/make_paper_pictures.py` writes pictures of docs/papers and docs/guides; a test draws them again.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

import treewright as tw

DOCS = Path(__file__).resolve().parent


def rows(n: int) -> tw.Counter:
    return tw.count(tw.load_network("asia").sample(n, rng=np.random.default_rng(0)))


PICTURES: dict[str, Callable[[], object]] = {
    "chow_liu": lambda: tw.learn_chow_liu(tw.LogLikelihood(rows(1_000))).structure,
    "class_search": lambda: tw.learners.class_search(tw.SparseQNML(rows(1_000))).structure,
    "pc": lambda: tw.learn_pc(tw.GTest(rows(10_000), alpha=0.01)).structure,
    "tpda": lambda: tw.learn_tpda(tw.GTest(rows(10_000), alpha=0.01)).structure,
    "markov_baselines": lambda: tw.learn_l1_neighbourhoods(rows(5_000)).structure,
}


BELIEVED = {"reliability_naive": "naive", "reliability": "auto"}  # structures, as the guide learns them


def drawn(name: str) -> str:
    return tw.to_svg(PICTURES[name]()) if name in PICTURES else believed(BELIEVED[name])


def believed(structure: str) -> str:
    """What a classifier said of rows of ALARM that it had not seen, beside what came true."""
    table = tw.load_network("alarm").sample(3_000, rng=np.random.default_rng(0)).to_pandas()
    X, y = table.drop(columns="HYPOVOLEMIA"), table["HYPOVOLEMIA"]
    told = tw.BayesianClassifier(structure=structure).fit(X[:2_000], y[:2_000])
    return told.reliability(X[2_000:], y[2_000:]).to_svg()


def file_of(name: str) -> Path:
    return DOCS / ("papers" if name in PICTURES else "guides") / "pictures" / f"{name}.svg"


def main() -> None:
    for name in (*PICTURES, *BELIEVED):
        file_of(name).write_text(drawn(name), encoding="utf-8")


if __name__ == "__main__":
    main()

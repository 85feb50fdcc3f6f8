"""Draw what a method finds in rows of asia, for the page of its paper.

`python docs/make_paper_pictures.py` writes docs/papers/pictures; a test draws them again.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

import treewright as tw

FOLDER = Path(__file__).resolve().parent / "papers" / "pictures"


def rows(n: int) -> tw.Counter:
    return tw.count(tw.load_network("asia").sample(n, rng=np.random.default_rng(0)))


PICTURES: dict[str, Callable[[], object]] = {
    "chow_liu": lambda: tw.learn_chow_liu(tw.LogLikelihood(rows(1_000))).structure,
    "class_search": lambda: tw.learners.class_search(tw.SparseQNML(rows(1_000))).structure,
    "pc": lambda: tw.learn_pc(tw.GTest(rows(10_000), alpha=0.01)).structure,
    "tpda": lambda: tw.learn_tpda(tw.GTest(rows(10_000), alpha=0.01)).structure,
    "markov_baselines": lambda: tw.learn_l1_neighbourhoods(rows(5_000)).structure,
}


def drawn(name: str) -> str:
    return tw.to_svg(PICTURES[name]())


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in PICTURES:
        (FOLDER / f"{name}.svg").write_text(drawn(name), encoding="utf-8")


if __name__ == "__main__":
    main()

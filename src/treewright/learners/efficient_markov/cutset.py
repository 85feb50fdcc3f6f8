"""Cutset networks: cases first, then trees.

A cutset network asks for the states of a few variables, one after the other, and ends in a tree for every
case. A variable is worth asking for when trees learned on either side of it explain the rows better than one
tree for all. Everything that this needs is in pair counts, so a network is learned in milliseconds, and a bag
of networks with candidates drawn at chance in seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from treewright import _core
from treewright.arguments import COUNTS, TABLE, require, require_option
from treewright.errors import SettingError
from treewright.learners.efficient_markov.validated import (
    Arrays,
    LearnedFeatureGraph,
    check_numbers,
    learn_chosen,
    open_settings,
    seed_of,
    with_given,
)
from treewright.ranges import in_range
from treewright.statistics.rows import RowSource
from treewright.tables.table import Table
from treewright.types import Progress

SplitPenalty = Literal["bic"]

# values tried on validation rows, the first one to start with
_AXES: dict[str, Sequence[Any]] = {
    "min_rows": (200, 50, 500, 1000),
    "smoothing": (1.0, 0.3, 3.0, 10.0),
    "shrinkage": (0.0, 5.0, 20.0),
}
_BAG_AXES: dict[str, Sequence[Any]] = {
    "min_rows": (300, 30, 100), "smoothing": (1.0, 0.3), "shrinkage": (3.0,),
}  # fmt: skip
_LEAST = {"min_rows": 0, "smoothing": 0, "shrinkage": 0, "candidates": 1, "treewidth": 0, "leaf_penalty": 0}


@in_range
@dataclass(frozen=True)
class CutsetSettings:
    """The settings of :func:`learn_cutset_network`, see there, and of :func:`learn_cutset_bag`.

    `candidate_share` is the share of the variables that is drawn for each split of a bag, of which
    `candidates` are tried.
    """

    min_rows: float | None = None
    smoothing: float | None = None
    shrinkage: float | None = None
    max_depth: int | None = None
    candidates: int = 10
    candidate_share: float = 1.0
    penalty: SplitPenalty | None = None
    treewidth: int = 1
    leaf_penalty: float = 1.0


@in_range
def learn_cutset_network(
    counter: RowSource,
    *,
    smoothing: float | None = None,
    shrinkage: float | None = None,
    min_rows: float | None = None,
    max_depth: int | None = None,
    candidates: int = 10,
    penalty: SplitPenalty | None = None,
    treewidth: int = 1,
    leaf_penalty: float = 1.0,
    valid: Table | None = None,
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
) -> LearnedFeatureGraph[CutsetSettings]:
    """Learn a cutset network [1]_: splits that raise the likelihood of the trees below them.

    Parameters
    ----------
    counter
        Rows of discrete variables, as :func:`treewright.count` gives them; weights are honoured.
    smoothing
        Rows of even spread that smooth every distribution. They also judge splits: each side has rows of its
        own to explain. None: chosen on validation rows; 0 is maximum likelihood.
    shrinkage
        Rows spread like the context above that are added to every distribution. None: chosen on validation
        rows.
    min_rows
        Contexts with fewer rows become leaves. None: chosen on validation rows.
    max_depth
        The most splits on a path; 0 is a single tree, None no limit.
    candidates
        How many variables are tried for a split: those that tell most about the others.
    penalty
        ``"bic"`` asks a split to pay for its parameters; graphs get far smaller. None: any gain will do.
    treewidth
        Of the leaves: 1 is a Chow-Liu tree, more a tree of cliques grown greedily, 0 independent variables.
    leaf_penalty
        What an edge of a wider leaf must pay for its parameters, in units of BIC.
    valid
        Rows to choose settings on. Without them a tenth of the rows is held out for the choice (drawn by
        `rng`, whatever the order of the rows), and all rows are learned from afterwards.
    rng
        For the rows held out; by default always the same ones.
    progress
        Called after every run that tries settings, with what was tried and its validation score.

    References
    ----------
    .. [1] Rahman, Kothalkar & Gogate (2014). Cutset networks: a simple, tractable, and scalable approach for
       improving the accuracy of Chow-Liu trees. ECML PKDD, 630-645.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> rng = np.random.default_rng(0)
    >>> case, x, y = rng.integers(2, size=(3, 2_000))
    >>> table = tw.read_table({"case": case, "x": x, "y": y, "z": np.where(case, x, y)})
    >>> learned = tw.learn_cutset_network(tw.count(table), smoothing=1.0, shrinkage=0.0, min_rows=50)
    >>> learned.structure.kinds()
    {'tree': 2, 'split': 1}
    """
    require("learn_cutset_network", COUNTS, counter)
    require_option("learn_cutset_network", TABLE, valid=valid)
    given = CutsetSettings(
        min_rows, smoothing, shrinkage, max_depth, candidates,
        penalty=penalty, treewidth=treewidth, leaf_penalty=leaf_penalty,
    )  # fmt: skip
    check_cutset_settings(given)
    start, axes = open_settings(given, _AXES)
    seed = seed_of(rng)

    def grow(rows: _core.RowSet, settings: CutsetSettings) -> tuple[Arrays, dict[str, int | float]]:
        return _core.learn_cutset(rows, cutset_options(settings), seed), {}

    return learn_chosen(counter, start, axes, grow, valid=valid, seed=seed, rounds=2, progress=progress)


_BAG = CutsetSettings(candidates=5, candidate_share=0.4)


@in_range
def learn_cutset_bag(
    counter: RowSource,
    *,
    n_networks: int = 20,
    resample: bool = False,
    smoothing: float | None = None,
    shrinkage: float | None = None,
    min_rows: float | None = None,
    settings: CutsetSettings = _BAG,
    valid: Table | None = None,
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
) -> LearnedFeatureGraph[CutsetSettings]:
    """Learn an even mixture of cutset networks whose splits are chosen among variables drawn at chance.

    The networks differ because each split sees only some of the variables; their mean is far better than any
    of them where rows repeat or nearly so. Evidence, marginals and samples stay exact; the most probable
    explanation does not (see :meth:`treewright.FeatureNetwork.mpe_bound`).

    Parameters
    ----------
    counter
        Rows of discrete variables.
    n_networks
        How many networks.
    resample
        Whether each network sees rows drawn with replacement; otherwise all see all rows.
    smoothing, shrinkage, min_rows, valid, progress
        As in :func:`learn_cutset_network`.
    settings
        All other settings, by default five candidates among two variables of five; the three above count for
        more where both are given.
    rng
        For the candidates and the rows held out.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> rng = np.random.default_rng(0)
    >>> case, x, y = rng.integers(2, size=(3, 2_000))
    >>> table = tw.read_table({"case": case, "x": x, "y": y, "z": np.where(case, x, y)})
    >>> learned = tw.learners.learn_cutset_bag(tw.count(table), n_networks=5, rng=rng)
    >>> learned.structure.is_deterministic, learned.structure.kinds()["mix"]
    (False, 1)
    """
    require("learn_cutset_bag", COUNTS, counter)
    require_option("learn_cutset_bag", TABLE, valid=valid)
    given = with_given(settings, smoothing=smoothing, shrinkage=shrinkage, min_rows=min_rows)
    check_cutset_settings(given)
    if n_networks < 1:
        raise SettingError(f"n_networks= is a number from 1 on; found {n_networks!r}")
    start, axes = open_settings(given, _BAG_AXES)
    seed = seed_of(rng)

    def grow(rows: _core.RowSet, settings: CutsetSettings) -> tuple[Arrays, dict[str, int | float]]:
        arrays = _core.learn_cutset_bag(rows, cutset_options(settings), n_networks, resample, seed)
        return arrays, {"networks": n_networks}

    return learn_chosen(counter, start, axes, grow, valid=valid, seed=seed, progress=progress)


def cutset_options(settings: CutsetSettings) -> _core.CutsetOptions:
    assert settings.smoothing is not None
    assert settings.shrinkage is not None
    assert settings.min_rows is not None
    return _core.CutsetOptions(
        alpha=settings.smoothing,
        shrinkage=settings.shrinkage,
        min_rows=settings.min_rows,
        max_depth=-1 if settings.max_depth is None else settings.max_depth,
        candidates=settings.candidates,
        candidate_share=settings.candidate_share,
        bic=settings.penalty == "bic",
        treewidth=settings.treewidth,
        leaf_penalty=settings.leaf_penalty,
    )


def check_cutset_settings(settings: CutsetSettings) -> None:
    """Refuse what has no meaning, before any row is looked at."""
    if settings.penalty not in (None, "bic"):
        raise SettingError(f"penalty= is 'bic' or None; found {settings.penalty!r}")
    if not 0 < settings.candidate_share <= 1:
        raise SettingError(f"candidate_share= is above 0 and at most 1; found {settings.candidate_share!r}")
    if settings.max_depth is not None and settings.max_depth < 0:
        raise SettingError(f"max_depth= is a number from 0 on, or None; found {settings.max_depth!r}")
    check_numbers(settings, least=_LEAST)

"""What mixtures are made of, and how EM learns them.

A component is learned from weighted rows: a Chow-Liu tree, or a shallow cutset network. EM starts from soft
clusters of the rows and ends when validation rows stop gaining; components of many parameters follow the
training rows too closely after a few steps, so the best step is often an early one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright import _core
from treewright.errors import SettingError
from treewright.learners.efficient_markov.cutset import CutsetSettings, cutset_options
from treewright.learners.efficient_markov.density import (
    Candidate,
    LearningRows,
    Meter,
    mean_log,
    thinned,
)
from treewright.ranges import in_range

_CLUSTER_STEPS = 25
_PATIENCE = 2  # steps without gain that end EM
_FEWEST_STEPS = 4  # that a mixture should be able to pay
_FOLLOW = 200.0  # nanoseconds: one row through one component, roughly


@in_range
@dataclass(frozen=True)
class TreeComponents:
    """Chow-Liu trees as components of a mixture.

    Attributes
    ----------
    smoothing
        Pseudo-rows spread evenly over the cells of every pair table.
    shrinkage
        Pseudo-rows that are distributed as all rows together; many for wide sparse tables, few for others.

    Examples
    --------
    >>> TreeComponents(shrinkage=20)
    TreeComponents(smoothing=1.0, shrinkage=20)
    """

    smoothing: float = 1.0
    shrinkage: float = 3.0

    def start(self, rows: LearningRows, clusters: _core.Clusters, seed: int) -> _core.Mixture:
        return _core.mixture_of_trees(rows.train, clusters, self.smoothing, self.shrinkage)

    @property
    def name(self) -> str:
        return f"trees (shrinkage {self.shrinkage:g})"


@in_range
@dataclass(frozen=True)
class CutsetComponents:
    """Shallow cutset networks as components of a mixture.

    Attributes
    ----------
    smoothing, shrinkage, depth, min_rows
        As for :func:`learn_cutset_network`; `depth` splits above a leaf, at most.

    Examples
    --------
    >>> CutsetComponents(depth=2)
    CutsetComponents(smoothing=1.0, shrinkage=3.0, depth=2, min_rows=50.0)
    """

    smoothing: float = 1.0
    shrinkage: float = 3.0
    depth: int = 4
    min_rows: float = 50.0

    def start(self, rows: LearningRows, clusters: _core.Clusters, seed: int) -> _core.Mixture:
        settings = CutsetSettings(self.min_rows, self.smoothing, self.shrinkage, self.depth)
        return _core.mixture_of_cutsets(rows.train, clusters, cutset_options(settings), seed)

    @property
    def name(self) -> str:
        return f"cutsets (depth {self.depth})"


Components = TreeComponents | CutsetComponents
_BY_NAME: dict[str, Components] = {"trees": TreeComponents(), "cutsets": CutsetComponents()}


def train_mixture(
    rows: LearningRows,
    family: Components,
    components: int,
    seed: int,
    meter: Meter,
    *,
    steps: int = 15,
    allowance: float = np.inf,
) -> Candidate:
    """EM from soft clusters; the best step by the validation rows, within an allowance (nominal seconds)."""
    name, began = f"{components} {family.name}", meter.spent
    if np.isfinite(allowance):
        rows = thinned(rows, mixture_price(rows, family, components), allowance, seed)
    clusters = _core.find_clusters(rows.train, components, _CLUSTER_STEPS, seed)
    mixture = family.start(rows, clusters, seed)
    best, best_step, paid = -np.inf, -1, 0.0
    for step in range(steps):
        mixture.maximise()
        score = mean_log(mixture.log_likelihoods(rows.valid), rows.valid)
        meter.pay(mixture.work - paid + components * rows.valid.n_rows * _FOLLOW)
        paid = mixture.work
        meter.tell(name, step + 1, score)
        if score > best:
            best, best_step = score, step
            mixture.keep()
        is_over = (meter.spent - began) * (1 + 1 / (step + 1)) > allowance  # one more step would not fit
        if step - best_step >= _PATIENCE or step + 1 == steps or is_over or meter.is_late():
            break
        mixture.expect()
    mixture.go_back()
    return Candidate.of(name, mixture, rows, best_step + 1)


def mixture_price(rows: LearningRows, family: Components, components: int) -> float:
    """Nominal seconds of the clusters and of a few steps, before anything is learned."""
    n_rows, n, unusual = rows.train.n_rows, len(rows.schema), unusual_cells(rows)
    if isinstance(family, CutsetComponents):
        settings = CutsetSettings(family.min_rows, family.smoothing, family.shrinkage, family.depth)
        step = cutset_price(rows, settings) * 1e9
    else:
        step = n_rows * unusual * (unusual + 1) / 2 + 14.0 * n * n
    clusters = _CLUSTER_STEPS * 0.3 * n_rows * (unusual + 20)
    step += _FOLLOW * (n_rows + rows.valid.n_rows)
    return float(components * (clusters + _FEWEST_STEPS * step) * 1e-9)


def cutset_price(rows: LearningRows, settings: CutsetSettings) -> float:
    """Nominal seconds of one cutset network, before it is learned: every row passes once at each level."""
    n_rows, n, unusual = rows.train.n_rows, len(rows.schema), unusual_cells(rows)
    contexts = max(rows.train.total / max(settings.min_rows or 1.0, 1.0), 1.0)
    levels = float(np.log2(contexts + 1))
    if settings.max_depth is not None:
        levels = min(levels, float(settings.max_depth))
    passed = n_rows * levels * (unusual * unusual / 2 + n)
    splits = 12.0 * n * n * min(contexts, 2.0**levels)
    return float((1 + settings.candidates) * (passed + splits) * 1e-9)


def unusual_cells(rows: LearningRows) -> float:
    """How many cells of a row are not the most frequent of their column, on average."""
    codes = np.asarray(rows.train.codes)
    usual = np.array([np.bincount(column).argmax() for column in codes.T])
    return float((codes != usual).sum()) / len(codes)


def component_family(of: str | Components) -> Components:
    found = _BY_NAME.get(of) if isinstance(of, str) else of
    if not isinstance(found, TreeComponents | CutsetComponents):
        raise SettingError(
            "of= says what components are: 'trees', 'cutsets', TreeComponents(...) or "
            f"CutsetComponents(...); found {of!r}"
        )
    if not (0 <= found.smoothing < np.inf and 0 <= found.shrinkage < np.inf):
        raise SettingError(f"smoothing and shrinkage are numbers of pseudo-rows from 0 on; found {found!r}")
    return found

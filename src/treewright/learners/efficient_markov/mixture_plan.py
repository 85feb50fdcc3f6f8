"""What to try, in which order, for a stack of models.

Hidden trees with a few smoothings first, since they are the best single family on most data; then mixtures of
trees of growing size, mixtures and bags of cutset networks for tables that are not wide, larger hidden trees,
and restarts of the best of them while the budget lasts. Every model that is learned stays in the pool: models
that are worse alone help where they differ.

A component is learned from weighted rows: a Chow-Liu tree, or a shallow cutset network. EM starts from soft
clusters of the rows and ends when validation rows stop gaining; components of many parameters follow the
training rows too closely after a few steps, so the best step is often an early one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from treewright import _core
from treewright.errors import SettingError
from treewright.learners.efficient_markov.cutset import CutsetSettings, cutset_options
from treewright.learners.efficient_markov.density import Candidate, LearningRows, Meter, mean_log
from treewright.learners.efficient_markov.hidden_tree import (
    HiddenSettings,
    hidden_price,
    train_hidden,
    variants,
)
from treewright.ranges import in_range

_CLUSTER_STEPS = 25
_PATIENCE = 2  # steps without gain that end EM


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
    rows: LearningRows, family: Components, components: int, seed: int, meter: Meter, *, steps: int = 15
) -> Candidate:
    """EM from soft clusters; the best step by the validation rows."""
    name = f"{components} {family.name}"
    clusters = _core.find_clusters(rows.train, components, _CLUSTER_STEPS, seed)
    mixture = family.start(rows, clusters, seed)
    best, best_step, paid = -np.inf, -1, 0.0
    for step in range(steps):
        mixture.maximise()
        score = mean_log(mixture.log_likelihoods(rows.valid), rows.valid)
        meter.pay(mixture.work - paid)
        paid = mixture.work
        meter.tell(name, step + 1, score)
        if score > best:
            best, best_step = score, step
            mixture.keep()
        if step - best_step >= _PATIENCE or step + 1 == steps or meter.is_late():
            break
        mixture.expect()
    mixture.go_back()
    return Candidate.of(name, mixture, rows, best_step + 1)


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


Tried = list[tuple[float, HiddenSettings]]  # hidden trees learned so far, with their scores

_WIDE = 300  # variables: above, tables are taken for sparse texts, and cutset networks cost too much
# transitions, emissions
_SMOOTHINGS = ((0.3, 1.0), (1.0, 5.0), (3.0, 2.0))
_WIDE_SMOOTHINGS = ((0.3, 1.0), (1.0, 5.0))
_LESS, _MORE = (0.1, 0.1), (1.0, 20.0)  # for wide tables: beyond the better of the two
_SIZES = (10, 30, 80, 160)
_ROWS_PER_COMPONENT = 50
_FEWEST_EPOCHS = 5  # of a schedule that is worth to begin
_MOST_RESTARTS = 8
# shares of the budget at which each phase ends
_HIDDEN, _TREES, _CUTSETS, _LARGER, _RESTARTS = 0.33, 0.6, 0.7, 0.88, 0.97


def learn_everything(
    rows: LearningRows, seed: int, meter: Meter
) -> Iterator[tuple[str, Iterable[Candidate]]]:
    """The phases, each with the models that it learns."""
    hidden: Tried = []
    yield "hidden trees", hidden_trees(rows, seed, meter, hidden)
    yield "mixtures of trees", tree_mixtures(rows, seed, meter)
    if len(rows.schema) <= _WIDE:
        yield "cutset networks", cutset_networks(rows, seed, meter)
    yield "larger hidden trees", larger_trees(rows, meter, hidden)
    yield "restarts", restarts(rows, meter, hidden)


def hidden_trees(rows: LearningRows, seed: int, meter: Meter, hidden: Tried) -> Iterator[Candidate]:
    """Sixteen hidden states with a few smoothings; the first always fits."""
    wide = len(rows.schema) > _WIDE
    smoothings = list(_WIDE_SMOOTHINGS if wide else _SMOOTHINGS)
    for number in range(3):
        if number == len(smoothings):
            smoothings.append(_MORE if len(hidden) > 1 and hidden[1][0] > hidden[0][0] else _LESS)
        transitions, emissions = smoothings[number]
        settings = HiddenSettings(transitions=transitions, emissions=emissions, seed=seed)
        share = meter.left(_HIDDEN) / (3 - number)
        allowance = max(share, min(_FEWEST_EPOCHS * 1.2 * hidden_price(rows, settings), meter.left(_HIDDEN)))
        yield from tried(rows, settings, meter, hidden, allowance, must=number == 0)


def larger_trees(rows: LearningRows, meter: Meter, hidden: Tried) -> Iterator[Candidate]:
    """The best smoothing with 32 hidden states; with 8 where that brings nothing."""
    if not hidden:
        return
    score, best = max(hidden, key=lambda pair: pair[0])
    yield from tried(rows, replace(best, states=32), meter, hidden, meter.left(_LARGER))
    if max(hidden, key=lambda pair: pair[0])[0] <= score:
        yield from tried(rows, replace(best, states=8), meter, hidden, meter.left(_LARGER))


def restarts(rows: LearningRows, meter: Meter, hidden: Tried) -> Iterator[Candidate]:
    """The best hidden tree again and again, from other seeds, trees and starts."""
    if not hidden:
        return
    _, best = max(hidden, key=lambda pair: pair[0])
    number = 0
    while _FEWEST_EPOCHS * hidden_price(rows, best) < meter.left(_RESTARTS) and not meter.is_late():
        spent = meter.spent
        yield from tried(rows, variants(best, number), meter, [], meter.left(_RESTARTS))
        number += 1
        if meter.spent == spent or number >= _MOST_RESTARTS:
            return


def tried(
    rows: LearningRows,
    settings: HiddenSettings,
    meter: Meter,
    hidden: Tried,
    allowance: float,
    *,
    must: bool = False,
) -> Iterator[Candidate]:
    """One hidden tree, if the work allowed is enough for a few epochs and its numbers stay finite."""
    dear = _FEWEST_EPOCHS * hidden_price(rows, settings) > allowance
    if (meter.is_late() or dear) and not must:
        return
    found = train_hidden(rows, settings, meter, allowance=allowance)
    if found is not None:
        hidden.append((found.score, settings))
        yield found


def tree_mixtures(rows: LearningRows, seed: int, meter: Meter) -> Iterator[Candidate]:
    """More and more trees while validation rows gain, with little and with much shrinkage."""
    wide = len(rows.schema) > _WIDE
    most = max(rows.train.total / _ROWS_PER_COMPONENT, 2)
    learned = False  # one mixture is always there, however little time there is
    for shrinkage in (20.0, 80.0) if wide else (3.0, 20.0):
        family = TreeComponents(smoothing=0.1 if wide else 1.0, shrinkage=shrinkage)
        best = float("-inf")
        for size in _SIZES:
            before = meter.spent
            if (size > most and size > _SIZES[0]) or (best > float("-inf") and not meter.left(_TREES)):
                break
            if learned and meter.is_late():
                return
            found = train_mixture(rows, family, min(size, max(int(most), 2)), seed, meter)
            learned = True
            yield found
            if found.score <= best or 3 * (meter.spent - before) > meter.left(_TREES):
                break
            best = found.score


def cutset_networks(rows: LearningRows, seed: int, meter: Meter) -> Iterator[Candidate]:
    """A mixture of shallow networks, and bags of deep ones that differ by the splits they may take."""
    if meter.left(_CUTSETS) and not meter.is_late():
        size = int(min(10, max(rows.train.total // (10 * _ROWS_PER_COMPONENT), 2)))
        yield train_mixture(rows, CutsetComponents(), size, seed, meter)
    bags = (
        ("bag of deep cutsets", 40, CutsetSettings(30.0, 1.0, 3.0, candidates=2, candidate_share=0.3)),
        ("bag of cutsets", 20, CutsetSettings(300.0, 1.0, 3.0, candidates=5, candidate_share=0.5)),
    )
    for number, (name, size, settings) in enumerate(bags):
        options = cutset_options(settings)
        until = _CUTSETS - (len(bags) - 1 - number) * 0.05
        if meter.left(until) and not meter.is_late():
            first = _core.bag_of_cutsets(rows.train, 1, options, seed)
            meter.pay(first.work)
            # what a network costs is learned from the first
            fit = int(max(min(size, meter.left(until) * 1e9 // max(first.work, 1.0)), 1))
            network = _core.bag_of_cutsets(rows.train, fit, options, seed) if fit > 1 else first
            meter.pay(network.work if fit > 1 else 0.0)
            found = Candidate.of(f"{name} ({fit})", network, rows, 1)
            meter.tell(found.name, 1, found.score)
            yield found

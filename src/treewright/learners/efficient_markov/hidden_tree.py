"""Hidden trees: a hidden state behind every variable, and a tree over the hidden states.

A Chow-Liu tree says how variables depend on each other, one edge at a time. Here the tree joins hidden
variables of H states instead, and each observed variable only sees its own. With H = 1 all variables are
independent; if hidden states never change along the edges, the model is a mixture of H products; in between
lie models that are rich, yet every sum over them costs n H^2 steps. Learned by EM in mini-batches from a
cluster start, they describe ratings, baskets and texts better than mixtures of trees do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from treewright import _core
from treewright.arguments import COUNTS, TABLE, described, require, require_option
from treewright.errors import ArgumentError, SettingError
from treewright.learners.efficient_markov.density import (
    Candidate,
    LearningRows,
    Meter,
    learning_rows,
    mean_log,
    refuse_wide,
)
from treewright.learners.efficient_markov.validated import LearnedFeatureGraph, judges, seed_of
from treewright.learners.learned import TraceBuilder
from treewright.limits import format_bytes, memory_limit
from treewright.ranges import Number, in_range
from treewright.statistics.rows import RowSource
from treewright.tables.table import Table
from treewright.types import Progress

# Deduplicated rows of large weight leave too few in a batch to speak for all: then every step sees all rows.
_HEAVY = 4.0
_BATCH, _SMALL_BATCH, _FEW_ROWS = 320, 160, 2500
_ETA = (0.4, 0.02)  # how fast old statistics fade, at the first and at the last batch
_CLUSTER_STEPS = 12
_WHOLE_EPOCHS = 300  # of plain EM, at most
_PATIENCE, _WHOLE_PATIENCE = 6, 12


@dataclass(frozen=True)
class HiddenSettings:
    """How one hidden tree is learned."""

    states: int = 16
    autoregressive: bool = False
    transitions: float = 1.0
    emissions: float = 1.0
    diagonal: float = 0.95
    conditional: bool = False
    epochs: int = 35
    batch: int | None = None
    seed: int = 0

    @property
    def name(self) -> str:
        kind = f"hidden {self.states}" + (" ar" if self.autoregressive else "")
        return f"{kind} ({self.transitions:g}, {self.emissions:g})"


@in_range
def learn_hidden_tree(
    counter: RowSource,
    *,
    states: int = 16,
    autoregressive: bool = False,
    smoothing: tuple[float, float] = (1.0, 1.0),
    epochs: int = 35,
    batch: int | None = None,
    conditional: bool = False,
    valid: Table | None = None,
    rng: np.random.Generator | None = None,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> LearnedFeatureGraph[HiddenSettings]:
    """Learn a tree of hidden states, one behind each variable.

    Parameters
    ----------
    counter
        Counts of a table (:func:`count`); its rows are used.
    states
        States of every hidden variable (H). More are rarely worse given enough rows, and cost H^2.
    autoregressive
        Let a variable also know the observed value of its parent in the tree.
    smoothing
        Pseudo-rows for each hidden state: of its transitions (spread evenly) and of its emissions
        (distributed as the whole table). Transitions want little, emissions of wide sparse tables more.
    epochs
        Passes over the rows, at most; learning ends earlier when the validation rows stop gaining.
    batch
        Distinct rows of a mini-batch; 0 takes all rows at once (plain EM). By default 320, 160 for few rows,
        and all where equal rows are so frequent that the mean distinct row counts more than four times.
    conditional
        Take the tree that is best within clusters of rows, not in the rows as a whole.
    valid
        Rows to stop by. By default a tenth of the rows is held out, drawn by content and `rng`.
    rng
        Draws the start and the order of rows; by default a generator seeded with 0.
    seconds
        Stop after so many seconds at the latest; ``trace.stopped_by`` then says ``"seconds"``.
    progress
        Called after each epoch, with its number and the validation score.

    Returns
    -------
    LearnedFeatureGraph
        A graph of one hidden leaf, the settings and the validation score;
        ``tw.FeatureNetwork(learned.structure)`` answers questions. The same for every order of rows and
        columns and any number of threads.

    References
    ----------
    .. [1] Liu & Van den Broeck (2021). Tractable regularization of probabilistic circuits. NeurIPS 34.
    .. [2] Chow & Liu (1968). Approximating discrete probability distributions with dependence trees.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> table = tw.load_network("asia").sample(2_000, rng=np.random.default_rng(0))
    >>> learned = tw.learn_hidden_tree(tw.count(table), states=4)
    >>> learned.structure.kinds()
    {'hidden': 1}
    >>> model = tw.FeatureNetwork(learned.structure)
    >>> round(sum(model.query("dysp").values()), 12)
    1.0
    """
    require("learn_hidden_tree", COUNTS, counter)
    require_option("learn_hidden_tree", TABLE, valid=valid)
    transitions, emissions = checked_smoothing(smoothing)
    settings = HiddenSettings(
        states, autoregressive, transitions, emissions, conditional=conditional, epochs=epochs,
        batch=batch, seed=seed_of(rng),
    )  # fmt: skip
    check_settings(settings)
    trace = TraceBuilder()
    with trace.phase("rows") as tallies:
        rows = learning_rows(counter, valid, settings.seed)
        tallies.update(describe_rows(rows))
    refuse_wide(rows)
    meter = Meter(seconds=seconds, progress=progress)
    with trace.phase("epochs") as tallies:
        found = train_hidden(rows, settings, meter)
        if found is None:
            raise SettingError(
                f"no hidden tree with smoothing={smoothing!r} stayed finite on these rows; raise smoothing="
            )
        tallies.update(epochs=found.steps, log_likelihood=found.score, work=meter.spent)
    return LearnedFeatureGraph(
        found.graph(rows),
        trace.build(stopped_by=meter.stopped_by),
        settings=settings,
        valid_log_likelihood=found.score,
        notes=(f"stopped on {judges(rows)} after {found.steps} epochs",),
    )


def train_hidden(
    rows: LearningRows, settings: HiddenSettings, meter: Meter, *, allowance: float = np.inf
) -> Candidate | None:
    """EM from a cluster start, the best epoch by the validation rows; None where numbers broke down.

    With an allowance (nominal seconds) the schedule is shortened to fit, so that it still ends in small
    steps.
    """
    check_room(rows, settings)
    learner = start_hidden(rows, settings)
    meter.pay(learner.work + tree_work(rows, settings))
    whole = batch_size(rows, settings) == 0
    price = learner.epoch_work * (1 + rows.valid.n_rows / (3 * rows.train.n_rows))
    longest = max(_WHOLE_EPOCHS, settings.epochs) if whole else settings.epochs
    epochs = int(min(longest, max(allowance * 1e9 // price, 1)))
    patience = _WHOLE_PATIENCE if whole else _PATIENCE
    fading = np.ones(epochs + 1) if whole else np.geomspace(*_ETA, epochs + 1)
    best, best_epoch = -np.inf, -1
    for epoch in range(epochs):
        learner.epoch(float(fading[epoch]), float(fading[epoch + 1]))
        meter.pay(price)
        score = mean_log(learner.log_likelihoods(rows.valid), rows.valid)
        if not (np.isfinite(score) and learner.is_finite):
            break
        meter.tell(settings.name, epoch + 1, score)
        if score > best:
            best, best_epoch = score, epoch
            learner.keep()
        if epoch - best_epoch >= patience or meter.is_late():
            break
    if best_epoch < 0:
        return None
    learner.go_back()
    return Candidate.of(settings.name, learner, rows, best_epoch + 1)


def start_hidden(rows: LearningRows, settings: HiddenSettings) -> _core.HiddenLearner:
    """Every hidden state begins as a cluster of the rows."""
    clusters = _core.find_clusters(rows.train, settings.states, _CLUSTER_STEPS, settings.seed)
    edges = _core.learn_edges(rows.train, clusters if settings.conditional else None)
    return _core.HiddenLearner(
        rows.train, clusters, edges, settings.autoregressive, settings.transitions, settings.emissions,
        settings.diagonal, batch_size(rows, settings), settings.seed,
    )  # fmt: skip


def hidden_price(rows: LearningRows, settings: HiddenSettings) -> float:
    """Nominal seconds of one epoch, before anything is learned."""
    cells = rows.train.n_rows * len(rows.schema) * settings.states
    return 3 * cells * (0.06 * settings.states + 0.5) * 1e-9


def batch_size(rows: LearningRows, settings: HiddenSettings) -> int:
    """Distinct rows of a mini-batch; 0 stands for all."""
    if settings.batch is not None:
        return settings.batch
    if rows.train.total > _HEAVY * rows.train.n_rows:
        return 0
    return _SMALL_BATCH if rows.train.n_rows < _FEW_ROWS else _BATCH


def tree_work(rows: LearningRows, settings: HiddenSettings) -> float:
    """Nominal nanoseconds of finding the tree."""
    n = len(rows.schema)
    return (14.0 * n * n + 2.0 * n * rows.train.n_rows) * (settings.states if settings.conditional else 1)


def describe_rows(rows: LearningRows) -> dict[str, int | float]:
    """Tallies: rows, how many are distinct, and how many were held out of the counter's own."""
    held = rows.valid.total if rows.held_out else 0
    return {"rows": rows.train.total, "distinct_rows": rows.train.n_rows, "held_out_rows": held}


def checked_smoothing(smoothing: object) -> tuple[float, float]:
    """The pseudo-rows of transitions and of emissions."""
    if isinstance(smoothing, str | bytes) or not isinstance(smoothing, Sequence | np.ndarray):
        raise ArgumentError(f"smoothing= holds two numbers of pseudo-rows; found {described(smoothing)}")
    if len(smoothing) != 2:
        raise SettingError(f"smoothing= holds two numbers of pseudo-rows; found {len(smoothing)}")
    number = Number("smoothing", False, None, ())
    first, second = (number.checked("learn_hidden_tree", one) for one in smoothing)
    return first, second


def check_settings(settings: HiddenSettings) -> None:
    if settings.states < 1:
        raise SettingError(f"states= is a number of hidden states, at least 1; found {settings.states!r}")
    if not (0 <= settings.transitions < np.inf and 0 <= settings.emissions < np.inf):
        found = (settings.transitions, settings.emissions)
        raise SettingError(f"smoothing= holds two numbers of pseudo-rows from 0 on; found {found!r}")
    if settings.epochs < 1:
        raise SettingError(f"epochs= is a number of passes, at least 1; found {settings.epochs!r}")
    if settings.batch is not None and settings.batch < 0:
        raise SettingError(f"batch= is a number of rows, or 0 for all; found {settings.batch!r}")


def check_room(rows: LearningRows, settings: HiddenSettings) -> None:
    """Refuse emission tables and messages that would not fit."""
    states = np.array(rows.schema.cardinalities, dtype=float)
    symbols = states.sum() * (states.max() if settings.autoregressive else 1)
    needed = 28 * settings.states * (len(states) * settings.states + symbols)
    needed += 8 * 64 * len(states) * settings.states
    if needed > memory_limit():
        raise SettingError(
            f"a hidden tree over {len(states)} variables with states={settings.states} needs about "
            f"{format_bytes(int(needed))} while it is learned; the limit is {format_bytes(memory_limit())}: "
            "take fewer states, or raise it with tw.set_memory_limit"
        )


def variants(settings: HiddenSettings, number: int) -> HiddenSettings:
    """The restart of some number: another seed, tree, start; every third one autoregressive."""
    return replace(
        settings,
        seed=settings.seed + 7919 * (number + 1),
        conditional=number % 2 == 1,
        autoregressive=number % 3 == 2,
        diagonal=0.85 if number % 4 >= 2 else 0.95,
    )

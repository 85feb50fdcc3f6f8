"""Mixtures: several simple models, each for the rows that suit it.

Every component is learned anew in each step of EM, structure and all, from the rows weighted by how much they
belong to it; steps go on while validation rows gain (Meila & Jordan 2000). With ``components="auto"``
everything that describes rows well is tried within a budget of work, and the models are weighed against each
other on validation rows (:mod:`treewright.learners.efficient_markov.everything`).

The weights of a mixture of fixed models that make validation rows likeliest are found by EM; the likelihood
is concave in them, so there is one best answer. A stack is never worse on these rows than its best member:
where the weights found should be, the best member stands alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from treewright import _core
from treewright.arguments import COUNTS, TABLE, require, require_option
from treewright.errors import SettingError
from treewright.graphs.feature_graph import FeatureGraph
from treewright.learners.efficient_markov.density import (
    Candidate,
    LearningRows,
    Meter,
    learning_rows,
    mean_log,
    refuse_wide,
)
from treewright.learners.efficient_markov.everything import learn_everything
from treewright.learners.efficient_markov.hidden_tree import describe_rows
from treewright.learners.efficient_markov.mixture_plan import (
    Components,
    component_family,
    train_mixture,
)
from treewright.learners.efficient_markov.validated import judges, seed_of
from treewright.learners.learned import Learned, TraceBuilder, keeping
from treewright.ranges import in_range
from treewright.statistics.rows import RowSource
from treewright.tables.table import Table
from treewright.types import Floats, Progress

_STEPS = 2000
_ENOUGH = 1e-10  # nats a row: smaller gains end the search


@dataclass(frozen=True)
class Stack:
    """Members, by position among the candidates, with their weights and the score of the mixture."""

    members: tuple[int, ...]
    weights: tuple[float, ...]
    score: float


def stack(logs: Floats, row_weights: Floats, *, prior: float = 0.5, least: float = 0.005) -> Stack:
    """Find the weights of models from the log-likelihoods of validation rows.

    Parameters
    ----------
    logs
        One line per model, one column per row; minus infinity where a model gives a row no chance.
    row_weights
        How often each row counts.
    prior
        Pseudo-rows for each model, which keep weights from zero.
    least
        Models of a smaller weight are dropped, and the others weighed again.

    Examples
    --------
    >>> logs = np.log([[0.8, 0.8, 0.1], [0.1, 0.1, 0.9], [0.01, 0.01, 0.01]])
    >>> found = stack(logs, np.ones(3), prior=0.0)
    >>> found.members, [round(w, 3) for w in found.weights]
    ((0, 1), [0.702, 0.298])
    """
    every = tuple(range(len(logs)))
    weights = weigh(logs, row_weights, prior)
    kept = tuple(int(k) for k in np.flatnonzero(weights >= least)) or every
    stacks = [Stack((int(np.argmax(alone := singles(logs, row_weights))),), (1.0,), float(alone.max()))]
    stacks.append(weighed(logs, row_weights, kept, prior))
    return max(stacks, key=lambda one: (one.score, -len(one.members)))


def select(logs: Floats, row_weights: Floats, size: int, *, prior: float = 0.5) -> Stack:
    """Greedy forward selection: begin with the best model and add, one by one, what helps the stack most."""
    best = stack(logs[[first := int(np.argmax(singles(logs, row_weights)))]], row_weights)
    best = Stack((first,), (1.0,), best.score)
    while len(best.members) < min(size, len(logs)):
        others = [k for k in range(len(logs)) if k not in best.members]
        grown = [weighed(logs, row_weights, (*best.members, k), prior) for k in others]
        candidate = max(grown, key=lambda one: one.score)
        if candidate.score <= best.score:
            break
        best = candidate
    return best


def weighed(logs: Floats, row_weights: Floats, members: Sequence[int], prior: float) -> Stack:
    """The stack of some members, best weights first."""
    part = logs[list(members)]
    weights = weigh(part, row_weights, prior)
    return Stack(tuple(members), tuple(float(w) for w in weights), score_of(part, row_weights, weights))


def weigh(logs: Floats, row_weights: Floats, prior: float) -> Floats:
    """EM over the weights alone, to convergence; two steps tell where many more would lead.

    The leap is taken where it loses nothing (Varadhan & Roland 2008, SQUAREM).
    """
    chances = np.exp(logs - logs.max(axis=0))
    total = float(row_weights.sum())

    def improve(weights: Floats) -> tuple[Floats, float]:
        """One step, and what it climbs: the score of the weights before it, with the prior."""
        mixed = np.einsum("kr,k->r", chances, weights)
        score = float((row_weights * np.log(mixed)).sum() / total)
        if prior:
            score += prior * float(np.log(weights).sum()) / total
        belongs = weights * np.einsum("kr,r->k", chances, row_weights / mixed)
        return (belongs + prior) / (total + prior * len(logs)), score

    weights, reached = np.full(len(logs), 1 / len(logs)), -np.inf
    for _ in range(_STEPS):
        once, score = improve(weights)
        if score - reached < _ENOUGH:
            break
        reached = score
        twice, sure = improve(once)
        leapt, after = improve(leap(weights, once, twice))
        weights = leapt if after >= sure else twice
    return weights


def leap(weights: Floats, once: Floats, twice: Floats) -> Floats:
    """Where steps that shrink evenly would end; weights stay above nothing."""
    first, bend = once - weights, twice - once - (once - weights)
    if not (bend**2).sum() > 0:
        return twice
    far = max(float(np.sqrt((first**2).sum() / (bend**2).sum())), 1.0)
    ahead = np.maximum(weights + 2 * far * first + far * far * bend, 1e-3 * twice)
    result: Floats = ahead / ahead.sum()
    return result


def singles(logs: Floats, row_weights: Floats) -> Floats:
    """The score of every model alone."""
    scores: Floats = np.where(np.isneginf(logs).any(axis=1), -np.inf, 0.0)
    finite = np.isfinite(scores)
    scores[finite] = (logs[finite] * row_weights).sum(axis=1) / row_weights.sum()
    return scores


def score_of(logs: Floats, row_weights: Floats, weights: Floats) -> float:
    """Mean log-likelihood of the rows under the mixture."""
    top = logs.max(axis=0)
    mixed = (weights[:, None] * np.exp(logs - top)).sum(axis=0)
    return float((row_weights * (top + np.log(mixed))).sum() / row_weights.sum())


_COMPACT = 3  # members that compact=True keeps


@dataclass(frozen=True)
class Member:
    """One model of a stack: what it is, its weight, and its validation score alone."""

    name: str
    weight: float
    log_likelihood: float


@dataclass(frozen=True)
class Mixed(Learned[FeatureGraph]):
    """A mixture, with what it is made of.

    Attributes
    ----------
    members
        The models of a stack, heaviest first; for a mixture by EM one entry, the mixture.
    valid_log_likelihood
        Mean over the validation rows, in nats.
    notes
        What was chosen, in a sentence.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.read_table({"a": [0, 0, 1, 1] * 20, "b": [0, 0, 1, 1] * 20})
    >>> [member.name for member in tw.learn_mixture(tw.count(table), components=2).members]
    ['2 trees (shrinkage 3)']
    """

    members: tuple[Member, ...] = field(kw_only=True)
    valid_log_likelihood: float = field(kw_only=True)


@in_range
def learn_mixture(
    counter: RowSource,
    *,
    components: int | Literal["auto"] = 20,
    of: str | Components = "trees",
    steps: int = 15,
    budget: float = 30.0,
    memory: bool = False,
    compact: bool | int = False,
    valid: Table | None = None,
    rng: np.random.Generator | None = None,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> Mixed:
    """Learn a mixture of trees or of cutset networks, or the best stack of everything.

    Parameters
    ----------
    counter
        Counts of a table (:func:`count`); its rows are used.
    components
        How many, or ``"auto"``: learn networks of bounded treewidth, hidden trees, mixtures of trees and of
        cutset networks and bags of these within `budget`, and weigh all of them on the validation rows. The
        stack is never worse there than its best member.
    of
        What components are: ``"trees"``, ``"cutsets"``, or :class:`TreeComponents` /
        :class:`CutsetComponents` with settings of their own. Not for ``"auto"``.
    steps
        Steps of EM, at most; it ends when validation rows stop gaining.
    budget
        For ``"auto"``: work in nominal seconds of one core of 2024. It is counted, not timed, so that reruns
        agree on every machine. Models that many rows would make too dear are learned from some of them.
    memory
        For ``"auto"``: also let the stack remember the training rows themselves. This **stores the rows** in
        the model and its files, so never switch it on for private data; it helps where rows repeat. Without
        it no row is part of the model, only statistics of many rows; a new row that nearly repeats a training
        row may still be likelier than others, since groups of like rows are what mixtures are made of.
    compact
        For ``"auto"``: keep the few members that make the best stack (True: 3), chosen one by one.
    valid
        Rows to choose by. By default a tenth of the rows is held out, drawn by content and `rng`.
    rng
        Draws starts and candidates; by default a generator seeded with 0.
    seconds
        Stop after so many seconds at the latest; ``trace.stopped_by`` then says ``"seconds"``.
    progress
        Called now and then, with the model that is learned, its step and its validation score.

    Returns
    -------
    Mixed
        ``tw.FeatureNetwork(learned.structure)`` answers questions. The same for every order of rows and
        columns and any number of threads.

    References
    ----------
    .. [1] Meila & Jordan (2000). Learning with mixtures of trees. JMLR 1, 1-48.
    .. [2] Rahman & Gogate (2016). Learning ensembles of cutset networks. AAAI 30.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> table = tw.load_network("asia").sample(2_000, rng=np.random.default_rng(0))
    >>> learned = tw.learn_mixture(tw.count(table), components=3)
    >>> learned.structure.is_deterministic, learned.members[0].name
    (False, '3 trees (shrinkage 3)')
    >>> stacked = tw.learn_mixture(tw.count(table), components="auto", budget=0.01)
    >>> stacked.valid_log_likelihood >= max(member.log_likelihood for member in stacked.members)
    True
    """
    require("learn_mixture", COUNTS, counter)
    require_option("learn_mixture", TABLE, valid=valid)
    meter = Meter(budget if components == "auto" else np.inf, seconds=seconds, progress=progress)
    if components == "auto":
        if of != "trees":
            raise SettingError('components="auto" tries every kind of component; leave out of=')
    elif memory or compact:
        raise SettingError('memory= and compact= belong to components="auto"')
    else:
        family = component_family(of)
        check_numbers(components, steps)
    seed, trace = seed_of(rng), TraceBuilder()
    with trace.phase("rows") as tallies:
        rows = learning_rows(counter, valid, seed)
        tallies.update(describe_rows(rows))
    refuse_wide(rows)
    if components == "auto":
        return learn_stack(rows, seed, meter, trace, memory=memory, compact=compact)
    with trace.phase("steps") as tallies:
        found = train_mixture(rows, family, components, seed, meter, steps=steps)
        tallies.update(steps=found.steps, log_likelihood=found.score, work=meter.spent)
    return Mixed(
        found.graph(rows),
        trace.build(stopped_by=meter.stopped_by),
        members=(Member(found.name, 1.0, found.score),),
        valid_log_likelihood=found.score,
        notes=(f"stopped on {judges(rows)} after {found.steps} steps",),
    )


def learn_stack(
    rows: LearningRows, seed: int, meter: Meter, trace: TraceBuilder, *, memory: bool, compact: bool | int
) -> Mixed:
    """Everything within the budget, weighed on the validation rows."""
    size = _COMPACT if compact is True else int(compact)
    if size < 0:
        raise SettingError(f"compact= is a number of members to keep, True or False; found {compact!r}")
    pool: list[Candidate] = []

    def best_so_far(_: object) -> Mixed | None:
        if not pool:
            return None
        best = max(range(len(pool)), key=lambda k: pool[k].score)
        return stacked(rows, pool, Stack((best,), (1.0,), pool[best].score), trace, meter)

    with keeping(best_so_far):
        for phase, proposals in learn_everything(rows, seed, meter):
            with trace.phase(phase) as tallies:
                before, spent = len(pool), meter.spent
                pool.extend(proposals)
                tallies.update(models=len(pool) - before, work=meter.spent - spent)
                if pool:
                    tallies["log_likelihood"] = max(one.score for one in pool)
    if memory:
        pool.append(remembered(rows))
    with trace.phase("stack") as tallies:
        logs = np.array([one.valid_logs for one in pool])
        weights = np.asarray(rows.valid.weights)
        found = select(logs, weights, size) if size else stack(logs, weights)
        tallies.update(members=len(found.members), log_likelihood=found.score)
    return stacked(rows, pool, found, trace, meter)


def stacked(
    rows: LearningRows, pool: list[Candidate], found: Stack, trace: TraceBuilder, meter: Meter
) -> Mixed:
    """One graph of all members, heaviest first."""
    ranking = sorted(zip(found.weights, found.members, strict=True), key=lambda pair: (-pair[0], pair[1]))
    builder = _core.FeatureBuilder(list(rows.schema.cardinalities))
    ids = [builder.append(pool[k].graph(rows).native) for _, k in ranking]
    weights = np.array([weight for weight, _ in ranking])
    root = builder.mixture(ids, np.log(weights / weights.sum()))
    return Mixed(
        FeatureGraph(rows.schema, *builder.finish(root)),
        trace.build(stopped_by=meter.stopped_by),
        members=tuple(Member(pool[k].name, weight, pool[k].score) for weight, k in ranking),
        valid_log_likelihood=found.score,
        notes=(f"{len(ranking)} of {len(pool)} models, weighed on {judges(rows)}",),
    )


def remembered(rows: LearningRows) -> Candidate:
    """The training rows themselves as a model: a row that is not among them has probability zero."""
    train, valid = np.asarray(rows.train.codes), np.asarray(rows.valid.codes)
    log_weights = np.log(np.asarray(rows.train.weights) / rows.train.total)
    _, place = np.unique(np.concatenate([train, valid]), axis=0, return_inverse=True)
    known = np.full(place.max() + 1, -np.inf)
    known[place.ravel()[: len(train)]] = log_weights
    logs = known[place.ravel()[len(train) :]]
    order = np.argsort(np.asarray(rows.train.variables))  # columns are by name, scopes by position
    builder = _core.FeatureBuilder(list(rows.schema.cardinalities))
    codes = np.ascontiguousarray(train[:, order], dtype=np.uint32).ravel()
    leaf = builder.rows(list(range(len(rows.schema))), codes, log_weights)
    score = mean_log(logs, rows.valid) if np.isfinite(logs).all() else -np.inf
    return Candidate("rows", builder.finish(leaf), logs, score, 1)


def check_numbers(components: int, steps: int) -> None:
    if not isinstance(components, int) or components < 1:
        raise SettingError(f'components= is a number of at least 1, or "auto"; found {components!r}')
    if steps < 1:
        raise SettingError(f"steps= is a number of at least 1; found {steps!r}")

"""Features grown one by one: the induction of Della Pietra, Della Pietra & Lafferty.

A log-linear model starts with a feature for every state (but the first) of every variable. In each round,
every conjunction of a feature with one of those is a candidate; what it would gain, with the best weight of
its own and all other weights kept, is a search along one line. The best candidate joins the model, all
weights are fitted again, and the work ends when rows that took no part in it are no longer predicted better.

The likelihood would need a partition function for every gain. The pseudo-likelihood does not: it adds up how
well each variable of a row is predicted from the others (Besag 1975).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from treewright import _core
from treewright.arguments import COUNTS, require
from treewright.errors import SchemaError, SettingError
from treewright.graphs import UndirectedGraph
from treewright.learners.learned import Learned, TraceBuilder
from treewright.learners.markov_baselines.l1_neighbourhoods import refuse_other_rows
from treewright.ranges import in_range
from treewright.statistics.counter import Counter
from treewright.statistics.rows import DistinctRows, distinct_rows
from treewright.tables.features import Feature
from treewright.tables.schema import Schema
from treewright.types import Floats, Progress, Step

Conjunction = tuple[int, ...]  # literals, numbered by variable and state in name order


@dataclass(frozen=True)
class Induction:
    """One round: the feature that was added, what it promised, and where the refit led (nats per row)."""

    feature: Feature
    gain: float
    pseudo_log_likelihood: float
    valid_pseudo_log_likelihood: float


@dataclass(frozen=True)
class LearnedFeatures(Learned[UndirectedGraph]):
    """Features with their weights; the structure joins the variables that share a feature.

    Attributes
    ----------
    features, weights
        Of the log-linear model: `tw.models.LogLinearModel(schema, learned.features, learned.weights)`.
    rounds
        The features in the order in which they came, with what each gained; also those after the best round,
        which are not part of the model.
    pseudo_log_likelihood, valid_pseudo_log_likelihood
        Of the model, in nats per row: of the rows learned from, and of the others.

    Examples
    --------
    >>> import treewright as tw
    >>> counter = tw.count(tw.read_table({"a": [0, 0, 1, 1, 1], "b": [0, 0, 1, 1, 0], "c": [0, 1, 0, 1, 0]}))
    >>> learned = tw.learn_feature_induction(counter, counter)
    >>> [str(feature) for feature in learned.features[3:]]
    ['a=1 & b=1', 'a=1 & b=1 & c=1', 'a=1 & c=1']
    """

    features: tuple[Feature, ...]
    weights: Floats = field(repr=False)
    rounds: tuple[Induction, ...] = field(repr=False)
    pseudo_log_likelihood: float
    valid_pseudo_log_likelihood: float


@in_range
def learn_feature_induction(
    counter: Counter,
    valid: Counter,
    *,
    variance: float = 10.0,
    patience: int = 1,
    most_literals: int | None = None,
    most_features: int | None = None,
    tolerance: float = 1e-5,
    progress: Progress | None = None,
) -> LearnedFeatures:
    """Learn the features of a log-linear model, best gain first.

    Parameters
    ----------
    counter
        Rows to learn from.
    valid
        Other rows of the same variables: the work ends when they are no longer predicted better.
    variance
        Of the Gaussian prior on every weight (the paper's sigma squared).
    patience
        Rounds without a better prediction of `valid` that end the work. The best round is returned.
    most_literals
        The longest conjunction; by default any.
    most_features
        Features to add at most.
    tolerance
        Largest entry of the gradient of a row's mean pseudo-log-likelihood at which a refit stops.
    progress
        Called after each round, with the number of features and the mean pseudo-log-likelihood of `valid`.

    References
    ----------
    .. [1] Della Pietra, Della Pietra & Lafferty (1997). Inducing features of random fields. IEEE Transactions
       on Pattern Analysis and Machine Intelligence 19, 380-393.
    .. [2] Besag (1975). Statistical analysis of non-lattice data. The Statistician 24, 179-195.

    Notes
    -----
    A gain has the prior of the new weight taken off, as the refit has: a feature that is never contradicted
    would otherwise have an infinite weight. Candidates of equal gain go by the names of their variables.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> rows = tw.load_network("asia").sample(2_000, rng=np.random.default_rng(0))
    >>> train, valid = rows.split([0.8, 0.2], np.random.default_rng(1))
    >>> learned = tw.learn_feature_induction(tw.count(train), tw.count(valid), most_features=3)
    >>> str(learned.rounds[0].feature)
    "bronc='no' & dysp='no'"
    """
    require("learn_feature_induction", COUNTS, counter)
    require("valid= of learn_feature_induction", COUNTS, valid)
    _check_settings(variance, patience, most_literals, most_features, tolerance)
    trace = TraceBuilder()
    with trace.phase("rows") as tallies:
        rows, others = distinct_rows(counter), distinct_rows(valid)
        refuse_other_rows(rows, others)
        if not len(rows.weights) or not len(others.weights):
            which = "learn from" if not len(rows.weights) else "validate on"
            raise SchemaError(f"features are judged by rows; there are none to {which}")
        model = Field(rows, others, variance, tolerance)
        tallies["distinct_rows"] = len(rows.weights)
    with trace.phase("induction") as tallies:
        most = math.inf if most_features is None else most_features
        rounds, best = induce(model, patience, most_literals or len(rows.schema), most, progress)
        tallies.update(model.tallies)
    schema = counter.schema
    named = tuple(_feature(rows.schema, schema, literals) for literals in best.features)
    pairs = {pair for f in named for pair in combinations(sorted(schema.scope(f.variables)), 2)}
    history = tuple(
        Induction(_feature(rows.schema, schema, literals), gain, *logs) for literals, gain, logs in rounds
    )
    graph = UndirectedGraph(schema, sorted(pairs))
    return LearnedFeatures(graph, trace.build(), named, best.weights, history, *best.logs)


@dataclass(frozen=True)
class State:
    """A model on the way: its features, their weights, and how well both sets of rows are predicted."""

    features: tuple[Conjunction, ...]
    weights: Floats
    logs: tuple[float, float]


class Field:
    """The rows, as the core sees them, with the features of the model."""

    def __init__(self, rows: DistinctRows, others: DistinctRows, variance: float, tolerance: float) -> None:
        self.designs = [
            _core.FeatureDesign(one.codes, one.weights, list(one.schema.cardinalities))
            for one in (rows, others)
        ]
        self.totals = (rows.n_rows, others.n_rows)
        self.variance, self.tolerance = variance, tolerance
        self.features: list[Conjunction] = []
        self.weights = np.zeros(0)
        self.tallies: dict[str, int | float] = {"candidates": 0, "evaluations": 0}
        for literal in range(sum(rows.schema.cardinalities) - len(rows.schema)):
            self.add((literal,), 0.0)

    def add(self, literals: Conjunction, weight: float) -> None:
        for design in self.designs:
            design.add(list(literals))
        self.features.append(literals)
        self.weights = np.append(self.weights, weight)

    def best_candidate(self, most_literals: int) -> tuple[Conjunction, float, float] | None:
        """The conjunction of largest gain (of equal ones the first), that gain, and the weight for it."""
        conjunctions = self.designs[0].candidates(most_literals)
        self.tallies["candidates"] += len(conjunctions)
        if not conjunctions:
            return None
        gains, weights = self.designs[0].gains(conjunctions, self.variance)
        best = int(np.argmax(gains))
        return tuple(conjunctions[best]), float(gains[best]), float(weights[best])

    def refit(self) -> State:
        """All weights again, from where they are, by L-BFGS."""
        from scipy.optimize import minimize

        n_rows, design = self.totals[0], self.designs[0]

        def loss(weights: Floats) -> tuple[float, Floats]:
            self.tallies["evaluations"] += 1
            value, slope = design.evaluate(weights)
            penalised = value - float(weights @ weights) / (2 * self.variance)
            return -penalised / n_rows, (weights / self.variance - slope) / n_rows

        options: Any = {"maxiter": 1_000, "gtol": self.tolerance, "ftol": 0.0, "maxcor": 20}
        found = minimize(loss, self.weights, jac=True, method="L-BFGS-B", options=options)
        self.weights = np.asarray(found.x)
        ours, theirs = (design.evaluate(self.weights)[0] for design in self.designs)
        return State(tuple(self.features), self.weights, (ours / n_rows, theirs / self.totals[1]))


Rounds = list[tuple[Conjunction, float, tuple[float, float]]]


def induce(
    model: Field, patience: int, most_literals: int, most_features: float, progress: Progress | None
) -> tuple[Rounds, State]:
    """The loop of the paper: the best candidate, all weights, and again."""
    best, stale = model.refit(), 0
    rounds: Rounds = []
    while stale < patience and len(rounds) < most_features:
        found = model.best_candidate(most_literals)
        if found is None or found[1] <= 0:
            break
        literals, gain, weight = found
        model.add(literals, weight)
        state = model.refit()
        rounds.append((literals, gain, state.logs))
        if progress is not None:
            progress(Step("features", len(state.features), score=state.logs[1]))
        better = state.logs[1] > best.logs[1]
        stale = 0 if better else stale + 1
        best = state if better else best
    return rounds, best


def _feature(ordered: Schema, schema: Schema, literals: Conjunction) -> Feature:
    numbered = [(v, state) for v in range(len(ordered)) for state in range(1, ordered.cardinalities[v])]
    chosen = [numbered[literal] for literal in literals]
    return Feature.of_codes(schema, [(schema.index(ordered.names[v]), state) for v, state in chosen])


def _check_settings(
    variance: float, patience: int, most_literals: int | None, most_features: int | None, tolerance: float
) -> None:
    if not (math.isfinite(variance) and variance > 0):
        raise SettingError(f"the variance of the prior is a positive number; found {variance!r}")
    counts = (
        ("patience", patience, 1),
        ("most_literals", most_literals, 1),
        ("most_features", most_features, 0),
    )
    for name, value, least in counts:
        if value is not None and value < least:
            raise SettingError(f"{name} is at least {least}; found {value}")
    if not 0 < tolerance < 1:
        raise SettingError(f"tolerance lies between 0 and 1, both excluded; found {tolerance!r}")

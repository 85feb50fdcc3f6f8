"""Markov networks that answer fast whatever their treewidth: conditioning makes variables fall apart.

Given the right feature, variables that hang together in general often fall apart into blocks that tell next
to nothing about each other. The learner looks for the feature whose two sides fall apart best, and goes on
inside every block of both sides. What comes out is a feature graph: a tree of cases in which every question
costs time linear in its size, and in which every weight has a closed form.

Blocks are found from small sets of variables only (LMIP): a set of at most `largest_set` variables whose
least mutual information over all cuts exceeds `delta` belongs together. The cut is found by Queyranne's
algorithm, since the information across a cut is symmetric and submodular.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from treewright import _core
from treewright.arguments import COUNTS, TABLE, require, require_option
from treewright.errors import SettingError, nearest
from treewright.learners.efficient_markov.density import checked_rows
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

MarkovLeaf = Literal["tree", "independent"]
PartitionScore = Literal["inverse-square", "inverse-exponential"]
FeatureSearch = Literal["greedy", "exhaustive"]

# values tried on validation rows, the first one to start with
_DELTAS = (0.01, 0.05, 0.02, 0.005, 0.002, 0.001, 0.0005, 0.0002)
_AXES: dict[str, Sequence[Any]] = {
    "delta": _DELTAS,
    "min_rows": (200, 50, 100, 300, 500, 1000),
    "smoothing": (1.0, 0.3, 3.0, 10.0),
}
_LEAST = {
    **dict.fromkeys(("min_rows", "smoothing", "delta", "balance_tolerance"), 0),
    **dict.fromkeys(("largest_set", "feature_length", "candidates"), 1),
    "min_variables": 2,
}


@in_range
@dataclass(frozen=True)
class MarkovSettings:
    """The settings of :func:`learn_efficient_markov`.

    Attributes
    ----------
    delta, min_rows, smoothing, seconds
        See there; None is chosen on validation rows, and no limit of time.
    level
        For ``delta="gtest"``: the probability with which independent variables exceed the threshold.
    largest_set
        The largest sets that are looked at (the paper's q). With 2, structure that only shows in three
        variables at once (parity) goes unseen; beyond 3 the price grows with the number of sets. None: 3
        where counting all triples of all candidates is affordable, else 2.
    feature_length, search
        The largest number of literals in a feature (the paper's k), and how conjunctions are found: grown
        literal by literal, or among all of them.
    candidates
        How many variables are tried for a feature: those that tell most about the others. None tries all, as
        the paper does, where counting their pairs is affordable, else as many as are, and at least ten.
    min_variables
        Blocks of fewer variables become tables.
    leaf
        What is made of contexts with few rows: a Chow-Liu tree, or independent variables as in the paper.
    score
        Of a partition, where a block of b variables costs b^2, or 2^b.
    balance_tolerance
        Features whose score is this close to the best, relatively, are told apart by how evenly they split.
    max_depth
        The most features on a path; None is no limit.
    """

    delta: float | Literal["gtest"] | None = None
    min_rows: float | None = None
    smoothing: float | None = None
    level: float = 0.001
    largest_set: int | None = None
    feature_length: int = 1
    search: FeatureSearch = "greedy"
    candidates: int | None = None
    min_variables: int = 5
    leaf: MarkovLeaf = "tree"
    score: PartitionScore = "inverse-square"
    balance_tolerance: float = 0.05
    max_depth: int | None = None
    seconds: float | None = None


@in_range
def learn_efficient_markov(
    counter: RowSource,
    *,
    delta: float | Literal["auto", "gtest"] = "auto",
    min_rows: float | None = None,
    smoothing: float | None = None,
    seconds: float | None = None,
    settings: MarkovSettings = MarkovSettings(),
    valid: Table | None = None,
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
) -> LearnedFeatureGraph[MarkovSettings]:
    """Learn an efficient Markov network: LEM of Gogate, Webb & Domingos [1]_.

    Parameters
    ----------
    counter
        Rows of discrete variables, as :func:`treewright.count` gives them; weights are honoured.
    delta
        More information than this, in nats, keeps variables in one block. ``"auto"`` tries 0.05 to 0.0002 on
        validation rows; ``"gtest"`` takes what independent variables exceed by chance, and so less in
        contexts of many rows.
    min_rows
        Contexts with fewer rows become leaves. None: chosen on validation rows.
    smoothing
        Rows of even spread that smooth every distribution. None: chosen on validation rows; 0 is maximum
        likelihood.
    seconds
        When to stop looking for features; the rest become leaves. None is no limit.
    settings
        All other settings; the four above count for more where both are given.
    valid
        Rows to choose settings on. Without them a tenth of the rows is held out for the choice (drawn by
        `rng`, whatever the order of the rows), and all rows are learned from afterwards.
    rng
        For the rows held out; by default always the same ones.
    progress
        Called after every run that tries settings, with what was tried and its validation score.

    References
    ----------
    .. [1] Gogate, Webb & Domingos (2010). Learning efficient Markov networks. Advances in Neural Information
       Processing Systems 23, 748-756.

    Examples
    --------
    >>> import itertools
    >>> import treewright as tw
    >>> rows = [(a, b, c, a ^ b ^ c, d) for a, b, c, d in itertools.product((0, 1), repeat=4)] * 9
    >>> table = tw.read_table(dict(zip("abcde", zip(*rows))))
    >>> wide = tw.learners.MarkovSettings(delta=0.1, largest_set=4, min_rows=20, smoothing=1.0)
    >>> learned = tw.learn_efficient_markov(tw.count(table), settings=wide)
    >>> learned.structure.kinds()
    {'table': 2, 'and': 1}
    >>> round(tw.FeatureNetwork(learned.structure).score(table), 3)  # 4 ln 2 = 2.773 at best
    -2.776
    """
    require("learn_efficient_markov", COUNTS, counter)
    require_option("learn_efficient_markov", TABLE, valid=valid)
    chosen = None if delta == "auto" else delta
    given = with_given(settings, delta=chosen, min_rows=min_rows, smoothing=smoothing, seconds=seconds)
    check_markov_settings(given)
    start, axes = open_settings(by_size(counter, given), _AXES)
    return learn_chosen(counter, start, axes, grow, valid=valid, seed=seed_of(rng), progress=progress)


# what one choice of a feature may cost, in words of 64 rows that are looked at
_AFFORDABLE = 1e9
_WORDS_PER_ROW = 20  # of a triple with more than two states, which is counted row by row


def by_size(counter: RowSource, settings: MarkovSettings) -> MarkovSettings:
    """Settings that are left to the size of the problem: what the first choice would cost decides."""
    largest, candidates = settings.largest_set, settings.candidates
    if largest is not None and candidates is not None:
        return settings
    cards = counter.schema.cardinalities
    n, sides, n_rows = len(cards), sum(cards), checked_rows(counter).n_rows  # rows that differ
    words = n_rows / 64 + 1
    if largest is None:
        triple = words if max(cards, default=2) <= 2 else n_rows * _WORDS_PER_ROW
        largest = 3 if sides * math.comb(n, 3) * triple <= _AFFORDABLE else 2
    pairs = sides * sides / 2 * words  # of all states, given one of them
    if candidates is None and sides * pairs > _AFFORDABLE:
        candidates = max(10, int(n * _AFFORDABLE / (sides * pairs)))
    return replace(settings, largest_set=largest, candidates=candidates)


def grow(rows: _core.RowSet, settings: MarkovSettings) -> tuple[Arrays, dict[str, int | float]]:
    """One run of LEM in the core."""
    assert settings.delta is not None
    assert settings.min_rows is not None
    assert settings.smoothing is not None
    assert settings.largest_set is not None
    delta, level = _threshold(settings.delta, settings.level)
    options = _core.MarkovOptions(
        delta=delta,
        level=level,
        largest_set=settings.largest_set,
        feature_length=settings.feature_length,
        exhaustive=settings.search == "exhaustive",
        candidates=settings.candidates or 0,
        min_rows=settings.min_rows,
        min_variables=settings.min_variables,
        alpha=settings.smoothing,
        tree=settings.leaf == "tree",
        exponential=settings.score == "inverse-exponential",
        balance_tolerance=settings.balance_tolerance,
        max_depth=-1 if settings.max_depth is None else settings.max_depth,
        seconds=np.inf if settings.seconds is None else settings.seconds,
    )
    arrays, n_features, n_partitions, out_of_time = _core.learn_efficient_markov(rows, options)
    return arrays, {"features": n_features, "partitions": n_partitions, "out_of_time": int(out_of_time)}


@in_range
def find_low_information_blocks(
    counter: RowSource,
    *,
    delta: float | Literal["gtest"],
    level: float = 0.001,
    largest_set: int = 3,
    min_rows: float = 0,
    premerged: Sequence[Sequence[str]] = (),
) -> list[tuple[str, ...]]:
    """Partition variables into blocks that tell little about each other: LMIP of the paper.

    Parameters
    ----------
    counter
        Rows of discrete variables.
    delta, level, largest_set
        As in :func:`learn_efficient_markov`.
    min_rows
        With fewer rows every variable is a block.
    premerged
        Names that are in one block from the start.

    Examples
    --------
    >>> import itertools
    >>> import treewright as tw
    >>> from treewright.learners import find_low_information_blocks
    >>> rows = [(x, y, x ^ y, z) for x, y, z in itertools.product((0, 1), repeat=3)] * 5
    >>> counter = tw.count(tw.read_table(dict(zip("wxyz", zip(*rows)))))
    >>> find_low_information_blocks(counter, delta=0.1, largest_set=2)
    [('w',), ('x',), ('y',), ('z',)]
    >>> find_low_information_blocks(counter, delta=0.1, largest_set=3)
    [('w', 'x', 'y'), ('z',)]
    """
    require("find_low_information_blocks", COUNTS, counter)
    check_markov_settings(
        MarkovSettings(delta=delta, level=level, largest_set=largest_set, min_rows=min_rows)
    )
    schema, rows = counter.schema, checked_rows(counter)
    limit, at_level = _threshold(delta, level)
    place = {v: position for position, v in enumerate(rows.variables)}
    blocks = _core.low_information_blocks(
        rows,
        delta=limit,
        level=at_level,
        largest_set=largest_set,
        min_rows=min_rows,
        premerged=[[place[v] for v in schema.scope(group)] for group in premerged],
        with_shortcuts=True,
    )
    return [schema.names_of(rows.variables[i] for i in block) for block in blocks]


def _threshold(delta: float | Literal["gtest"], level: float) -> tuple[float, float]:
    """As the core takes it: an amount, or a level above 0 that replaces it."""
    return (0.0, level) if delta == "gtest" else (delta, 0.0)


_WORDS: Mapping[str, tuple[str, ...]] = {
    "search": ("greedy", "exhaustive"),
    "leaf": ("tree", "independent"),
    "score": ("inverse-square", "inverse-exponential"),
}


def check_markov_settings(settings: MarkovSettings) -> None:
    """Refuse what has no meaning, before any row is looked at."""
    for name, words in _WORDS.items():
        if (value := getattr(settings, name)) not in words:
            raise SettingError(f"{name}={value!r} is not known; there are {nearest(value, words)}")
    if isinstance(settings.delta, str) and settings.delta != "gtest":
        raise SettingError(f"delta= is a number of nats, 'auto' or 'gtest'; found {settings.delta!r}")
    if not 0 < settings.level < 1:
        raise SettingError(f"level= is a probability between 0 and 1; found {settings.level!r}")
    if settings.max_depth is not None and settings.max_depth < 0:
        raise SettingError(f"max_depth= is a number from 0 on, or None; found {settings.max_depth!r}")
    if settings.seconds is not None and not settings.seconds > 0:
        raise SettingError(f"seconds= is a time above 0, or None; found {settings.seconds!r}")
    least = {name: value for name, value in _LEAST.items() if getattr(settings, name) != "gtest"}
    check_numbers(settings, least=least)

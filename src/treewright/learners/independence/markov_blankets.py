"""Markov blankets: the variables that tell all there is to know about one.

Given its blanket (in a DAG: parents, children, and the children's other parents) a variable is independent of
everything else. Both searches grow a candidate set and shrink it again. Grow-shrink takes whatever depends on
the target, in one order; the interleaved search takes the strongest each time and shrinks after every step,
which keeps the sets that are conditioned on small. Exact answers give the exact blanket.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from treewright.arguments import TEST, require
from treewright.criteria import IndependenceTest
from treewright.criteria.tests.independence import one_of
from treewright.errors import SettingError
from treewright.graphs import UndirectedGraph, edge
from treewright.learners.independence.answers import PartnerQuestions
from treewright.learners.learned import Learned, TraceBuilder, tell
from treewright.ranges import in_range
from treewright.tables.schema import NameOrIndex
from treewright.types import Progress, Scope


@in_range
def grow_shrink(
    test: IndependenceTest, target: NameOrIndex, *, largest: int | None = None
) -> tuple[str, ...]:
    """The Markov blanket of one variable by growing and shrinking.

    Parameters
    ----------
    test
        Decides independence.
    target
        The variable, by name or index.
    largest
        Growing stops at this many members. Among a thousand columns many seem to depend by chance; a bound
        keeps the tables small.

    Returns
    -------
    tuple of str
        Names, sorted.

    References
    ----------
    .. [1] Margaritis & Thrun (1999). Bayesian network induction via local neighborhoods. NIPS 12.

    Examples
    --------
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable(name) for name in "abcd"])
    >>> oracle = tw.DSeparationOracle(tw.Dag(schema, [("a", "b"), ("c", "b"), ("b", "d")]))
    >>> tw.learners.grow_shrink(oracle, "a")
    ('b', 'c')
    """
    require("grow_shrink", TEST, test)
    bound = checked_size(largest)
    return _named(test, grown_and_shrunk(PartnerQuestions(test), test.schema.index(target), bound))


@in_range
def interleaved(
    test: IndependenceTest, target: NameOrIndex, *, largest: int | None = None
) -> tuple[str, ...]:
    """The Markov blanket of one variable, growing by the strongest and shrinking after each step.

    It has the parameters of :func:`grow_shrink`.

    References
    ----------
    .. [1] Tsamardinos, Aliferis & Statnikov (2003). Algorithms for large scale Markov blanket discovery.
       FLAIRS (Inter-IAMB).

    Examples
    --------
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable(name) for name in "abcd"])
    >>> oracle = tw.DSeparationOracle(tw.Dag(schema, [("a", "b"), ("c", "b"), ("b", "d")]))
    >>> tw.learners.interleaved(oracle, "d")
    ('b',)
    """
    require("interleaved", TEST, test)
    bound = checked_size(largest)
    return _named(test, interleaved_blanket(PartnerQuestions(test), test.schema.index(target), bound))


@dataclass(frozen=True)
class LearnedBlankets(Learned[UndirectedGraph]):
    """Blankets of all variables.

    Attributes
    ----------
    structure
        Joins the pairs that the symmetry rule keeps: the neighbours of a variable are its blanket.
    found
        What each search found before the correction, by name.

    Examples
    --------
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable(name) for name in "abc"])
    >>> learned = tw.learners.find_blankets(tw.DSeparationOracle(tw.Dag(schema, [("a", "b"), ("b", "c")])))
    >>> learned.found["a"], learned.blanket("b")
    (('b',), ('a', 'c'))
    """

    found: Mapping[str, tuple[str, ...]]

    def blanket(self, variable: NameOrIndex) -> tuple[str, ...]:
        """The corrected blanket of one variable: names, sorted."""
        schema = self.structure.schema
        return tuple(sorted(schema.names_of(self.structure.neighbours(schema.index(variable)))))


@in_range
def find_blankets(
    test: IndependenceTest,
    *,
    algorithm: Literal["interleaved", "grow-shrink"] = "interleaved",
    symmetry: Literal["and", "or"] = "and",
    largest: int | None = None,
    progress: Progress | None = None,
) -> LearnedBlankets:
    """The Markov blankets of all variables, made symmetric.

    Parameters
    ----------
    test, largest
        As in :func:`grow_shrink`.
    algorithm
        The search for one blanket: :func:`interleaved` or :func:`grow_shrink`.
    symmetry
        Whether two variables have to be in each other's blanket (``"and"``) or in one of them (``"or"``,
        which loses fewer and adds more).
    progress
        Called before each variable.

    Examples
    --------
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable(name) for name in "abc"])
    >>> learned = tw.learners.find_blankets(tw.DSeparationOracle(tw.Dag(schema, [("a", "c"), ("b", "c")])))
    >>> learned.structure.edges(), learned.blanket("a")
    ([('a', 'b'), ('a', 'c'), ('b', 'c')], ('b', 'c'))
    """
    require("find_blankets", TEST, test)
    one_of("algorithm", algorithm, tuple(SEARCHES))
    one_of("symmetry", symmetry, ("and", "or"))
    search, questions, trace = SEARCHES[algorithm], PartnerQuestions(test), TraceBuilder()
    bound = checked_size(largest)
    blankets: dict[int, Scope] = {}
    with trace.phase("blankets") as tallies:
        for done, target in enumerate(test.schema.name_order):
            tell(progress, f"blanket of {test.schema.names[target]}", done, len(test.schema))
            blankets[target] = search(questions, target, bound)
        tallies["tests"] = questions.n_tests
    needed = 2 if symmetry == "and" else 1
    times = Counter(edge(x, y) for x, blanket in blankets.items() for y in blanket)
    kept = [pair for pair, n in times.items() if n >= needed]
    found = {test.schema.names[x]: _named(test, blanket) for x, blanket in blankets.items()}
    return LearnedBlankets(UndirectedGraph(test.schema, kept), trace.build(), found)


@in_range
def learn_grow_shrink_network(
    test: IndependenceTest,
    *,
    rule: Literal["and", "or"] = "and",
    largest: int | None = None,
    progress: Progress | None = None,
) -> LearnedBlankets:
    """Join the variables that are in each other's grow-shrink blanket: a Markov network (GSMN of [1]_).

    In a Markov network the blanket of a variable is its set of neighbours. Errors of the tests make the
    blankets disagree, so a rule joins their verdicts.

    Parameters
    ----------
    test
        Decides independence: from data, or an oracle. The published experiments use a Bayesian test
        (:class:`~treewright.criteria.PosteriorTest`) or one of significance.
    rule, largest, progress
        As `symmetry`, `largest` and `progress` of :func:`find_blankets`.

    References
    ----------
    .. [1] Bromberg, Margaritis & Honavar (2009). Efficient Markov network structure discovery using
       independence tests. Journal of Artificial Intelligence Research 35, 449-484.

    Examples
    --------
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable(name) for name in "abc"])
    >>> oracle = tw.DSeparationOracle(tw.Dag(schema, [("a", "b"), ("b", "c")]))
    >>> tw.learners.learn_grow_shrink_network(oracle).structure.edges()
    [('a', 'b'), ('b', 'c')]
    """
    require("learn_grow_shrink_network", TEST, test)
    one_of("rule", rule, ("and", "or"))
    return find_blankets(test, algorithm="grow-shrink", symmetry=rule, largest=largest, progress=progress)


def grown_and_shrunk(questions: PartnerQuestions, target: int, largest: float) -> Scope:
    """Margaritis & Thrun, figure 2: pass over the variables until none is added, then shrink."""
    everybody = [v for v in range(len(questions.test.schema)) if v != target]
    order = questions.strongest_first(target, (), everybody)
    blanket: list[int] = []
    added = True
    while added:
        added = False
        waiting = [y for y in order if y not in blanket]
        while waiting and len(blanket) < largest:  # one batch up to the next that is added
            apart = questions.independent(target, tuple(sorted(blanket)), waiting).tolist()
            if all(apart):
                break
            first = apart.index(False)
            blanket.append(waiting[first])
            waiting, added = waiting[first + 1 :], True
    return shrunk(questions, target, tuple(blanket))


def interleaved_blanket(questions: PartnerQuestions, target: int, largest: float) -> Scope:
    """Add the strongest that depends on the target given the blanket, and shrink at once; until none does."""
    blanket: Scope = ()
    seen = {frozenset(blanket)}
    while len(blanket) < largest:
        others = [v for v in range(len(questions.test.schema)) if v != target and v not in blanket]
        strongest = first_dependent(questions, target, blanket, others)
        if strongest is None:
            return blanket
        blanket = shrunk(questions, target, tuple(sorted((*blanket, strongest))))
        if frozenset(blanket) in seen:  # answers from data may go round in a circle
            return blanket
        seen.add(frozenset(blanket))
    return blanket


def first_dependent(questions: PartnerQuestions, target: int, given: Scope, others: list[int]) -> int | None:
    """The strongest of those that depend on the target."""
    apart = questions.independent(target, given, others)
    dependent = [y for y, is_apart in zip(others, apart.tolist(), strict=True) if not is_apart]
    return questions.strongest_first(target, given, dependent)[0] if dependent else None


def shrunk(questions: PartnerQuestions, target: int, blanket: Scope) -> Scope:
    """Take out the weakest member that the others make superfluous, until there is none."""
    while (weakest := questions.weakest_member(target, blanket)) is not None:
        blanket = tuple(y for y in blanket if y != weakest)
    return tuple(sorted(blanket))


SEARCHES: dict[str, Callable[[PartnerQuestions, int, float], Scope]] = {
    "interleaved": interleaved_blanket,
    "grow-shrink": grown_and_shrunk,
}


def checked_size(largest: int | None) -> float:
    if largest is not None and largest < 1:
        raise SettingError(f"largest must be 1 or more, or None for no bound; found {largest!r}")
    return math.inf if largest is None else largest


def _named(test: IndependenceTest, blanket: Scope) -> tuple[str, ...]:
    return tuple(sorted(test.schema.names_of(blanket)))

"""What a learner returns: the shape it found, and how the work went."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import wraps
from time import perf_counter
from typing import Any, Generic, TypeVar

from treewright.criteria.scores.score import LocalScore
from treewright.errors import Interrupted
from treewright.graphs.directed.cpdag import Cpdag
from treewright.graphs.directed.dag import Dag
from treewright.graphs.directed.orientation import sure_directions
from treewright.graphs.directed.pdag import Pdag
from treewright.graphs.undirected.cluster_trees import JunctionTree
from treewright.once import cached_property
from treewright.statistics.memory import tally_of
from treewright.types import Brief, Pictured, Progress, Step

Structure_co = TypeVar("Structure_co", covariant=True)
Dag_co = TypeVar("Dag_co", bound=Dag, covariant=True)
Found = TypeVar("Found")


@dataclass(frozen=True)
class Phase(Brief):
    """One part of the work: its name, its seconds, and tallies such as scores or tests asked."""

    name: str
    seconds: float
    tallies: dict[str, int | float] = field(default_factory=dict)


@dataclass(frozen=True)
class Trace(Brief):
    """The phases of a learner's work, in order.

    Examples
    --------
    >>> trace = Trace((Phase("pairs", 0.25, {"scores": 10}), Phase("tree", 0.5)))
    >>> trace.seconds, trace.total("scores")
    (0.75, 10)
    """

    phases: tuple[Phase, ...] = ()
    stopped_by: str = ""  # "seconds" or "interrupt" where the clock or Ctrl-C ended the work
    asked: Mapping[str, int] = field(default_factory=dict)  # of a source of tables; see `tallied`

    @property
    def seconds(self) -> float:
        return sum(phase.seconds for phase in self.phases)

    def total(self, tally: str) -> int | float:
        """Sum of one tally over all phases, or what was asked of the source of tables."""
        if tally in self.asked:
            return self.asked[tally]
        return sum(phase.tallies.get(tally, 0) for phase in self.phases)

    def to_dict(self) -> dict[str, Any]:
        phases = [{"name": p.name, "seconds": p.seconds, **p.tallies} for p in self.phases]
        stopped = {"stopped_by": self.stopped_by} if self.stopped_by else {}
        return {"seconds": self.seconds, "phases": phases, **stopped, **self.asked}


@dataclass(frozen=True)
class Learned(Pictured, Brief, Generic[Structure_co]):
    """A learned structure with the trace of the work.

    Attributes
    ----------
    structure
        The graph that was found.
    trace
        How the work went.
    certificate
        Where the learner promises a treewidth: clusters that prove it, which :func:`treewright.verify` checks
        and `model.save(path, certificate=...)` keeps beside the model.
    score
        Of the structure, where a score was maximised.
    notes
        What a reader of the result should know, in sentences.

    Examples
    --------
    >>> import treewright as tw
    >>> learned = tw.learn_chow_liu(tw.BIC(tw.count(tw.read_table({"a": [0, 1] * 9, "b": [0, 1] * 9}))))
    >>> learned.structure.edges(), [phase.name for phase in learned.trace.phases]
    ([('a', 'b')], ['pairs', 'tree'])
    """

    structure: Structure_co
    trace: Trace
    certificate: JunctionTree | None = field(default=None, kw_only=True)
    score: float | None = field(default=None, kw_only=True)
    notes: tuple[str, ...] = field(default=(), kw_only=True)


@dataclass(frozen=True)
class LearnedNetwork(Learned[Dag_co]):
    """What a search for a network returns: it promises a network, and has its class beside it.

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> learned = LearnedNetwork(Dag(Schema([Variable("a"), Variable("b")]), [("a", "b")]), Trace())
    >>> learned.dag.edges(), learned.cpdag.undirected_edges()
    ([('a', 'b')], [('a', 'b')])
    """

    def __post_init__(self) -> None:
        if self.structure.pattern is None:  # a learner that knows more than the class has said so itself
            object.__setattr__(self, "structure", self.structure.as_one_of(Cpdag.of(self.structure)))

    @property
    def dag(self) -> Dag_co:
        """The network: the structure itself."""
        return self.structure

    @property
    def pattern(self) -> Pdag:
        """Its edges, without direction where neither the rows nor the knowledge tell one."""
        assert self.structure.pattern is not None
        return self.structure.pattern

    @cached_property
    def cpdag(self) -> Cpdag:
        """The equivalence class of the network: which edges have a direction that the data can tell."""
        return Cpdag.of(self.structure)


@dataclass(frozen=True)
class LearnedPattern(Learned[Pdag]):
    """What independence tests return: they promise a class, and have a member of it beside it.

    Attributes
    ----------
    dag
        A member of the class that obeys the knowledge: what a model can be fitted to.
    """

    dag: Dag = field(kw_only=True)

    def __post_init__(self) -> None:
        if self.dag.pattern is None:
            object.__setattr__(self, "dag", self.dag.as_one_of(sure_directions(self.dag, self.structure)))

    @property
    def pattern(self) -> Pdag:
        """The class: the structure itself."""
        return self.structure

    @property
    def cpdag(self) -> Pdag:
        """The class: the structure itself."""
        return self.structure


class TraceBuilder:
    """Collects phases while a learner works.

    Examples
    --------
    >>> builder = TraceBuilder()
    >>> with builder.phase("pairs") as tallies:
    ...     tallies["scores"] = 3
    >>> [phase.name for phase in builder.build().phases], builder.build().total("scores")
    (['pairs'], 3)
    """

    def __init__(self) -> None:
        self._phases: list[Phase] = []

    @contextmanager
    def phase(self, name: str) -> Iterator[dict[str, int | float]]:
        tallies: dict[str, int | float] = {}
        start = perf_counter()
        yield tallies
        self._phases.append(Phase(name, perf_counter() - start, tallies))

    def copy(self) -> TraceBuilder:
        """The phases so far, for work that goes on in several ways."""
        other = TraceBuilder()
        other._phases = list(self._phases)
        return other

    def build(self, *, stopped_by: str = "") -> Trace:
        return Trace(tuple(self._phases), stopped_by)


def tallied(learn: Callable[..., Found]) -> Callable[..., Found]:
    """A learner whose trace tells what it asked of whoever counts, where tables are remembered.

    `rounds` are the questions that reached the source, `tables` what they asked for, `passes` those over rows
    at hand, `bytes_read` what the system fetched from disks meanwhile.
    """

    @wraps(learn)
    def run(*arguments: Any, **settings: Any) -> Found:
        judges = [getattr(one, "inner", one) for one in (*arguments, *settings.values())]
        sources = [getattr(one, "counter", one) for one in judges]
        before, read = tally_of(sources), bytes_read()
        learned = learn(*arguments, **settings)
        now = tally_of(sources)
        trace = getattr(learned, "trace", None)
        if isinstance(trace, Trace) and now[0] > before[0]:
            counts = (*(int(n - m) for n, m in zip(now, before, strict=True)), bytes_read() - read)
            asked = dict(zip(("rounds", "tables", "passes", "bytes_read"), counts, strict=True))
            object.__setattr__(learned, "trace", replace(trace, asked=asked))
        return learned

    return run


def bytes_read() -> int:
    """What this process has had fetched from disks, where the system tells."""
    try:
        import resource
    except ImportError:
        return 0
    return 512 * resource.getrusage(resource.RUSAGE_SELF).ru_inblock


NOTHING = "interrupted; there is nothing to keep yet"
INTERRUPTED = "the search was interrupted; this is the best that it had found"


@contextmanager
def keeping(best: Callable[[Any], Learned[Any] | None], why_nothing: str = "") -> Iterator[None]:
    """Let Ctrl-C carry the best that the work has found so far, as :class:`~treewright.errors.Interrupted`.

    `best` is called with what an inner search has found (or None) and gives what the outer one returns;
    None where there is nothing yet. Then the interrupt says so, with the reason if there is one.
    """
    try:
        yield
    except KeyboardInterrupt as stop:
        learned = best(stop.learned if isinstance(stop, Interrupted) else None)
        if learned is None:
            why = f"{NOTHING}: {why_nothing}" if why_nothing else NOTHING
            raise KeyboardInterrupt(str(stop) if str(stop).startswith(NOTHING) else why) from stop
        if learned.trace.stopped_by != "interrupt":
            trace = replace(learned.trace, stopped_by="interrupt")
            learned = replace(learned, trace=trace, notes=(*learned.notes, INTERRUPTED))
        raise Interrupted(learned) from stop


def keeping_nothing() -> AbstractContextManager[None]:
    """Let Ctrl-C through without what an inner search has found: it is no answer by itself."""
    return keeping(lambda _: None)


def notes_on(score: LocalScore) -> tuple[str, ...]:
    """What a reader of arrows should know about a score that prefers some members of a class."""
    if score.is_score_equivalent:
        return ()
    name = repr(score).partition("(")[0]
    return (
        f"{name} prefers some networks to others that promise the same independences, so that every arrow "
        "stands as this score chose it",
    )


def tell(progress: Progress | None, phase: str, done: int = 0, of: int | None = None) -> None:
    """Say where the work is, if somebody listens."""
    if progress is not None:
        progress(Step(phase, done, of))

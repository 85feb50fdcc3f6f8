"""Things passed in the place of others, refused at the door with the way to make what was wanted.

The four verbs hand on from one to the next: a table is counted, counts are judged by a score or a test, and a
learner takes one of these. Who skips a step, or gives the name of a score for the score, is told what is
missing between what came and what was wanted, as a line to write.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from treewright.errors import ArgumentError

_SEVERAL = (tuple, list, str, Iterable)  # the quick ones first


@dataclass(frozen=True)
class Kind:
    """A kind of thing that functions take, and how one is made.

    Attributes
    ----------
    name
        What messages call it.
    members
        Whatever has one of these is of the kind; nothing has to be derived from a class.
    from_counts
        The classes that make one of counts, the usual one first, and those that the registry of criteria does
        not name; none where counts will do.
    from_moments
        The same for moments; None where moments lead nowhere.
    line
        How one is made of neither.
    """

    name: str
    members: tuple[str, ...]
    from_counts: tuple[str, ...] = ()
    from_moments: tuple[str, ...] | None = ()
    line: str = ""

    def fits(self, value: object) -> bool:
        """Whether a value is of the kind; a class never is, however its instances may be."""
        return not isinstance(value, type) and any(hasattr(value, member) for member in self.members)


TABLE = Kind("a table", ("has_missing",))
COLUMNS = Kind("a table", ("weights",))  # whatever has columns of numbers will do
SCHEMA = Kind("a schema", ("name_order",), line="table.schema, or tw.Schema(variables)")
DATABASES = Kind("databases", ("never_together",), line="tw.read_databases(sources)")
COUNTS = Kind("counts", ("counts_many",), from_moments=None)
MOMENTS = Kind("moments", ("scatter",))
MIXED_MOMENTS = Kind("moments of a mixed table", ("in_states",), line="tw.statistics.mixed_moments(table)")
EXPERIMENTS = Kind("rows of experiments", ("counter_of",), line="tw.statistics.Experiments(table, column)")
STATISTICS = Kind("counts or moments", (*COUNTS.members, *MOMENTS.members))
TEST = Kind(
    "an independence test",
    ("independent_many",),
    ("GTest", "PermutationTest"),
    ("FisherZTest",),
)
SCORE = Kind(
    "a score",
    ("local_many",),
    ("BIC", "BDe"),
    ("GaussianBIC",),
)
GRAPH_SCORE = Kind(
    "a score of undirected graphs",
    ("judge",),
    ("BlanketsJointPosterior",),
    None,
)
DAG = Kind("a DAG", ("children",), line="tw.Dag(schema, edges), or model.dag")
MODEL = Kind("a model", ("with_provenance",), line="tw.fit(structure, counter)")
NODES = Kind("a network of that library", ("nodes",), line="it with that library first")
FEATURE = Kind("a feature", ("bind",), line='tw.Feature({"smoker": "yes"})')
TABLES = Kind("a Bayesian network", ("tables",), line="tw.fit(dag, counter)")
PDAG = Kind("a partly directed graph", ("marks",), line="tw.Cpdag.of(dag)")
FAMILIES = Kind("a DAG", ("parents",), line=DAG.line)
STRUCTURE = Kind("a structure", ("edges", "undirected_edges"), line="tw.Dag(schema, edges), or model.dag")
UNDIRECTED = Kind("an undirected graph", ("ties",), line="dag.moral_graph()")
FEATURES = Kind("a feature graph", ("is_deterministic",), line="tw.graphs.FeatureGraphBuilder(schema)")
SHAPE = Kind("an undirected graph", ("index_edges", "cliques"), line="dag.moral_graph()")
DRAWN = Kind(
    "a model or a structure",
    ("edges", "undirected_edges", "dag", "graph", "structure"),
    line="tw.to_html(model)",
)
CLUSTERS = Kind("a tree of clusters", ("cluster_scopes",), line="tw.JunctionTree.of(dag.moral_graph())")
SEPARATION_TREE = Kind(
    "a d-separation tree", ("cluster_scopes",), line="tw.separation_tree_from_hypergraph(schema, hyperedges)"
)


def require(who: str, kind: Kind, value: object) -> None:
    """Refuse a value that is not of the kind that somebody takes.

    Examples
    --------
    >>> require("learn_pc", TEST, "g")
    Traceback (most recent call last):
    ...
    treewright.errors.ArgumentError: learn_pc takes an independence test; found the text 'g': write \
tw.GTest(tw.count(table))
    """
    if not kind.fits(value):
        raise ArgumentError(f"{who} takes {kind.name}; found {described(value)}: {way_out(kind, value)}")


def require_option(who: str, kind: Kind, **options: object) -> None:
    """The same for options, by their names; None leaves one out."""
    for name, value in options.items():
        if value is not None:
            require(f"{name}= of {who}", kind, value)


def all_of(who: str, kind: Kind, values: Iterable[Any]) -> tuple[Any, ...]:
    """Several things, each of the kind that somebody takes."""
    require_several(f"{who} takes a list, each entry {kind.name}", values)
    found = tuple(values)
    for value in found:
        require(who, kind, value)
    return found


def require_several(what: str, value: object) -> None:
    """Refuse a value that holds nothing to go through, where several things are asked for."""
    if not isinstance(value, _SEVERAL):
        raise ArgumentError(f"{what}; found {described(value)}")


def as_numbers(what: str, values: object) -> npt.NDArray[np.float64]:
    """An array of numbers of its own."""
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"{what} are numbers; found {described(values)}") from None


def require_text(who: str, value: object) -> None:
    """Refuse what is no text."""
    if not isinstance(value, str):
        raise ArgumentError(f"{who} takes a text; found {described(value)}")


def require_path(who: str, path: object) -> None:
    """Refuse what is no path of a file."""
    if not isinstance(path, str | os.PathLike):
        raise ArgumentError(f"{who} takes the path of a file; found {described(path)}")
    try:
        can_be = b"\0" not in os.fsencode(cast("str", path))
    except UnicodeEncodeError:
        can_be = False
    if not can_be:
        raise ArgumentError(f"{who} takes the path of a file; no file can be called {os.fspath(path)!r}")


def absolute(who: str, path: object) -> str:
    """The path of a file from the root on."""
    require_path(who, path)
    return os.path.abspath(os.fspath(cast("str", path)))


def described(value: object) -> str:
    """A value as messages speak of it."""
    if value is None:
        return "None"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, str):
        return f"the text {value!r}"
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def way_out(kind: Kind, value: object) -> str:
    """What to write to get from a value to the kind that was wanted."""
    if kind in (TABLE, COLUMNS):
        which = "it" if is_source(value) or isinstance(value, str) else "one"
        return f"read {which} first, tw.read_table({_source(value)})"
    if kind.line:
        return f"write {kind.line}"
    measured = _leads_over_moments(kind, value)
    verb = "moments" if measured else "count"
    first, statistics = "write", f"tw.{verb}(table)"
    if TABLE.fits(value):
        first = "take its moments first," if measured else "count it first,"
    elif (MOMENTS if measured else COUNTS).fits(value):
        statistics = "moments" if measured else "counter"
    elif is_source(value):
        first, statistics = "read it first,", f"tw.{verb}(tw.read_table({_source(value)}))"
    makers = (kind.from_moments or ()) if measured else _from_counts(kind)
    maker = _meant(kind, value) or next(iter(makers), None)
    return f"{first} {f'tw.{maker}({statistics})' if maker else statistics}"


def _leads_over_moments(kind: Kind, value: Any) -> bool:
    """Whether the way to the kind leads over moments rather than counts."""
    if kind is MOMENTS or kind.from_moments is None:
        return kind is MOMENTS
    if TABLE.fits(value):
        return not any(variable.is_discrete for variable in value.schema)
    return MOMENTS.fits(value) or _meant(kind, value) in kind.from_moments


def _from_counts(kind: Kind) -> list[str]:
    """The usual class that makes one of counts, those of the registry, and the others."""
    from treewright.criteria.registry import FROM_COUNTS  # here, since all criteria ask this module first

    return [*kind.from_counts[:1], *FROM_COUNTS.get(kind.name, ()), *kind.from_counts[1:]]


def is_source(value: object) -> bool:
    """Whether reading makes a table of it: a frame, an array, columns by name, a path."""
    if isinstance(value, type | str):
        return isinstance(value, str) and ("." in value or "/" in value)
    return isinstance(value, Mapping | PurePath) or hasattr(value, "columns") or hasattr(value, "__array__")


def _source(value: object) -> str:
    return repr(str(value)) if isinstance(value, str | PurePath) else "..."


def _meant(kind: Kind, value: object) -> str | None:
    """The class that was given itself, or by a name for it ("bdeu", "chi-square", "g")."""
    given = value.__name__ if isinstance(value, type) else value
    if not isinstance(given, str):
        return None
    word = "".join(letter for letter in given.lower() if letter.isalnum())
    for maker in (*_from_counts(kind), *(kind.from_moments or ())):
        called = maker.lower()
        if word in (called, called.removesuffix("test")) or (len(word) > 2 and called.startswith(word)):
            return maker
    return None

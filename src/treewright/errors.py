"""Every exception of the package, and its one warning.

Each one derives from :class:`TreewrightError` and from the built-in that a caller would guess. A message says
what was asked, what was found and, where there is one, the way out; it uses names, never indices.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any


class TreewrightError(Exception):
    """Root of all errors that treewright raises on purpose."""


class SchemaError(TreewrightError, ValueError):
    """Columns, states or names that do not fit together."""


class UnknownNameError(SchemaError, KeyError):
    """A variable or state that the schema does not have."""

    def __str__(self) -> str:  # KeyError would print the repr
        return str(self.args[0]) if self.args else ""


class MissingValuesError(TreewrightError, ValueError):
    """Missing values where none are allowed."""


class WeightError(TreewrightError, ValueError):
    """Row weights that cannot be counted with."""


class TableTooLarge(TreewrightError, MemoryError):  # noqa: N818
    """A table that would exceed the memory limit; refused before it is allocated."""


class SettingError(TreewrightError, ValueError):
    """An option with a value that it cannot have."""


class ArgumentError(SettingError, TypeError):
    """Something of another kind than what was asked for."""


class NotFittedError(TreewrightError, ValueError, AttributeError):
    """An estimator was asked before it was fitted."""


class SingularError(TreewrightError, ValueError):
    """A variable that is a linear function of others where a regression needs it not to be."""


class CycleError(TreewrightError, ValueError):
    """Arcs that close a directed cycle."""


class GraphError(TreewrightError, ValueError):
    """A shape that lacks the property its type promises."""


class IllegitimateHypergraph(GraphError):  # noqa: N818
    """Sets of variables that tear apart what belongs together, by a known graph or by the data."""


class TreewidthError(TreewrightError, ValueError):
    """A width bound that cannot be met or checked."""


class KnowledgeError(TreewrightError, ValueError):
    """Background knowledge that contradicts itself."""


class EvidenceError(TreewrightError, ValueError):
    """Evidence that names no variable or state of the model."""


class ImpossibleEvidence(EvidenceError):  # noqa: N818
    """Evidence that has probability zero under the model."""


class NoExactAnswer(TreewrightError, ValueError):  # noqa: N818
    """A question that this kind of model cannot answer exactly."""


class FileMissingError(TreewrightError, FileNotFoundError):
    """A path or pattern that leads to no file."""


class FormatError(TreewrightError, ValueError):
    """A file that is not what its name says."""


class SourceError(TreewrightError, OSError):
    """A source of rows that cannot be asked."""


class ConnectionLost(SourceError, ConnectionError):  # noqa: N818
    """A server, a scheduler or all workers that are gone, also after trying again."""


class SourceChanged(SourceError):  # noqa: N818
    """Rows that are not those of before."""


class AccessError(SourceError, PermissionError):
    """A table that is not there, or that may not be read."""


class CheckpointError(TreewrightError, ValueError):
    """A checkpoint that is damaged, of another format, or of other rows."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a search that has found something: `learned` is the best so far.

    It is a KeyboardInterrupt and no TreewrightError: whoever catches errors must not catch it by chance.

    Examples
    --------
    >>> try:
    ...     raise Interrupted("a network")
    ... except KeyboardInterrupt as stop:
    ...     print(stop, "--", stop.learned)
    interrupted; the best that was found so far is in .learned -- a network
    """

    def __init__(self, learned: object) -> None:
        super().__init__("interrupted; the best that was found so far is in .learned")
        self.learned: Any = learned


class DataWarning(UserWarning):
    """Something about the rows that speaks against trusting what is learned from them."""


_MOST_COMPARED = 500_000  # letters of one text with letters of another, in search of the nearest


def nearest(wanted: object, allowed: Iterable[object], *, limit: int = 20) -> str:
    """List what is allowed, and the nearest match when there is one: the tail of many messages."""
    options = [str(option) for option in allowed]
    shown = ", ".join(map(quoted, options[:limit]))
    more = f" and {len(options) - limit} more" if len(options) > limit else ""
    close = closest(str(wanted), options)
    hint = f"; did you mean {quoted(close)}?" if close is not None else ""
    return f"{shown}{more}{hint}"


def closest(wanted: str, options: Iterable[str]) -> str | None:
    """The option that looks most like a text, among as many as can be compared while somebody waits."""
    compared, left = [], _MOST_COMPARED
    for option in options:
        left -= (len(wanted) + 1) * (len(option) + 1)
        if left < 0:
            break
        compared.append(option)
    return next(iter(get_close_matches(wanted, compared, n=1)), None)


def quoted(text: str, *, width: int = 200) -> str:
    """A text between quotation marks; of one that nobody would read to its end, the beginning."""
    return repr(text) if len(text) <= width else f"{text[:width]!r}..."

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


def nearest(wanted: object, allowed: Iterable[object], *, limit: int = 20) -> str:
    """List what is allowed, and the nearest match when there is one: the tail of many messages."""
    options = [str(option) for option in allowed]
    close = get_close_matches(str(wanted), options, n=1)
    shown = ", ".join(repr(option) for option in options[:limit])
    more = f" and {len(options) - limit} more" if len(options) > limit else ""
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return f"{shown}{more}{hint}"

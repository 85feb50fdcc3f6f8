"""Tokens of a text format: the arrays that the core cuts, and a cursor to walk along them.

Headers are walked token by token; tables, which are nearly all of a file, are taken as slices of the arrays.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.errors import FormatError
from treewright.models.formats.text import Source
from treewright.types import Flags, Floats

Positions = npt.NDArray[np.int64]

WORD = ord("w")
QUOTED = ord('"')


@dataclass(frozen=True)
class Rules:
    """What the tokens of a format are."""

    marks: str
    line_comments: tuple[str, ...] = ()
    block_comments: bool = False
    quotes: bool = True
    escapes: bool = False


class Tokens:
    """The tokens of a source; a token is its position among them."""

    def __init__(self, source: Source, rules: Rules) -> None:
        self.source = source
        self.escapes = rules.escapes
        self.kinds, self.starts, self.ends, self.symbols, problem, at = _core.tokenize(
            source.data,
            marks=rules.marks,
            line_comments=list(rules.line_comments),
            block_comments=rules.block_comments,
            quotes=rules.quotes,
            escapes=rules.escapes,
        )
        if problem:
            raise source.error(problem, at)
        self.kind_bytes = self.kinds.tobytes()  # the same once more: one by one, bytes are faster than arrays

    def __len__(self) -> int:
        return len(self.kinds)

    def text(self, i: int) -> str:
        text = self.source.data[self.starts[i] : self.ends[i]].decode("utf-8")
        if self.escapes and self.kind_bytes[i] == QUOTED:
            return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)
        return text

    def span_text(self, first: int, last: int) -> str:
        """What the tokens from first to before last say: one as it is, several with what is between them."""
        if last - first == 1:
            return self.text(first)
        opening = int(self.kinds[first] == QUOTED)
        closing = int(self.kinds[last - 1] == QUOTED)
        data = self.source.data[self.starts[first] - opening : self.ends[last - 1] + closing]
        return " ".join(data.decode("utf-8").split())

    def is_text(self, first: int, last: int) -> Flags:
        kinds = self.kinds[first:last]
        return np.asarray((kinds == WORD) | (kinds == QUOTED))

    def numbers(self, positions: Positions | slice) -> Floats:
        """The values of tokens, every one of which must be a number."""
        starts = np.ascontiguousarray(self.starts[positions])
        ends = np.ascontiguousarray(self.ends[positions])
        values, n_read = _core.parse_numbers(self.source.data, starts, ends)
        if n_read < len(values):
            found = self.source.data[starts[n_read] : ends[n_read]].decode("utf-8", "replace")
            raise self.source.error(f"{shorten(found)} is not a finite number", int(starts[n_read]))
        return values

    def next_mark(self, mark: str, start: int, stop: int | None = None) -> int:
        """Position of the next such mark, or of the end."""
        end = len(self) if stop is None else stop
        found = self.kind_bytes.find(mark.encode("ascii"), start, end)
        return end if found < 0 else found

    def offset(self, i: int) -> int:
        return int(self.starts[i]) if i < len(self) else len(self.source.data)

    def error(self, message: str, i: int) -> FormatError:
        return self.source.error(message, self.offset(i))


class Cursor:
    """A walk along tokens, which says what it expected where it found something else."""

    def __init__(self, tokens: Tokens, at: int = 0) -> None:
        self.tokens = tokens
        self.at = at

    @property
    def done(self) -> bool:
        return self.at >= len(self.tokens)

    def at_mark(self, mark: str) -> bool:
        return not self.done and self.tokens.kind_bytes[self.at] == ord(mark)

    def at_text(self) -> bool:
        return not self.done and self.tokens.kind_bytes[self.at] in (WORD, QUOTED)

    def found(self) -> str:
        return "the end of the file" if self.done else shorten(self.tokens.text(self.at))

    def fail(self, expected: str) -> FormatError:
        return self.tokens.error(f"expected {expected}, found {self.found()}", self.at)

    def mark(self, mark: str, *, after: str) -> int:
        """Step over a mark; returns where it stood."""
        if not self.at_mark(mark):
            raise self.fail(f"'{mark}' after {after}")
        self.at += 1
        return self.at - 1

    def text(self, what: str) -> str:
        """Step over a word or a quoted text."""
        if not self.at_text():
            raise self.fail(what)
        self.at += 1
        return self.tokens.text(self.at - 1)

    def until(self, mark: str, *, what: str) -> tuple[int, int]:
        """Step behind the next such mark; returns the tokens before it as a range."""
        first = self.at
        last = self.tokens.next_mark(mark, first)
        if last >= len(self.tokens):
            raise self.tokens.error(f"{what} never ends: there is no '{mark}' behind it", first - 1)
        self.at = last + 1
        return first, last


def shorten(text: str, *, width: int = 40) -> str:
    return repr(text if len(text) <= width else text[: width - 3] + "...")

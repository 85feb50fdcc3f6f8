"""Rows of a BIF table, ``(state, state) p, p, p;``, keyed by the labels of the parents.

Files are almost always regular: every row has the same marks at the same places and every label is one token.
Then all rows are read together, as columns of one matrix of tokens. Labels with spaces or marks in them
(``(1,2]``, as some programs write them bare) are matched row by row against the labels that were declared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from treewright.errors import FormatError
from treewright.models.formats.draft import Draft, count_cells, count_text
from treewright.models.formats.tokens import QUOTED, WORD, Positions, Tokens, shorten
from treewright.once import cached_property
from treewright.types import Floats

MOST_MARKS = 64  # commas or brackets within one label
OPEN, CLOSE, COMMA = (ord(mark) for mark in "(),")
_NUMBERS = bytes([WORD, COMMA])


@dataclass(frozen=True)
class States:
    """The states of a variable as the file spells them."""

    name: str
    labels: tuple[str, ...]
    symbols: tuple[int, ...] | None  # None when a label is more than one token

    @cached_property
    def codes(self) -> dict[bytes, int]:
        return {label.encode("utf-8"): code for code, label in enumerate(self.labels)}

    @cached_property
    def reach(self) -> int:
        """Bytes within which a label must end, with some room for quotes and spaces."""
        return 2 * max(map(len, self.codes)) + 64

    def find(self, symbols: npt.NDArray[np.uint32]) -> Positions | None:
        """Codes of a column of labels, or None when one is not known by its symbol."""
        if self.symbols is None:
            return None
        own = np.array(self.symbols, dtype=np.uint32)
        order = np.argsort(own)
        at = np.minimum(np.searchsorted(own[order], symbols), len(own) - 1)
        codes = order[at]
        return codes if bool((own[codes] == symbols).all()) else None


@dataclass(frozen=True)
class Rows:
    """Parent configurations (a column of codes per parent), probabilities, and where each row starts."""

    codes: Positions
    values: Floats
    starts: Positions


def read_rows(
    tokens: Tokens, starts: Positions, ends: Positions, parents: Sequence[States], n_states: int
) -> Rows:
    """Read the rows that start at and end before these tokens."""
    together = _read_regular(tokens, starts, ends, parents, n_states)
    return together or _read_singly(tokens, starts, ends, parents, n_states)


def _read_regular(
    tokens: Tokens, starts: Positions, ends: Positions, parents: Sequence[States], n_states: int
) -> Rows | None:
    length = int(ends[0] - starts[0])
    if not parents or bool((ends - starts != length).any()):
        return None
    n_parents = len(parents)
    first = tokens.kinds[starts[0] : ends[0]]
    label_step = 2 if n_parents > 1 and first[2:3].tobytes() == b"," else 1
    labels = 1 + label_step * np.arange(n_parents)
    close = int(labels[-1]) + 1
    number_step = 2 if n_states > 1 and first[close + 2 : close + 3].tobytes() == b"," else 1
    numbers = close + 1 + number_step * np.arange(n_states)
    if length != int(numbers[-1]) + 1:
        return None
    pattern = np.full(length, COMMA, dtype=np.uint8)
    pattern[[0, close]] = OPEN, CLOSE
    pattern[labels] = pattern[numbers] = WORD
    matrix = starts[:, None] + np.arange(length)
    kinds = tokens.kinds[matrix]
    kinds[kinds == QUOTED] = WORD
    if bool((kinds != pattern).any()):
        return None
    columns = [states.find(tokens.symbols[matrix[:, at]]) for states, at in zip(parents, labels, strict=True)]
    codes = [column for column in columns if column is not None]
    if len(codes) < n_parents:
        return None
    values = tokens.numbers(matrix[:, numbers].ravel()).reshape(-1, n_states)
    return Rows(np.stack(codes, axis=1), values, starts)


def _read_singly(
    tokens: Tokens, starts: Positions, ends: Positions, parents: Sequence[States], n_states: int
) -> Rows:
    codes = np.empty((len(starts), len(parents)), dtype=np.int64)
    values = np.empty((len(starts), n_states))
    for row, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        offset = tokens.offset(start) + 1
        for column, states in enumerate(parents):
            offset, codes[row, column] = _match(tokens, offset, states, column == len(parents) - 1)
        first = int(np.searchsorted(tokens.starts, offset))
        values[row] = read_numbers(tokens, first, end, n_states, at=start)
    return Rows(codes, values, starts)


def _match(tokens: Tokens, offset: int, states: States, is_last: bool) -> tuple[int, int]:
    """The state that stands at an offset, and where the text goes on behind its comma or bracket.

    A label may hold commas and brackets itself, so the longest that is a state wins.
    """
    data = tokens.source.data
    delimiter = b")" if is_last else b","
    best: tuple[int, int] | None = None
    end = offset - 1
    for _ in range(MOST_MARKS):
        end = data.find(delimiter, end + 1, offset + states.reach)
        if end < 0:
            break
        code = states.codes.get(_spelled(data[offset:end]))
        if code is not None:
            best = end + 1, code
    if best is None:
        raise _no_state(tokens, offset, states, delimiter.decode())
    return best


def _spelled(found: bytes) -> bytes:
    """A label as it was declared: spaces joined, quotes gone."""
    label = b" ".join(found.split())
    return label[1:-1] if len(label) > 1 and label[:1] == label[-1:] == b'"' else label


def _no_state(tokens: Tokens, offset: int, states: States, delimiter: str) -> FormatError:
    line = tokens.source.data[offset : offset + 80].split(b"\n")[0].decode("utf-8", "replace")
    offset += len(line) - len(line.lstrip(" \t"))
    found = re.split("[,)]", line)[0].strip()
    if found in states.labels:
        message = f"expected {delimiter!r} after {found!r}: a row names one state of each parent"
    else:
        known = ", ".join(map(repr, states.labels[:8])) + (" ..." if len(states.labels) > 8 else "")
        message = f"{shorten(found)} is not a state of {states.name!r}; states are {known}"
    return tokens.source.error(message, offset)


def read_numbers(tokens: Tokens, first: int, last: int, expected: int | None, *, at: int) -> Floats:
    """Numbers with or without commas between them."""
    said = tokens.kind_bytes[first:last]
    if said.translate(None, _NUMBERS):
        i = first + next(at for at, kind in enumerate(said) if kind not in _NUMBERS)
        raise tokens.error(f"expected a number, found {shorten(tokens.text(i))}", i)
    if said[1::2].count(COMMA) == len(said) // 2 and said[::2].count(WORD) == (len(said) + 1) // 2:
        values = tokens.numbers(slice(first, last, 2))  # mostly so: a comma between any two
    else:
        values = tokens.numbers(first + np.flatnonzero(tokens.kinds[first:last] == WORD))
    if expected is not None and len(values) != expected:
        raise tokens.error(f"expected {expected} numbers in this row, found {len(values)}", at)
    return values


def place_rows(
    draft: Draft,
    tokens: Tokens,
    rows: Rows,
    family: tuple[int, Sequence[int]],
    *,
    default: Floats | None,
    at: int,
) -> tuple[Floats, Positions | None]:
    """Put rows where they belong; refuse a row twice, or none where there is no default."""
    child, parents = family
    name = draft.variable(child).name
    *configuration, n_states = draft.shape(child, parents)
    wanted = count_cells(configuration)
    if default is None and len(rows.starts) < wanted:
        _refuse_missing(draft, rows, family, wanted, tokens.offset(at))
    draft.reserve(wanted * n_states, name, tokens.offset(at))
    index = np.zeros(len(rows.codes), dtype=np.int64)
    for column, n in enumerate(configuration):
        index = index * n + rows.codes[:, column]
    repeated = np.flatnonzero(np.bincount(index, minlength=1)[index] > 1) if index.size else index
    if repeated.size:
        second = int(repeated[np.flatnonzero(index[repeated] == index[repeated[0]])[1]])
        codes = zip(parents, rows.codes[second].tolist(), strict=True)
        labels = ", ".join(repr(draft.states(p)[code]) for p, code in codes)
        raise tokens.error(f"the table of {name!r} has two rows for ({labels})", int(rows.starts[second]))
    cells = np.empty((wanted, n_states))
    if default is not None:
        cells[:] = default
    cells[index] = rows.values
    places = None
    if len(rows.starts) == wanted:
        places = np.empty(wanted, dtype=np.int64)
        places[index] = rows.starts
    return cells, places


def _refuse_missing(
    draft: Draft, rows: Rows, family: tuple[int, Sequence[int]], wanted: int, at: int
) -> None:
    child, parents = family
    found, name = len(rows.starts), draft.variable(child).name
    seen = {tuple(codes) for codes in rows.codes.tolist()}
    configurations = product(*(range(draft.variable(p).cardinality) for p in parents))
    first = next(codes for codes in configurations if codes not in seen)
    labels = ", ".join(repr(draft.states(p)[code]) for p, code in zip(parents, first, strict=True))
    raise draft.source.error(
        f"the table of {name!r} has {found} of its {count_text(wanted)} rows; there is none for ({labels})",
        at,
    )

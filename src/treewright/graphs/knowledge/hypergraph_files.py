"""A hypergraph in a plain text file: one set of names per line.

Names stand between commas or blanks; a name that holds one of them, or begins with ``#`` or a quotation mark,
stands in double quotes, with a quotation mark inside it written twice. What follows ``#`` is a comment::

    # who measures what
    age, smoker, "blood pressure"
    smoker cough        # the second clinic
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from treewright.errors import FormatError
from treewright.graphs.knowledge.files import read_bytes
from treewright.tables.schema import repeated
from treewright.types import Names

_BLANKS = " \t\r\f\v"
_COMMA = re.compile(rf"[{_BLANKS}]*(,?)[{_BLANKS}]*")
_PLAIN = re.compile(rf'[^,"{_BLANKS}][^,{_BLANKS}]*')
_QUOTED = re.compile(r'"((?:[^"]|"")*)"')


def read_hypergraph(path: str | os.PathLike[str]) -> tuple[Names, ...]:
    r"""The sets of a file, in the order of its lines; refuses whatever cannot be read, by line and column.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    ...     print("a, b  # two of three", "b c", sep="\n", file=file, flush=True)
    ...     read_hypergraph(file.name)
    (('a', 'b'), ('b', 'c'))
    """
    name = os.fspath(path)
    data = read_bytes(name, "sets of variables", "sets")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError(f"{name}: not text in UTF-8") from None
    return parse_hypergraph(text, name)


def parse_hypergraph(text: str, name: str = "hypergraph") -> tuple[Names, ...]:
    r"""The sets of a text; `name` is what errors call it.

    Examples
    --------
    >>> parse_hypergraph('a, "blood pressure"\n\nb c # and no more')
    (('a', 'blood pressure'), ('b', 'c'))
    >>> parse_hypergraph("a, b\na,, c")
    Traceback (most recent call last):
        ...
    treewright.errors.FormatError: hypergraph, line 2, column 3: a name is missing between two commas
    """
    if "\0" in text:
        raise FormatError(f"{name}: not a text: it holds a character that ends strings")
    lines = ((number, _parse_line(line, name, number)) for number, line in enumerate(text.split("\n"), 1))
    sets = []
    for number, members in lines:
        if twice := repeated(members):
            raise FormatError(f"{name}, line {number}: a set holds a variable once; more than once: {twice}")
        if members:
            sets.append(members)
    if not sets:
        raise FormatError(f"{name}: there is no set in it; write one per line, such as: age, smoker, cough")
    return tuple(sets)


def _parse_line(line: str, name: str, number: int) -> Names:
    """The names of one line; none when it is empty or a comment."""
    members: list[str] = []
    at = _COMMA.match(line)
    assert at is not None
    if at[1]:
        raise _refused(name, number, at.start(1), "a line begins with a name, not with a comma")
    place = at.end()
    while place < len(line) and line[place] != "#":
        if line[place] == ",":
            raise _refused(name, number, place, "a name is missing between two commas")
        member, place = _parse_name(line, place, name, number)
        members.append(member)
        at = _COMMA.match(line, place)
        assert at is not None
        if at.end() == place and place < len(line):
            raise _refused(name, number, place, "a comma or a blank is missing before this")
        place = at.end()
    return tuple(members)


def _parse_name(line: str, place: int, name: str, number: int) -> tuple[str, int]:
    quoted = _QUOTED.match(line, place)
    if quoted is not None:
        if not quoted[1]:
            raise _refused(name, number, place, "a name between quotation marks is empty")
        return quoted[1].replace('""', '"'), quoted.end()
    plain = _PLAIN.match(line, place)
    if plain is None:
        raise _refused(name, number, place, "a quotation mark that is opened here is not closed")
    return plain[0], plain.end()


def _refused(name: str, number: int, place: int, what: str) -> FormatError:
    return FormatError(f"{name}, line {number}, column {place + 1}: {what}")


def format_hypergraph(hyperedges: Iterable[Iterable[str]]) -> str:
    """A text that :func:`parse_hypergraph` reads back as these sets.

    Examples
    --------
    >>> print(format_hypergraph([("a", "blood pressure"), ("b",)]), end="")
    a, "blood pressure"
    b
    """
    lines = [", ".join(map(_written, one)) for one in hyperedges]
    return "".join(f"{line}\n" for line in lines)


def _written(name: str) -> str:
    if not name or "\n" in name or "\0" in name:
        raise FormatError(f"a file of sets has no way to write the name {name!r}")
    plain = _PLAIN.fullmatch(name) is not None and not name.startswith("#") and name[0] != "\ufeff"
    return name if plain else '"' + name.replace('"', '""') + '"'

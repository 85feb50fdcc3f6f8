"""Knowledge and hypergraphs in files, as the command line reads them.

Knowledge is a JSON object with any of these keys, all of names::

    {"required": [["a", "b"]], "forbidden": [["c", "a"]], "forbidden_edges": [["b", "d"]],
     "tiers": [["a"], ["b", "c"]], "forbid_within_tiers": false, "order": ["a", "b"],
     "parents": {"d": ["a", "c"]}}

A hypergraph is plain text, one set of names per line. Names stand between commas or blanks; a name that
holds one of them, or begins with ``#`` or a quotation mark, stands in double quotes, with a quotation mark
inside it written twice. What follows ``#`` is a comment::

    # who measures what
    age, smoker, "blood pressure"
    smoker cough        # the second clinic
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from treewright.arguments import require_path
from treewright.errors import FileMissingError, FormatError, nearest
from treewright.files import written_whole
from treewright.kinds import IN_WORDS, kind_of, refuse_to_replace
from treewright.tables.schema import repeated
from treewright.types import Names

_LISTS = ("required", "forbidden", "forbidden_edges", "tiers")
_KEYS = (*_LISTS, "forbid_within_tiers", "order", "parents")
LARGEST_FILE = 64 * 2**20  # bytes; every pair of a thousand long names fits, and a thousand sets of them


def read_knowledge(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The arguments of `Knowledge` from a file; refuses whatever is not of the right shape."""
    require_path("Knowledge.from_json", path)
    name = os.fspath(path)
    document = _parse(name, read_bytes(name, "knowledge", "knowledge"))
    for key, value in document.items():
        _check_part(name, key, value)
    return {key: value for key, value in document.items() if value is not None}


def read_bytes(name: str, what: str, short: str) -> bytes:
    """A whole file of something; refused where it is missing, unreadable or too large."""
    try:
        with Path(name).open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise FileMissingError(f"there is no file {name!r} of {what}") from None
    except (OSError, ValueError) as error:  # a NUL in the name is a ValueError
        why = getattr(error, "strerror", None) or str(error)
        raise FormatError(f"{name}: the file cannot be read: {why}") from None
    if len(data) > LARGEST_FILE:
        raise FormatError(f"{name}: a file of {short} has {LARGEST_FILE} bytes at most")
    return data


def refuse_what_is_none(path: str | os.PathLike[str]) -> None:
    """Refuse a file that holds no knowledge."""
    try:
        read_knowledge(path)
    except FormatError:
        refuse_to_replace(path, IN_WORDS[kind_of(path)], "knowledge")


def write_knowledge(path: str | os.PathLike[str], parts: Mapping[str, Any]) -> None:
    told = ("tiers", "order", "parents")  # an empty list of these is not the same as none
    kept = {key: parts[key] for key in _KEYS if parts[key] is not None and (parts[key] or key in told)}
    text = json.dumps(kept, indent=1, ensure_ascii=False)
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:  # half a character, which JSON can spell
        data = json.dumps(kept, indent=1).encode("ascii")
    with written_whole(path) as file:
        file.write(data + b"\n")


def _parse(name: str, data: bytes) -> dict[str, Any]:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) < len(pairs):
            raise FormatError(f"{name}: a key occurs twice: {repeated(key for key, _ in pairs)}")
        return result

    try:
        document = json.loads(data.decode("utf-8-sig"), object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise FormatError(f"{name}, line {error.lineno}, column {error.colno}: {error.msg}") from None
    except UnicodeDecodeError:
        raise FormatError(f"{name}: not text in UTF-8") from None
    except FormatError:
        raise
    except (ValueError, RecursionError):  # numbers of many digits, lists in lists in lists
        raise FormatError(f"{name}: not a file of knowledge: it cannot be read as JSON") from None
    if not isinstance(document, dict):
        raise FormatError(f"{name}: knowledge is a JSON object with keys such as {', '.join(_KEYS)}")
    return document


def _check_part(file: str, key: str, value: Any) -> None:
    if key not in _KEYS:
        raise FormatError(f"{file}: {key!r} is not known; keys are {nearest(key, _KEYS)}")
    if value is None and key in ("tiers", "order", "parents"):
        return
    if key in _LISTS:
        fits, wanted = _is_list_of_names(value, depth=2), "a list of lists of names"
    elif key == "order":
        fits, wanted = _is_list_of_names(value, depth=1), "a list of names"
    elif key == "parents":
        fits = isinstance(value, dict) and all(_is_list_of_names(v, depth=1) for v in value.values())
        wanted = "an object with a list of names for each child"
    else:
        fits, wanted = isinstance(value, bool), "true or false"
    if not fits:
        raise FormatError(f"{file}: {key!r} must be {wanted}")


def _is_list_of_names(value: Any, *, depth: int) -> bool:
    if not isinstance(value, list):
        return False
    if depth == 1:
        return all(isinstance(item, str) for item in value)
    return all(_is_list_of_names(item, depth=depth - 1) for item in value)


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
        if len(set(members)) != len(members):
            twice = repeated(members)
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

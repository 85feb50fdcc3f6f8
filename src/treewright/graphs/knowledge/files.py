"""Knowledge in a JSON file, as the command line reads it.

An object with any of these keys, all of names::

    {"required": [["a", "b"]], "forbidden": [["c", "a"]], "forbidden_edges": [["b", "d"]],
     "tiers": [["a"], ["b", "c"]], "forbid_within_tiers": false, "order": ["a", "b"],
     "parents": {"d": ["a", "c"]}}
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from treewright.errors import FileMissingError, FormatError, nearest
from treewright.tables.schema import repeated

_LISTS = ("required", "forbidden", "forbidden_edges", "tiers")
_KEYS = (*_LISTS, "forbid_within_tiers", "order", "parents")
LARGEST_FILE = 64 * 2**20  # bytes; every pair of a thousand long names fits, and a thousand sets of them


def read_knowledge(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The arguments of `Knowledge` from a file; refuses whatever is not of the right shape."""
    name = os.fspath(path)
    data = read_bytes(name, "knowledge", "knowledge")
    document = _parse(name, data)
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


def write_knowledge(path: str | os.PathLike[str], parts: Mapping[str, Any]) -> None:
    kept = {key: parts[key] for key in _KEYS if parts[key] not in (None, (), False)}
    text = json.dumps(kept, indent=1, ensure_ascii=False)
    Path(path).write_text(text + "\n", encoding="utf-8")


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

"""The JSON files of the examples: where they lie, and what every one of them has to say of itself."""

from __future__ import annotations

import json
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from treewright.errors import FormatError, UnknownNameError, nearest
from treewright.models.formats.json_values import expect

VERSION = 1


def example_names(*folder: str) -> tuple[str, ...]:
    """The examples in a folder of the data, by name."""
    files = _data(*folder).iterdir()
    return tuple(sorted(file.name.removesuffix(".json") for file in files if file.name.endswith(".json")))


def example_text(what: str, name: str, *folder: str) -> str:
    """The text of an example, a `what` ("network", "graph")."""
    known = example_names(*folder)
    if name not in known:
        raise UnknownNameError(f"there is no example {what} {name!r}; there are {nearest(name, known)}")
    return _data(*folder).joinpath(f"{name}.json").read_text(encoding="utf-8")


def read_document(what: str, text: str) -> Any:
    """The content of an example's file, once it says what it is and where it is from."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not a {what} file: {error}") from None
    expect(
        isinstance(document, dict) and document.get("format") == f"treewright {what}", f"not a {what} file"
    )
    expect(document.get("version") == VERSION, f"version {document.get('version')!r} is not known here")
    for key in ("name", "source"):
        expect(isinstance(document.get(key), str) and document[key] != "", f"the {what} has no {key}")
    return document


def _data(*folder: str) -> Traversable:
    return resources.files("treewright.networks").joinpath("data", *folder)

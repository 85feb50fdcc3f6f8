"""Models by name: a file of any known format, or one of the example networks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from treewright.cli.answers.given import read_given
from treewright.errors import FileMissingError, FormatError, nearest
from treewright.models.formats.twm import load, read_provenance
from treewright.models.model import AnyModel
from treewright.networks import list_networks, load_network
from treewright.tables.schema import Label


def open_model(text: str) -> AnyModel:
    """The model that a file holds, or the example network of that name.

    A file goes first; its ending says the format.
    """
    path = Path(text)
    if path.is_dir():
        raise FormatError(f"{text!r} is a folder; a model is a file")
    if not path.exists():
        if text in list_networks():
            return load_network(text)
        raise FileMissingError(_not_found(path))
    if _is_ours(path):
        return load(path)
    from treewright.models.formats import read_model  # here, since parsers take a while to load

    return read_model(path)


def open_with_given(
    text: str, given: Sequence[str] | None, more_given: Sequence[str] | None
) -> tuple[AnyModel, dict[str, Label]]:
    """A model, and the evidence of `--given` and of the arguments after it, read as this model's states."""
    model = open_model(text)
    return model, read_given(model.schema, [*(given or ()), *(more_given or ())])


def provenance_of(text: str) -> dict[str, Any]:
    """What a file of ours says about where its model came from; other files and examples say nothing."""
    path = Path(text)
    return read_provenance(path) if path.exists() and _is_ours(path) else {}


def _is_ours(path: Path) -> bool:
    return path.suffix.lower() == ".twm" or _starts_like_ours(path)


def _starts_like_ours(path: Path) -> bool:
    with open(path, "rb") as file:
        return b'"format": "treewright model"' in file.read(64)


def _not_found(path: Path) -> str:
    message = f"there is no model file {os.fspath(path)!r} (seen from {os.getcwd()!r})"
    if not path.parent.is_dir():
        return f"{message}; there is no folder {os.fspath(path.parent)!r}"
    close = get_close_matches(path.name, [entry.name for entry in path.parent.iterdir()], n=1)
    if close:
        return f"{message}; did you mean {close[0]!r}?"
    return f"{message}; example networks are {nearest(path.name, list_networks())}"

"""Models by name: a .twm file, or one of the example networks."""

from __future__ import annotations

import os
from difflib import get_close_matches
from pathlib import Path

from treewright.errors import FileMissingError, FormatError, nearest
from treewright.models import BayesianNetwork, MarkovNetwork
from treewright.models.formats.twm import load
from treewright.networks import example_networks, load_network


def open_model(text: str) -> BayesianNetwork | MarkovNetwork:
    """The model that a file holds, or the example network of that name.

    A file goes first; its ending says the format.
    """
    path = Path(text)
    if path.is_dir():
        raise FormatError(f"{text!r} is a folder; a model is a file")
    if not path.exists():
        if text in example_networks():
            return load_network(text)
        raise FileMissingError(_not_found(path))
    if path.suffix.lower() == ".twm" or _starts_like_ours(path):
        return load(path)
    from treewright.models.formats import read_model  # here, since parsers take a while to load

    return read_model(path)


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
    return f"{message}; example networks are {nearest(path.name, example_networks())}"

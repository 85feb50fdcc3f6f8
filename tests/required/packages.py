"""Where packages have to be there: with TREEWRIGHT_EXTRAS_REQUIRED set their absence fails and skips nothing.

That is for `.ci/run`, which installs all extras but the peers that tests compare with. Elsewhere
`pytest.importorskip` does what it says.
"""

from __future__ import annotations

import importlib
import os
from typing import Any

import pytest

SWITCH = "TREEWRIGHT_EXTRAS_REQUIRED"
PEERS = ("pyagrum", "pgmpy", "matplotlib")  # the extra `bench`, which tests do without


def import_required(skipping: Any) -> Any:
    """What stands in for `pytest.importorskip`."""

    def imported(name: str, *args: Any, **options: Any) -> Any:
        if name.split(".", maxsplit=1)[0] in PEERS:
            return skipping(name, *args, **options)
        try:
            return importlib.import_module(name)
        except ImportError as error:
            pytest.fail(f"{SWITCH} is set, and {error}", pytrace=False)

    return imported


def require_extras() -> None:
    """Take the place of `pytest.importorskip` where the switch is set."""
    if os.environ.get(SWITCH):
        pytest.importorskip = import_required(pytest.importorskip)  # type: ignore[assignment]

"""What the tests of scale share."""

import sys

import pytest


@pytest.fixture
def remembers(monkeypatch):
    """Few rows are searched like many: by tables that are planned and remembered."""
    modules = [
        module
        for name, module in list(sys.modules.items())
        if name.startswith("treewright.") and hasattr(module, "ROWS_TO_REMEMBER")
    ]
    assert {module.__name__.split(".")[1] for module in modules} == {"criteria", "statistics"}
    for module in modules:
        monkeypatch.setattr(module, "ROWS_TO_REMEMBER", 0)

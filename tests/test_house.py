"""Imports point up: no part of the house knows the parts below it."""

import ast
from pathlib import Path

import pytest

import treewright

ROOT = Path(treewright.__file__).parent
ALLOWED = {
    "tables": set(),
    "statistics": {"tables"},
    "graphs": {"tables"},
    "criteria": {"tables", "statistics", "graphs"},
    "learners": {"tables", "statistics", "graphs", "criteria", "inference"},
    "inference": {"tables", "graphs"},
    "models": {"tables", "statistics", "graphs", "inference"},
    "networks": {"tables", "graphs", "models"},
    "verification": {"tables", "graphs", "models"},
    "reports": {"tables", "statistics", "graphs", "criteria", "learners", "inference", "models", "networks"},
}
EVERYWHERE = {"arguments", "errors", "limits", "types", "_core"}


def imported_parts(file):
    """First part of the name of every treewright module that a file imports, wherever the import stands."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "treewright":
            rest = node.module.split(".")[1:]
            yield from [rest[0]] if rest else [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            yield from (
                alias.name.split(".")[1] for alias in node.names if alias.name.startswith("treewright.")
            )


@pytest.mark.parametrize("part", ALLOWED)
def test_imports_point_up(part):
    for file in sorted((ROOT / part).rglob("*.py")):
        unexpected = set(imported_parts(file)) - ALLOWED[part] - EVERYWHERE - {part}
        assert not unexpected, f"{file.relative_to(ROOT)} imports {sorted(unexpected)}"


def test_graphs_know_names_but_never_a_row():
    for file in sorted((ROOT / "graphs").rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
        tables = {m for m in modules if m.startswith("treewright.tables")}
        assert tables <= {"treewright.tables.schema", "treewright.tables.features"}, file.name

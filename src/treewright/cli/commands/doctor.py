"""`treewright doctor`: what this installation has, and whether it counts right."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

import typer

import treewright
from treewright import _core
from treewright.cli.answers.output import Lines, Output, figures, heading, listing
from treewright.cli.checks import Check, run_checks
from treewright.cli.options import command
from treewright.limits import format_bytes, memory_limit

NEEDED = ("numpy", "scipy", "narwhals", "duckdb", "typer", "rich")
# what each optional library is good for, by the name it is imported under
EXTRAS = {
    "pandas": "frames in and out",
    "polars": "frames in",
    "pyarrow": "Arrow tables in",
    "networkx": "graphs out",
}


@command()
def doctor(out: Output) -> None:
    """Say what this installation has, and check that it counts, samples and answers right.

    Example: treewright doctor
    """
    with out.progress("checking"):
        machine = describe_machine()
        checks = run_checks()
    healthy = all(check.passed for check in checks)
    out.answer(
        lambda: {**machine, "checks": [vars(check) for check in checks], "ok": healthy},
        shown=lambda: shown(machine, checks, healthy),
        bare=lambda: [("ok" if check.passed else "failed", check.name, check.detail) for check in checks],
    )
    if not healthy:
        raise typer.Exit(1)


def describe_machine() -> dict[str, Any]:
    return {
        "treewright": treewright.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "simd": {"available": list(_core.simd_levels()), "in_use": _core.simd_level()},
        "threads": _core.threads(),
        "cores": os.cpu_count(),
        "memory_limit": memory_limit(),
        "libraries": {name: installed_version(name) for name in NEEDED},
        "extras": {name: installed_version(name) for name in EXTRAS},
    }


def installed_version(name: str) -> str | None:
    """The version of a library, without importing it; None when it is not there."""
    if find_spec(name) is None:
        return None
    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"


def shown(machine: dict[str, Any], checks: Sequence[Check], healthy: bool) -> Lines:
    from rich.text import Text

    simd = machine["simd"]
    yield heading(f"treewright {machine['treewright']}")
    yield figures(
        ("Python", f"{machine['python']} on {machine['platform']}"),
        ("vector levels", f"{simd['in_use']} in use; available: {', '.join(simd['available'])}"),
        ("threads", f"{machine['threads']} of {machine['cores']} cores"),
        ("memory limit", f"{format_bytes(machine['memory_limit'])} for one table"),
        ("libraries", ", ".join(f"{name} {number}" for name, number in machine["libraries"].items())),
    )
    extras = listing("optional", "version", "for")
    for name, purpose in EXTRAS.items():
        number = machine["extras"][name]
        extras.add_row(name, number or "not installed", purpose, style="" if number else "dim")
    yield extras
    for check in checks:
        mark = ("  ok      ", "green") if check.passed else ("  failed  ", "bold red")
        yield Text.assemble(mark, check.name, (f"  {check.detail}", "dim"))
    yield heading("all is well" if healthy else "something is wrong: see the checks that failed")

"""Write docs/reference.md, every public name with the first line of its docstring, and the package's stub.

Run it after a change of public names; with --check it only compares.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, get_origin

PACKAGES = ("tables", "statistics", "graphs", "criteria", "learners", "models", "networks")
PACKAGES += ("reports", "verification")
TARGET = Path(__file__).with_name("reference.md")
STUB = Path(__file__).parents[1] / "src" / "treewright" / "__init__.pyi"
STUB_OF_ESTIMATORS = STUB.parent / "estimators" / "__init__.pyi"

HEAD = """# Reference

Every public name with one sentence; `help(name)` in Python has the parameters and an example that runs.
This page is made by `python docs/make_reference.py`.
"""


def reference() -> str:
    top = importlib.import_module("treewright")
    parts = [HEAD, section("`import treewright as tw`", top)]
    for name in PACKAGES:
        package = importlib.import_module(f"treewright.{name}")
        parts.append(section(f"`treewright.{name}`", package, leave_out=top))
    parts.append(errors())
    return "\n".join(parts)


def section(title: str, module: ModuleType, leave_out: ModuleType | None = None) -> str:
    """One table; names that the package re-exports at the top are described there."""
    told = set(leave_out.__all__) if leave_out else set()
    names = [name for name in public_names(module) if name not in told]
    intro = first_sentence(module)
    if not names:
        return f"## {title}\n\n{intro} All of its names are above.\n"
    return f"## {title}\n\n{intro}\n\n{table((name, getattr(module, name)) for name in names)}"


def public_names(module: ModuleType) -> list[str]:
    """The names at the top, or those that the `__init__.py` of a room imports from its files."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    tree = ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    found = [alias.name for node in imports for alias in node.names]
    return [name for name in found if not inspect.ismodule(getattr(module, name))]


def stub() -> str:
    """What a type checker reads of the package: the table of its names as imports."""
    top = importlib.import_module("treewright")
    lines = [f"from treewright import {room} as {room}" for room in sorted(top._ROOMS)]
    lines += [f"from {module} import {name} as {name}" for name, module in sorted(top._HOMES.items())]
    return f"# Made by python docs/make_reference.py\n{chr(10).join(lines)}\n\n__version__: str\n"


def stub_of_estimators() -> str:
    """The same for the estimators, whose keywords come from a table."""
    room = importlib.import_module("treewright.estimators")
    names = public_names(room)
    kinds = {name: vars(getattr(room, name)) for name in names if isinstance(getattr(room, name), type)}
    made = [name for name, inside in kinds.items() if "_learn" in inside and name != "Estimator"]
    classes = "\n".join(typed_estimator(getattr(room, name)) for name in made)
    modules = {"collections.abc", "os", *re.findall(r"\b(treewright(?:\.\w+)*)\.[A-Z]", classes)}
    lines = [f"import {module}" for module in sorted(modules)]
    lines += ["from typing import Any, Literal, Optional, Union", ""]
    for name in names:
        seen = f"_{name}" if name in made else name
        lines.append(f"from {getattr(room, name).__module__} import {name} as {seen}")
    return f"# Made by python docs/make_reference.py\n{chr(10).join(lines)}\n\n{classes}"


def typed_estimator(kind: type) -> str:
    """An estimator with the keywords that its settings have."""
    keywords = inspect.signature(kind).parameters.values()
    typed = [
        (keyword.name, inspect.formatannotation(keyword.annotation).replace("NoneType", "None"))
        for keyword in keywords
    ]
    lines = [f"class {kind.__name__}(_{kind.__name__}):"]
    lines += [f"    {'criterion' if name == 'score' else name}: {text}" for name, text in typed]
    lines += ["    def __init__(", "        self,", "        *,"]
    lines += [f"        {name}: {text} = ...," for name, text in typed]
    return "\n".join([*lines, "    ) -> None: ...", ""])


def errors() -> str:
    module = importlib.import_module("treewright.errors")
    classes = [
        (name, value)
        for name, value in vars(module).items()
        if inspect.isclass(value) and value.__module__ == module.__name__
    ]
    return f"## `treewright.errors`\n\n{first_sentence(module)}\n\n{table(iter(classes))}"


def table(items: Iterator[tuple[str, Any]]) -> str:
    rows = sorted(items, key=lambda item: (item[0].lower(), item[0]))
    lines = ["| name | what it is |", "|---|---|"]
    lines += [f"| `{name}` | {first_sentence(value)} |" for name, value in rows]
    return "\n".join(lines) + "\n"


def first_sentence(thing: Any) -> str:
    """The first paragraph of a docstring in plain words; the name of a type has none of its own."""
    speaks = inspect.isclass(thing) or inspect.isfunction(thing) or inspect.ismodule(thing)
    if not speaks or get_origin(thing):
        return "The name of a type, for signatures."
    line = (inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " ")
    line = re.sub(r" ?(\([^()]* of )?\[\d+\]_\)?", "", line)  # citations lead nowhere from here
    return re.sub(r":\w+:`[~.]?([^`]+)`", r"`\1`", line).replace("|", "\\|")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only say whether both are up to date")
    check = parser.parse_args().check
    pages = ((STUB, stub()), (STUB_OF_ESTIMATORS, stub_of_estimators()), (TARGET, reference()))
    for target, made in pages:
        if not check:
            target.write_text(made, encoding="utf-8")
        elif not target.exists() or target.read_text(encoding="utf-8") != made:
            sys.exit(f"{target.name} is behind the code; run: python docs/make_reference.py")


if __name__ == "__main__":
    main()

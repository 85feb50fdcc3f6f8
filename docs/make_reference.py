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

Every name of `tw` with one sentence, and the other functions of each room. `help(name)` in Python has the
parameters and an example that runs; the site has the same, and every type, on a page for each room. This page
is made by `python docs/make_reference.py`.
"""


def reference() -> str:
    top = importlib.import_module("treewright")
    names = table((name, getattr(top, name)) for name in public_names(top))
    parts = [HEAD, f"## `import treewright as tw`\n\n{first_sentence(top)}\n\n{names}"]
    parts += [room(name, set(top.__all__)) for name in PACKAGES]
    parts.append(errors())
    return "\n".join(parts)


def room(name: str, told: set[str]) -> str:
    """What a room is for, and its functions that are not at the top."""
    module = importlib.import_module(f"treewright.{name}")
    names = sorted(set(public_names(module)) - told, key=str.casefold)
    does = [f"`{one}`" for one in names if inspect.isroutine(getattr(module, one))]
    return (
        f"## `treewright.{name}`\n\n{first_sentence(module)} Beside those above: {', '.join(does) or '-'}.\n"
    )


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

"""What the tests of the house measure: folders, files, functions and imports, read as syntax trees."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "treewright"
PYTHON_FOLDERS = ("src", "tests", "experiments", "benchmarks", "examples", "docs")
Function = ast.FunctionDef | ast.AsyncFunctionDef
_OTHER_BLOCK = re.compile(r"\s*(namespace|class|struct|enum|union|extern|constexpr \w+ \w+|static const)\b")


@cache
def tree_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def python_files(*folders: str) -> list[Path]:
    return sorted(chain.from_iterable((ROOT / folder).rglob("*.py") for folder in folders))


def core_files() -> list[Path]:
    return sorted(file for kind in ("*.cpp", "*.hpp", "*.ipp") for file in (ROOT / "cpp").rglob(kind))


def short(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def crowded(files: list[Path], most: int) -> dict[str, int]:
    """The folders with more files than allowed."""
    counts: dict[str, int] = defaultdict(int)
    for file in files:
        counts[short(file.parent)] += 1
    return {folder: n for folder, n in counts.items() if n > most}


def n_lines(file: Path) -> int:
    return len(file.read_text(encoding="utf-8").splitlines())


def functions(file: Path) -> Iterator[Function]:
    return (node for node in ast.walk(tree_of(file)) if isinstance(node, Function))


def body_of(function: Function) -> list[ast.stmt]:
    """The statements without the docstring."""
    return function.body[1:] if ast.get_docstring(function) is not None else function.body


def n_body_lines(function: Function) -> int:
    """The lines of a function without its docstring."""
    docstring = function.body[0] if ast.get_docstring(function) is not None else None
    said = 0 if docstring is None else (docstring.end_lineno or 0) - docstring.lineno + 1
    return (function.end_lineno or 0) - function.lineno + 1 - said


def n_parameters(function: Function) -> int:
    """Options that come together and are handed on as they are, `**options: Unpack[...]`, count as one."""
    given = function.args
    kept = given.kwarg.annotation if given.kwarg else None
    together = kept is not None and "Unpack[" in ast.unparse(kept)
    return len(given.posonlyargs) + len(given.args) + len(given.kwonlyargs) + together


def sets_of_options(files: list[Path]) -> dict[str, int]:
    """The classes that say which options come together, and how many each adds to those of its base."""
    return {
        node.name: sum(isinstance(statement, ast.AnnAssign) for statement in node.body)
        for file in files
        for node in tree_of(file).body
        if isinstance(node, ast.ClassDef) and any(k.arg == "total" for k in node.keywords)
    }


def core_functions(file: Path) -> Iterator[tuple[str, int]]:
    """Functions of a formatted source with their lines: what opens with a brace and closes at its depth."""
    opened: list[tuple[int, int, str]] = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        depth = len(line) - len(line.lstrip())
        if line.lstrip().startswith("}"):
            while opened and opened[-1][0] >= depth:
                column, first, head = opened.pop()
                if column == depth and not _OTHER_BLOCK.match(head) and not any(")" in o[2] for o in opened):
                    yield f"{short(file)}:{first} {head.strip()}", number - first + 1
        if line.endswith("{"):
            opened.append((depth, number, line))


def repeated_bodies(files: list[Path], least: int) -> list[list[str]]:
    """Places of function bodies that stand more than once, if they have so many lines."""
    places: dict[str, list[str]] = defaultdict(list)
    for file in files:
        for function in functions(file):
            text = "\n".join(ast.unparse(statement) for statement in body_of(function))
            if text.count("\n") + 1 >= least:
                places[text].append(f"{short(file)}:{function.lineno} {function.name}")
    return [found for found in places.values() if len(found) > 1]


def imported_modules(file: Path) -> Iterator[str]:
    """Every treewright module that a file imports from, wherever the import stands."""
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "treewright":
            if node.module == "treewright":
                yield from (f"treewright.{alias.name}" for alias in node.names)
            else:
                yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("treewright."))


@cache
def words_of(file: Path) -> frozenset[str]:
    """The names in the code of a file, and the words of its short texts: no docstrings, no comments."""

    def words(node: ast.AST) -> list[str]:
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                return [name]
            case ast.Constant(value=str(text)) if "\n\n" not in text:
                return text.split()
        return []

    return frozenset(chain.from_iterable(map(words, ast.walk(tree_of(file)))))


@cache
def asked_of_the_core(file: Path) -> frozenset[str]:
    """The names that a file takes from `_core`, those of `_core.testing` as `testing.name`."""
    dotted = (ast.unparse(node) for node in ast.walk(tree_of(file)) if isinstance(node, ast.Attribute))
    return frozenset(text.removeprefix("_core.") for text in dotted if text.startswith("_core."))


def mentions(word: str, files: list[Path]) -> list[str]:
    """The files whose code has a name."""
    return [short(file) for file in files if word in words_of(file)]

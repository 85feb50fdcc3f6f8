"""Reading Markdown documents: their blocks of code, what these print, and where their links lead."""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
SHOWN = re.compile(r"#\s*->\s*(.+)$")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and the line of the document where the text begins."""

    language: str
    text: str
    line: int


def blocks_of(document: str) -> list[Block]:
    return [
        Block(match[1], match[2], document.count("\n", 0, match.start(2)) + 1)
        for match in FENCE.finditer(document)
    ]


def prose_of(document: str) -> str:
    return FENCE.sub("", document)


def links_of(document: str) -> list[str]:
    """Targets of links inside the repository, with their anchors."""
    return [match[1] for match in LINK.finditer(prose_of(document)) if "://" not in match[1]]


def relative_links(document: str) -> list[str]:
    """Targets of links inside the repository, without their anchors."""
    targets = [link.split("#")[0] for link in links_of(document)]
    return [target for target in targets if target]


def headings_of(document: str) -> set[str]:
    """The anchors of its headings, as GitHub makes them: small letters, blanks to dashes, no punctuation."""
    titles = re.findall(r"^#+ (.+)$", prose_of(document), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def run_python(path: Path) -> int:
    """Run the Python blocks of a document in one namespace; the number of outputs compared.

    An expression followed by ``# -> text`` has to evaluate to something whose repr is that text, and a block
    of kind ``text`` right after a Python block is what that one prints. Dots stand for anything.
    """
    blocks = blocks_of(path.read_text(encoding="utf-8"))
    namespace: dict[str, Any] = {"__name__": "__main__"}
    compared = 0
    for number, block in enumerate(blocks):
        if block.language != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            compared += run_block(block, path, namespace)
        if number + 1 < len(blocks) and blocks[number + 1].language == "text":
            expect(blocks[number + 1].text, printed.getvalue(), f"{path}:{blocks[number + 1].line}")
            compared += 1
    return compared


def run_block(block: Block, path: Path, namespace: dict[str, Any]) -> int:
    tree = ast.parse(block.text, filename=str(path))
    ast.increment_lineno(tree, block.line - 1)
    lines = block.text.splitlines()
    compared = 0
    for statement in tree.body:
        assert statement.end_lineno is not None
        shown = SHOWN.search(lines[statement.end_lineno - block.line])
        if isinstance(statement, ast.Expr) and shown:
            value = eval(compile(ast.Expression(statement.value), str(path), "eval"), namespace)
            expect(shown[1] + "\n", repr(value) + "\n", f"{path}:{statement.end_lineno}")
            compared += 1
        else:
            exec(compile(ast.Module([statement], []), str(path), "exec"), namespace)
    return compared


def expect(wanted: str, got: str, where: str) -> None:
    if not doctest.OutputChecker().check_output(wanted, got, FLAGS):
        raise AssertionError(f"{where} shows\n{wanted}but the code gives\n{got}")


def documents(root: Path) -> Iterator[Path]:
    """Every Markdown document of the repository that people read."""
    yield from sorted(root.glob("*.md"))
    yield from sorted(root.glob("docs/**/*.md"))
    yield from sorted(root.glob("changelog.d/*.md"))
    yield from sorted(root.glob("experiments/**/*.md"))

"""Reading Markdown documents: their blocks of code, what these print, and where their links lead."""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
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
    is_next: bool = False  # nothing but blank lines between it and the block before


def blocks_of(document: str) -> list[Block]:
    found, end = [], 0
    for match in FENCE.finditer(document):
        is_next = not document[end : match.start()].strip()
        found.append(Block(match[1], match[2], document.count("\n", 0, match.start(2)) + 1, is_next))
        end = match.end()
    return found


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


Runner = Callable[[Block, Path, Any], int]
NONE: Mapping[str, Any] = MappingProxyType({})


def run_page(path: Path, others: Mapping[str, Runner] = NONE, there: Mapping[str, str] = NONE) -> int:
    """Run the blocks of a document, Python's in one namespace; the number of outputs compared.

    An expression followed by ``# -> text`` has to evaluate to something whose repr is that text, and a block
    of kind ``text`` right after one that ran is what that one prints. Dots stand for anything. `others` run
    blocks of other languages; `there` has what stands in the place of addresses that nobody has.
    """
    document = path.read_text(encoding="utf-8")
    for shown, real in there.items():
        document = document.replace(shown, real)
    blocks = blocks_of(document)
    runners = {"python": run_block, **others}
    namespace: dict[str, Any] = {"__name__": "__main__"}
    compared = 0
    for number, block in enumerate(blocks):
        if block.language not in runners:
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            compared += runners[block.language](block, path, namespace)
        after = blocks[number + 1] if number + 1 < len(blocks) else block
        if after.language == "text" and (after.is_next or block.language == "python"):
            expect(after.text, printed.getvalue(), f"{path}:{after.line}")
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

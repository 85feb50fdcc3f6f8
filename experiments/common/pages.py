"""Tables in documents, between two marks that name them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown; cells are written as `str` has them."""
    lines = [header, ["---"] * len(header), *([str(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def has_place(page: Path, name: str) -> bool:
    """Whether a page has the mark of a table."""
    return f"<!-- table: {name} -->" in page.read_text(encoding="utf-8")


def fill_table(page: Path, name: str, text: str) -> None:
    """Put the text between ``<!-- table: NAME -->`` and ``<!-- end: NAME -->`` of a page.

    Raises
    ------
    ValueError
        Unless the page has both marks once, in this order.
    """
    document = page.read_text(encoding="utf-8")
    begin, end = f"<!-- table: {name} -->", f"<!-- end: {name} -->"
    if document.count(begin) != 1 or document.count(end) != 1 or document.index(begin) > document.index(end):
        raise ValueError(f"{page.name} has to have {begin!r} and, after it, {end!r}, each once")
    before, rest = document.split(begin)
    page.write_text(f"{before}{begin}\n{text}\n{end}{rest.split(end)[1]}", encoding="utf-8")

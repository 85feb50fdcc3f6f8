"""Write the tutorials as notebooks: `python docs/make_notebooks.py`; with --check it only compares.

A notebook lies beside its page, `docs/tutorial/NAME.ipynb`. Python becomes cells to run, what it prints is
left out (the cell says it again), all else is text: commands of the shell need files that a reader may not
have. A notebook is read away from the manual: links become paths to look up, small pictures travel along.
"""

from __future__ import annotations

import argparse
import base64
import json
import posixpath
import re
import sys
from pathlib import Path
from typing import Any

TUTORIALS = Path(__file__).resolve().parent / "tutorial"
BLOCK = re.compile(r"^```python\n(.*?)^```$(?:\n+^```text\n.*?^```$)?", re.MULTILINE | re.DOTALL)
OFFER = re.compile(r"^\[This page as a notebook\]\([\w.]+\)\.\n+", re.MULTILINE)
IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s#]+)(?:#[^)\s]*)?\)")
KINDS = {".svg": "image/svg+xml", ".png": "image/png"}
LARGEST_PICTURE = 65_536  # bytes; a larger one is named
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def notebook(page: Path) -> dict[str, Any]:
    """The notebook of a page: text and code in turn, nothing run yet."""
    document = OFFER.sub("", page.read_text(encoding="utf-8"))
    cells: list[dict[str, Any]] = []
    end = 0
    for block in BLOCK.finditer(document):
        cells += text_cells(document[end : block.start()], page)
        cells.append({"cell_type": "code", "execution_count": None, "outputs": [], **source(block[1])})
        end = block.end()
    cells += text_cells(document[end:], page)
    named = [{"id": f"cell-{number:02d}", **cell} for number, cell in enumerate(cells, 1)]
    return {"cells": named, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}


def source(text: str) -> dict[str, Any]:
    return {"metadata": {}, "source": text.strip("\n").splitlines(keepends=True)}


def text_cells(text: str, page: Path) -> list[dict[str, Any]]:
    """One cell of text, or none where there is nothing between two blocks."""
    if not text.strip():
        return []
    pictures: dict[str, dict[str, str]] = {}

    def carried(match: re.Match[str]) -> str:
        title, target = match.groups()
        picture = page.parent / target
        content = picture.read_bytes()
        if len(content) > LARGEST_PICTURE:
            return f"*{title}: `{path_of(target)}`*"
        pictures[picture.name] = {KINDS[picture.suffix]: base64.b64encode(content).decode("ascii")}
        return f"![{title}](attachment:{picture.name})"

    shown = LINK.sub(looked_up, IMAGE.sub(carried, text))
    cell = {"cell_type": "markdown", **source(shown)}
    return [cell | {"attachments": pictures} if pictures else cell]


def looked_up(match: re.Match[str]) -> str:
    text, target = match.groups()
    return match[0] if "://" in target else f"{text} (`{path_of(target)}`)"


def path_of(target: str) -> str:
    """Where the target of a link lies, seen from the root of the repository."""
    return posixpath.normpath(posixpath.join("docs/tutorial", target))


def notebooks() -> dict[Path, str]:
    """Every notebook as text, by the file that holds it."""
    pages = sorted(TUTORIALS.glob("*.md"))
    return {
        page.with_suffix(".ipynb"): json.dumps(notebook(page), indent=1, ensure_ascii=False) + "\n"
        for page in pages
    }


def stale() -> list[str]:
    """Notebooks that say something else than their pages, have none, or are missing."""
    wanted = notebooks()
    behind = [
        file.name
        for file, text in wanted.items()
        if not file.exists() or file.read_text(encoding="utf-8") != text
    ]
    return behind + sorted(file.name for file in TUTORIALS.glob("*.ipynb") if file not in wanted)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a notebook is behind")
    if parser.parse_args().check:
        behind = stale()
        sys.exit(f"{', '.join(behind)}: run python docs/make_notebooks.py" if behind else 0)
    for file, text in notebooks().items():
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

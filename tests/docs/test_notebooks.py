"""Notebooks of the tutorials: made from the pages, whole, and run by a real kernel."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from tests.docs.markdown import blocks_of, expect

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "docs" / "make_notebooks.py"
PAGES = sorted(ROOT.glob("docs/tutorial/*.md"))
# In a process of its own: what a kernel leaves behind is no warning of ours.
RUN = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
nbformat.validate(notebook)
NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
print(nbformat.writes(notebook))
"""


@pytest.fixture(scope="module")
def made():
    return runpy.run_path(str(SCRIPT))


def code_cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def written(cell):
    """What a cell printed; a value that it ended in is shown beside it and does not count."""
    return "".join("".join(part["text"]) for part in cell["outputs"] if part["output_type"] == "stream")


def test_notebooks_are_up_to_date(made):
    assert made["stale"]() == [], "run: python docs/make_notebooks.py"


def test_a_notebook_that_is_behind_is_named(made, tmp_path):
    page = tmp_path / "story.md"
    page.write_text("# Story\n\n```python\n1 + 1\n```\n")
    (tmp_path / "old.ipynb").write_text("{}\n")
    notebooks = made["notebooks"]
    there = notebooks.__globals__["TUTORIALS"]
    notebooks.__globals__["TUTORIALS"] = tmp_path
    try:
        assert made["stale"]() == ["story.ipynb", "old.ipynb"]
        (tmp_path / "old.ipynb").unlink()
        for file, text in notebooks().items():
            file.write_text(text)
        assert made["stale"]() == []
    finally:
        notebooks.__globals__["TUTORIALS"] = there


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_python_block_is_a_cell_and_nothing_is_lost(page):
    document = page.read_text(encoding="utf-8")
    notebook = json.loads(page.with_suffix(".ipynb").read_text(encoding="utf-8"))
    blocks = [block.text.strip("\n") for block in blocks_of(document) if block.language == "python"]
    assert ["".join(cell["source"]) for cell in code_cells(notebook)] == blocks
    assert all(cell["outputs"] == [] for cell in code_cells(notebook))
    text = "".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    assert all(line in text for line in document.splitlines() if line.startswith(("# ", "## ")))
    assert "](../" not in text
    assert f"[This page as a notebook]({page.stem}.ipynb)." in document
    assert "This page as a notebook" not in text


def test_links_are_looked_up_and_pictures_travel_along(made, tmp_path):
    page = tmp_path / "story.md"
    (tmp_path / "small.svg").write_bytes(b"<svg/>")
    (tmp_path / "large.png").write_bytes(bytes(made["LARGEST_PICTURE"] + 1))
    page.write_text("[a](../guides/x.md#y) [b](https://example.org)\n\n![c](small.svg) ![d](large.png)\n")
    (cell,) = made["notebook"](page)["cells"]
    assert "".join(cell["source"]) == (
        "a (`docs/guides/x.md`) [b](https://example.org)\n\n"
        "![c](attachment:small.svg) *d: `docs/tutorial/large.png`*"
    )
    assert cell["attachments"] == {"small.svg": {"image/svg+xml": "PHN2Zy8+"}}


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_kernel_runs_it_and_prints_what_the_page_shows(page, tmp_path):
    pytest.importorskip("nbclient", reason="notebooks are run with pip install '.[docs]'")
    pytest.importorskip("ipykernel", reason="notebooks are run with pip install '.[docs]'")
    command = [sys.executable, "-c", RUN, str(page.with_suffix(".ipynb"))]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stderr[-3_000:]
    cells = iter(code_cells(json.loads(done.stdout)))
    blocks = blocks_of(page.read_text(encoding="utf-8"))
    for number, block in enumerate(blocks):
        if block.language != "python":
            continue
        cell = next(cells)
        if number + 1 < len(blocks) and blocks[number + 1].language == "text":
            expect(blocks[number + 1].text, written(cell), f"{page.stem}:{block.line}")

"""Pictures of the documents are those that their code draws."""

import runpy
from pathlib import Path

import pytest
from tests.docs.markdown import blocks_of

DOCS = Path(__file__).resolve().parents[2] / "docs"
GUIDE = DOCS / "guides" / "pictures.md"
PAPERS = runpy.run_path(str(DOCS / "make_paper_pictures.py"))


def test_the_guide_shows_what_its_code_draws():
    names = {}
    for block in blocks_of(GUIDE.read_text(encoding="utf-8")):
        if block.language == "python":
            exec(block.text, names)
    assert names["picture"] == (GUIDE.parent / "pictures" / "asia.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*PAPERS["PICTURES"], *PAPERS["BELIEVED"]])
def test_a_page_shows_what_its_method_finds(name):
    assert PAPERS["drawn"](name) == PAPERS["file_of"](name).read_text(encoding="utf-8")

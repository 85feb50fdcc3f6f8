"""Pictures of the documents are those that their code draws."""

from pathlib import Path

from tests.docs.markdown import blocks_of

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "pictures.md"


def test_the_guide_shows_what_its_code_draws():
    names = {}
    for block in blocks_of(GUIDE.read_text(encoding="utf-8")):
        if block.language == "python":
            exec(block.text, names)
    assert names["picture"] == (GUIDE.parent / "pictures" / "asia.svg").read_text(encoding="utf-8")

"""One name for each paper, everywhere; pages about papers are short and have one title."""

import re
from pathlib import Path

import pytest
from tests.docs.markdown import documents, headings_of, links_of, prose_of, run_page

ROOT = Path(__file__).resolve().parents[2]
PAPERS = ["bounded_treewidth", "efficient_markov", "blanket_scores", "separation_trees", "bayesian_knots"]
PAGES = sorted(ROOT.glob("docs/papers/*.md"))
MOST_BYTES = 20_480


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_is_short_and_has_one_title(page):
    assert page.stat().st_size <= MOST_BYTES, "tables belong to docs/measured, histories to NOTES.md"
    titles = re.findall(r"^# .+$", prose_of(page.read_text(encoding="utf-8")), re.MULTILINE)
    assert len(titles) == 1, titles


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_tables_of_figures_are_measured_elsewhere(page):
    text = prose_of(page.read_text(encoding="utf-8"))
    rows = [line for line in text.splitlines() if re.fullmatch(r"\|.*\|( *\**-?\d[\d.,]*\** *\|){2,}", line)]
    assert rows == [], "tables of figures belong to docs/measured"


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(page)


@pytest.mark.parametrize("paper", PAPERS)
def test_a_paper_has_one_name_everywhere(paper):
    for place in ("docs/papers/{}.md", "docs/measured/{}.md", "experiments/{}/NOTES.md"):
        assert (ROOT / place.format(paper)).is_file(), f"there is no {place.format(paper)}"


def test_there_is_no_other_name():
    others = {"README", "scale", "explorer", "scoreboard"}
    measured = {page.stem for page in ROOT.glob("docs/measured/*.md")} - others
    assert set(PAPERS) <= measured <= {page.stem for page in PAGES}
    assert {notes.parent.name for notes in ROOT.glob("experiments/*/NOTES.md")} == set(PAPERS)


@pytest.mark.parametrize("page", list(documents(ROOT)), ids=name_of)
def test_anchors_name_a_heading(page):
    for target, _, anchor in (link.partition("#") for link in links_of(page.read_text(encoding="utf-8"))):
        other = page.parent / target if target else page
        if anchor and other.suffix == ".md":
            headings = headings_of(other.read_text(encoding="utf-8"))
            assert anchor in headings, f"{name_of(page)} links to {target}#{anchor}; no heading has that name"

"""The manual as a site: it is built without a warning, short, and a stranger finds the page."""

from __future__ import annotations

import json
import re
import runpy

import pytest
from tests.docs.site import QUESTIONS, ROOT, build_site


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return build_site(tmp_path_factory.mktemp("site"))


@pytest.mark.slow
def test_the_site_can_be_read_without_a_network(site):
    for page in ("index.html", "guides/learning.html", "api/learners.html"):
        text = (site / page).read_text(encoding="utf-8")
        assert not re.search(r'<(?:script|img|iframe)[^>]* src="(?:https?:)?//', text)
        assert not re.search(r'<link[^>]* href="(?:https?:)?//', text)
    assert "learn_hill_climbing" in (site / "api" / "learners.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_tutorials_are_offered_as_notebooks(site):
    for page in (ROOT / "docs" / "tutorial").glob("*.md"):
        notebook = page.with_suffix(".ipynb")
        assert (site / "tutorial" / notebook.name).read_bytes() == notebook.read_bytes()
        text = (site / "tutorial" / f"{page.stem}.html").read_text(encoding="utf-8")
        link = re.search(r"<a ([^>]*)>This page as a notebook</a>", text)
        assert link is not None
        assert f'href="{notebook.name}"' in link[1]
        assert "download" in link[1]


@pytest.mark.slow
def test_a_stranger_finds_the_page_for_each_question(site):
    """By the index that the pages carry; test_search.py asks the search of the pages themselves."""
    lunr = pytest.importorskip("lunr", reason="the search needs pip install '.[docs]'").lunr
    whole = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    entries, boost = whole["docs"], whole["config"]["fields"]["title"]["boost"]
    plain = [entry | {"text": re.sub(r"<[^>]+>", " ", entry["text"])} for entry in entries]
    weighed = [(entry, {"boost": entry.get("boost", 1)}) for entry in plain]
    fields = [{"field_name": "title", "boost": boost}, "text"]
    index = lunr(ref="location", fields=fields, documents=weighed)
    missed = {}
    for question, page in QUESTIONS.items():
        hits = list(dict.fromkeys(hit["ref"].split("#")[0] for hit in index.search(question)))[:3]
        if page not in hits:
            missed[question] = hits
    assert len(QUESTIONS) == 20
    assert not missed


def test_every_page_is_in_the_contents():
    contents = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in (ROOT / "docs").rglob("*.md"):
        assert f": {page.relative_to(ROOT / 'docs').as_posix()}\n" in contents


def test_the_manual_is_short_enough_to_be_read():
    """All of its pages together, those of measured figures too; `python docs/count_words.py` has the list."""
    made = runpy.run_path(str(ROOT / "docs" / "count_words.py"))
    found = made["count"]()
    assert len(found) == len(list((ROOT / "docs").rglob("*.md"))) > 50
    assert sum(found.values()) <= made["MOST"] == 45_000


def test_words_are_those_with_a_letter_outside_of_code():
    words_of = runpy.run_path(str(ROOT / "docs" / "count_words.py"))["words_of"]
    assert words_of("# A title\n\nTwo *words*, 3 | 4.5 |\n\n```python\nnot these\n```\n") == 4


def test_the_picture_of_the_decision_is_the_one_that_is_drawn():
    made = runpy.run_path(str(ROOT / "docs" / "make_decision.py"))
    assert made["TARGET"].read_text(encoding="utf-8") == made["decision"]()

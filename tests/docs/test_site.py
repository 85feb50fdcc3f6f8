"""The manual as a site: it is built without a warning, short, and a stranger finds the page."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS = {
    "which learner should I choose": "guides/learning.html",
    "read a csv file": "guides/reading_tables.html",
    "missing values marked NA in a number column": "guides/messy_tables.html",
    "decimal comma": "guides/messy_tables.html",
    "more rows than memory": "guides/scale.html",
    "rows in a PostgreSQL database": "guides/databases.html",
    "several tables with overlapping columns": "guides/several_tables.html",
    "BIC or BDeu which score": "guides/criteria.html",
    "forbid an arc": "guides/knowledge.html",
    "cross validation folds": "guides/cross_validation.html",
    "what does an arrow without a head mean": "guides/pictures.html",
    "html page to share with a colleague": "guides/explorer.html",
    "most probable explanation": "guides/asking.html",
    "soft evidence": "guides/asking.html",
    "prior of imaginary rows": "guides/fitting.html",
    "read a BIF file": "guides/files.html",
    "Gaussian network for numbers": "guides/continuous.html",
    "coming from pgmpy": "guides/coming_from.html",
    "how is the treewidth bounded": "papers/bounded_treewidth.html",
    "what is promised about Ctrl-C": "promises.html",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("mkdocs", reason="the site needs pip install '.[docs]'")
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(target)]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr[-3_000:]
    return target


@pytest.mark.slow
def test_the_site_can_be_read_without_a_network(site):
    for page in ("index.html", "guides/learning.html", "api/learners.html"):
        text = (site / page).read_text(encoding="utf-8")
        assert not re.search(r'(?:src|href)="https?://(?!squidfunk)[^"]*\.(?:js|css|woff2?)"', text)
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
    """By the index that the pages carry, and as they search it: by section, titles and weights counted."""
    lunr = pytest.importorskip("lunr", reason="the search needs pip install '.[docs]'").lunr
    entries = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    plain = [entry | {"text": re.sub(r"<[^>]+>", " ", entry["text"])} for entry in entries]
    weighed = [(entry, {"boost": entry.get("boost", 1)}) for entry in plain]
    fields = [{"field_name": "title", "boost": 10}, "text"]
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

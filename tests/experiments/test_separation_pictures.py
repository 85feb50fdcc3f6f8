"""The pictures of the examples show what the learner finds today."""

import re

import pytest
from experiments.separation_trees.examples import ROOT, stories
from experiments.separation_trees.setting import PAGE

STORIES = stories()


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.title)
def test_the_picture_on_the_page_is_up_to_date(story):
    page, record = ROOT / PAGE, ROOT / "experiments" / "separation_trees" / "RECORD.md"
    shown = page.read_text(encoding="utf-8") + record.read_text(encoding="utf-8")
    assert f"pictures/{story.file}" in shown
    drawn = story.draw()
    assert (page.parent / "pictures" / story.file).read_text(encoding="utf-8") == drawn
    assert len(re.findall(r"<line [^>]*marker-end", drawn)) == len(story.found.directed_edges())

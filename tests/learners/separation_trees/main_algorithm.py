"""The main algorithm of the paper in one call: find a tree, and search its nodes."""

from __future__ import annotations

from dataclasses import fields

import treewright as tw
from treewright.learners import NodeSearch, TreeSettings


def learn_main(test, hyperedges=None, *, legitimacy="error", score=None, **settings):
    """Settings of the tree and of the search, sorted by name; knowledge and progress are for both."""
    both = {name: settings.pop(name) for name in ("knowledge", "progress") if name in settings}
    names = {field.name for field in fields(TreeSettings)}
    tree = TreeSettings(**{name: value for name, value in settings.items() if name in names})
    search = NodeSearch(**{name: value for name, value in settings.items() if name not in names})
    found = tw.learners.find_separation_tree(test, hyperedges, settings=tree, legitimacy=legitimacy, **both)
    return tw.learn_by_separation_tree(found, test, search=search, score=score, **both)

"""What the site adds to the pages: one page of signatures for each room, and no links that leave it."""

from __future__ import annotations

import importlib
import json
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.plugins import event_priority
from mkdocs.structure.files import File

ROOMS = ("tables", "statistics", "graphs", "criteria", "learners", "models")
ROOMS += ("inference", "networks", "reports", "estimators", "verification")
# A question is answered by a guide sooner than by a signature or a record of figures.
WEIGHTS = {"guides": 4, "tutorial": 2, "papers": 2, "api": 0.5, "measured": 0.5}
TITLE = 10  # times what a word in the text counts; where it is a thousand times, texts are never found
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def public_names(room: str) -> list[str]:
    """The public classes and functions that a room lists, by name."""
    module = importlib.import_module(f"treewright.{room}")
    things = ((name, getattr(module, name)) for name in dir(module) if not name.startswith("_"))
    mine = (name for name, thing in things if getattr(thing, "__module__", "").startswith("treewright."))
    return sorted(mine, key=str.casefold)


def page_of(room: str) -> str:
    module = importlib.import_module(f"treewright.{room}")
    parts = [f"# treewright.{room}", (module.__doc__ or "").strip()]
    for name in public_names(room):
        thing = getattr(module, name)
        parts.append(f"::: {thing.__module__}.{thing.__qualname__}")
    return "\n\n".join(parts) + "\n"


def on_files(files: Any, config: Any) -> Any:
    for room in ROOMS:
        files.append(File.generated(config, f"api/{room}.md", content=page_of(room)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Sources, scripts and notes are beside the manual, not in it: their links become paths to look up."""
    page.meta["search"] = {"boost": WEIGHTS.get(page.file.src_uri.split("/")[0], 1)}
    here = posixpath.dirname("docs/" + page.file.src_uri)

    def shown(match: re.Match[str]) -> str:
        text, target, _ = match.groups()
        path = posixpath.normpath(posixpath.join(here, target))
        if path.endswith(".ipynb"):
            return f"{match[0]}{{ download }}"  # a browser would show its JSON
        if "://" in target or path.startswith("docs/"):
            return match[0]
        return text if text.strip("`") in path else f"{text} (`{path}`)"

    return LINK.sub(shown, markdown)


@event_priority(-50)  # when the index is written, before it is copied for pages that are opened as files
def on_post_build(config: Any) -> None:
    file = Path(config.site_dir, "search", "search_index.json")
    index = json.loads(file.read_text(encoding="utf-8"))
    index["config"]["fields"]["title"]["boost"] = TITLE
    file.write_text(json.dumps(index), encoding="utf-8")

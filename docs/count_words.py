"""Count the words of the manual: `python docs/count_words.py`, page by page and in all.

A word is what stands between blanks and has a letter in it. Every Markdown page below docs counts, those too
that commands write: prose, headings, lists and tables. Blocks of code do not; nor do the pages of signatures
that the site adds from docstrings.
"""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parent
MOST = 45_000
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def words_of(document: str) -> int:
    """The words of a page.

    Examples
    --------
    >>> words_of("Two *words*, 3 | 4.5 numbers")
    3
    """
    return len(re.findall(r"\S*[A-Za-z]\S*", FENCE.sub("", document)))


def count() -> dict[str, int]:
    """The words of every page, by its path below docs."""
    pages = sorted(DOCS.rglob("*.md"))
    return {page.relative_to(DOCS).as_posix(): words_of(page.read_text(encoding="utf-8")) for page in pages}


if __name__ == "__main__":
    found = count()
    for page, words in sorted(found.items(), key=lambda item: -item[1]):
        print(f"{words:6,}  {page}")
    print(f"{sum(found.values()):6,}  in all, of at most {MOST:,}")

"""Text inside a picture or a page, whatever is in it."""

from __future__ import annotations

import html

from treewright.text import visible


def escape(text: str) -> str:
    r"""A text as HTML has it between tags or in an attribute.

    Examples
    --------
    >>> escape('<b title="\x1b">')
    '&lt;b title=&quot;␛&quot;&gt;'
    """
    return html.escape(visible(text))

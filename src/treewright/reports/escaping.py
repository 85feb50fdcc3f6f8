"""Text inside a picture or a page, whatever is in it."""

from __future__ import annotations

import html

from treewright.text import visible


def escape(text: str) -> str:
    r"""As it stands between tags or in an attribute.

    Examples
    --------
    >>> escape('<b title="\x1b">')
    '&lt;b title=&quot;␛&quot;&gt;'
    """
    return html.escape(visible(text))

"""Compare, describe and show what was learned."""

from treewright.reports.render import to_html, to_svg

__all__ = ["to_html", "to_svg"]

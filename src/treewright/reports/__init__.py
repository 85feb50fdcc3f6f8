"""Compare, describe and show what was learned."""

from treewright.reports.render import notebook_picture, to_html, to_svg

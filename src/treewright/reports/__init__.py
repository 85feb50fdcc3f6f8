"""Compare, describe and show what was learned."""

from treewright.reports.cross_validation import CrossValidation, cross_validate
from treewright.reports.model_report import to_report
from treewright.reports.render import notebook_picture, to_html, to_svg

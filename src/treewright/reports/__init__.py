"""Compare, describe and show what was learned."""

from treewright.reports.comparison_picture import comparison_page, draw_comparison
from treewright.reports.cross_validation import CrossValidation, cross_validate
from treewright.reports.explorer.explorer import to_html
from treewright.reports.model_report import to_report
from treewright.reports.notebook import notebook_bundle
from treewright.reports.render import notebook_picture, to_svg

"""Compare, describe and show what was learned."""

from treewright.reports.comparison_picture import draw_comparison, draw_comparison_page
from treewright.reports.cross_validation import CrossValidation, cross_validate
from treewright.reports.explorer.explorer import to_html
from treewright.reports.model_report import to_report
from treewright.reports.notebook import bundle_for_notebook
from treewright.reports.render import draw_for_notebook, to_svg

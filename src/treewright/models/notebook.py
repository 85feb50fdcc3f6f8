"""How a model shows itself in a notebook.

Drawing is the business of `reports`, which know models; a model that is shown finds them through the front
door of the package, so that nobody who only asks has to load them.
"""

from __future__ import annotations

from typing import Any, cast


class ShownInNotebooks:
    """A picture and key figures in place of the text that `repr` gives.

    Examples
    --------
    >>> import treewright as tw
    >>> "<svg" in tw.load_network("asia")._repr_html_()
    True
    """

    def _repr_html_(self) -> str:
        import treewright

        return treewright.reports.notebook_picture(cast("Any", self))

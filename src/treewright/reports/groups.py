"""Clusters of variables in a picture: coloured groups.

Every cluster has a colour. A node wears the colour of its own cluster as a tint, and on its left edge a band
in the colours of all clusters it lies in: a band of several colours marks a variable that holds clusters
together.
"""

from __future__ import annotations

from colorsys import hls_to_rgb
from typing import Any

from treewright.graphs import Clusters
from treewright.reports.escaping import escape
from treewright.tables.exports import counted

_BAND = 5
_LISTED = 12  # clusters named in a legend
# Successive hues are far apart when each is this much further round the circle.
_GOLDEN_ANGLE = 137.508


class Groups:
    """How the clusters of a structure are drawn.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.graphs import Star
    >>> schema = tw.Schema([tw.Variable(name) for name in "abc"])
    >>> clusters = tw.graphs.Clusters(schema, [Star(0, (0, 1)), Star(2, (2,))], [(0, 1), (1, 2)])
    >>> groups = Groups(clusters)
    >>> groups.told(1), groups.told(2)
    ('cluster of a, also in that of c', 'cluster of c')
    """

    def __init__(self, clusters: Clusters) -> None:
        self.clusters = clusters
        n = len(clusters.schema)
        self._own = [clusters.star_of(v) for v in range(n)]
        self._all: list[list[int]] = [[star] for star in self._own]
        for star, scope in zip(clusters.grown_from, clusters.cluster_scopes, strict=True):
            for v in scope:
                if star != self._own[v]:
                    self._all[v].append(star)

    @classmethod
    def of(cls, structure: Any) -> Groups | None:
        """Those of a structure that has clusters; its variables may stand in another order."""
        clusters = getattr(structure, "clusters", None)
        if not isinstance(clusters, Clusters):
            return None
        groups = cls(clusters)
        places = [clusters.schema.index(name) for name in structure.schema.names]
        groups._own = [groups._own[v] for v in places]
        groups._all = [groups._all[v] for v in places]
        return groups

    def told(self, v: int) -> str:
        """The clusters of a variable in words."""
        own, *others = (self.clusters.centres[star] for star in self._all[v])
        return f"cluster of {own}" + (f", also in that of {', '.join(others)}" if others else "")

    def draw(self, v: int, width: float, height: float) -> str:
        """The tint of a node and its band of colours."""
        piece = height / len(self._all[v])
        size = f'width="{width:.1f}" height="{height}"'
        tint = f'<rect class="tint" {size} rx="6" fill="{_colour(self._own[v])}"/>'
        return tint + "".join(
            f'<rect class="band" y="{i * piece:.1f}" width="{_BAND}" height="{piece:.1f}" '
            f'fill="{_colour(star)}"/>'
            for i, star in enumerate(self._all[v])
        )

    def figures(self) -> str:
        """One line about all of them."""
        shared = counted(len(self.clusters.overlaps), "shared variable")
        return f"{counted(len(self.clusters), 'cluster')}, {shared}"

    def legend(self) -> str:
        """A line of the clusters with their colours, for a page."""
        chips = [
            f'<span class="cluster"><i style="background:{_colour(star)}"></i>{escape(centre)}</span>'
            for star, centre in enumerate(self.clusters.centres[:_LISTED])
        ]
        more = len(self.clusters.stars) - len(chips)
        rest = [f"and {more:,} more"] if more > 0 else []
        return f"<p>clusters of {' '.join([*chips, *rest])}</p>"


STYLE = ".treewright .tint{opacity:.16}"
PAGE_STYLE = (
    ".cluster{white-space:nowrap;margin-right:10px}"
    ".cluster i{display:inline-block;width:10px;height:10px;border-radius:3px;margin-right:4px}"
)


def _colour(star: int) -> str:
    rgb = hls_to_rgb(star * _GOLDEN_ANGLE % 360 / 360, 0.52, 0.62)
    return "#" + "".join(f"{round(255 * part):02x}" for part in rgb)

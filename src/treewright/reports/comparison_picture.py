"""Two structures in one picture: what both have, what one has alone, and what points elsewhere.

Edges are compared as :func:`treewright.compare` does it: by their marks in the classes of equal networks, so
that an edge counts as turned only where the two disagree on what rows could tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from treewright.graphs.compare import Comparison, class_marks, compare
from treewright.reports.cards import card_of
from treewright.reports.escaping import escape
from treewright.reports.legend import Legend, Strength, packed_legend
from treewright.reports.links import links_of
from treewright.reports.render import Picture, draw
from treewright.reports.styles import SCRIPT, page_style
from treewright.tables.schema import Schema
from treewright.types import Arc

Difference = Literal["same", "added", "missing", "turned"]
_WORDS: dict[Difference, str] = {
    "same": "in both",
    "added": "added: in the second alone",
    "missing": "missing: in the first alone",
    "turned": "turned: drawn as in the second",
}
# Told by the shape of the line as well as by its colour, in the legend too.
_LINE = ".treewright path[data-difference][data-difference="
_STYLE = (
    f"{_LINE}added]{{stroke:#1a7f4b;stroke-width:2.6}}"
    f"{_LINE}missing]{{stroke:#c23b3b;stroke-width:2;stroke-dasharray:7 5}}"
    f"{_LINE}turned]{{stroke:#9a6700;stroke-width:2.2;stroke-dasharray:2 3}}"
    f"@media(prefers-color-scheme:dark){{{_LINE}added]{{stroke:#4cc38a}}"
    f"{_LINE}missing]{{stroke:#ff8a80}}{_LINE}turned]{{stroke:#e3b341}}}}"
)


@dataclass(frozen=True)
class _Both:
    """The edges of two structures; those that both have are marked as in the second."""

    schema: Schema
    marks: Mapping[Arc, Arc | None]

    def directed_edges(self) -> list[tuple[str, str]]:
        return [self._names(arc) for arc in self.marks.values() if arc is not None]

    def undirected_edges(self) -> list[tuple[str, str]]:
        return [self._names(pair) for pair, arc in self.marks.items() if arc is None]

    def _names(self, pair: Arc) -> tuple[str, str]:
        return self.schema.names[pair[0]], self.schema.names[pair[1]]


class _Differences(Strength):
    """Draws an edge by what became of it."""

    def style(self, u: str, v: str) -> str:
        return f'data-difference="{self.told(u, v).split(":")[0].replace("in both", "same")}"'


def draw_comparison(a: Any, b: Any) -> Picture:
    """Draw two structures over the same variables in one picture, with a legend.

    Parameters
    ----------
    a, b
        Graphs, models or results of learners, as :func:`compare` takes them. *Added* edges are in `b` alone,
        *missing* ones in `a` alone; *turned* ones are in both with another mark and are drawn as in `b`.

    Returns
    -------
    Picture
        Text of an SVG, which a notebook shows as a picture.

    Examples
    --------
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable(name) for name in "abc"])
    >>> truth = tw.Dag(schema, [("a", "c"), ("b", "c")])
    >>> picture = draw_comparison(truth, tw.Dag(schema, [("a", "b"), ("b", "c")]))
    >>> [picture.count(f'data-difference="{kind}"') for kind in ("added", "missing", "turned")]
    [2, 2, 2]
    """
    return comparison_picture(compare(a, b))


def comparison_picture(found: Comparison) -> Picture:
    """The picture of what was compared already."""
    kinds = _kinds(found)
    schema = found.graphs[0].schema
    first, second = (class_marks(graph) for graph in found.graphs)
    both = _Both(schema, dict(sorted({**first, **second}.items())))
    strength = _Differences("difference", lambda u, v: 1.0, lambda u, v: _WORDS[kinds[frozenset((u, v))]], "")
    present = [kind for kind in _WORDS if kind in kinds.values()]

    def legend(width: float) -> Legend:
        return packed_legend([(kind, _WORDS[kind]) for kind in present], comparison_words(found), width)

    cards = [card_of(name, ()) for name in schema.names]
    return draw(both, cards, links_of(both), strength, legend, style=_STYLE)


def _kinds(found: Comparison) -> dict[frozenset[str], Difference]:
    schema = found.graphs[0].schema
    pairs = {pair for graph in found.graphs for pair in class_marks(graph)}
    kinds: dict[frozenset[str], Difference] = {
        frozenset((schema.names[u], schema.names[v])): "same" for u, v in pairs
    }
    listed: tuple[tuple[Difference, Any], ...] = (
        ("added", found.extra), ("missing", found.missing), ("turned", found.misoriented)
    )  # fmt: skip
    for kind, edges in listed:
        kinds.update({frozenset(edge): kind for edge in edges})
    return kinds


def comparison_words(found: Comparison) -> str:
    """One line about what differs.

    Examples
    --------
    >>> import treewright as tw
    >>> asia = tw.load_network("asia").dag
    >>> comparison_words(tw.compare(asia, asia.without([("asia", "tub")])))
    '7 edges in both, 0 added, 1 missing, 0 turned; structural Hamming distance 1'
    """
    same = found.skeleton.tp - len(found.misoriented)
    return (
        f"{same:,} edges in both, {len(found.extra):,} added, {len(found.missing):,} missing, "
        f"{len(found.misoriented):,} turned; structural Hamming distance {found.shd:,}"
    )


def draw_comparison_page(a: Any, b: Any, *, title: str, names: tuple[str, str]) -> str:
    """A page with the picture of two structures and the edges that differ, listed.

    Examples
    --------
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable(name, ("no", "yes")) for name in "abc"])
    >>> a, b = tw.Dag(schema, [("a", "b")]), tw.Dag(schema, [("b", "c")])
    >>> "only in later" in draw_comparison_page(a, b, title="Two", names=("earlier", "later"))
    True
    """
    found = compare(a, b)
    heading = escape(title)
    lists = "".join(
        f"<h2>{escape(word)}</h2><p>{', '.join(escape(f'{u} - {v}') for u, v in edges)}</p>"
        for word, edges in (
            (f"only in {names[1]}", found.extra),
            (f"only in {names[0]}", found.missing),
            ("another direction", found.misoriented),
        )
        if edges
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{heading}</title><style>{page_style()}section{{padding:0 24px 24px}}"
        "h2{font-size:16px;margin:12px 0 0}</style></head>\n<body>\n"
        f"<header><h1>{heading}</h1><p>First: {escape(names[0])}. Second: {escape(names[1])}.</p></header>\n"
        f"<main>{comparison_picture(found)}</main>\n<section>{lists}</section>\n"
        f"<script>{SCRIPT}</script></body></html>\n"
    )

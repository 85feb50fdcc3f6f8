"""Pictures of hypergraphs, d-separation trees and classes, as SVG text.

One picture tells one story from left to right: the sets, the tree with its separators and what was found
inside each node, and the class that follows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

import treewright as tw
from treewright.graphs import Pdag
from treewright.reports.layout import lay_out

Point = tuple[float, float]
Places = Mapping[str, Point]

_COLOURS = ("#2f7fb8", "#c9702b", "#4c9a5b", "#8a5fb0", "#b8a02f")
_INK, _LINE, _SHARED = "#1b2430", "#5b6775", "#c9702b"
_GAP = 40.0
_FEW = 10
_STYLE = f"text{{font:600 12px 'DejaVu Sans',sans-serif;fill:{_INK};text-anchor:middle}}.h{{font-weight:400}}"


@dataclass(frozen=True)
class Part:
    """A piece of a picture, its corner at the origin."""

    title: str
    body: str
    width: float
    height: float


def picture(*rows: Sequence[Part]) -> str:
    """Rows of parts beside each other, each under its title."""
    drawn, width, y = [], 0.0, 12.0
    for parts in rows:
        x = 12.0
        for part in parts:
            drawn.append(
                f'<g transform="translate({x:.0f} {y:.0f})"><text class="h" x="{part.width / 2:.0f}" y="10">'
                f'{escape(part.title)}</text><g transform="translate(0 24)">{part.body}</g></g>'
            )
            width, x = max(width, x + part.width), x + part.width + _GAP
        y += max(part.height for part in parts) + 24 + _GAP
    height = y - _GAP + 12
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 12:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width + 12:.0f} {height:.0f}"><style>{_STYLE}</style>'
        '<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
        f'orient="auto"><path fill="{_LINE}" d="M0 1 10 5 0 9z"/></marker></defs>'
        f'<rect width="100%" height="100%" fill="#ffffff"/>{"".join(drawn)}</svg>\n'
    )


def sets_part(title: str, sets: Iterable[Sequence[str]], places: Places) -> Part:
    """Variables where they are, each set a patch of colour around its own; of many, a ring round each."""
    around = _patch if len(places) <= _FEW else _rings
    patches = [around([places[name] for name in one], i) for i, one in enumerate(sets)]
    return Part(title, "".join(patches) + _spots(places), *_extent(places))


def class_part(title: str, found: Pdag, places: Places) -> Part:
    """The edges of a class: arrows where the direction is known."""
    arrows = [_link(places[u], places[v], directed=True) for u, v in found.directed_edges()]
    lines = [_link(places[u], places[v], directed=False) for u, v in found.undirected_edges()]
    return Part(title, "".join([*arrows, *lines]) + _spots(places), *_extent(places))


def tree_part(
    title: str, tree: tw.graphs.DSeparationTree, local: Sequence[Iterable[tuple[str, str]]]
) -> Part:
    """The nodes as boxes with the skeletons found inside them, the separators on the edges of the tree."""
    nodes = tree.clusters
    sizes = [_box_size(len(node)) for node in nodes]
    shared = list(tree.separators)
    small = [(10.0 + 7.5 * max(2, len(", ".join(one))), 20.0) for one in shared]
    n = len(nodes)
    arcs = [arc for k, (i, j) in enumerate(_outward(tree)) for arc in ((i, n + k), (n + k, j))]
    layout = lay_out([*sizes, *small], arcs)
    lines = [_polyline(route) for route in layout.routes.values()]
    boxes = [
        _node(node, edges, centre, size)
        for node, edges, centre, size in zip(nodes, local, layout.centres[:n], sizes, strict=True)
    ]
    labels = [
        _separator(one, centre, size)
        for one, centre, size in zip(shared, layout.centres[n:], small, strict=True)
    ]
    return Part(title, "".join([*lines, *boxes, *labels]), layout.width, layout.height)


def _outward(tree: tw.graphs.DSeparationTree) -> list[tuple[int, int]]:
    """The edges of the tree, each away from the node with most variables (the first of several)."""
    root = max(range(len(tree.clusters)), key=lambda i: (len(tree.clusters[i]), -i))
    depth = {root: 0}
    waiting = [root]
    for here in waiting:
        for there in tree.neighbours(here):
            if there not in depth:
                depth[there] = depth[here] + 1
                waiting.append(there)
    return [(i, j) if depth[i] < depth[j] else (j, i) for i, j in tree.edges]


def circle(names: Sequence[str], radius: float) -> dict[str, Point]:
    """Places on a circle, the first on top."""
    angles = [2 * math.pi * i / len(names) - math.pi / 2 for i in range(len(names))]
    return {
        name: (radius * (1 + math.cos(a)), radius * (1 + math.sin(a)))
        for name, a in zip(names, angles, strict=True)
    }


def layered(dag: tw.Dag) -> dict[str, Point]:
    """Places of the variables of a network, parents above their children."""
    layout = lay_out([(30.0, 18.0)] * len(dag.schema), dag.index_edges())
    return {name: (x, y * 0.8) for name, (x, y) in zip(dag.schema.names, layout.centres, strict=True)}


def _box_size(n: int) -> tuple[float, float]:
    side = 2 * _radius(n) + 42
    return side, side


def _radius(n: int) -> float:
    return 0.0 if n < 2 else max(19.0, 4.5 * n + 9)


def _node(names: Sequence[str], edges: Iterable[tuple[str, str]], centre: Point, size: Point) -> str:
    x, y = centre[0] - size[0] / 2, centre[1] - size[1] / 2
    radius = _radius(len(names))
    places = {
        name: (a + centre[0] - radius, b + centre[1] - radius)
        for name, (a, b) in circle(names, radius).items()
    }
    links = "".join(_link(places[u], places[v], directed=False, inset=8.5) for u, v in edges)
    texts = "".join(_name(name, place) for name, place in places.items())
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{size[0]:.1f}" height="{size[1]:.1f}" rx="9" fill="#f7f9fb" '
        f'stroke="{_LINE}"/>{links}{texts}'
    )


def _separator(names: Sequence[str], centre: Point, size: Point) -> str:
    text = ", ".join(name.strip() for name in names) or "∅"
    return (
        f'<rect x="{centre[0] - size[0] / 2:.1f}" y="{centre[1] - size[1] / 2:.1f}" width="{size[0]:.1f}" '
        f'height="{size[1]:.1f}" fill="#ffffff" stroke="{_SHARED}"/>'
        f'<text x="{centre[0]:.1f}" y="{centre[1] + 4:.1f}">{escape(text)}</text>'
    )


def _polyline(points: Sequence[Point]) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{_SHARED}" stroke-width="1.2"/>'


def _link(start: Point, end: Point, *, directed: bool, inset: float = 11) -> str:
    length = math.dist(start, end) or 1.0
    dx, dy = (end[0] - start[0]) / length * inset, (end[1] - start[1]) / length * inset
    mark = ' marker-end="url(#arrow)"' if directed else ""
    return (
        f'<line x1="{start[0] + dx:.1f}" y1="{start[1] + dy:.1f}" x2="{end[0] - dx:.1f}" '
        f'y2="{end[1] - dy:.1f}" stroke="{_LINE}" stroke-width="1.4"{mark}/>'
    )


def _spots(places: Places) -> str:
    return "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="10" fill="#ffffff" stroke="{_LINE}"/>{_name(name, (x, y))}'
        for name, (x, y) in places.items()
    )


def _name(name: str, place: Point) -> str:
    return f'<text x="{place[0]:.1f}" y="{place[1] + 4:.1f}">{escape(name.strip())}</text>'


def _rings(points: Sequence[Point], number: int) -> str:
    """Rings of one width for each set, so that one variable can have several."""
    colour, radius = _COLOURS[number % len(_COLOURS)], 12.5 + 4 * number
    return "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="none" stroke="{colour}" stroke-width="3.5"/>'
        for x, y in points
    )


def _patch(points: Sequence[Point], number: int) -> str:
    colour = _COLOURS[number % len(_COLOURS)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in _hull(points))
    return (
        f'<polygon points="{path}" fill="{colour}" stroke="{colour}" stroke-width="34" '
        'stroke-linejoin="round" opacity="0.22"/>'
    )


def _hull(points: Sequence[Point]) -> list[Point]:
    """The convex hull, round the clock."""
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return ordered

    def half(sequence: Iterable[Point]) -> list[Point]:
        kept: list[Point] = []
        for p in sequence:
            while len(kept) > 1 and _turn(kept[-2], kept[-1], p) <= 0:
                kept.pop()
            kept.append(p)
        return kept[:-1]

    return [*half(ordered), *half(reversed(ordered))]


def _turn(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _extent(places: Places) -> tuple[float, float]:
    return max(x for x, _ in places.values()) + 24, max(y for _, y in places.values()) + 24

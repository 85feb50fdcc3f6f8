"""Pictures of structures and models: SVG text and self-contained HTML pages.

Nothing is loaded from elsewhere and nothing has to be installed; colours follow the reader's light or
dark setting. With a model, each node shows its distribution as bars.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from treewright.errors import FormatError
from treewright.learners import EdgeConfidence
from treewright.models import BayesianNetwork, FeatureNetwork, MarkovNetwork
from treewright.models.answers import Distribution
from treewright.models.model import AnyModel
from treewright.reports.feature_picture import PARTS, drawn_structure, upper_nodes
from treewright.reports.groups import PAGE_STYLE, STYLE, Groups
from treewright.reports.layout import Layout, Point, lay_out
from treewright.reports.legend import Gains, Strength, edge_words, kept_gains, legend_of, strength_of
from treewright.reports.links import Link, links_of
from treewright.reports.styles import SCRIPT, page_style, svg_style
from treewright.tables.schema import Label, Schema

_MARGIN = 16
_HEAD = 10  # length of an arrow's head
_NAME_HEIGHT = 26
_BAR_HEIGHT = 16
_BAR_LENGTH = 54
_SHOWN_STATES = 8
_LONGEST = 28  # characters of a name or state that are shown
_KINDS: dict[type[Any], str] = {
    BayesianNetwork: "Bayesian network",
    MarkovNetwork: "Markov network",
    FeatureNetwork: "Feature network",
}


def to_svg(
    structure: Any,
    *,
    marginals: Mapping[str, Distribution] | None = None,
    observed: Sequence[str] = (),
    confidence: EdgeConfidence | None = None,
    gains: Gains | None = None,
    arrows: str | None = None,
) -> str:
    """Draw a structure, with a legend above it.

    Parameters
    ----------
    structure
        A directed, partly directed or undirected graph with a schema. Of a learned network, an edge that
        neither rows nor knowledge direct (`dag.pattern`) has no arrow. Where it knows the clusters of its
        variables they are drawn as coloured groups.
    marginals, observed
        Distributions to show in the nodes, by name; and which variables to mark as given.
    confidence, gains
        How sure each edge is: sure ones are thick and dark, doubtful ones thin and pale; pointing at one
        tells its share. Or, where nobody resampled, what each adds to the score, in nats by (from, to).
    arrows
        What an arrow means, for the legend of a structure that is no network of variables.

    Examples
    --------
    >>> from treewright.networks import load_network
    >>> to_svg(load_network("asia").dag).count('class="node')
    8
    """
    schema, links = structure.schema, links_of(structure)
    groups = Groups.of(structure)
    cards = [_card(schema, v, marginals, schema.names[v] in observed) for v in range(len(schema))]
    layout = lay_out([(card.width, card.height) for card in cards], [link.arc for link in links])
    strength = strength_of(confidence, gains)
    legend = legend_of(structure, links, strength, layout.width, arrows)
    width = max(layout.width, legend.width) + 2 * _MARGIN
    height = layout.height + legend.height + 2 * _MARGIN
    title = f"{len(schema)} variables, {len(links)} edges"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="treewright" role="img" aria-label="{title}" '
            f'width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="{-_MARGIN} {-_MARGIN - legend.height:.0f} {width:.0f} {height:.0f}">',
            f"<style>{svg_style()}{STYLE if groups else ''}</style>",
            '<defs><marker id="treewright-arrow" viewBox="0 0 10 10" refX="1" refY="5" markerWidth="11" '
            'markerHeight="11" markerUnits="userSpaceOnUse" orient="auto-start-reverse">'
            '<path class="head" d="M0 1 10 5 0 9z"/></marker></defs>',
            *legend.draw(0.0, -legend.height),
            *(_draw_link(link, layout, structure, strength) for link in links),
            *(_draw_card(card, layout.centres[v], groups, v) for v, card in enumerate(cards)),
            "</svg>",
        ]
    )


def to_html(
    source: Any,
    *,
    title: str | None = None,
    given: Mapping[str, Label] | None = None,
    confidence: EdgeConfidence | None = None,
    gains: Gains | None = None,
) -> str:
    """Make a self-contained page of a model or a structure.

    Parameters
    ----------
    source
        A model, whose nodes show their distributions where it has tables, or a bare structure.
    title
        Heading of the page.
    given
        Observed states; the distributions of a model are shown given these.
    confidence, gains
        How strong each edge is, see :func:`to_svg`; by default what the model's `provenance` knows.

    Examples
    --------
    >>> from treewright.networks import load_network
    >>> page = to_html(load_network("asia"), title="Chest clinic", given={"smoke": "yes"})
    >>> page.startswith("<!doctype html>")
    True
    """
    model = source if isinstance(source, BayesianNetwork | MarkovNetwork | FeatureNetwork) else None
    structure = getattr(source, "structure", source)
    marginals = None if model is None else model.marginals(given)
    groups = Groups.of(structure)
    heading = escape(title or (_KINDS[type(model)] if model else type(structure).__name__))
    drawn, above = structure, ""
    if isinstance(model, FeatureNetwork):  # the upper nodes of its graph stand over its variables
        drawn, above = drawn_structure(model.structure), to_svg(upper_nodes(model.graph), arrows=PARTS)
    if confidence is None and gains is None:
        confidence, gains = kept_strength(model)
    picture = above + to_svg(
        drawn, marginals=marginals, observed=tuple(given or ()), confidence=confidence, gains=gains
    )
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{heading}</title><style>{page_style()}{PAGE_STYLE if groups else ''}</style></head>",
            "<body>",
            f"<header><h1>{heading}</h1><p>{_key_figures(structure, model)}</p>{_given_line(given)}"
            f"{groups.legend() if groups else ''}</header>",
            f"<main>{picture}</main>",
            f"<script>{SCRIPT}</script></body></html>\n",
        ]
    )


def notebook_picture(model: AnyModel) -> str:
    """A piece of a page for notebooks: key figures above the picture, which scrolls when it is large.

    Distributions are not worked out for it, so that showing a model is always quick.

    Examples
    --------
    >>> from treewright.networks import load_network
    >>> notebook_picture(load_network("asia"))[:30]
    '<div class="treewright-model">'
    """
    confidence, gains = kept_strength(model)
    if isinstance(model, FeatureNetwork):
        picture = to_svg(upper_nodes(model.graph), arrows=PARTS)
    else:
        picture = to_svg(model.structure, confidence=confidence, gains=gains)
    return (
        f'<div class="treewright-model"><p>{_key_figures(model.structure, model)}</p>'
        f'<div style="overflow:auto;max-height:40em">{picture}</div></div>'
    )


@dataclass(frozen=True)
class _Card:
    """What one node shows."""

    name: str
    rows: tuple[tuple[str, float], ...]
    more: int
    observed: bool
    width: float
    height: float


def _card(schema: Schema, v: int, marginals: Mapping[str, Distribution] | None, observed: bool) -> _Card:
    name = schema.names[v]
    rows: list[tuple[str, float]] = []
    if marginals is not None:
        rows = [(str(state), p) for state, p in marginals[name].items()]
    more = max(0, len(rows) - _SHOWN_STATES)
    rows = rows[:_SHOWN_STATES]
    width = _text_width(_short(name)) + 24
    if rows:
        width = max(width, 6.4 * max(len(_short(label)) for label, _ in rows) + _BAR_LENGTH + 78)
    lines = len(rows) + (more > 0)
    height = _NAME_HEIGHT + (_BAR_HEIGHT * lines + 6 if lines else 2)
    return _Card(name, tuple(rows), more, observed, max(width, 48.0), height)


def _draw_card(card: _Card, centre: Point, groups: Groups | None, v: int) -> str:
    left, top = centre[0] - card.width / 2, centre[1] - card.height / 2
    name = escape(card.name)
    told = f"{name} ({escape(groups.told(v))})" if groups else name
    parts = [
        f'<g class="node{" seen" if card.observed else ""}" data-name="{name}" '
        f'transform="translate({left:.1f} {top:.1f})"><title>{told}</title>',
        f'<rect class="box" width="{card.width:.1f}" height="{card.height}" rx="6"/>',
        groups.draw(v, card.width, card.height) if groups else "",
        f'<text class="name" x="{card.width / 2:.1f}" y="18">{escape(_short(card.name))}</text>',
    ]
    start = card.width - _BAR_LENGTH - 54
    for i, (label, p) in enumerate(card.rows):
        y = _NAME_HEIGHT + _BAR_HEIGHT * i
        parts.append(
            f'<text class="state" x="{start - 6:.1f}" y="{y + 11}">{escape(_short(label))}</text>'
            f'<rect class="track" x="{start:.1f}" y="{y + 3}" width="{_BAR_LENGTH}" height="9" rx="2"/>'
            f'<rect class="bar" x="{start:.1f}" y="{y + 3}" width="{_BAR_LENGTH * p:.2f}" height="9" rx="2"/>'
            f'<text class="share" x="{card.width - 8:.1f}" y="{y + 11}">{100 * p:.1f}%</text>'
        )
    if card.more:
        y = _NAME_HEIGHT + _BAR_HEIGHT * len(card.rows) + 11
        parts.append(
            f'<text class="share" x="{card.width - 8:.1f}" y="{y}">and {card.more} more states</text>'
        )
    return "".join([*parts, "</g>"])


def kept_strength(model: Any) -> tuple[EdgeConfidence | None, Gains | None]:
    """How strong edges are, where learning left it in the provenance of a model; what is none is left out."""
    kept = getattr(model, "provenance", None) or {}
    try:
        sure = EdgeConfidence.from_dict(model.schema, kept["confidence"]) if "confidence" in kept else None
    except FormatError:
        sure = None
    return sure, kept_gains(kept)


def _draw_link(link: Link, layout: Layout, structure: Any, strength: Strength | None) -> str:
    u, v = structure.schema.names_of(reversed(link.arc) if link.arrow == "up" else link.arc)
    side = {"none": "", "down": "end", "up": "start"}[link.arrow]
    arrow = f' marker-{side}="url(#treewright-arrow)"' if side else ""
    strong = "" if strength is None else f" {strength.style(u, v)}"
    return (
        f'<path class="edge" data-from="{escape(u)}" data-to="{escape(v)}" '
        f'd="{_curve(_leave_room(layout.routes[link.arc], side))}"{arrow}{strong}>'
        f"<title>{escape(edge_words(link, u, v, structure, strength))}</title></path>"
    )


def _leave_room(points: Sequence[Point], side: str) -> list[Point]:
    """The way without its last piece, which the head of an arrow covers: a thick line ends sharply."""
    way = list(points)
    if side:
        place, way_back = (-1, -_HEAD) if side == "end" else (0, _HEAD)
        way[place] = (way[place][0], way[place][1] + way_back)
    return way


def _curve(points: Sequence[Point]) -> str:
    """A smooth way through the points that is upright at each of them."""
    (x, y), *rest = points
    path = [f"M{x:.1f} {y:.1f}"]
    for a, b in rest:
        bend = (b - y) / 2
        path.append(f"C{x:.1f} {y + bend:.1f} {a:.1f} {b - bend:.1f} {a:.1f} {b:.1f}")
        x, y = a, b
    return "".join(path)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _text_width(text: str) -> float:
    """An estimate for bold text of 13 pixels, on the generous side."""
    return sum(9.4 if character.isupper() else 8.2 for character in text)


def _key_figures(structure: Any, model: AnyModel | None) -> str:
    n_edges = structure.n_edges if isinstance(model, FeatureNetwork) else len(links_of(structure))
    figures = [f"{len(structure.schema):,} variables", f"{n_edges:,} edges"]
    if (pattern := getattr(structure, "pattern", None)) is not None:
        figures[-1] += f" ({len(pattern.undirected_edges()):,} without direction)"
    if model is not None:
        figures.append(f"{model.n_parameters:,} parameters")
    if isinstance(model, FeatureNetwork):
        figures.append(f"feature graph of {model.graph.n_nodes:,} nodes")
    if groups := Groups.of(structure):
        figures.append(groups.figures())
    return " · ".join(figures)


def _given_line(given: Mapping[str, Label] | None) -> str:
    if not given:
        return ""
    items = ", ".join(f"<b>{escape(name)}</b> = {escape(str(state))}" for name, state in given.items())
    return f"<p>given {items}</p>"

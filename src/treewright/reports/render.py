"""Pictures of structures and models: SVG text and self-contained HTML pages.

Nothing is loaded from elsewhere and nothing has to be installed; colours follow the reader's light or
dark setting. With a model, each node shows its distribution as bars.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from treewright.arguments import MODEL, STRUCTURE, require
from treewright.errors import FormatError
from treewright.learners import EdgeConfidence
from treewright.models import (
    BayesianNetwork,
    ConditionalGaussianNetwork,
    FeatureNetwork,
    GaussianNetwork,
    MarkovNetwork,
)
from treewright.models.model import AnyModel
from treewright.reports.cards import Card, answer_card, card_of, draw_card
from treewright.reports.escaping import escape
from treewright.reports.feature_picture import PARTS, drawn_structure, upper_nodes
from treewright.reports.groups import PAGE_STYLE, STYLE, Groups
from treewright.reports.layout import Layout, Point, lay_out
from treewright.reports.legend import (
    Gains,
    Legend,
    Strength,
    edge_words,
    kept_gains,
    legend_of,
    strength_of,
)
from treewright.reports.links import Link, links_of
from treewright.reports.styles import SCRIPT, curve_style, page_style, svg_style
from treewright.tables.exports import counted

_MARGIN = 16
_HEAD = 10  # length of an arrow's head
_BARS_UP_TO = 60  # variables that a notebook shows with their distributions
_QUICK = 0.2  # seconds that a notebook may work on these
_WithBeliefs = BayesianNetwork | MarkovNetwork | FeatureNetwork | GaussianNetwork | ConditionalGaussianNetwork
_KINDS: dict[type[Any], str] = {
    BayesianNetwork: "Bayesian network",
    MarkovNetwork: "Markov network",
    FeatureNetwork: "Feature network",
    GaussianNetwork: "Gaussian network",
    ConditionalGaussianNetwork: "Mixed network",
}


class Picture(str):
    """The text of an SVG picture, which a notebook shows as one."""

    def _repr_svg_(self) -> str:
        return str(self)


def to_svg(
    structure: Any,
    *,
    marginals: Mapping[str, Any] | None = None,
    observed: Sequence[str] = (),
    confidence: EdgeConfidence | None = None,
    gains: Gains | None = None,
    arrows: str | None = None,
) -> Picture:
    """Draw a structure, with a legend above it.

    Parameters
    ----------
    structure
        A directed, partly directed or undirected graph with a schema, or a model or result that has one.
        Of a learned network, an edge that neither rows nor knowledge direct (`dag.pattern`) has no arrow.
        Where it knows the clusters of its variables they are drawn as coloured groups.
    marginals, observed
        What to show in the nodes, by name: distributions, or Normals and mixtures of them as curves; and
        which variables to mark as given.
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
    while hasattr(structure, "structure"):  # of a model, of what a learner found
        structure = structure.structure
    require("to_svg", STRUCTURE, structure)
    schema = structure.schema
    cards = []
    for name in schema.names:
        known = name in observed
        cards.append(
            card_of(name, (), known) if marginals is None else answer_card(name, marginals[name], known)
        )
    strength = strength_of(confidence, gains)
    links = links_of(structure)

    def legend(width: float) -> Legend:
        return legend_of(structure, links, strength, width, arrows)

    return draw(structure, cards, links, strength, legend)


def draw(
    structure: Any,
    cards: Sequence[Card],
    links: Sequence[Link],
    strength: Strength | None,
    make_legend: Callable[[float], Legend],
    *,
    style: str = "",
) -> Picture:
    """A picture of boxes and links, below the legend that suits its width."""
    groups = Groups.of(structure)
    sizes = [(card.width, card.height) for card in cards]
    layout = lay_out(sizes, [link.arc for link in links], structure.schema.names)
    legend = make_legend(layout.width)
    title = f"{len(cards)} variables, {len(links)} edges"
    parts = [
        '<defs><marker id="treewright-arrow" viewBox="0 0 10 10" refX="1" refY="5" markerWidth="11" '
        'markerHeight="11" markerUnits="userSpaceOnUse" orient="auto-start-reverse">'
        '<path class="head" d="M0 1 10 5 0 9z"/></marker></defs>',
        *legend.draw(0.0, -legend.height),
        *(_draw_link(link, layout, structure, strength) for link in links),
        *(draw_card(card, layout.centres[v], groups, v) for v, card in enumerate(cards)),
    ]
    width = max(layout.width, legend.width)
    style += (STYLE if groups else "") + style_of(cards)
    return framed(parts, width, layout.height, title, above=legend.height, style=style)


def style_of(cards: Iterable[Card]) -> str:
    """What these cards need beside the style of all pictures."""
    return curve_style() if any(card.curve for card in cards) else ""


def framed(
    parts: Iterable[str], width: float, height: float, title: str, *, above: float = 0.0, style: str = ""
) -> Picture:
    """Drawn parts as one picture with a margin; `above` is what lies over the origin."""
    wide, high = width + 2 * _MARGIN, height + above + 2 * _MARGIN
    return Picture(
        "\n".join(
            [
                '<svg xmlns="http://www.w3.org/2000/svg" class="treewright" role="img" '
                f'aria-label="{escape(title)}" width="{wide:.0f}" height="{high:.0f}" '
                f'viewBox="{-_MARGIN} {-_MARGIN - above:.0f} {wide:.0f} {high:.0f}">',
                f"<style>{svg_style()}{style}</style>",
                *parts,
                "</svg>",
            ]
        )
    )


def to_static_html(
    source: Any,
    *,
    title: str | None = None,
    given: Mapping[str, Any] | None = None,
    confidence: EdgeConfidence | None = None,
    gains: Gains | None = None,
) -> str:
    """Make a page with the picture of a model or a structure, without anything to click.

    Parameters
    ----------
    source
        A model, whose nodes show their distributions where it has them, or a bare structure.
    title
        Heading of the page.
    given
        Observed states and numbers; the distributions of a model are shown given these.
    confidence, gains
        How strong each edge is, see :func:`to_svg`; by default what the model's `provenance` knows.

    Examples
    --------
    >>> from treewright.networks import load_network
    >>> page = to_static_html(load_network("asia"), title="Chest clinic", given={"smoke": "yes"})
    >>> page.startswith("<!doctype html>")
    True
    """
    model = source if isinstance(source, _WithBeliefs) else None
    structure = getattr(source, "structure", source)
    marginals = None if model is None else model.marginals(given)
    groups = Groups.of(structure)
    heading = escape(title or kind_of(source))
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
            f"<header><h1>{heading}</h1><p>{key_figures(source)}</p>{_given_line(given)}"
            f"{groups.legend() if groups else ''}</header>",
            f"<main>{picture}</main>",
            f"<script>{SCRIPT}</script></body></html>\n",
        ]
    )


def draw_for_notebook(model: AnyModel) -> str:
    """A piece of a page for notebooks: key figures above the picture, which scrolls when it is large.

    Distributions are shown where the model is small and they are worked out at once, so that showing a model
    is always quick.

    Examples
    --------
    >>> from treewright.networks import load_network
    >>> draw_for_notebook(load_network("asia"))[:30]
    '<div class="treewright-model">'
    """
    require("draw_for_notebook", MODEL, model)
    return scrolled(model_picture(model), key_figures(model))


def scrolled(picture: str, said: str) -> str:
    """A picture in a notebook, with a line above it."""
    return (
        f'<div class="treewright-model"><p>{escape(said)}</p>'
        f'<div style="overflow:auto;max-height:40em">{picture}</div></div>'
    )


def model_picture(model: AnyModel) -> Picture:
    """The structure of a model, with its distributions where these are quick."""
    if isinstance(model, FeatureNetwork):
        return to_svg(upper_nodes(model.graph), arrows=PARTS)
    confidence, gains = kept_strength(model)
    marginals = None
    if isinstance(model, _WithBeliefs) and len(model.schema) <= _BARS_UP_TO:
        cost = model.cost()
        if cost.seconds < _QUICK and not cost.refused:
            marginals = model.marginals()
    return to_svg(model.structure, marginals=marginals, confidence=confidence, gains=gains)


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
        place, beside, way_back = (-1, -2, -_HEAD) if side == "end" else (0, 1, _HEAD)
        way[place] = (way[place][0], way[place][1] + way_back)
        if (way[beside][1] - way[place][1]) * way_back < 0:  # the last piece is shorter than the head
            del way[beside]
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


def kind_of(source: Any) -> str:
    """A heading for what has no title."""
    return _KINDS.get(type(source)) or type(getattr(source, "structure", source)).__name__


def key_figures(source: Any) -> str:
    """One line about a model or a structure."""
    structure = getattr(source, "structure", source)
    n_edges = structure.n_edges if isinstance(source, FeatureNetwork) else len(links_of(structure))
    figures = [counted(len(structure.schema), "variable"), counted(n_edges, "edge")]
    pattern = getattr(structure, "pattern", None)
    if n_open := 0 if pattern is None else len(pattern.undirected_edges()):
        figures[-1] += f" ({n_open:,} without direction)"
    if (n_parameters := getattr(source, "n_parameters", None)) is not None:
        figures.append(counted(n_parameters, "parameter"))
    if isinstance(source, FeatureNetwork):
        figures.append(f"feature graph of {source.graph.n_nodes:,} nodes")
    if groups := Groups.of(structure):
        figures.append(groups.figures())
    return " · ".join(figures)


def _given_line(given: Mapping[str, Any] | None) -> str:
    if not given:
        return ""
    items = ", ".join(f"<b>{escape(name)}</b> = {escape(str(state))}" for name, state in given.items())
    return f"<p>given {items}</p>"

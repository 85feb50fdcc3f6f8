"""Write the explorer page: how large its cards are, where they stand, and everything in one file.

How much a card shows follows from the size of the drawing: cards with a bar for each state where the whole
can be read at once, pills with a name and one strip where it cannot, dots where these would be too many.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treewright.arguments import DRAWN, require
from treewright.graphs.directed.pdag import NOT_A_CAUSE
from treewright.learners import EdgeConfidence
from treewright.models import FeatureNetwork
from treewright.reports.explorer.page_data import PageData, loading, packed_bytes, page_data
from treewright.reports.explorer.page_file import page_file
from treewright.reports.explorer.page_keys import keys_of
from treewright.reports.explorer.text_width import text_width
from treewright.reports.feature_picture import PARTS, upper_nodes
from treewright.reports.layered import Spacing
from treewright.reports.layout import Layout, lay_out
from treewright.reports.legend import Gains, edge_meanings, strength_of
from treewright.reports.render import kept_strength, key_figures, kind_of
from treewright.types import Arc

Size = tuple[float, float]
MOST_STATES, MOST_ROWS = 6, 200  # that a card and a table list
_CLIQUES = "cliques in which answers are worked out; between two of them, what they share"
_WIDTH = "width: mutual information (up to 1 bit)"
_WIDTH_BETWEEN_STATES = "width between states: mutual information (up to 1 bit)"
_WINDOW = (1250.0, 900.0)
_SHARING = Spacing(layers=74.0)  # of cliques: what two share stands between them
_PACKED = ("variables", "factors", "lines", "mixtures", "plan", "edges", "arrows", "confidence", "clusters")
_FEATURES, _NETWORK = ("features.js", "leaves.js", "ways.js"), ("answers.js", "derivatives.js")
_NORMAL, _NUMBERS = ("normal.js", "moves.js"), ("numbers.js", "curves.js", "mixtures.js", "curves.css")
_SMALL, _MIXED = ("labels.js", "strips.js", "small.css"), ("mixed.js", "lines.js", "scores.js")
_CALLED_ELSEWHERE = {  # what a page of this kind never needs
    "tables": _FEATURES + _NORMAL + _NUMBERS + _MIXED,
    "structure": _FEATURES + _NORMAL + _NUMBERS + _NETWORK + _MIXED,
    "features": (*_NORMAL, *_NUMBERS, *_MIXED, "answers.js", "clusters.js"),
    "normal": _FEATURES + _NETWORK + _MIXED,
    "mixed": (*_FEATURES, *_NORMAL, "answers.js", "clusters.js"),
}


def to_html(
    source: Any,
    *,
    title: str | None = None,
    given: Mapping[str, Any] | None = None,
    confidence: EdgeConfidence | None = None,
    gains: Gains | None = None,
    file: str = "",
) -> str:
    """Make the explorer page of a model or a structure: one file that needs nothing else.

    A click on a state says that it is known, and every belief follows, exactly. Models too large for a page
    (beyond 4 million cells) show their beliefs at the time of writing.

    Parameters
    ----------
    source
        A model, or a bare structure, which has no beliefs.
    title
        Heading of the page.
    given
        What is known when the page opens.
    confidence, gains
        How sure each edge is, and what it adds to the score; by default what the model's `provenance` knows.
    file
        Where Python finds the model again: the page quotes it where it says how to ask the same in Python,
        and without it says how to save the model first.

    Examples
    --------
    >>> from treewright.networks import load_network
    >>> page = to_html(load_network("asia"), title="Chest clinic", given={"smoke": "yes"})
    >>> page.startswith("<!doctype html>")
    True
    """
    require("to_html", DRAWN, source)
    if confidence is None and gains is None:
        confidence, gains = kept_strength(source)
    heading = title or kind_of(source)
    data = page_data(source, title=heading, file=file, given=given, confidence=confidence)
    data["load"] = loading(file)
    drawing = _drawing(data) | _second_drawing(source, data) | _meanings(source, data, confidence, gains)
    drawing["keys"] = keys_of(data | drawing)
    without = _never_called(data | drawing)
    drawing |= {key: data.pop(key) for key in _PACKED if key in data}
    data["rest"] = packed_bytes(json.dumps(drawing, separators=(",", ":")).encode())
    return page_file(data, title=heading, facts=key_figures(source), without=without)


def _never_called(data: PageData) -> tuple[str, ...]:
    """Modules and style sheets that a page never needs."""
    return (
        *_CALLED_ELSEWHERE[data["kind"]],
        *(_SMALL if data["density"] == "cards" else ()),
        *(() if "clusters" in data else ("clusters.js",)),
        *(() if _has_many(data) else ("many.js",)),
    )


def _has_many(data: PageData) -> bool:
    """Whether some variable has more states than a card lists, or a table more rows than a panel."""
    states = [len(variable.get("states", ())) for variable in data["variables"]]
    rows = [math.prod(states[v] for v in factor["scope"][:-1]) for factor in data.get("factors", ())]
    return max(states, default=0) > MOST_STATES or max(rows, default=0) > MOST_ROWS


def _meanings(
    source: Any, data: PageData, confidence: EdgeConfidence | None, gains: Gains | None
) -> PageData:
    """What colours and lines mean, and how strong lines are where the page cannot work that out itself."""
    names = [variable["name"] for variable in data["variables"]]
    told = edge_meanings(getattr(source, "structure", source), data["arrows"])
    found: PageData = {"caution": NOT_A_CAUSE if "arrow" in told else ""}
    strength = strength_of(confidence, gains)
    if strength is not None:
        pairs = [(names[u], names[v]) for u, v in data["edges"]]
        found["told"] = [strength.told(*pair) for pair in pairs]
        found["shares"] = [round(strength.share(*pair), 4) for pair in pairs]
    live, edges = _is_live(data), bool(data["edges"])
    wide = strength and f"width: {strength.legend}"
    if live and edges:
        wide = _WIDTH_BETWEEN_STATES if "untold" in data else _WIDTH
    meanings = {
        "now": "now" if _believes(data) else None,
        "was": "before" if live else None,
        "moved": "changed" if live else None,
        "seen": "known" if _believes(data) else None,
        "arrow": told.get("arrow"),
        "line": told.get("line"),
        "wide": wide,
        "weak": "cut off by what is known" if live and edges else None,
        "pale": "pale: fewer resamplings found it" if "confidence" in data else None,
        "none": data.get("undrawn"),
    }
    found["legend"] = [[kind, text] for kind, text in meanings.items() if text]
    return found


def _believes(data: PageData) -> bool:
    """Whether a page has beliefs to show."""
    return data["kind"] != "structure" and ("starting" in data or "note" not in data)


def _is_live(data: PageData) -> bool:
    """Whether a page propagates."""
    return data["kind"] != "structure" and "note" not in data


@dataclass(frozen=True)
class _Density:
    """How much is shown of a variable, and the scale below which that is too much."""

    name: str
    size: Callable[[Mapping[str, Any], bool], Size]
    spacing: Spacing
    least_scale: float


def _card_size(variable: Mapping[str, Any], believes: bool) -> Size:
    name = text_width(variable["name"], 12)
    if not believes:
        return math.ceil(max(56.0, name + 24)), 32.0
    if "states" not in variable:
        return math.ceil(max(170.0, name + 54)), 106.0
    states = variable["states"]
    labels = max(text_width(state, 11) for state in states)
    more = 14 if len(states) > MOST_STATES else 0
    return math.ceil(max(150.0, name + 54, labels + 134)), 33.0 + 17 * min(len(states), MOST_STATES) + more


def _pill_size(variable: Mapping[str, Any], believes: bool) -> Size:
    return math.ceil(max(56.0, text_width(variable["name"], 12) + 20)), 38.0 if believes else 30.0


_DENSITIES = (
    _Density("cards", _card_size, Spacing(52.0, 24.0, 14.0), 0.5),
    _Density("pills", _pill_size, Spacing(40.0, 16.0, 10.0), 0.28),
    _Density("dots", lambda _variable, _believes: (16.0, 16.0), Spacing(34.0, 12.0, 7.0, stretch=10.0), 0.0),
)


def _drawing(data: PageData) -> PageData:
    """The densest drawing that can still be read when all of it is in the window."""
    variables = data["variables"]
    (across, down), believes = _WINDOW, _believes(data)
    names = [variable["name"] for variable in variables]
    arcs = [(u, v) for u, v in data["edges"]]
    for density in _DENSITIES:
        sizes = [density.size(variable, believes) for variable in variables]
        layout = lay_out(sizes, arcs, names, density.spacing)
        if min(across / max(layout.width, 1.0), down / max(layout.height, 1.0)) >= density.least_scale:
            break
    found = {
        "density": density.name,
        "most_states": MOST_STATES,
        "most_rows": MOST_ROWS,
        "layout": _written(layout, sizes, arcs),
    }
    if density.name != "cards":
        found["card_sizes"] = [_rounded(_card_size(variable, believes)) for variable in variables]
    return found


def _second_drawing(source: Any, data: PageData) -> PageData:
    """The junction forest; of a feature graph, its upper nodes."""
    names = [variable["name"] for variable in data["variables"]]
    if "plan" in data:
        parents = data["plan"]["parent"]
        sizes = [_clique_size([names[v] for v in scope]) for scope in data["plan"]["scopes"]]
        arcs = [(parent, child) for child, parent in enumerate(parents) if parent >= 0]
        tree = _written(lay_out(sizes, arcs, spacing=_SHARING), sizes, arcs)  # by child
        return {"tree": tree | {"meaning": _CLIQUES}}
    if isinstance(source, FeatureNetwork):
        upper = upper_nodes(source.graph)
        labels = list(upper.schema.names)
        sizes = [_lines_size(label.split(" ")) for label in labels]
        arcs = [(upper.schema.index(u), upper.schema.index(v)) for u, v in upper.edges()]
        tree = _written(lay_out(sizes, arcs, labels), sizes, arcs)
        n_nodes = source.graph.n_nodes
        some = "" if n_nodes == len(labels) else f"; the {len(labels)} nearest to the root, of {n_nodes:,}"
        return {"tree": tree | {"labels": labels, "meaning": PARTS + some}}
    return {}


def _clique_size(names: Sequence[str]) -> Size:
    """Room for the names as they flow in lines."""
    widths = [text_width(name, 11) + 18 for name in names] or [40.0]
    width = max(*widths, min(270.0, sum(widths) / max(1, round(0.8 * len(widths) ** 0.5))))
    return math.ceil(width + 18), 22.0 * _n_lines(widths, width) + 14


def _lines_size(words: Sequence[str]) -> Size:
    """Room for a text of small letters that is broken into lines."""
    widths = [text_width(word + " ", 11) for word in words]
    width = max(*widths, min(210.0, sum(widths)))
    return math.ceil(width + 20), 16.0 * _n_lines(widths, width) + 14


def _n_lines(widths: Sequence[float], width: float) -> int:
    lines, left = 1, 0.0
    for one in widths:
        if left and left + one > width:
            lines, left = lines + 1, 0.0
        left += one
    return lines


def _written(layout: Layout, sizes: Sequence[Size], arcs: Sequence[Arc]) -> PageData:
    return {
        "sizes": [_rounded(size) for size in sizes],
        "centres": [_rounded(centre) for centre in layout.centres],
        "routes": [[_rounded(point) for point in layout.routes[arc]] for arc in arcs],
        "width": _short(layout.width),
        "height": _short(layout.height),
    }


def _rounded(pair: tuple[float, float]) -> list[float]:
    return [_short(pair[0]), _short(pair[1])]


def _short(x: float) -> float:
    """With one decimal, or as a whole number."""
    whole = round(x)
    return whole if abs(x - whole) < 0.05 else round(x, 1)

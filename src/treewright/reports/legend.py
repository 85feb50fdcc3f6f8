"""What lines and arrows of a picture mean, said above it; and how strong an edge is, where that is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from treewright.graphs.directed.pdag import NOT_A_CAUSE
from treewright.learners import EdgeConfidence
from treewright.reports.escaping import escape
from treewright.reports.links import Link

_ROW = 18  # pixels between two lines of text
_LETTER = 6.5  # width of a letter of 11 pixels, on the generous side
_SAMPLE = 30  # length of a line that is explained
_GAP = 26
_NARROWEST = 520
_DIRECTED = "direction told by the rows, the knowledge or the score"
_OPEN = "either direction fits"
_GIVEN, _JOINED = "arc of the network, as it was given", "joined, without direction"

Gains = Mapping[tuple[str, str], float]


@dataclass(frozen=True)
class Strength:
    """How strong edges are, from 0 to 1: a share for each, its words, and what it means."""

    kind: str
    share: Callable[[str, str], float]
    told: Callable[[str, str], str]
    legend: str
    palest: float = 0.25
    thinnest: float = 0.6

    def style(self, u: str, v: str) -> str:
        """Strong edges are thick and dark, weak ones thin and pale."""
        share = self.share(u, v)
        opacity = self.palest + (1 - self.palest) * share
        thick = self.thinnest + (3.2 - self.thinnest) * share
        return f'data-{self.kind}="{share:.3f}" style="stroke-width:{thick:.2f};opacity:{opacity:.2f}"'


def strength_of(confidence: EdgeConfidence | None, gains: Gains | None) -> Strength | None:
    """How often resampled rows had an edge, or, where nobody asked them, what it adds to the score."""
    if confidence is not None:
        sure = confidence.strength
        often = f"the thicker, the more of {confidence.repetitions:,} resamplings found the edge"
        return Strength("confidence", sure, lambda u, v: f"{100 * sure(u, v):.0f}%", often)
    most = max((gains or {}).values(), default=0.0)
    if not gains or most <= 0:
        return None
    known = {frozenset(pair): max(0.0, gain) for pair, gain in gains.items()}

    def gain(u: str, v: str) -> float:
        return known.get(frozenset((u, v)), 0.0)

    return Strength(
        "gain",
        lambda u, v: sqrt(gain(u, v) / most),
        lambda u, v: f"{gain(u, v):,.1f} nats",
        f"the thicker, the more the edge explains, up to {most:,.0f} nats of all rows",
        palest=0.65,
        thinnest=1.0,
    )


def kept_gains(provenance: Mapping[str, Any]) -> Gains | None:
    """What each edge adds to the score, where `learn` left it beside the model; nothing if it is not that."""
    kept = provenance.get("gains")
    if not isinstance(kept, list):
        return None
    known = (str, str, float)
    fits = all(isinstance(item, list) and tuple(map(type, item)) == known for item in kept)
    return {(u, v): gain for u, v, gain in kept} if fits else None


@dataclass(frozen=True)
class Legend:
    """Samples of lines with their meaning, in rows, and a sentence below; drawn from the corner (0, 0)."""

    rows: tuple[tuple[tuple[float, str, str], ...], ...]
    sentence: str
    width: float

    @property
    def height(self) -> float:
        return _ROW * (len(self.rows) + bool(self.sentence)) + (16 if self.rows else 0)

    def draw(self, x: float, y: float) -> list[str]:
        drawn = []
        for i, row in enumerate(self.rows):
            drawn += [_entry(x + left, y + _ROW * i + 9, kind, text) for left, kind, text in row]
        if self.sentence:
            drawn.append(_text(x, y + _ROW * len(self.rows) + 9, self.sentence, "key said"))
        return drawn


def legend_of(
    structure: Any, links: Sequence[Link], strength: Strength | None, width: float, meaning: str | None = None
) -> Legend:
    """The legend of a picture that is so wide; of one without edges it is empty."""
    meanings = edge_meanings(structure, [link.arrow for link in links])
    arrows = "arrow" in meanings
    if arrows and meaning:
        meanings["arrow"] = meaning
    entries = list(meanings.items())
    if strength is not None and links:
        entries.append(("thick", strength.legend))
    return packed_legend(entries, NOT_A_CAUSE if arrows and meaning is None else "", width)


def packed_legend(entries: Sequence[tuple[str, str]], sentence: str, width: float) -> Legend:
    """Kinds of lines and their meanings, in as many rows as a picture of this width needs."""
    rows: list[list[tuple[float, str, str]]] = []
    room, left, widest = max(width, _NARROWEST), 0.0, 0.0
    for kind, text in entries:
        size = _SAMPLE + 8 + _LETTER * len(text)
        if not rows or left + size > room:
            rows.append([])
            left = 0.0
        rows[-1].append((left, kind, text))
        left += size + _GAP
        widest = max(widest, left - _GAP)
    return Legend(tuple(map(tuple, rows)), sentence, max(widest, _LETTER * len(sentence)))


def edge_meanings(structure: Any, arrows: Sequence[str]) -> dict[str, str]:
    """What arrows and lines without arrows mean, of those that are there."""
    learned = getattr(structure, "pattern", None) is not None or hasattr(structure, "undirected_edges")
    found = {}
    if any(arrow != "none" for arrow in arrows):
        found["arrow"] = _DIRECTED if learned else _GIVEN
    if "none" in arrows:
        found["line"] = f"{_OPEN} the rows equally well" if learned else _JOINED
    return found


def _entry(x: float, y: float, kind: str, text: str) -> str:
    end = x + _SAMPLE
    if kind == "thick":
        sample = f'<path class="key wedge" d="M{x:.1f} {y - 0.4:.1f}L{end:.1f} {y - 2:.1f}v4z"/>'
    else:
        tip = end - 8 if kind == "arrow" else end
        differs = f' data-difference="{kind}"' if kind not in ("arrow", "line") else ""
        sample = f'<path class="key line"{differs} d="M{x:.1f} {y:.1f}H{tip:.1f}"/>'
        if kind == "arrow":
            sample += f'<path class="head" d="M{tip:.1f} {y - 3.6:.1f}l8 3.6-8 3.6z"/>'
    return sample + _text(end + 8, y, text, "key")


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y + 4:.1f}">{escape(text)}</text>'


def edge_words(link: Link, tail: str, head: str, structure: Any, strength: Strength | None) -> str:
    """What pointing at an edge tells."""
    if link.arrow != "none":
        said = f"{tail} → {head}"
    else:
        is_open = getattr(structure, "pattern", None) is not None or hasattr(structure, "directed_edges")
        said = f"{tail} - {head}" + (f" ({_OPEN})" if is_open else "")
    return said if strength is None else f"{said}: {strength.told(tail, head)}"

"""Boxes of a picture: a name and bars for the states of a variable, or the curve of a number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treewright.models.answers import Distribution
from treewright.models.continuous.normal_answers import Normal
from treewright.models.mixed.mixtures import NormalMixture
from treewright.reports.curves import CURVE_HEIGHT, CURVE_WIDTH, Curve, curve_of
from treewright.reports.escaping import escape
from treewright.reports.groups import Groups
from treewright.reports.layout import Point

_NAME_HEIGHT = 26
_BAR_HEIGHT = 16
_BAR_LENGTH = 54
_SHOWN_STATES = 8
_CURVE_LEFT = 12
_WORDS_HEIGHT = 30  # below a curve
_LONGEST = 28  # characters of a name or state that are shown


@dataclass(frozen=True)
class Card:
    """What one node shows."""

    name: str
    rows: tuple[tuple[str, float], ...]
    more: int
    observed: bool
    width: float
    height: float
    curve: Curve | None = None


Answer = Distribution | Normal | NormalMixture


def answer_card(name: str, answer: Answer, observed: bool = False) -> Card:
    """A box with what a variable is."""
    if isinstance(answer, Distribution):
        return card_of(name, [(str(state), p) for state, p in answer.items()], observed)
    width = max(_text_width(_short(name)) + 24, CURVE_WIDTH + 2 * _CURVE_LEFT)
    height = _NAME_HEIGHT + CURVE_HEIGHT + _WORDS_HEIGHT
    return Card(name, (), 0, observed, width, height, curve_of(answer))


def card_of(name: str, states: Sequence[tuple[str, float]], observed: bool = False) -> Card:
    """A box with a name and a bar for each of the first states."""
    more = max(0, len(states) - _SHOWN_STATES)
    rows = tuple(states[:_SHOWN_STATES])
    width = _text_width(_short(name)) + 24
    if rows:
        width = max(width, 6.4 * max(len(_short(label)) for label, _ in rows) + _BAR_LENGTH + 78)
    lines = len(rows) + (more > 0)
    height = _NAME_HEIGHT + (_BAR_HEIGHT * lines + 6 if lines else 2)
    return Card(name, rows, more, observed, max(width, 48.0), height)


def draw_card(card: Card, centre: Point, groups: Groups | None = None, v: int = 0) -> str:
    """A box around a centre."""
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
    if card.curve:
        parts.append(_draw_curve(card.curve, card.width))
    if card.more:
        y = _NAME_HEIGHT + _BAR_HEIGHT * len(card.rows) + 11
        parts.append(
            f'<text class="share" x="{card.width - 8:.1f}" y="{y}">and {card.more} more states</text>'
        )
    return "".join([*parts, "</g>"])


def _draw_curve(curve: Curve, width: float) -> str:
    left, right, below = (width - CURVE_WIDTH) / 2, (width + CURVE_WIDTH) / 2, _NAME_HEIGHT + CURVE_HEIGHT
    lines = f"M{left + curve.mean:.1f} {_NAME_HEIGHT}V{below:.1f}M{left:.1f} {below:.1f}H{right:.1f}"
    return (
        f'<path class="curve" transform="translate({left:.1f} {_NAME_HEIGHT})" d="{curve.path}"/>'
        f'<path class="mean" d="{lines}"/>'
        f'<text class="state low" x="{left:.1f}" y="{below + 11:.1f}">{curve.ends[0]}</text>'
        f'<text class="state" x="{right:.1f}" y="{below + 11:.1f}">{curve.ends[1]}</text>'
        f'<text class="state words" x="{width / 2:.1f}" y="{below + 24:.1f}">{curve.words}</text>'
    )


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _text_width(text: str) -> float:
    """An estimate for bold text of 13 pixels, on the generous side."""
    return sum(9.4 if character.isupper() else 8.2 for character in text)

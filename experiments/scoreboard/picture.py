"""The board as one picture: a bar of errors and a dot of seconds for everybody."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

OURS, THEIRS, INK, FAINT = "#1f6f8b", "#b0734a", "#222", "#ddd"
LABEL, ERRORS, GAP, SECONDS = 190, 330, 50, 190  # widths
LINE, TOP, BOTTOM = 24, 58, 44
WIDTH = LABEL + ERRORS + GAP + SECONDS + 30


@dataclass(frozen=True)
class Bar:
    """Errors with half the width of their interval, and processor seconds."""

    label: str
    errors: float
    half_width: float
    seconds: float
    is_peer: bool


def draw_board(bars: Sequence[Bar]) -> str:
    """An SVG with letters as letters; the best is on top."""
    height = TOP + LINE * len(bars) + BOTTOM
    most = max(10.0, *(bar.errors + (bar.half_width if bar.half_width > 0 else 0.0) for bar in bars))
    first = math.floor(math.log10(max(min(bar.seconds for bar in bars), 1e-4)))
    last = math.ceil(math.log10(max(bar.seconds for bar in bars)))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        f'font-size="12" fill="{INK}" role="img"><title>Errors and seconds of every learner</title>',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        _text(LABEL, 20, "errors in 100 arcs of the true networks", bold=True),
        _text(LABEL + ERRORS + GAP, 20, "seconds for all of them", bold=True),
        _text(LABEL, 36, "fewer is better; whiskers hold the mean in 95 of 100 repetitions", size=10),
        _text(LABEL + ERRORS + GAP, 36, "each step is ten times as long", size=10),
    ]
    parts += _ticks_of_errors(most, height) + _ticks_of_seconds(first, last, height)
    for place, bar in enumerate(bars):
        parts += _line(bar, TOP + LINE * place, ERRORS / most, first, SECONDS / max(last - first, 1))
    parts += _legend(height - 12)
    return "".join(parts) + "</svg>\n"


def _line(bar: Bar, y: float, scale: float, first: int, step: float) -> list[str]:
    colour = THEIRS if bar.is_peer else OURS
    middle, end = y + LINE / 2, LABEL + bar.errors * scale
    dot = LABEL + ERRORS + GAP + (math.log10(max(bar.seconds, 1e-4)) - first) * step
    parts = [
        f'<text x="{LABEL - 8}" y="{middle + 4:.1f}" text-anchor="end">{escape(bar.label)}</text>',
        f'<rect x="{LABEL}" y="{y + 5:.1f}" width="{end - LABEL:.1f}" height="{LINE - 10}" fill="{colour}"/>',
        f'<circle cx="{dot:.1f}" cy="{middle:.1f}" r="5" fill="{colour}"/>',
    ]
    if bar.half_width > 0:
        reach = bar.half_width * scale
        ends = f'x1="{end - reach:.1f}" x2="{end + reach:.1f}" y1="{middle:.1f}" y2="{middle:.1f}"'
        parts.append(f'<line {ends} stroke="{INK}" stroke-width="1.5"/>')
    return parts


def _ticks_of_errors(most: float, height: float) -> list[str]:
    step = 10 ** math.floor(math.log10(most))
    step = step if most / step >= 3 else step / 4
    values = [k * step for k in range(math.floor(most / step) + 1)]
    return [_tick(LABEL + value * ERRORS / most, f"{value:g}", height) for value in values]


def _ticks_of_seconds(first: int, last: int, height: float) -> list[str]:
    left, step = LABEL + ERRORS + GAP, SECONDS / max(last - first, 1)
    return [_tick(left + (k - first) * step, f"{10.0**k:g}", height) for k in range(first, last + 1)]


def _tick(x: float, label: str, height: float) -> str:
    ends = f'x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{height - BOTTOM}"'
    return f'<line {ends} stroke="{FAINT}"/>' + _text(x, TOP - 5, label, size=10, anchor="middle")


def _legend(y: float) -> list[str]:
    return [
        f'<rect x="{LABEL}" y="{y - 10}" width="12" height="12" fill="{OURS}"/>',
        _text(LABEL + 18, y, "treewright"),
        f'<rect x="{LABEL + 110}" y="{y - 10}" width="12" height="12" fill="{THEIRS}"/>',
        _text(LABEL + 128, y, "other packages"),
    ]


def _text(
    x: float, y: float, words: str, *, bold: bool = False, size: int = 12, anchor: str = "start"
) -> str:
    weight = ' font-weight="bold"' if bold else ""
    place = f'x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"'
    return f"<text {place}{weight}>{escape(words)}</text>"

"""Line plots with error bars, as SVG: the same bytes on every run, letters kept as letters."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "treewright",
    "svg.fonttype": "none",
    "font.size": 9,
    "font.sans-serif": ["DejaVu Sans"],
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
}
_MARKERS = "osD^vPX*"
_IN_A_ROW = 3
_MANY_POINTS = 40  # then markers would hide the line


@dataclass(frozen=True)
class Line:
    """Points of one method; `error` is half the height of each bar."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    error: Sequence[float] | None = None


@dataclass(frozen=True)
class Panel:
    """One pair of axes."""

    title: str
    x_label: str
    y_label: str
    lines: Sequence[Line]
    log_x: bool = False
    log_y: bool = False


def draw(path: Path, panels: Sequence[Panel]) -> None:
    """Draw the panels side by side, three in a row."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    columns = min(_IN_A_ROW, len(panels))
    rows = -(-len(panels) // columns)
    with mpl.rc_context(_SETTINGS):
        figure = Figure(figsize=(4.2 * columns, 3.2 * rows), layout="constrained")
        places = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes, panel in zip(places, panels, strict=False):
            _fill(axes, panel)
        for axes in places[len(panels) :]:
            axes.set_axis_off()
        svg = io.StringIO()
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(compact(svg.getvalue()), encoding="utf-8")


def _fill(axes: Any, panel: Panel) -> None:
    for number, line in enumerate(panel.lines):
        marker = _MARKERS[number % len(_MARKERS)] if len(line.x) < _MANY_POINTS else ""
        axes.errorbar(line.x, line.y, line.error, label=line.label, marker=marker, ms=3, lw=1, capsize=2)
    axes.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)
    axes.set_xscale("log" if panel.log_x else "linear")
    axes.set_yscale("log" if panel.log_y else "linear")
    axes.legend(fontsize=7)


def _two_decimals(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")


def compact(svg: str) -> str:
    """The same picture in fewer bytes: two decimals, no empty space, no names of groups, no metadata."""
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'"[^"]*"', lambda value: re.sub(r"-?\d+\.\d{3,}", _two_decimals, value[0]), svg)
    svg = re.sub(r'<g id="[^"]*"', "<g", svg)
    svg = re.sub(r"\s*\n\s*", " ", svg)
    svg = re.sub(r"> <", "><", svg)
    return svg.strip() + "\n"

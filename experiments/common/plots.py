"""Line plots with error bars, as SVG: the same bytes on every run, letters kept as letters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "treewright",
    "svg.fonttype": "none",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "legend.frameon": False,
}
_MARKERS = "osD^vPX*"


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
    """Draw the panels side by side."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_SETTINGS):
        figure = Figure(figsize=(4.2 * len(panels), 3.2), layout="constrained")
        for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
            for number, line in enumerate(panel.lines):
                marker = _MARKERS[number % len(_MARKERS)]
                axes.errorbar(
                    line.x, line.y, line.error, label=line.label, marker=marker, ms=3, lw=1, capsize=2
                )
            axes.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)
            axes.set_xscale("log" if panel.log_x else "linear")
            axes.set_yscale("log" if panel.log_y else "linear")
            axes.legend(fontsize=7)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None, "Creator": None})

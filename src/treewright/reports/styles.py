"""Colours and type of pictures and pages, in the reader's light or dark setting, and what pointing does."""

from __future__ import annotations

from collections.abc import Mapping

_LIGHT = {
    "page": "#ffffff",
    "ink": "#1b2430",
    "quiet": "#5b6775",
    "box": "#f7f9fb",
    "line": "#9aa7b5",
    "bar": "#2f7fb8",
    "seen": "#c9702b",
    "track": "#e3e9ef",
}
_DARK = {
    "page": "#14191f",
    "ink": "#e8edf2",
    "quiet": "#9fb0c0",
    "box": "#1e262e",
    "line": "#66788a",
    "bar": "#58a6d6",
    "seen": "#e39a5c",
    "track": "#2c3742",
}


def svg_style() -> str:
    fixed = (
        ".treewright text{font:600 13px system-ui,-apple-system,'Segoe UI',sans-serif}"
        ".treewright .name{text-anchor:middle}"
        ".treewright .state,.treewright .share{font-weight:400;font-size:11px;text-anchor:end}"
        ".treewright .share{font-variant-numeric:tabular-nums}"
        ".treewright .edge{fill:none;stroke-width:1.3}"
        ".treewright .box{stroke-width:1.2}.treewright .key.line{stroke-width:1.6}"
        ".treewright text.key{font-weight:400;font-size:11px}.treewright text.said{font-style:italic}"
    )
    return fixed + _svg_colours(_LIGHT) + f"@media(prefers-color-scheme:dark){{{_svg_colours(_DARK)}}}"


def _svg_colours(colour: Mapping[str, str]) -> str:
    return (
        f".treewright text{{fill:{colour['ink']}}}"
        f".treewright .state,.treewright .share,.treewright text.key{{fill:{colour['quiet']}}}"
        f".treewright .box{{fill:{colour['box']};stroke:{colour['line']}}}"
        f".treewright .edge,.treewright .key.line{{stroke:{colour['line']}}}"
        f".treewright .head,.treewright .wedge{{fill:{colour['line']}}}"
        f".treewright .track{{fill:{colour['track']}}}.treewright .bar{{fill:{colour['bar']}}}"
        f".treewright .seen .bar{{fill:{colour['seen']}}}.treewright .seen .box{{stroke:{colour['seen']}}}"
        f".treewright .edge.near{{stroke:{colour['bar']};stroke-width:2.4}}"
        f".treewright .node.near .box{{stroke:{colour['bar']}}}"
    )


def page_style() -> str:
    return (
        "body{margin:0;font:15px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif;"
        f"background:{_LIGHT['page']};color:{_LIGHT['ink']}}}"
        "header{padding:20px 24px 0}h1{font-size:22px;margin:0}p{margin:4px 0 0}"
        "main{padding:12px 8px 24px;overflow:auto}main svg{display:block;margin:auto}"
        "@media(prefers-color-scheme:dark){"
        f"body{{background:{_DARK['page']};color:{_DARK['ink']}}}}}"
    )


# Pointing at a node brings out its edges and neighbours.
SCRIPT = """
const edges = [...document.querySelectorAll('.edge')], nodes = [...document.querySelectorAll('.node')];
for (const node of nodes) {
  const name = node.dataset.name;
  const touching = edges.filter(e => e.dataset.from === name || e.dataset.to === name);
  const around = new Set([name, ...touching.flatMap(e => [e.dataset.from, e.dataset.to])]);
  const near = [...touching, ...nodes.filter(n => around.has(n.dataset.name))];
  node.addEventListener('pointerenter', () => near.forEach(x => x.classList.add('near')));
  node.addEventListener('pointerleave', () => near.forEach(x => x.classList.remove('near')));
}
"""

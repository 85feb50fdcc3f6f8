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


def curve_style() -> str:
    """Of pictures that have curves."""
    fixed = ".treewright .low{text-anchor:start}.treewright .words{text-anchor:middle}"
    return fixed + _curve_colours(_LIGHT) + f"@media(prefers-color-scheme:dark){{{_curve_colours(_DARK)}}}"


def _curve_colours(colour: Mapping[str, str]) -> str:
    return (
        f".treewright .curve{{fill:{colour['bar']}}}.treewright .mean{{stroke:{colour['quiet']};fill:none}}"
        f".treewright .seen .mean{{stroke:{colour['seen']}}}"
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


_REPORT = """
*{box-sizing:border-box} html{scroll-behavior:smooth}
body{margin:0;color:var(--ink);background:var(--page);
font:15px/1.55 system-ui,-apple-system,'Segoe UI',sans-serif}
header,main{max-width:68rem;margin:auto;padding:0 1.5rem} header{padding-top:2.2rem}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 1rem;letter-spacing:-.01em}
h2{font-size:1.2rem;margin:0 0 .7rem} h3{font-size:.95rem;margin:1.2rem 0 .4rem} p{margin:.3rem 0}
section{border-top:1px solid var(--track);padding:1.5rem 0 1.7rem}
nav{display:flex;flex-wrap:wrap;gap:.3rem 1.3rem;margin:1.2rem 0 1.4rem}
a{color:var(--bar);text-decoration:none} a:hover{text-decoration:underline}
.quiet{color:var(--quiet);font-size:.9rem}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(7.5rem,1fr));gap:.7rem}
.tiles div{background:var(--box);border:1px solid var(--track);border-radius:.6rem;padding:.7rem .9rem}
.tiles b{display:block;font-size:1.35rem;font-variant-numeric:tabular-nums}
.tiles span{color:var(--quiet);font-size:.85rem}
.wide{overflow:auto;max-width:100%} .picture svg{display:block;margin:0 auto}
.picture{width:calc(100vw - 3rem);max-width:none;margin-left:calc(50% - 50vw + 1.5rem)}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th{text-align:left;color:var(--quiet);font-weight:600;font-size:.82rem;border-bottom:1px solid var(--line)}
th,td{padding:.32rem .9rem .32rem 0;vertical-align:top}
td{border-bottom:1px solid var(--track);overflow-wrap:anywhere}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.bar{display:inline-block;height:.6em;border-radius:.2em;background:var(--bar);min-width:1px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1.4rem;margin:.4rem 0}
dt{color:var(--quiet)} dd{margin:0;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
ul{margin:.3rem 0;padding-left:1.2rem} li{margin:.15rem 0}
code{background:var(--box);border:1px solid var(--track);border-radius:.3rem;padding:0 .3rem;font-size:.85em}
@media print{
header,main{max-width:none;padding:0} nav{display:none} body{font-size:11pt}
tr,.tiles div,dl{break-inside:avoid} h2,h3{break-after:avoid} .wide{overflow:visible}
.picture{width:auto;margin:0} .picture svg{max-width:100%;height:auto}}
"""


def report_style() -> str:
    """Of a page with sections and tables, which is printed as well: black on white then."""
    light, dark = (";".join(f"--{k}:{v}" for k, v in tone.items()) for tone in (_LIGHT, _DARK))
    return f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}{_REPORT}"

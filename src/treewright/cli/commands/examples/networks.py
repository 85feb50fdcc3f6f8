"""`treewright networks`: the networks that come with the package."""

from __future__ import annotations

import re
from dataclasses import asdict

from treewright.cli import options as opt
from treewright.cli.answers.output import Lines, Output, heading, listing, remark
from treewright.networks import NetworkFigures, describe_networks

_FIGURES = ("variables", "arcs", "states", "parameters", "width")


@opt.command()
def networks(out: Output) -> None:
    """List the networks that come with the package; each can be named in the place of a model file.

    Example: treewright networks
    """
    found = describe_networks()
    out.answer(
        lambda: {"networks": [asdict(one) for one in found]},
        shown=lambda: _shown(found),
        bare=lambda: (tuple(asdict(one).values()) for one in found),
    )


def _shown(found: tuple[NetworkFigures, ...]) -> Lines:
    yield heading(f"{len(found)} networks")
    rows = (
        (one.name, *(f"{getattr(one, name):,}" for name in _FIGURES), _cited(one.source)) for one in found
    )
    yield listing("name", *_FIGURES, "source", numeric=_FIGURES, rows=rows)
    yield remark(
        "  states: the most of a variable; width: of the best triangulation found; --json: sources in full"
    )


def _cited(source: str) -> str:
    """As in running text: `Korb & Nicholson 2010`."""
    authors, _, rest = source.partition(" (")
    names = re.findall(r"([^,&]+), [A-Z][^,&]*", authors)
    few = " & ".join(name.strip() for name in names) if len(names) < 3 else f"{names[0].strip()} et al."
    return f"{few} {rest[:4]}"

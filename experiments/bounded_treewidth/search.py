"""The default search under a width bound: the local optimum, one second, and long, beside other figures.

BIC on the rows learned from. "local" is `effort=0`; the others are the best score told when the processor has
spent the time on it, counting included; the first of these times is what a prototype took to its own local
optimum. A run ends at the longest time, so that nothing is learned twice. The rows of the networks are
sampled here, unless TREEWRIGHT_ROWS names a folder of NAME.npz (codes `X`, `names`): figures of others belong
to rows, and are shown for theirs only.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import treewright as tw
from experiments.common import Experiment, Row, density, markdown_table, network, run, timed
from treewright.types import Step

PAGE = "docs/measured/bounded_treewidth.md"
ROWS = 10_000
SHORT = 1.0
LARGE = ("tmovie", "ad")  # once is enough
NETWORKS = frozenset({"alarm", "hepar2", "hailfinder", "andes"})


@dataclass(frozen=True)
class Cell:
    """One line: a set (perhaps its test rows) or network, the bound, the time, and what others reached."""

    data: str
    treewidth: int
    seconds: float
    prototype: tuple[int | None, ...] = ()
    published: int | None = None
    settles: float | None = None  # seconds of the prototype to its local optimum, where they are known


# An earlier, separate prototype of an iterated search on the same rows, in the same processor seconds: local
# optimum, one second, long. Published: the better of k-MAX and k-greedy (Scanagatta, Corani, de Campos &
# Zaffalon 2016; Scanagatta, Corani, Zaffalon, Yoo & Kang 2018), for nltcs.test kG-ENT.
CELLS = [
    Cell("nltcs.test", 2, 1, (-20750, -20592, -20592), -22331),
    Cell("nltcs.test", 4, 1, (-20161, -20052, -20052), -20408),
    Cell("plants.test", 2, 5, (-53077, -52214, -52162), -57892, settles=0.01),
    Cell("plants.test", 5, 5, (-49707, -49261, -49130), -51484),
    Cell("plants.test", 8, 5, (-49216, -48742, -48601), -51185),
    Cell("kdd.test", 2, 5, (-74637, -74472, -74467), -76253, settles=0.01),
    Cell("kdd.test", 5, 5, (-73936, -73751, -73744), -74164),
    Cell("kdd.test", 8, 5, (-73841, -73708, -73700), -74179),
    Cell("plants", 2, 5, (-256261, -252885, -252132), -284122, settles=0.01),
    Cell("plants", 5, 5, (-235905, -235120, -233922), -247957, settles=0.14),
    Cell("plants", 8, 5, (-231715, -230728, -230254), -245602, settles=0.24),
    Cell("jester", 2, 5, (-508328, -506586, -506383), -525134, settles=0.03),
    Cell("jester", 5, 5, (-494809, -494576, -493739), -498142, settles=0.2),
    Cell("jester", 8, 5, (-492552, -492101, -491553), -497314, settles=0.2),
    Cell("bnetflix", 2, 5, (-885091, -882385, -882173), -905099, settles=0.04),
    Cell("bnetflix", 5, 5, (-869869, -869338, -868205), -875164, settles=0.3),
    Cell("bnetflix", 8, 5, (-866033, -865573, -864646), -874149, settles=0.55),
    Cell("nltcs", 2, 2, (-102876, None, -102316)),
    Cell("nltcs", 4, 2, (-99150, None, -98769)),
    Cell("nltcs", 8, 2, (-98757, None, -98403)),
    Cell("msweb", 2, 10, (-296476, None, -295852)),
    Cell("msweb", 4, 10, (-293052, None, -292520)),
    Cell("msweb", 8, 10, (-291762, None, -291467)),
    Cell("kdd", 2, 10, (-441916, None, -440536)),
    Cell("kdd", 4, 10, (-434156, None, -433387)),
    Cell("kdd", 8, 10, (-432261, None, -431897)),
    Cell("alarm", 2, 5, (-107479, -105846, -105846)),
    Cell("alarm", 4, 5, (-106297, -105728, -105728), settles=0.13),
    Cell("hepar2", 2, 5, (-327405, -327376, -327376)),
    Cell("hepar2", 4, 5, (-327256, -327135, -327135), settles=0.34),
    Cell("hailfinder", 2, 5, (-499355, None, -498890)),
    Cell("hailfinder", 4, 5, (-498185, None, -498057)),
    Cell("andes", 2, 10, (-965509, -963278, -962337), settles=0.09),
    Cell("andes", 4, 10, (-941218, -939020, -938644), settles=0.18),
    Cell("andes", 8, 10, (-936399, -934054, -933615), settles=0.3),
    Cell("tmovie", 2, 10, (-278005, None, -277193), -299769, settles=1.1),
    Cell("tmovie", 5, 10, (-266584, None, -266353), -271459, settles=3),
    Cell("tmovie", 8, 10, (-264119, None, -264011), -271116, settles=5.5),
    Cell("ad", 5, 20),
]
SMALL = [Cell("nltcs.test", 2, 0.1), Cell("alarm", 4, 0.1)]


def rows_of(data: str, full: bool) -> tuple[tw.Table, str, bool]:
    """The table, how to call it, and whether figures of others belong to its rows."""
    if data in NETWORKS:
        return network_rows(data, ROWS if full else 500)
    name, _, split = data.partition(".")
    found = density(name)
    table = found.test if split else found.train
    return table, f"{found.shown}, test rows" if split else found.shown, found.shown == name


def network_rows(name: str, n_rows: int) -> tuple[tw.Table, str, bool]:
    folder = os.environ.get("TREEWRIGHT_ROWS")
    if folder:
        packed = np.load(Path(folder) / f"{name}.npz", allow_pickle=True)
        codes, names = packed["X"], [str(one) for one in packed["names"]]
        return tw.Table.from_codes(codes[:n_rows], [int(c.max()) + 1 for c in codes.T], names), name, True
    model, shown = network(name)
    return model.sample(n_rows, rng=np.random.default_rng(20260717)), f"{shown}, sampled", False


def within(table: tw.Table, treewidth: int, limits: list[float], seed: int = 0) -> list[float | None]:
    """The best score told by each of the processor times, the last the longest; None before anything was."""
    best: list[float | None] = [None] * len(limits)
    start = time.process_time()

    def tell(step: Step) -> None:
        spent = time.process_time() - start
        best[:] = [step.score if spent <= limit else one for limit, one in zip(limits, best, strict=True)]
        if spent >= limits[-1]:
            raise StopIteration

    try:
        score = tw.BIC(tw.count(table))
        rng = np.random.default_rng(seed)
        tw.learn_bounded_treewidth(score, treewidth=treewidth, effort=1e6, rng=rng, progress=tell)
    except StopIteration:
        pass
    return best


def measure(full: bool) -> Iterator[Row]:
    for cell in CELLS if full else SMALL:
        table, shown, same_rows = rows_of(cell.data, full)

        def local(rows: tw.Table = table, treewidth: int = cell.treewidth) -> tw.learners.Certified:
            return tw.learn_bounded_treewidth(tw.BIC(tw.count(rows)), treewidth=treewidth, effort=0)

        found, seconds = timed(local, repeats=1 if cell.data in LARGE else 3)
        told = within(table, cell.treewidth, [cell.settles or 0, min(SHORT, cell.seconds), cell.seconds])
        early, short, long = (None if one is None else round(one, 1) for one in told)
        yield {
            "data": shown,
            "K": cell.treewidth,
            "width": found.width,
            "local": round(found.score, 1),
            "seconds": round(seconds, 3),
            "early": early,
            "early_seconds": cell.settles if same_rows else None,
            "short": short,
            "long": long,
            "long_seconds": cell.seconds,
            "prototype": list(cell.prototype) if same_rows else [],
            "published": cell.published if same_rows else None,
        }


def tables(rows: list[Row]) -> Mapping[str, str]:
    header = [
        "data",
        "K",
        "local",
        "takes",
        "in the prototype's time",
        "1 s",
        "long",
        "of",
        "prototype: local / 1 s / long",
        "published",
    ]
    lines = [
        [
            row["data"],
            row["K"],
            whole(row["local"]),
            f"{row['seconds']:.2f} s",
            f"{whole(row['early'])} ({row['early_seconds']:g} s)" if row["early_seconds"] else "",
            whole(row["short"]),
            whole(row["long"]),
            f"{row['long_seconds']:g} s",
            " / ".join(whole(one) for one in row["prototype"]),
            whole(row["published"]) if row["published"] else "",
        ]
        for row in rows
    ]
    return {"search": markdown_table(header, lines)}


def whole(score: float | None) -> str:
    return "-" if score is None else f"{score:,.0f}"


EXPERIMENT = Experiment("bounded_treewidth.search", measure, tables, PAGE)

if __name__ == "__main__":
    run(EXPERIMENT)

"""Large files of every kind, damaged, each read in a process of its own with an end of time and memory.

The seeds take three quarters of the size that limits are told for, so that what damage repeats has room;
where a change of JSON makes more of a file than that, its limits grow with it.
"""

from __future__ import annotations

import atexit
import gzip
import io
import json
import random
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from tests.fuzz import costs
from tests.fuzz.mutation import damage, disturb
from tests.fuzz.targets import CSV_OPTIONS, NAMES, Target, sign_or_not
from tests.models.features.random_features import RandomFeatures

import treewright as tw
from treewright.graphs.knowledge.files import format_hypergraph
from treewright.models import BayesianNetwork, FeatureNetwork, MarkovNetwork
from treewright.models.continuous.sigmoid_network import fit_sigmoid
from treewright.models.convert import from_dot
from treewright.models.formats import FOREIGN, twm, uai
from treewright.models.formats.names import restore_names
from treewright.statistics import KeptCounter

FOLDER = tempfile.TemporaryDirectory()
atexit.register(FOLDER.cleanup)
MOST = costs.SIZE * 3 // 4
PATIENT_TRIES = 3  # a core that others use as well is slow now and then


def filling(make: Callable[[int], bytes], n: int = 64) -> bytes:
    """The largest of a few sizes that leaves room for damage."""
    data = make(n)
    for _ in range(4):
        more = int(n * MOST / max(len(data), 1))
        if more <= n:
            break
        n, data = more, make(more)
    while len(data) > MOST:
        n = n * 9 // 10
        data = make(n)
    return data


def graph_of(names: list[str], n_parents: int = 2) -> list[tuple[str, str]]:
    """Everybody has the two before it and, with three, one far away as parents."""
    rng = np.random.default_rng(1)
    arcs = [
        (names[v - back], names[v]) for v in range(len(names)) for back in (1, 2)[:n_parents] if v >= back
    ]
    far = [(names[int(rng.integers(v - 2))], names[v]) for v in range(3, len(names))] if n_parents > 2 else []
    return arcs + far


def network(n: int) -> BayesianNetwork:
    """Many small tables of short numbers, so that little text holds much."""
    rng = np.random.default_rng(2)
    cards = rng.integers(1, 4, n)
    schema = tw.Schema(tw.Variable(f"v{v:x}", tuple("abcd"[: cards[v]])) for v in range(n))
    dag = tw.Dag(schema, graph_of(list(schema.names)))
    shapes = [[*(cards[p] for p in dag.parents(v)), cards[v]] for v in range(n)]
    return BayesianNetwork(
        dag, [rng.multinomial(8, np.ones(shape[-1]) / shape[-1], size=shape[:-1]) / 8 for shape in shapes]
    )


def pairwise(n: int) -> MarkovNetwork:
    names = [f"v{v:x}" for v in range(n)]
    schema = tw.Schema(tw.Variable(name, ("n", "y")) for name in names)
    arcs = graph_of(names, 1)
    factors = [(arc, np.array([[1.0, 0.5], [0.25, 1.0]])) for arc in arcs]
    return MarkovNetwork(schema, factors)


def rows_of_numbers(n: int) -> tw.Table:
    rng = np.random.default_rng(3)
    return tw.read_table({f"v{v:x}": rng.normal(size=8).round(2) for v in range(n)})


def gaussian(n: int) -> tw.GaussianNetwork:
    names = [f"v{v:x}" for v in range(n)]
    schema = tw.Schema(tw.Variable(name) for name in names)
    dag = tw.Dag(schema, graph_of(names))
    coefficients = {name: {names[p]: 0.5 for p in dag.parents(v)} for v, name in enumerate(names)}
    return tw.GaussianNetwork(dag, dict.fromkeys(names, 0.0), coefficients, dict.fromkeys(names, 1.0))


def sigmoid(n: int) -> Any:
    table = rows_of_numbers(n)
    return fit_sigmoid(tw.Dag(table.schema, graph_of(list(table.schema.names), 1)), table)


def mixed(n: int) -> Any:
    rng = np.random.default_rng(4)
    numbers = rows_of_numbers(n)
    schema = tw.Schema([tw.Variable("label", ("no", "yes")), *numbers.schema])
    table = tw.Table(schema, [rng.integers(2, size=8), *numbers.columns])
    arcs = [("label", name) for name in numbers.schema.names]
    return tw.fit(tw.Dag(schema, arcs), tw.statistics.mixed_moments(table))


def feature_network(n: int) -> FeatureNetwork:
    drawn = RandomFeatures(7, n=n)
    pieces = [drawn.node(list(range(v, min(v + 4, n))), 3) for v in range(0, n, 4)]
    return FeatureNetwork(drawn.builder.graph(drawn.builder.product(pieces)))


def certified(n: int) -> bytes:
    model = network(n)
    tree = tw.JunctionTree.of(model.dag.moral_graph())
    return twm.to_bytes(model, certificate=tree, treewidth=tree.width)


def learned_class(n: int) -> bytes:
    model = network(n)
    return twm.to_bytes(BayesianNetwork(model.dag.with_pattern(tw.Cpdag.of(model.dag)), model.tables))


def csv_rows(n_columns: int, n: int) -> bytes:
    rng = np.random.default_rng(5)
    cells = rng.choice(["yes", "no", "1", "0.5", "", "2020-01-01"], size=(max(n // n_columns, 2), n_columns))
    lines = [",".join(f"c{v:x}" for v in range(n_columns)), *map(",".join, cells)]
    return ("\n".join(lines) + "\n").encode()


def table_of(n: int) -> tw.Table:
    rng = np.random.default_rng(6)
    return tw.read_table(
        {f"c{v}": np.array([*"abcdefgh"])[rng.integers(8, size=max(n, 8))] for v in range(8)}
    )


def parquet_rows(n: int) -> bytes:
    import pyarrow
    from pyarrow import parquet

    out = io.BytesIO()
    parquet.write_table(pyarrow.table(table_of(n).to_dict()), out, compression="none", row_group_size=500)
    return out.getvalue()


def packed_rows(n: int) -> bytes:
    path = Path(FOLDER.name) / "seed.twp"
    tw.pack(table_of(n), path)
    return path.read_bytes()


def checkpoint(n: int) -> bytes:
    path = Path(FOLDER.name) / "seed.twc"
    path.unlink(missing_ok=True)
    table = table_of(200)
    with KeptCounter(tw.count(table), path) as kept:
        kept.counts_many(
            [(f"c{u}", f"c{v}", f"c{w}") for u in range(8) for v in range(u) for w in range(v)][:n]
        )
    return path.read_bytes()


def names_file(n: int) -> bytes:
    one = NAMES["variables"][0]
    return json.dumps(
        {**NAMES, "variables": [{**one, "written": f"v{v}", "name": f"v{v}"} for v in range(n)]}
    ).encode()


def knowledge(n: int) -> bytes:
    names = [f"v{v:x}" for v in range(n)]
    pairs = [list(arc) for arc in graph_of(names, 3)]
    parts = {"required": pairs[::3], "forbidden": pairs[1::3], "forbidden_edges": pairs[2::3]}
    return json.dumps(
        {**parts, "tiers": [names[: n // 2], names[n // 2 :]], "parents": {names[-1]: names[:2]}}
    ).encode()


def hypergraph(n: int) -> bytes:
    return format_hypergraph([(f"a{v:x}", f"b{v % 50}", f'c "{v}"') for v in range(n)]).encode()


def open_packed(path: Path) -> object:
    table = tw.open_table(path)
    table.file.check()
    return tw.count(table).counts_many([(v.name,) for v in table.schema if v.is_discrete])


def open_checkpoint(path: Path) -> object:
    with KeptCounter(tw.count(table_of(200)), path) as kept:
        return kept.counts(("c0", "c1", "c2"))


def open_names(path: Path) -> object:
    model = tw.load_network("asia")
    return restore_names(path.with_name(path.name.removesuffix(".names.json")), model)


def open_rows(path: Path) -> object:
    return tw.read_table(path, **CSV_OPTIONS[path.stat().st_size % 2])


Reader = Callable[[Path], object]
BYTES: dict[str, tuple[Callable[[], bytes], Reader]] = {  # by file name: what is damaged, and who reads it
    **{
        f"large.{kind.name}": (
            partial(filling, lambda n, kind=kind: kind.write(m := network(n), kind.export(m.schema))),
            costs.read_any,
        )
        for kind in FOREIGN
    },
    "pairwise.uai": (
        partial(filling, lambda n: uai.write(m := pairwise(n), uai.export(m.schema))),
        costs.read_any,
    ),
    "large.bif.gz": (lambda: gzip.compress(seed("large.bif"), mtime=0), costs.read_any),
    "large.twm": (partial(filling, lambda n: twm.to_bytes(network(n))), costs.read_any),
    "tall.csv": (partial(filling, partial(csv_rows, 10)), open_rows),
    "wide.csv": (partial(filling, lambda n: csv_rows(n, 3 * n)), open_rows),
    "large.parquet": (partial(filling, parquet_rows), open_rows),
    "large.twp": (partial(filling, packed_rows), open_packed),
    "large.twc": (partial(filling, checkpoint), open_checkpoint),
    "large.bif.names.json": (partial(filling, names_file), open_names),
    "large.json": (partial(filling, knowledge), costs.read_any),
    "large.txt": (partial(filling, hypergraph), costs.read_any),
    "large.dot": (
        partial(filling, lambda n: network(n).to_dot().encode()),
        lambda path: from_dot(path.read_text(encoding="utf-8", errors="replace")),
    ),
}
SIGNED: dict[
    str, Callable[[int], bytes]
] = {  # files of our own, whose content is changed behind the checksum
    "network": lambda n: twm.to_bytes(network(n)),
    "certified": certified,
    "class": learned_class,
    "markov": lambda n: twm.to_bytes(pairwise(n)),
    "gaussian": lambda n: twm.to_bytes(gaussian(n)),
    "sigmoid": lambda n: twm.to_bytes(sigmoid(n)),
    "mixed": lambda n: twm.to_bytes(mixed(n)),
    "features": lambda n: twm.to_bytes(feature_network(n)),
}


@cache
def seed(name: str) -> bytes:
    return BYTES[name][0]()


@cache
def signed_seed(kind: str) -> Any:
    return json.loads(filling(SIGNED[kind]))


def make_large(name: str, rng: random.Random) -> bytes:
    """A few faults here and there, and now and then a long piece that is repeated or left out."""
    data = damage(seed(name), rng) if rng.random() < 0.7 else seed(name)
    for _ in range(rng.randint(0, 2)):
        at, length = rng.randint(0, len(data)), int(10 ** rng.uniform(0, 5))
        piece = data[at : at + length]
        times = int(10 ** rng.uniform(0, 5)) if rng.random() < 0.7 else 0
        data = (
            data[:at]
            + (piece * (1 + times))[: max(costs.SIZE - len(data), 0)]
            + data[at + len(piece) * (not times) :]
        )
    return data[: costs.SIZE]


def make_signed(kind: str, rng: random.Random) -> bytes:
    return sign_or_not(disturb(signed_seed(kind), rng))


def feed_large(name: str, read: Reader, data: bytes) -> None:
    """Within the limits of time and memory for its size, an answer or words."""
    path = Path(FOLDER.name) / name
    path.write_bytes(data)
    share = max(1.0, len(data) / costs.SIZE)
    for _ in range(PATIENT_TRIES):
        cost = costs.cost_of(lambda: read(path))
        if cost.seconds <= costs.SECONDS * share or cost.seconds <= costs.limit() * share:
            break
    else:
        raise AssertionError(f"{name} took {cost.seconds:.2f} s")
    assert not cost.fault, cost.fault
    assert cost.memory <= costs.MEMORY * share, f"{name} took {cost.memory >> 20} MB"


LARGE = (
    *(
        Target(name, partial(make_large, name), partial(feed_large, name, read), weight=0.002)
        for name, (_, read) in BYTES.items()
    ),
    *(
        Target(
            f"large {kind}",
            partial(make_signed, kind),
            partial(feed_large, f"{kind}.twm", costs.read_any),
            weight=0.002,
        )
        for kind in SIGNED
    ),
)

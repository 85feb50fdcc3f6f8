"""Everything that reads what others wrote: how to damage its input, and what it may answer.

A reader may answer with a value or with one of the package's errors. Anything else that is raised is a fault.
Where two readers know the same rules, they have to agree.
"""

from __future__ import annotations

import atexit
import gzip
import io
import json
import random
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tests.fuzz.mutation import damage, disturb
from tests.fuzz.row_targets import checkpoint_file, feed_checkpoint, feed_packed_rows, make_packed_rows
from tests.models.features.random_features import random_features
from tests.verification.signed import sign

import treewright as tw
from treewright.cli.answers.given import read_given
from treewright.errors import EvidenceError, FormatError, KnowledgeError, SettingError, TreewrightError
from treewright.graphs.directed.dag import Dag
from treewright.graphs.knowledge.files import format_hypergraph, parse_hypergraph, read_hypergraph
from treewright.limits import parse_bytes
from treewright.models import BayesianNetwork, FeatureNetwork, MarkovNetwork
from treewright.models.continuous.sigmoid_network import fit_sigmoid
from treewright.models.convert import from_dot
from treewright.models.formats import FOREIGN, twm, uai
from treewright.models.formats.names import restore_names
from treewright.models.formats.text import Source, unpack
from treewright.models.formats.twm.content import read_certificate
from treewright.models.model import AnyModel
from treewright.networks import load_network
from treewright.tables.schema import Schema, Variable
from treewright.verification.clusters import check_certificate
from treewright.verification.door import check_bytes
from treewright.verification.report import Findings

ASIA = load_network("asia")
FOLDER = tempfile.TemporaryDirectory()
atexit.register(FOLDER.cleanup)


@dataclass(frozen=True)
class Target:
    """One reader: `make` draws an input, `feed` reads it and raises only if that is a fault."""

    name: str
    make: Callable[[random.Random], bytes]
    feed: Callable[[bytes], object]
    weight: float = 1.0  # its share of the inputs, among the others


def sound(model: AnyModel) -> None:
    """What a reader accepts is a model: it is written, read back as the same, and verified."""
    data = twm.to_bytes(model)
    assert twm.from_bytes(data) == model
    report = check_bytes(data, "m.twm")
    assert report.valid, report


def wide() -> BayesianNetwork:
    """Labels with signs and several parents of several sizes."""
    schema = Schema(
        [
            Variable("A-1", ("<5", "5-12", "12+")),
            Variable("b", ("0", "1")),
            Variable("c", ("x", "y", "z", "w")),
        ]
    )
    dag = Dag(schema, [("A-1", "c"), ("b", "c"), ("A-1", "b")])
    shapes = [[schema.cardinalities[p] for p in dag.parents(v)] for v in range(3)]
    rng = np.random.default_rng(3)
    return BayesianNetwork(
        dag, [rng.dirichlet(np.ones(schema.cardinalities[v]), size=shapes[v]) for v in range(3)]
    )


def valid_files() -> dict[str, bytes]:
    files = {}
    for title, model in (("asia", ASIA), ("wide", wide())):
        files[f"{title}.twm"] = twm.to_bytes(model)
        for kind in FOREIGN:
            files[f"{title}.{kind.name}"] = kind.write(model, kind.export(model.schema))
    markov = MarkovNetwork.of(wide())
    files["markov.twm"] = twm.to_bytes(markov)
    for seed in (337, 263, 393):  # between them a node of every kind
        files[f"features{seed}.twm"] = twm.to_bytes(FeatureNetwork(random_features(seed)))
    files["markov.uai"] = uai.write(markov, uai.export(markov.schema))
    return files


def models_of_numbers() -> list[AnyModel]:
    """A network of numbers of each kind."""
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(2, 60))
    table = tw.read_table({"x": x, "y": y, "z": x - y + rng.normal(size=60), "u": x})
    dag = Dag(table.schema, [("x", "z"), ("y", "z"), ("x", "u")])
    both = tw.Schema([*table.schema, tw.Variable("s", ("no", "yes")), tw.Variable("t", (0, 1, 2))])
    mixed = tw.Table(both, [*table.columns, rng.integers(2, size=60), rng.integers(3, size=60)])
    above = Dag(both, [("s", "t"), ("s", "x"), ("t", "z"), ("x", "z"), ("y", "u")])
    lines = tw.fit(above, tw.statistics.mixed_moments(mixed))
    return [tw.fit(dag, tw.moments(table)), fit_sigmoid(dag, table), lines]


FILES = valid_files()
ROWS = ASIA.sample(200, rng=np.random.default_rng(2))


def read_bytes(name: str, data: bytes) -> BayesianNetwork:
    """Read bytes as the format that a name ends with."""
    ending = name.rpartition(".")[2]
    if ending == "twm":
        return twm.from_bytes(data)
    kind = next(kind for kind in FOREIGN if kind.name == ending)
    return kind.read(Source(name, data)).finish()


def format_target(ending: str) -> Target:
    seeds = [data for name, data in FILES.items() if name.endswith(f".{ending}")]

    def feed(data: bytes) -> None:
        with suppress(FormatError):
            model = read_bytes(f"m.{ending}", data)
            assert isinstance(model, BayesianNetwork | MarkovNetwork | FeatureNetwork)
            if ending != "twm":  # whose checksum lets nothing through
                sound(model)

    return Target(ending, lambda rng: damage(rng.choice(seeds), rng), feed)


# the native file behind its checksum, and the two that know its rules

LEARNED = ASIA.dag.with_pattern(tw.Cpdag.of(ASIA.dag))
PLAIN = [json.loads(FILES["asia.twm"]), json.loads(FILES["wide.twm"])]
PLAIN.append(json.loads(twm.to_bytes(BayesianNetwork(LEARNED, ASIA.tables))))
PLAIN.append(json.loads(twm.to_bytes(tw.fit(ASIA.dag, tw.count(ROWS), keep_counts=True))))
PLAIN.append(json.loads(twm.to_bytes(tw.fit(tw.learn_knots(tw.count(ROWS)).structure, tw.count(ROWS)))))
PLAIN.append(
    {**PLAIN[0], "raw": {"asia": {"marks": ["NA", 9], "decimal": ",", "mended": True, "part": "year"}}}
)
NUMBERS = [json.loads(twm.to_bytes(model)) for model in (*models_of_numbers(), MarkovNetwork.of(wide()))]
FEATURES = [json.loads(data) for name, data in FILES.items() if name.startswith("features")]
TREE = tw.JunctionTree.of(ASIA.dag.moral_graph())
CERTIFIED = json.loads(twm.to_bytes(ASIA, certificate=TREE, treewidth=2))


def make_signed(rng: random.Random) -> bytes:
    return sign_or_not(disturb(rng.choice(PLAIN), rng))


def make_pattern(rng: random.Random) -> bytes:
    return sign_or_not({**PLAIN[2], "undirected": disturb(PLAIN[2]["undirected"], rng)})


def make_numbers(rng: random.Random) -> bytes:
    return sign_or_not(disturb(rng.choice(NUMBERS), rng))


def make_features(rng: random.Random) -> bytes:
    return sign_or_not(disturb(rng.choice(FEATURES), rng))


def make_certified(rng: random.Random) -> bytes:
    content = {**CERTIFIED, "certificate": disturb(CERTIFIED["certificate"], rng)}
    return sign_or_not(content)


def sign_or_not(content: object) -> bytes:
    """A number that no double can hold cannot be signed either."""
    try:
        return sign(content) if isinstance(content, dict) else json.dumps(content).encode()
    except ValueError:
        return b"{}"


def feed_signed(data: bytes) -> None:
    """The reader and the independent checker agree on what is a model."""
    report = check_bytes(data, "m.twm")
    try:
        model = twm.from_bytes(data)
    except FormatError:
        assert not report.valid, report
    else:
        assert report.valid, report
        sound(model)


def feed_certified(data: bytes) -> None:
    """What the checker takes for a proof, the library takes for a tree."""
    section = json.loads(data).get("certificate")
    findings = Findings()
    proof = check_certificate(section, ASIA.schema.names, [], findings)
    try:
        width = read_certificate(section, ASIA.schema).width
    except FormatError:
        assert proof.width is None
    else:
        assert proof.width in (width, None)
    assert not check_bytes(data, "m.twm").valid or not findings.violations


# other texts


def make_packed(rng: random.Random) -> bytes:
    return damage(gzip.compress(FILES["asia.bif"], mtime=0), rng)


def feed_packed(data: bytes) -> None:
    with suppress(FormatError):
        unpack("m.gz", data)


NAMES = {
    "format": "treewright names",
    "version": 1,
    "variables": [
        {
            "written": variable.name,
            "name": variable.name,
            "ordered": False,
            "states": [{"written": state, "label": state} for state in variable.states or ()],
        }
        for variable in ASIA.schema
    ],
}


def feed_names(data: bytes) -> None:
    path = Path(FOLDER.name) / "asia.bif"
    Path(f"{path}.names.json").write_bytes(data)
    with suppress(FormatError):
        sound(restore_names(path, ASIA)[0])


CSV = b'''a,b,"c, d",when
1,yes,0.5,2020-01-01
2,no,,2020-01-02
1,"say ""no""",-3e5,
'''


CSV_OPTIONS = ({"missing": "state"}, {"missing": "drop", "bins": 2}, {"header": False, "missing": "em"})


def feed_csv(data: bytes) -> None:
    path = Path(FOLDER.name) / "rows.csv"
    path.write_bytes(data)
    feed_rows(path, CSV_OPTIONS[len(data) % len(CSV_OPTIONS)])


def feed_rows(path: Path, options: dict[str, object]) -> None:
    """What is read as a table has rows of known states, and its frame is read back as the same."""
    with suppress(TreewrightError):
        table = tw.read_table(path, **options)
        assert isinstance(table, tw.Table)
        assert tw.read_table(table.to_dict(), schema=table.schema, missing="em").schema == table.schema


def parquet_files() -> list[bytes]:
    import pyarrow
    from pyarrow import parquet

    columns = {"a": [1, 2, 1, 3], "b": ["yes", "no", None, "yes"], "c": [0.5, None, -3e5, 1.0]}
    found = []
    for compression in ("none", "snappy"):
        out = io.BytesIO()
        parquet.write_table(pyarrow.table(columns), out, compression=compression)
        found.append(out.getvalue())
    return found


def feed_parquet(data: bytes) -> None:
    path = Path(FOLDER.name) / "rows.parquet"
    path.write_bytes(data)
    feed_rows(path, CSV_OPTIONS[len(data) % 2])


def feed_dot(data: bytes) -> None:
    with suppress(FormatError):
        assert isinstance(from_dot(data.decode("utf-8", "replace")), Dag)


HYPERGRAPH = b'# who measures what\nage, smoker, "blood ""pressure"""\n\nsmoker cough\tx#1 # later\n'
KNOWLEDGE = {
    "required": [["smoke", "lung"]],
    "forbidden": [["xray", "tub"]],
    "forbidden_edges": [["asia", "dysp"]],
    "tiers": [["asia", "smoke"], ["tub", "lung", "bronc"]],
    "parents": {"either": ["tub", "lung"]},
}


def feed_hypergraph(data: bytes) -> None:
    """A text is read or refused; what was read can be written and read back."""
    path = Path(FOLDER.name) / "sets.txt"
    path.write_bytes(data)
    with suppress(FormatError):
        sets = read_hypergraph(path)
        assert parse_hypergraph(format_hypergraph(sets)) == sets


def feed_knowledge(data: bytes) -> None:
    path = Path(FOLDER.name) / "known.json"
    path.write_bytes(data)
    with suppress(FormatError, KnowledgeError):
        known = tw.Knowledge.from_json(path)
        known.to_json(path)
        assert tw.Knowledge.from_json(path) == known
        assert known.on(ASIA.schema).schema == ASIA.schema


def feed_given(data: bytes) -> None:
    texts = data.decode("utf-8", "replace").split(" ")
    with suppress(EvidenceError):
        ASIA.marginals(read_given(ASIA.schema, texts))


def feed_size(data: bytes) -> None:
    with suppress(SettingError):
        assert parse_bytes(data.decode("utf-8", "replace")) >= 0


def target(name: str, seeds: list[bytes], feed: Callable[[bytes], object], weight: float = 1.0) -> Target:
    return Target(name, lambda rng: damage(rng.choice(seeds), rng), feed, weight)


TARGETS = (
    *map(format_target, ("twm", *(kind.name for kind in FOREIGN))),
    Target("signed twm", make_signed, feed_signed),
    Target("signed class", make_pattern, feed_signed),
    Target("signed numbers", make_numbers, feed_signed),
    Target("signed features", make_features, feed_signed),
    Target("certificate", make_certified, feed_certified),
    Target("gzip", make_packed, feed_packed),
    Target("names", lambda rng: json.dumps(disturb(NAMES, rng)).encode(), feed_names),
    Target("knowledge", lambda rng: json.dumps(disturb(KNOWLEDGE, rng)).encode(), feed_knowledge),
    target("hypergraph", [HYPERGRAPH], feed_hypergraph),
    target("knowledge text", [json.dumps(KNOWLEDGE).encode()], feed_knowledge),
    target("csv", [CSV], feed_csv, weight=0.5),
    target("parquet", parquet_files(), feed_parquet, weight=0.1),
    Target("packed rows", make_packed_rows, feed_packed_rows, weight=0.5),
    target("checkpoint", [checkpoint_file()], feed_checkpoint, weight=0.05),
    target("dot", [ASIA.to_dot().encode(), b"digraph g { a -> b -> c [x=1]; /* d */ e }"], feed_dot),
    target("given", [b"asia=yes smoke=no xray=yes"], feed_given),
    target("size", [b"4GiB", b"1.5 kb", b"4096"], feed_size, weight=0.2),
)

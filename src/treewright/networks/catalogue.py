"""Example networks and graphs, kept as small JSON files that name their source, the larger ones compressed.

The file of a network lists the variables with their states and parents, and the table of each as one row of
probabilities per parent configuration: configurations in the order of nested loops over the parents as
listed, the last one fastest. Published tables are rounded; a row whose sum misses one by no more than
1e-4 is rescaled, any other is refused. The file of a graph lists its vertices and edges by name; its
variables are binary, since it is wanted for a random Markov network.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

import numpy as np

from treewright.arguments import described, require_text
from treewright.errors import ArgumentError, FormatError, UnknownNameError, nearest
from treewright.graphs.directed.dag import Dag
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.formats.twm.content import are_names, expect
from treewright.tables.schema import Schema, Variable
from treewright.types import Brief, Floats

VERSION = 1
_ROUNDED = 1e-4  # how far the sum of a published row may be from one
_EXACT = 1e-12  # what the addition of exact decimals may miss


def list_networks() -> tuple[str, ...]:
    """Names that :func:`load_network` knows.

    Examples
    --------
    >>> list_networks()[:5]
    ('alarm', 'andes', 'asia', 'cancer', 'child')
    """
    return example_names()


@dataclass(frozen=True)
class NetworkFigures(Brief):
    """What a network of the catalogue is like: its sizes, the width of a triangulation, who published it.

    `states` are the most of a variable.
    """

    name: str
    variables: int
    arcs: int
    states: int
    parameters: int
    width: int
    source: str


def describe_networks() -> tuple[NetworkFigures, ...]:
    """The figures of every network that :func:`load_network` knows, by name.

    Examples
    --------
    >>> [(one.name, one.variables, one.width) for one in describe_networks()][:3]
    [('alarm', 37, 4), ('andes', 223, 17), ('asia', 8, 2)]
    """
    figures = json.loads(_data("figures").joinpath("networks.json").read_text(encoding="utf-8"))
    return tuple(NetworkFigures(name, **figures[name], source=_source(name)) for name in list_networks())


def _source(name: str) -> str:
    """The source that a file names near its beginning; its tables are not read."""
    text = example_text("network", name)
    source: str = json.JSONDecoder().raw_decode(text, text.index('"', text.index('"source"') + 8))[0]
    return source


def load_network(name: str) -> BayesianNetwork:
    """Load an example network.

    - ``asia``: chest clinic, 8 variables (Lauritzen & Spiegelhalter 1988).
    - ``alarm``: monitoring of patients in intensive care, 37 variables (Beinlich et al. 1989).
    - thirteen more of the field, from ``cancer`` with 5 variables to ``link`` with 724: see
      :func:`describe_networks`, `treewright networks` and the page *The catalogue*.

    Examples
    --------
    >>> load_network("alarm")
    <BayesianNetwork: 37 variables, 46 arcs, 509 parameters>
    """
    if not isinstance(name, str):
        raise ArgumentError(f"load_network takes the name of an example; found {described(name)}")
    model: BayesianNetwork = _loaded("network", name)
    return model


def list_graphs() -> tuple[str, ...]:
    """Names that :func:`load_graph` knows.

    Examples
    --------
    >>> list_graphs()
    ('karate', 'six_chain', 'six_cycle', 'six_dhub', 'six_split', 'six_star', 'six_tailhub')
    """
    return example_names("graphs")


def load_graph(name: str) -> UndirectedGraph:
    """Load an example graph; its variables have the states 0 and 1.

    - ``karate``: who met whom outside a karate club, 34 members (Zachary 1977).
    - ``six_cycle``, ``six_chain``, ``six_dhub``, ``six_tailhub``, ``six_star``, ``six_split``: six vertices,
      of irregularity 0, 2, 8, 12, 20 and 24.

    Examples
    --------
    >>> load_graph("karate")
    UndirectedGraph(34 variables, 78 edges)
    >>> load_graph("six_star").irregularity()
    20
    """
    graph: UndirectedGraph = _loaded("graph", name, "graphs")
    return graph


def _loaded(what: str, name: str, *folder: str) -> Any:
    require_text(f"load_{what}", name)
    return _kept(what, name, *folder)


@cache
def _kept(what: str, name: str, *folder: str) -> Any:
    return (read_graph if what == "graph" else read_network)(example_text(what, name, *folder))


def read_graph(text: str) -> UndirectedGraph:
    """Build the graph of a file's text, refusing whatever does not fit."""
    document = read_document("graph", text)
    vertices, edges = document.get("vertices"), document.get("edges")
    expect(are_names(vertices) and len(vertices) > 0, "the vertices are not a list of names")
    expect(
        isinstance(edges, list) and all(are_names(pair) and len(pair) == 2 for pair in edges),
        "the edges are not a list of pairs of names",
    )
    try:
        return UndirectedGraph(Schema([Variable(name, (0, 1)) for name in vertices]), edges)
    except ValueError as error:
        raise FormatError(f"the graph contradicts itself: {error}") from error


def read_network(text: str) -> BayesianNetwork:
    """Build the network of a file's text, refusing whatever does not fit."""
    document = read_document("network", text)
    items = document.get("variables")
    expect(isinstance(items, list) and len(items) > 0, "the network has no variables")
    try:
        schema = Schema([_read_variable(item) for item in items])
        arcs = [(parent, item["name"]) for item in items for parent in _parents(item, schema)]
        dag = Dag(schema, arcs)
        return BayesianNetwork(dag, [_read_table(dag, item) for item in items])
    except FormatError:
        raise
    except ValueError as error:  # every refusal of the package, and more axes than an array can have
        raise FormatError(f"the network contradicts itself: {error}") from error


def _read_variable(item: Any) -> Variable:
    expect(
        isinstance(item, dict) and item.keys() == {"name", "states", "parents", "table"},
        f"a variable has the keys name, states, parents and table; found {_shown(item)}",
    )
    states = item["states"]
    expect(are_names(states), f"the states of {item['name']!r} are not a list of texts")
    return Variable(item["name"], tuple(states))


def _parents(item: Any, schema: Schema) -> list[str]:
    parents: list[str] = item["parents"]
    expect(are_names(parents), f"the parents of {item['name']!r} are not a list of names")
    expect(len(set(parents)) == len(parents), f"the parents of {item['name']!r} are not different")
    for name in parents:
        expect(
            name in schema,
            f"{name!r} is a parent of {item['name']!r} but no variable; "
            f"variables are {nearest(name, schema.names)}",
        )
    return parents


def _read_table(dag: Dag, item: Any) -> Floats:
    schema, name = dag.schema, item["name"]
    listed = [schema.index(parent) for parent in item["parents"]]
    shape = tuple(schema.cardinalities[p] for p in listed)
    rows = item["table"]
    expect(
        isinstance(rows, list) and len(rows) == math.prod(shape),
        f"the table of {name!r} does not have {math.prod(shape)} rows, one per parent configuration",
    )
    n_states = schema[name].cardinality
    cells = np.array(
        [_read_row(row, n_states, _where(schema, name, listed, j)) for j, row in enumerate(rows)]
    )
    axes = sorted(range(len(listed)), key=listed.__getitem__)  # the model keeps parents in schema order
    return cells.reshape(*shape, n_states).transpose(*axes, len(listed))


def _read_row(row: Any, n_states: int, where: str) -> list[float]:
    expect(
        isinstance(row, list) and len(row) == n_states and all(type(p) in (int, float) for p in row),
        f"{where} is not a list of {n_states} numbers",
    )
    expect(all(0 <= p <= 1 for p in row), f"{where} holds a number that is no probability")
    total = math.fsum(row)
    expect(abs(total - 1) <= _ROUNDED, f"{where} sums to {total!r}, not to 1")
    return [float(p) if abs(total - 1) <= _EXACT else p / total for p in row]


def _where(schema: Schema, name: str, parents: Sequence[int], row: int) -> str:
    codes = np.unravel_index(row, tuple(schema.cardinalities[p] for p in parents)) if parents else ()
    given = ", ".join(
        f"{schema.names[p]}={(schema[p].states or ())[int(code)]!r}"
        for p, code in zip(parents, codes, strict=True)
    )
    return f"row {row + 1} of {name!r}" + (f" (given {given})" if given else "")


def _shown(item: Any) -> str:
    return ", ".join(sorted(map(str, item))) if isinstance(item, dict) else type(item).__name__


def example_names(*folder: str) -> tuple[str, ...]:
    """The examples in a folder of the data, by name."""
    files = (file.name.removesuffix(".gz") for file in _data(*folder).iterdir())
    return tuple(sorted(name.removesuffix(".json") for name in files if name.endswith(".json")))


def example_text(what: str, name: str, *folder: str) -> str:
    """The text of an example, a `what` ("network", "graph")."""
    known = example_names(*folder)
    if name not in known:
        raise UnknownNameError(f"there is no example {what} {name!r}; there are {nearest(name, known)}")
    packed = _data(*folder).joinpath(f"{name}.json.gz")
    if packed.is_file():
        return gzip.decompress(packed.read_bytes()).decode("utf-8")
    return _data(*folder).joinpath(f"{name}.json").read_text(encoding="utf-8")


def read_document(what: str, text: str) -> Any:
    """The content of an example's file, once it says what it is and where it is from."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not a {what} file: {error}") from None
    expect(
        isinstance(document, dict) and document.get("format") == f"treewright {what}", f"not a {what} file"
    )
    expect(document.get("version") == VERSION, f"version {document.get('version')!r} is not known here")
    for key in ("name", "source"):
        expect(isinstance(document.get(key), str) and document[key] != "", f"the {what} has no {key}")
    return document


def _data(*folder: str) -> Traversable:
    return resources.files("treewright.networks").joinpath("data", *folder)

"""Example networks, kept as small JSON files that name their source.

A file lists the variables with their states and parents, and the table of each as one row of
probabilities per parent configuration: configurations in the order of nested loops over the parents as
listed, the last one fastest. Published tables are rounded; a row whose sum misses one by no more than
1e-4 is rescaled, any other is refused.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.errors import FormatError, UnknownNameError, nearest
from treewright.graphs.dag import Dag
from treewright.models.bayesian_network import BayesianNetwork
from treewright.tables.schema import Schema, Variable

FORMAT = "treewright network"
VERSION = 1

_ROUNDED = 1e-4  # how far the sum of a published row may be from one
_EXACT = 1e-12  # what the addition of exact decimals may miss


def example_networks() -> tuple[str, ...]:
    """Names that :func:`load_network` knows.

    Examples
    --------
    >>> example_networks()
    ('alarm', 'asia')
    """
    files = (resources.files("treewright.networks") / "data").iterdir()
    return tuple(sorted(file.name.removesuffix(".json") for file in files if file.name.endswith(".json")))


def load_network(name: str) -> BayesianNetwork:
    """Load an example network.

    - ``asia``: chest clinic, 8 variables [1]_.
    - ``alarm``: monitoring of patients in intensive care, 37 variables [2]_.

    References
    ----------
    .. [1] Lauritzen & Spiegelhalter (1988). Local computations with probabilities on graphical structures and
       their application to expert systems. Journal of the Royal Statistical Society B 50, 157-224.
    .. [2] Beinlich, Suermondt, Chavez & Cooper (1989). The ALARM monitoring system. Proceedings of the Second
       European Conference on Artificial Intelligence in Medicine, 247-256.

    Examples
    --------
    >>> load_network("alarm")
    <BayesianNetwork: 37 variables, 46 arcs, 509 parameters>
    """
    if name not in example_networks():
        raise UnknownNameError(
            f"there is no example network {name!r}; there are {nearest(name, example_networks())}"
        )
    return _load(name)


@cache
def _load(name: str) -> BayesianNetwork:
    file = resources.files("treewright.networks") / "data" / f"{name}.json"
    return read_network(file.read_text(encoding="utf-8"))


def read_network(text: str) -> BayesianNetwork:
    """Build the network of a file's text, refusing whatever does not fit."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not a network file: {error}") from None
    _expect(isinstance(document, dict) and document.get("format") == FORMAT, "not a network file")
    _expect(document.get("version") == VERSION, f"version {document.get('version')!r} is not known here")
    for key in ("name", "source"):
        _expect(isinstance(document.get(key), str) and document[key] != "", f"the network has no {key}")
    items = document.get("variables")
    _expect(isinstance(items, list) and len(items) > 0, "the network has no variables")
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
    _expect(
        isinstance(item, dict) and item.keys() == {"name", "states", "parents", "table"},
        f"a variable has the keys name, states, parents and table; found {_shown(item)}",
    )
    states = item["states"]
    _expect(
        isinstance(states, list) and all(isinstance(state, str) for state in states),
        f"the states of {item['name']!r} are not a list of texts",
    )
    return Variable(item["name"], tuple(states))


def _parents(item: Any, schema: Schema) -> list[str]:
    parents: list[str] = item["parents"]
    _expect(
        isinstance(parents, list) and all(isinstance(name, str) for name in parents),
        f"the parents of {item['name']!r} are not a list of names",
    )
    _expect(len(set(parents)) == len(parents), f"the parents of {item['name']!r} are not different")
    for name in parents:
        _expect(
            name in schema,
            f"{name!r} is a parent of {item['name']!r} but no variable; "
            f"variables are {nearest(name, schema.names)}",
        )
    return parents


def _read_table(dag: Dag, item: Any) -> npt.NDArray[np.float64]:
    schema, name = dag.schema, item["name"]
    listed = [schema.index(parent) for parent in item["parents"]]
    shape = tuple(schema.cardinalities[p] for p in listed)
    rows = item["table"]
    _expect(
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
    _expect(
        isinstance(row, list) and len(row) == n_states and all(type(p) in (int, float) for p in row),
        f"{where} is not a list of {n_states} numbers",
    )
    _expect(all(0 <= p <= 1 for p in row), f"{where} holds a number that is no probability")
    total = math.fsum(row)
    _expect(abs(total - 1) <= _ROUNDED, f"{where} sums to {total!r}, not to 1")
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


def _expect(condition: bool, message: str) -> None:
    if not condition:
        raise FormatError(message)

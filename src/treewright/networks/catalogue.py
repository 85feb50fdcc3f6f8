"""Example networks, kept as small JSON files that name their source.

A file lists the variables with their states and parents, and the table of each as one row of
probabilities per parent configuration: configurations in the order of nested loops over the parents as
listed, the last one fastest. Published tables are rounded; a row whose sum misses one by no more than
1e-4 is rescaled, any other is refused.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.errors import FormatError, nearest
from treewright.graphs.directed.dag import Dag
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.networks.example_files import example_names, example_text, expect, read_document
from treewright.tables.schema import Schema, Variable

_ROUNDED = 1e-4  # how far the sum of a published row may be from one
_EXACT = 1e-12  # what the addition of exact decimals may miss


def example_networks() -> tuple[str, ...]:
    """Names that :func:`load_network` knows.

    Examples
    --------
    >>> example_networks()
    ('alarm', 'asia')
    """
    return example_names()


def load_network(name: str) -> BayesianNetwork:
    """Load an example network.

    - ``asia``: chest clinic, 8 variables (Lauritzen & Spiegelhalter 1988).
    - ``alarm``: monitoring of patients in intensive care, 37 variables (Beinlich et al. 1989).

    Examples
    --------
    >>> load_network("alarm")
    <BayesianNetwork: 37 variables, 46 arcs, 509 parameters>
    """
    return _load(name)


@cache
def _load(name: str) -> BayesianNetwork:
    return read_network(example_text("network", name))


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
    expect(
        isinstance(states, list) and all(isinstance(state, str) for state in states),
        f"the states of {item['name']!r} are not a list of texts",
    )
    return Variable(item["name"], tuple(states))


def _parents(item: Any, schema: Schema) -> list[str]:
    parents: list[str] = item["parents"]
    expect(
        isinstance(parents, list) and all(isinstance(name, str) for name in parents),
        f"the parents of {item['name']!r} are not a list of names",
    )
    expect(len(set(parents)) == len(parents), f"the parents of {item['name']!r} are not different")
    for name in parents:
        expect(
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

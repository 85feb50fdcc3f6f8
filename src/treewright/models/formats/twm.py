"""The native file of a model: JSON text, versioned, with a checksum.

Numbers are written with the shortest digits that read back to the same bits, and labels keep their type
(the text "1", the number 1 and the truth value true are three different states), so a model survives the
trip unchanged. The checksum is the SHA-256 of the canonical form of everything else in the file: keys
sorted, no spaces. Reading runs nothing from the file, and whatever is not such a file raises
:class:`~treewright.errors.FormatError`. Python's pickle of a model holds the same bytes.

The text has one line per variable and per table. Beside the model it may keep its *provenance*: anything that
JSON can say about where the model came from (data, learner, settings, seed), as :func:`save` was told it; and
a *certificate*: clusters that prove a treewidth (:mod:`~treewright.models.formats.certificate`).
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from treewright.errors import FormatError, SettingError
from treewright.graphs.cluster_trees import ClusterTree, JunctionTree
from treewright.graphs.dag import Dag
from treewright.models.bayesian_network import BayesianNetwork
from treewright.models.formats import certificate as certificates
from treewright.models.formats.labels import read_label, write_label
from treewright.models.formats.text import Source, read_source, write_bytes
from treewright.tables.schema import Schema, Variable

FORMAT = "treewright model"
KIND = "bayesian network"
VERSION = 1

_REQUIRED = frozenset({"format", "version", "kind", "variables", "arcs", "tables"})
_OPTIONAL = frozenset({"unseen", "provenance", "certificate"})


def save(
    model: BayesianNetwork,
    path: str | os.PathLike[str],
    *,
    provenance: Mapping[str, Any] | None = None,
    certificate: ClusterTree | None = None,
    treewidth: int | None = None,
) -> None:
    """Write a model; a plain file appears whole or not at all, compressed when its name ends in .gz."""
    data = to_bytes(model, provenance=provenance, certificate=certificate, treewidth=treewidth)
    write_bytes(path, data)


def load(path: str | os.PathLike[str]) -> BayesianNetwork:
    """Read a model.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from treewright.networks import load_network
    >>> asia = load_network("asia")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     asia.save(pathlib.Path(folder) / "asia.twm")
    ...     load(pathlib.Path(folder) / "asia.twm") == asia
    True
    """
    return from_source(read_source(path))


def read_provenance(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a file says about where its model came from.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from treewright.networks import load_network
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(load_network("asia"), pathlib.Path(folder) / "asia.twm", provenance={"seed": 7})
    ...     read_provenance(pathlib.Path(folder) / "asia.twm")
    {'seed': 7}
    """
    source = read_source(path)
    with _named(source):
        found = _verified(source.data).get("provenance", {})
        _expect(isinstance(found, dict), "the provenance is not an object")
    assert isinstance(found, dict)
    return found


def read_certificate(path: str | os.PathLike[str]) -> JunctionTree | None:
    """The clusters that a file keeps as proof of its model's treewidth, if it does.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import treewright as tw
    >>> asia = tw.load_network("asia")
    >>> tree = tw.JunctionTree.of(asia.dag.moral_graph())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     asia.save(pathlib.Path(folder) / "asia.twm", certificate=tree, treewidth=2)
    ...     read_certificate(pathlib.Path(folder) / "asia.twm").width
    2
    """
    source = read_source(path)
    with _named(source):
        document = _verified(source.data)
        if "certificate" not in document:
            return None
        return certificates.read_certificate(document["certificate"], from_bytes(source.data).schema)


def from_source(source: Source) -> BayesianNetwork:
    with _named(source):
        return from_bytes(source.data)


@contextmanager
def _named(source: Source) -> Iterator[None]:
    """Refusals say which file it was."""
    try:
        yield
    except FormatError as error:
        raise FormatError(f"{source.name}: {error}") from error.__cause__


def to_bytes(
    model: BayesianNetwork,
    *,
    provenance: Mapping[str, Any] | None = None,
    certificate: ClusterTree | None = None,
    treewidth: int | None = None,
) -> bytes:
    """The file of a model, as bytes; the same model gives the same bytes."""
    payload: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "kind": KIND,
        "variables": [_write_variable(variable) for variable in model.schema],
        "arcs": [list(arc) for arc in model.dag.edges()],
        "tables": {
            name: table.ravel().tolist() for name, table in zip(model.schema.names, model.tables, strict=True)
        },
    }
    if model.unseen:
        payload["unseen"] = model.unseen
    if provenance:
        payload["provenance"] = _plain(provenance)
    if certificate is not None:
        payload["certificate"] = certificates.write_certificate(model, certificate, treewidth)
    elif treewidth is not None:
        raise SettingError(f"a treewidth of {treewidth} is proved by a certificate; found none")
    document = {**payload, "checksum": _checksum(payload)}
    return ("\n".join(_lines(document)) + "\n").encode("ascii")


def _plain(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """What JSON reads back of it, so that the checksum is of the same."""
    try:
        plain: dict[str, Any] = json.loads(json.dumps(dict(provenance), allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise FormatError(f"a provenance is what JSON can say: {error}") from None
    return plain


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    """JSON with a line for each key, and for each item of the two long ones."""
    yield "{"
    for position, (key, value) in enumerate(document.items()):
        comma = "," if position < len(document) - 1 else ""
        if key not in ("variables", "tables"):
            yield f' "{key}": {_json(value)}{comma}'
            continue
        items = (
            [_json(item) for item in value]
            if key == "variables"
            else [f"{_json(name)}: {_json(numbers)}" for name, numbers in value.items()]
        )
        left, right = "[]" if key == "variables" else "{}"
        yield f' "{key}": {left}'
        yield from (f"  {item}," for item in items[:-1])
        yield from (f"  {item}" for item in items[-1:])
        yield f" {right}{comma}"
    yield "}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, allow_nan=False)


def from_bytes(data: bytes) -> BayesianNetwork:
    """The model of a file's bytes."""
    document = _verified(data)
    try:
        schema = Schema([_read_variable(item) for item in _list(document["variables"], "variables")])
        arcs = [_read_arc(item) for item in _list(document["arcs"], "arcs")]
        _expect(len(set(arcs)) == len(arcs), "an arc is there twice")
        dag = Dag(schema, arcs)
        unseen = _read_unseen(document.get("unseen", {}), schema)
        return BayesianNetwork(dag, _read_tables(dag, document["tables"]), unseen=unseen)
    except FormatError:
        raise
    except ValueError as error:  # every refusal of the package, and more axes than an array can have
        raise FormatError(f"the content contradicts itself: {error}") from error


def _verified(data: bytes) -> dict[str, Any]:
    """The content of a file whose format, version and checksum are right."""
    document = _parse(data)
    _expect(document.get("format") == FORMAT, f'not a treewright model: "format" is not {FORMAT!r}')
    version = document.get("version")
    _expect(
        type(version) is int and version == VERSION,
        f"version {version!r} of the format is not known here, only {VERSION}",
    )
    kind = document.get("kind")
    _expect(kind == KIND, f"a model of kind {kind!r} is not known here, only {KIND!r}")
    checksum = document.pop("checksum", None)
    _expect(checksum == _checksum(document), "the checksum does not match: the file was damaged or edited")
    _expect(
        _REQUIRED <= document.keys() <= _REQUIRED | _OPTIONAL,
        f"the keys are not {', '.join(sorted(_REQUIRED))}",
    )
    return document


def _write_variable(variable: Variable) -> dict[str, Any]:
    return {
        "name": variable.name,
        "states": [write_label(state) for state in variable.states or ()],
        "ordered": variable.ordered,
    }


def _read_variable(item: object) -> Variable:
    if not isinstance(item, dict) or item.keys() != {"name", "states", "ordered"}:
        raise FormatError('a variable has the keys "name", "states", "ordered"')
    _expect(
        isinstance(item["ordered"], bool), f"variable {item['name']!r} does not say whether it is ordered"
    )
    states = tuple(read_label(state) for state in _list(item["states"], "states"))
    return Variable(item["name"], states, ordered=item["ordered"])


def _read_arc(item: object) -> tuple[str, str]:
    if isinstance(item, list) and len(item) == 2 and all(isinstance(name, str) for name in item):
        return item[0], item[1]
    raise FormatError("an arc is a pair of names")


def _read_unseen(item: object, schema: Schema) -> dict[str, int]:
    if not isinstance(item, dict) or not all(
        name in schema and type(n) is int and n > 0 for name, n in item.items()
    ):
        raise FormatError("unseen configurations are counts by variable")
    return item


def _read_tables(dag: Dag, tables: object) -> list[np.ndarray[Any, np.dtype[np.float64]]]:
    schema = dag.schema
    if not isinstance(tables, dict) or tables.keys() != set(schema.names):
        raise FormatError("there is not one table per variable")
    result = []
    for v, name in enumerate(schema.names):
        numbers = _list(tables[name], "table")
        shape = tuple(schema.cardinalities[u] for u in (*dag.parents(v), v))
        _expect(
            len(numbers) == math.prod(shape) and all(type(x) is float for x in numbers),
            f"the table of {name!r} is not a list of {math.prod(shape)} numbers",
        )
        result.append(np.array(numbers, dtype=np.float64).reshape(shape))
    return result


def _parse(data: bytes) -> dict[str, Any]:
    try:
        document = json.loads(
            data.decode("ascii"), object_pairs_hook=_unique_keys, parse_constant=_no_constant
        )
    except FormatError:
        raise
    except (ValueError, RecursionError) as error:
        raise FormatError("not a treewright model: the file is not JSON text") from error
    _expect(isinstance(document, dict), "not a treewright model: the file holds no JSON object")
    assert isinstance(document, dict)
    return document


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    _expect(len(result) == len(pairs), "a key occurs twice")
    return result


def _no_constant(name: str) -> None:
    raise FormatError(f"{name} is not a number of JSON")


def _checksum(payload: dict[str, Any]) -> str:
    try:
        text = json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    except ValueError as error:  # numbers beyond the range of a double
        raise FormatError("the file holds a number that is out of range") from error
    return "sha256:" + hashlib.sha256(text.encode("ascii")).hexdigest()


def _list(item: object, what: str) -> list[Any]:
    if not isinstance(item, list):
        raise FormatError(f"{what} is not a list")
    return item


def _expect(condition: bool, message: str) -> None:
    if not condition:
        raise FormatError(message)

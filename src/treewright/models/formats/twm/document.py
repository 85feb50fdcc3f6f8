"""The native file of a model: JSON text, versioned, with a checksum.

Numbers are written with the shortest digits that read back to the same bits, and labels keep their type
(the text "1", the number 1 and the truth value true are three different states), so a model survives the
trip unchanged; the counts that a model carries travel with it. The checksum is the SHA-256 of the canonical
form of everything else in the file: keys sorted, no spaces. Reading runs nothing from the file, and whatever
is not such a file raises :class:`~treewright.errors.FormatError`. Python's pickle of a model holds the same
bytes.

The text has one line per variable and per table. Beside the model it may keep its *provenance*: anything that
JSON can say about where the model came from (data, learner, settings, seed): what :func:`save` was told, else
what the model itself knows; a *certificate*: clusters that prove a treewidth
(:mod:`~treewright.models.formats.twm.content`); and *raw*: how cells become the values of a variable where
they are not taken as they stand (:class:`~treewright.tables.RawForm`).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from treewright.errors import FormatError, SettingError
from treewright.graphs.undirected.cluster_trees import ClusterTree, JunctionTree
from treewright.kinds import refuse_other_kind
from treewright.models.formats.text import Source, read_source, write_bytes
from treewright.models.formats.twm import content as shared
from treewright.models.formats.twm import continuous, feature, mixed, tables
from treewright.models.formats.twm.content import expect
from treewright.models.model import AnyModel
from treewright.tables.raw_form import RawForm

FORMAT = "treewright model"
VERSION = 1

_CONTENTS = (
    *(tables.BAYESIAN, tables.MARKOV, continuous.GAUSSIAN, continuous.SIGMOID),
    *(mixed.MIXED, feature.CONTENT),
)
_KINDS = {content.kind: content for content in _CONTENTS}
_REQUIRED = frozenset({"format", "version", "kind", "variables"})
_OPTIONAL = frozenset({"provenance", "certificate", "raw"})
_BY_LINE = ("variables", "tables", "families", "factors", "nodes")


def save(
    model: AnyModel,
    path: str | os.PathLike[str],
    *,
    provenance: Mapping[str, Any] | None = None,
    certificate: ClusterTree | None = None,
    treewidth: int | None = None,
    replace: bool = True,
) -> None:
    """Write a model; a plain file appears whole or not at all, compressed when its name ends in .gz.

    A file of another kind is refused, unless `replace` says so.
    """
    refuse_other_kind(path, "model", replace=replace)
    data = to_bytes(model, provenance=provenance, certificate=certificate, treewidth=treewidth)
    write_bytes(path, data)


def load(path: str | os.PathLike[str]) -> AnyModel:
    """Read a model.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import treewright as tw
    >>> asia = tw.load_network("asia")
    >>> tree = tw.JunctionTree.of(asia.dag.moral_graph())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "asia.twm"
    ...     save(asia, path, provenance={"seed": 7}, certificate=tree, treewidth=2)
    ...     load(path) == asia, read_provenance(path), read_certificate(path).width
    (True, {'seed': 7}, 2)
    """
    return from_source(read_source(path))


def read_provenance(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a file says about where its model came from."""
    source = read_source(path)
    with _named(source):
        return _read_provenance(_verified(source.data))


def read_certificate(path: str | os.PathLike[str]) -> JunctionTree | None:
    """The clusters that a file keeps as proof of its model's treewidth, if it does."""
    source = read_source(path)
    with _named(source):
        document = _verified(source.data)
        if "certificate" not in document:
            return None
        return shared.read_certificate(document["certificate"], from_bytes(source.data).schema)


def from_source(source: Source) -> AnyModel:
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
    model: AnyModel,
    *,
    provenance: Mapping[str, Any] | None = None,
    certificate: ClusterTree | None = None,
    treewidth: int | None = None,
) -> bytes:
    """The file of a model, as bytes; the same model gives the same bytes."""
    content = next((one for one in _CONTENTS if isinstance(model, one.model)), None)
    if content is None:
        raise FormatError(f"there is no file for a model of type {type(model).__name__}")
    payload = {"format": FORMAT, "version": VERSION, "kind": content.kind, **content.write(model)}
    told = getattr(model, "provenance", None) if provenance is None else provenance
    if told:
        payload["provenance"] = _plain(told)
    forms = {variable.name: variable.raw.to_dict() for variable in model.schema if variable.raw is not None}
    if forms:
        payload["raw"] = forms
    if certificate is not None:
        payload["certificate"] = shared.write_certificate(model, certificate, treewidth)
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
    """JSON with a line for each key, and for each item of the long ones."""
    yield "{"
    for position, (key, value) in enumerate(document.items()):
        comma = "," if position < len(document) - 1 else ""
        if key not in _BY_LINE:
            yield f' "{key}": {_json(value)}{comma}'
            continue
        if isinstance(value, list):
            brackets, items = "[]", [f"  {_json(item)}" for item in value]
        else:
            brackets, items = "{}", [f"  {_json(name)}: {_json(item)}" for name, item in value.items()]
        yield f' "{key}": {brackets[0]}'
        yield from ([",\n".join(items)] if items else [])
        yield f" {brackets[1]}{comma}"
    yield "}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, allow_nan=False)


def from_bytes(data: bytes) -> AnyModel:
    """The model of a file's bytes."""
    document = _verified(data)
    provenance = _read_provenance(document)
    try:
        model = _with_forms(_KINDS[document["kind"]].read(document), document.get("raw", {}))
        return model.with_provenance(provenance)
    except FormatError:
        raise
    # every refusal of the package, more axes than an array can have, counts beyond 64 bits
    except (ValueError, OverflowError) as error:
        raise FormatError(f"the content contradicts itself: {error}") from error


def _with_forms(model: AnyModel, forms: object) -> AnyModel:
    """The model, whose variables know again how the cells of a source become their values."""
    if not isinstance(forms, dict) or not all(isinstance(told, dict) for told in forms.values()):
        raise FormatError('"raw" has not a form for each name')
    for name, told in forms.items():  # equal variables may differ in it, so nobody has seen it yet
        object.__setattr__(model.schema[name], "raw", RawForm.from_dict(told))
    return model


def _verified(data: bytes) -> dict[str, Any]:
    """The content of a file whose format, version and checksum are right."""
    try:
        document = json.loads(
            data.decode("ascii"), object_pairs_hook=_unique_keys, parse_constant=_no_constant
        )
    except FormatError:
        raise
    except (ValueError, RecursionError) as error:
        raise FormatError("not a treewright model: the file is not JSON text") from error
    if not isinstance(document, dict):
        raise FormatError("not a treewright model: the file holds no JSON object")
    expect(document.get("format") == FORMAT, f'not a treewright model: "format" is not {FORMAT!r}')
    version = document.get("version")
    expect(
        type(version) is int and version == VERSION,
        f"version {version!r} of the format is not known here, only {VERSION}",
    )
    kind = document.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise FormatError(f"a model of kind {kind!r} is not known here, only {', '.join(map(repr, _KINDS))}")
    checksum = document.pop("checksum", None)
    expect(checksum == _checksum(document), "the checksum does not match: the file was damaged or edited")
    required, optional = _REQUIRED | _KINDS[kind].required, _OPTIONAL | _KINDS[kind].optional
    expect(
        required <= document.keys() <= required | optional, f"the keys are not {', '.join(sorted(required))}"
    )
    return document


def _read_provenance(document: Mapping[str, Any]) -> dict[str, Any]:
    found = document.get("provenance", {})
    if not isinstance(found, dict):
        raise FormatError("the provenance is not an object")
    return found


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    expect(len(result) == len(pairs), "a key occurs twice")
    return result


def _no_constant(name: str) -> None:
    raise FormatError(f"{name} is not a number of JSON")


def _checksum(payload: dict[str, Any]) -> str:
    try:
        text = json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    except ValueError as error:  # numbers beyond the range of a double
        raise FormatError("the file holds a number that is out of range") from error
    return "sha256:" + hashlib.sha256(text.encode("ascii")).hexdigest()

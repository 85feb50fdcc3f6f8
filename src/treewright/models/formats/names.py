"""Names that a format cannot say: renamed on the way out, given back on the way in.

Most formats know identifiers only. A writer replaces every name and label that its format (or a widespread
reader of it) would not take by an identifier that resembles it, and keeps the originals in a small JSON file
beside the model: ``asia.bif`` has ``asia.bif.names.json``. The same file keeps what else the format forgets:
that a label is the number 1 and not the text "1", and that the states of a variable are ordered. No such file
is written when the model's own file says everything.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from treewright.errors import FormatError
from treewright.graphs.directed.dag import Dag
from treewright.kinds import refuse_to_replace
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.formats.report import Renamed
from treewright.models.formats.text import Source, read_source, write_bytes
from treewright.models.formats.twm.content import read_label, write_label
from treewright.models.undirected.markov_network import MarkovNetwork
from treewright.tables.schema import Label, Schema, Variable

Network = BayesianNetwork | MarkovNetwork

FORMAT = "treewright names"
VERSION = 1
SUFFIX = ".names.json"

_PLAIN = re.compile(r"[^A-Za-z0-9_]+")


@dataclass(frozen=True)
class NameRules:
    """What a format can say: patterns that a whole name or label must match, and words that are taken."""

    format: str
    variable: str
    state: str
    reserved: frozenset[str] = frozenset()

    def says(self, pattern: str) -> Callable[[str], bool]:
        return lambda text: re.fullmatch(pattern, text) is not None and text.lower() not in self.reserved


@dataclass(frozen=True)
class Exported:
    """Names and labels as they stand in the file, in schema order, and how they differ from the model's."""

    schema: Schema
    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    renamed: tuple[Renamed, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def says_everything(self) -> bool:
        return not self.renamed and not self.notes


def export_names(schema: Schema, rules: NameRules) -> Exported:
    """Choose what stands in the file for every name and label; the same schema gives the same choice."""
    names = _distinct(schema.names, rules.says(rules.variable), "v", rules.reserved)
    states = tuple(
        _distinct(map(str, variable.states or ()), rules.says(rules.state), "s", rules.reserved)
        for variable in schema
    )
    return exported_as(schema, names, states)


def exported_as(schema: Schema, names: tuple[str, ...], states: tuple[tuple[str, ...], ...]) -> Exported:
    """Compare what stands in the file with what the model says."""
    renamed: list[Renamed] = []
    notes: list[str] = []
    for variable, name, labels in zip(schema, names, states, strict=True):
        own = variable.states or ()
        if name != variable.name:
            renamed.append(Renamed(variable.name, None, name))
        renamed += [
            Renamed(variable.name, state, label)
            for state, label in zip(own, labels, strict=True)
            if str(state) != label
        ]
        if not all(isinstance(state, str) for state in own):
            notes.append(f"{variable.name!r} has labels that are no texts")
        if variable.ordered:
            notes.append(f"the states of {variable.name!r} are ordered")
    return Exported(schema, names, states, tuple(renamed), tuple(notes))


def refuse_changes(exported: Exported, rules_format: str) -> None:
    """The answer of ``strict=True`` to anything that the file alone would not say."""
    if exported.says_everything:
        return
    changes = [
        f"the name {one.variable!r}" if one.state is None else f"the state {one.state!r} of {one.variable!r}"
        for one in exported.renamed
    ]
    changes += exported.notes
    more = f" and {len(changes) - 3} more" if len(changes) > 3 else ""
    raise FormatError(
        f"{rules_format} cannot say everything about this model: {'; '.join(changes[:3])}{more}; without "
        f"strict=True such names are replaced, and the originals are kept in a file beside it"
    )


def _distinct(
    texts: Iterable[str], is_said: Callable[[str], bool], prefix: str, reserved: frozenset[str]
) -> tuple[str, ...]:
    wanted = list(texts)
    # what can be said stays, once: the number 1 and the text "1" are two states with one spelling
    first = {text: i for i, text in reversed([*enumerate(wanted)]) if is_said(text)}
    taken, used = set(first), dict[str, int]()
    return tuple(
        text if first.get(text) == i else _free(_identifier(text, prefix, reserved), taken, used)
        for i, text in enumerate(wanted)
    )


def _identifier(text: str, prefix: str, reserved: frozenset[str]) -> str:
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
    plain = _PLAIN.sub("_", ascii_text).strip("_")[:60]
    return plain if plain[:1].isalpha() and plain.lower() not in reserved else f"{prefix}_{plain}".rstrip("_")


def _free(base: str, taken: set[str], used: dict[str, int]) -> str:
    """The base, or the base with the first number that is free; `used` remembers where to go on."""
    n = used.get(base, 1)
    name = base if n == 1 else f"{base}_{n}"
    while name in taken:
        n += 1
        name = f"{base}_{n}"
    used[base] = n
    taken.add(name)
    return name


# the file beside the model


def names_path(path: str | Path) -> Path:
    return Path(f"{path}{SUFFIX}")


def write_names(path: str | Path, exported: Exported, *, replace: bool = False) -> str | None:
    """Write the names file of a model's file, or remove one that is left over; returns its path."""
    beside = names_path(path)
    if exported.says_everything:
        if beside.exists() and _is_ours(beside):
            beside.unlink()
        return None
    if beside.exists() and not replace and not _is_ours(beside):
        refuse_to_replace(beside, "something else", "names")
    variables = [
        {
            "written": name,
            "name": variable.name,
            "ordered": variable.ordered,
            "states": [
                {"written": written, "label": write_label(label)}
                for written, label in zip(labels, variable.states or (), strict=True)
            ],
        }
        for variable, name, labels in zip(exported.schema, exported.names, exported.states, strict=True)
    ]
    document = {"format": FORMAT, "version": VERSION, "variables": variables}
    write_bytes(beside, (json.dumps(document, indent=1, ensure_ascii=True) + "\n").encode("ascii"))
    return str(beside)


def restore_names(path: str | Path, model: Network) -> tuple[Network, str | None]:
    """Give a model its names and labels back when there is a file with them."""
    beside = names_path(path)
    if not beside.exists():
        return model, None
    source = read_source(beside)
    variables = _read_names(source)
    if len(variables) != len(model.schema):
        raise _stranger(source, f"it has {len(variables)} variables, the model {len(model.schema)}")
    for (written, _), found in zip(variables, model.schema, strict=True):
        if written != (found.name, found.states):
            raise _stranger(
                source, f"it has {written[0]!r} where the model has {found.name!r}, or other states"
            )
    try:
        schema = Schema([variable for _, variable in variables])
    except ValueError as error:
        raise source.error(str(error)) from error
    return rename_model(model, schema), str(beside)


def rename_model(model: Network, schema: Schema) -> Network:
    """The same model over a schema that says other names at the same positions."""
    if isinstance(model, MarkovNetwork):
        return MarkovNetwork(schema, model.factors, fitting=model.fitting)
    return BayesianNetwork(Dag(schema, model.dag.index_edges()), model.tables)


def _stranger(source: Source, found: str) -> FormatError:
    return source.error(
        f"the names do not belong to the model beside them: {found}; write the model again, delete this "
        "file, or read with names=False"
    )


def _is_ours(beside: Path) -> bool:
    try:
        _read_names(read_source(beside))
    except FormatError:
        return False
    return True


Written = tuple[str, tuple[str, ...]]


def _read_names(source: Source) -> list[tuple[Written, Variable]]:
    try:
        document = json.loads(source.data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise source.error("not a file of names: it is not JSON text") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise source.error(f'not a file of names: "format" is not {FORMAT!r}')
    if document.get("version") != VERSION or not isinstance(document.get("variables"), list):
        raise source.error(f"version {document.get('version')!r} is not known here, only {VERSION}")
    try:
        return [_read_variable(item) for item in document["variables"]]
    except (KeyError, TypeError, ValueError) as error:
        raise source.error(f"the names contradict themselves: {error}") from error


def _read_variable(item: Any) -> tuple[Written, Variable]:
    labels: list[Label] = [read_label(state["label"]) for state in item["states"]]
    written = tuple(state["written"] for state in item["states"])
    return (item["written"], written), Variable(item["name"], tuple(labels), ordered=bool(item["ordered"]))

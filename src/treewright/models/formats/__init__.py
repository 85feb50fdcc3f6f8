"""Files that models are kept in, one module per format, and the doors to them.

==========  =======================  ==========================================
format      endings                  known from
==========  =======================  ==========================================
twm         .twm                     treewright itself: lossless, with checksum
bif         .bif                     bnlearn, pgmpy, pyAgrum, JavaBayes
xmlbif      .xmlbif .bifxml .xml     pgmpy, pyAgrum
xdsl        .xdsl                    GeNIe, SMILE
net         .net                     Hugin
uai         .uai                     inference competitions
==========  =======================  ==========================================

Every ending may be followed by ``.gz``. All of them hold Bayesian networks; twm and uai also Markov networks.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from treewright.arguments import require_path
from treewright.collector import no_cycles
from treewright.errors import FormatError, SchemaError, nearest
from treewright.kinds import refuse_other_kind
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.features.feature_network import FeatureNetwork
from treewright.models.formats import bif, net, twm, uai, xdsl, xmlbif
from treewright.models.formats.draft import Draft
from treewright.models.formats.names import Exported, refuse_changes, restore_names, write_names
from treewright.models.formats.report import ConvertReport, ReadReport, Renamed, Renormalised, WriteReport
from treewright.models.formats.text import Source, read_source, write_bytes
from treewright.models.model import AnyModel, ModelBase
from treewright.models.undirected.markov_network import MarkovNetwork
from treewright.tables.report import listed
from treewright.tables.schema import Schema

PathLike = str | os.PathLike[str]
AnyNetwork = BayesianNetwork | MarkovNetwork


@dataclass(frozen=True)
class Format:
    """A foreign format: how it is called, read and written."""

    name: str
    endings: tuple[str, ...]
    read: Callable[[Source], Draft]
    export: Callable[[Schema], Exported]
    write: Callable[[Any, Exported], bytes]
    undirected: bool = False


# one row per format: what it is called, its endings, and what its module does
FOREIGN = (
    Format("bif", (".bif",), bif.read, bif.export, bif.write),
    Format("xmlbif", (".xmlbif", ".bifxml", ".xml"), xmlbif.read, xmlbif.export, xmlbif.write),
    Format("xdsl", (".xdsl",), xdsl.read, xdsl.export, xdsl.write),
    Format("net", (".net",), net.read, net.export, net.write),
    Format("uai", (".uai",), uai.read, uai.export, uai.write, undirected=True),
)
NATIVE_ENDING = ".twm"
FORMATS = ("twm", *(kind.name for kind in FOREIGN))


def read_model(path: PathLike, *, format: str | None = None, names: bool = True) -> AnyModel:
    """Read a model from a file of any known format, plain or compressed (.gz).

    A `format` (``"bif"``, ``"net"`` ...) is given where the ending does not say it. Whatever is not such a
    file is refused with :class:`FormatError`, with line and column. With `names`, names and labels are given
    back from the file that :func:`write_model` may have put beside it.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from treewright.networks import load_network
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "asia.bif"
    >>> _ = write_model(load_network("asia"), path)
    >>> read_model(path)
    <BayesianNetwork: 8 variables, 8 arcs, 18 parameters>
    >>> folder.cleanup()
    """
    return _read(path, format, names)[0]


def read_model_with_report(
    path: PathLike, *, format: str | None = None, names: bool = True
) -> tuple[AnyModel, ReadReport]:
    """Read a model as :func:`read_model` does, and say what happened on the way.

    The report lists rows that were rescaled because their sum missed one by rounding (up to 1e-4; more is
    refused), dialects that were recognised, and where names came from.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "coin.net"
    >>> text = 'node coin { states = ("heads" "tails"); } potential (coin) { data = (.5 .49999); }'
    >>> _ = path.write_text(text)
    >>> model, report = read_model_with_report(path)
    >>> print(report.renormalised[0])
    1 row of 'coin' missed a sum of 1 by up to 1.0e-05 and was rescaled
    >>> folder.cleanup()
    """
    model, report = _read(path, format, names)
    return model, report()


@no_cycles()
def _read(path: PathLike, format: str | None, names: bool) -> tuple[AnyModel, Callable[[], ReadReport]]:
    """The model of a file, and its report for those who want one: edges and parameters take time to count."""
    kind = format_of(path, format)
    source = read_source(path)
    if kind is None:
        model = twm.from_source(source)
        return model, partial(_report, source, "twm", model)
    try:
        draft = kind.read(source)
        found: AnyNetwork = draft.finish()
    except MemoryError as error:
        raise FormatError(f"{source.name}: there is not enough memory to read the file") from error
    found, names_file = restore_names(source.name, found) if names else (found, None)
    return found, partial(_report, source, kind.name, found, draft, names_file)


def write_model(
    model: AnyModel, path: PathLike, strict: bool = False, *, format: str | None = None, replace: bool = False
) -> WriteReport:
    """Write a Bayesian or Markov network in the format that the ending of the path says.

    Names and labels that the format cannot say are replaced by identifiers; a file beside the model
    (``<path>.names.json``) keeps the originals, and reading gives them back; `strict` refuses what the file
    alone cannot say, rather than to rename. An ending of ``.gz`` compresses; a `format` is given where the
    ending does not say it. The same model always gives the same bytes. A model that is there is replaced; a
    file of another kind is refused, unless `replace` says so.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from treewright.networks import load_network
    >>> folder = tempfile.TemporaryDirectory()
    >>> report = write_model(load_network("asia"), pathlib.Path(folder.name) / "asia.xdsl")
    >>> report.renamed, report.names_file
    ((), None)
    >>> folder.cleanup()
    """
    if not isinstance(model, ModelBase):
        raise SchemaError(
            f"write_model writes a BayesianNetwork or a MarkovNetwork; found {type(model).__name__}"
        )
    kind = format_of(path, format)
    if kind is not None and isinstance(model, MarkovNetwork) and not kind.undirected:
        raise FormatError(
            f"{kind.name.upper()} holds Bayesian networks; write this Markov network as .twm or .uai, or "
            "write model.to_bayesian_network(), which a chordal one has"
        )
    if kind is not None and isinstance(model, FeatureNetwork):
        raise FormatError(
            f"{kind.name.upper()} holds networks of tables; write this feature network as .twm, or write "
            "model.to_markov_network() as .uai where its junction tree is small enough"
        )
    target = Path(path)
    refuse_other_kind(target, "model", replace=replace)
    if kind is None:
        write_bytes(target, twm.to_bytes(model))
        return WriteReport(str(target), "twm")
    if not isinstance(model, BayesianNetwork | MarkovNetwork):
        raise SchemaError(
            f"{kind.name} is for networks of discrete variables; found {type(model).__name__}"
            f"{_cannot_say(model.schema)}: write .twm"
        )
    exported = kind.export(model.schema)
    if strict:
        refuse_changes(exported, kind.name.upper())
    data = kind.write(model, exported)
    names_file = write_names(target, exported, replace=replace)
    write_bytes(target, data)
    return WriteReport(str(target), kind.name, exported.renamed, exported.notes, names_file)


def _cannot_say(schema: Schema) -> str:
    """What of a model no table says, and what can be done about it."""
    numbers = [variable.name for variable in schema if not variable.is_discrete]
    if not numbers or len(numbers) == len(schema):
        return ""
    return (
        f", and no table says the lines and variances of {listed(numbers, 4)}, or what they tell of labels; "
        "learn with numbers cut (bins=, --bins), which gives a network of tables, or keep this one"
    )


def convert_model(
    source: PathLike, target: PathLike, strict: bool = False, *, replace: bool = False
) -> ConvertReport:
    """Read a model from one file and write it to another, in the formats that the endings say.

    What is there is replaced as :func:`write_model` does it.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from treewright.networks import load_network
    >>> folder = tempfile.TemporaryDirectory()
    >>> a, b = (pathlib.Path(folder.name) / name for name in ("a.bif", "b.uai.gz"))
    >>> _ = write_model(load_network("asia"), a)
    >>> convert_model(a, b).written.format
    'uai'
    >>> read_model(b) == load_network("asia")
    True
    >>> folder.cleanup()
    """
    format_of(target, None)  # a target without a format is refused before a long read
    model, read = read_model_with_report(source)
    return ConvertReport(read, write_model(model, target, strict, replace=replace))


def format_of(path: PathLike, name: str | None) -> Format | None:
    """The foreign format that a name or an ending means, or None for treewright's own."""
    require_path("a reader or writer", path)
    if name is not None:
        if name not in FORMATS:
            raise FormatError(f"there is no format {name!r}; there are {nearest(name, FORMATS)}")
        return next((kind for kind in FOREIGN if kind.name == name), None)
    ending = Path(os.fspath(path).removesuffix(".gz")).suffix.lower()
    if ending == NATIVE_ENDING:
        return None
    found = next((kind for kind in FOREIGN if ending in kind.endings), None)
    if found is None:
        endings = [NATIVE_ENDING, *(end for kind in FOREIGN for end in kind.endings)]
        raise FormatError(
            f"{os.fspath(path)}: the ending {ending!r} says no format; known are {nearest(ending, endings)} "
            "(each also with .gz), or pass format="
        )
    return found


def _report(
    source: Source, kind: str, model: AnyModel, draft: Draft | None = None, names_file: str | None = None
) -> ReadReport:
    shape = model if isinstance(model, MarkovNetwork) else model.structure
    size = len(model.schema), shape.n_edges, model.n_parameters
    found = (tuple(draft.renormalised), tuple(draft.notes)) if draft else ()
    return replace(ReadReport(source.name, kind, *size, *found), names_file=names_file)

"""The door: a file or a model goes in, a report comes out.

This is the only place where the checker asks the package for something: bytes of a model, and clusters.
Neither is believed. Bytes are read and clusters are checked like those of any file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

from treewright.arguments import CLUSTERS, require_option
from treewright.errors import FormatError, SchemaError
from treewright.graphs.undirected.cluster_trees import ClusterTree, JunctionTree
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.models.formats import read_model
from treewright.models.formats.text import read_source
from treewright.models.formats.twm import to_bytes
from treewright.models.formats.twm.content import as_section
from treewright.ranges import in_range
from treewright.tables.schema import Schema, Variable
from treewright.verification.clusters import check_certificate
from treewright.verification.content import Variables, read_content, read_variables
from treewright.verification.kinds import Scopes, check_model
from treewright.verification.report import Findings, VerifyReport, Violation


@in_range
def verify(
    source: str | os.PathLike[str] | object,
    *,
    certificate: ClusterTree | None = None,
    treewidth: int | None = None,
) -> VerifyReport:
    """Check a model and the proof of its treewidth independently of the code that made them.

    The file's checksum, every table, acyclicity and the certificate (clusters in a tree that hold every
    family, with running intersection) are checked from their definitions. A file without a certificate is
    given one by the library, which is then checked in the same way.

    Parameters
    ----------
    source
        A file of any format that :func:`~treewright.read_model` reads, or a model.
    certificate
        Clusters to check instead of those in the file, such as `learned.certificate`.
    treewidth
        A bound that the clusters have to keep, instead of the one in the file.

    Examples
    --------
    >>> import treewright as tw
    >>> report = tw.verify(tw.load_network("alarm"))
    >>> report.valid, report.width, report.certificate
    (True, 4, 'computed')
    >>> print(tw.verify(tw.load_network("asia"), treewidth=1))
    BayesianNetwork: 1 violation
      bound: a width of 1 is claimed; the cluster {bronc, dysp, either} makes it 2
    """
    require_option("verify", CLUSTERS, certificate=certificate)
    wanted = None if certificate is None else as_section(certificate)
    if not isinstance(source, str | os.PathLike):
        return check_bytes(bytes_of_model(source), type(source).__name__, wanted, treewidth)
    title = os.fspath(source)
    try:
        data = bytes_of_file(source)
    except FormatError as error:
        unreadable = Violation("format", str(error).removeprefix(f"{title}: "))
        return VerifyReport(title, checks=("format",), violations=(unreadable,))
    return check_bytes(data, title, wanted, treewidth)


def check_bytes(
    data: bytes, title: str, given: dict[str, Any] | None = None, treewidth: int | None = None
) -> VerifyReport:
    """Check the content of a native file, with the certificate and the bound of the caller if any."""
    findings = Findings()
    content = read_content(data, findings)
    variables = None if content is None else read_variables(content, findings)
    if content is None or variables is None:
        return report_on(title, content, findings)
    scopes = check_model(content, variables, findings)
    if scopes is None:
        return report_on(title, content, findings, n_variables=len(variables.states))
    origin, section = choose_certificate(content, variables, scopes, given)
    if treewidth is not None and isinstance(section, dict):
        section = {**section, "bound": treewidth}
    proof = check_certificate(section, variables.names, scopes, findings)
    return report_on(
        title,
        content,
        findings,
        n_variables=len(variables.states),
        n_scopes=len(scopes),
        certificate=origin,
        n_clusters=proof.n_clusters,
        bound=proof.bound,
        width=proof.width,
    )


def choose_certificate(
    content: dict[str, Any], variables: Variables, scopes: Scopes, given: dict[str, Any] | None
) -> tuple[str, Any]:
    """The certificate of the caller, of the file or of the library, in this order."""
    if given is not None:
        return "given", given
    if "certificate" in content:
        return "stored", content["certificate"]
    return "computed", propose_certificate(variables.names, scopes)


def report_on(title: str, content: dict[str, Any] | None, findings: Findings, **figures: Any) -> VerifyReport:
    kind = content.get("kind") if content else None
    return VerifyReport(
        source=title,
        kind=kind if isinstance(kind, str) else None,
        checks=tuple(findings.checks),
        violations=tuple(findings.violations),
        **figures,
    )


def bytes_of_model(model: Any) -> bytes:
    """What a file of the model would hold."""
    if not hasattr(model, "save"):
        raise SchemaError(f"verify checks a model or a file of one; found {type(model).__name__}")
    return to_bytes(model)


def bytes_of_file(path: str | os.PathLike[str]) -> bytes:
    """The content of a native file as it stands; a file of another format is read and told anew."""
    source = read_source(path)
    name = os.fspath(path).lower().removesuffix(".gz")
    if name.endswith(".twm") or source.data.lstrip()[:1] == b"{":
        return source.data
    return to_bytes(read_model(path))


def propose_certificate(names: Sequence[str], scopes: Iterable[Sequence[str]]) -> dict[str, Any]:
    """Clusters for these scopes: the cliques of a triangulation of the graph that joins each of them."""
    schema = Schema([Variable(name) for name in names])
    place = {name: position for position, name in enumerate(names)}
    pairs = {pair for scope in scopes for pair in combinations(sorted({place[name] for name in scope}), 2)}
    return as_section(JunctionTree.of(UndirectedGraph(schema, sorted(pairs))))

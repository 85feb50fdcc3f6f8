"""The embedded model of an explorer page: all that the page needs to draw, to answer and to quote Python.

Numbers keep every bit: little-endian doubles, gzip without a time stamp, base64. The same model gives the
same text. What is drawn where is added by whoever lays the page out.

==========  ============================================================================================
kind        numbers
==========  ============================================================================================
tables      `factors` (scopes; their cells one after the other in `numbers`) and `plan`, a junction forest:
            scopes with residual variables first, how many are residual, parents (-1 of a root); `network`
            says whether table v is the distribution of variable v, "bayesian" or "markov"
features    `arrays`, those of a feature graph; `exact` where every row takes one way through it
normal      `families` (parents, weights, offset, variance) and `order`, parents before children
mixed       `factors` and `plan` of the states, as in tables; `lines` (child, its discrete and its continuous
            parents; parents before children), whose intercepts, variances and slopes follow in `numbers`
structure   none
==========  ============================================================================================

A page propagates up to 4 million cells. Beyond, it has `starting`, the beliefs at the time of writing (and
`mixtures` of numbers), and a `note` that says why and what to call instead.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.errors import TableTooLarge
from treewright.graphs.undirected.clusters import Clusters
from treewright.inference.evidence import Evidence, read_real_evidence
from treewright.inference.junction_tree import JunctionTreeEngine
from treewright.learners import EdgeConfidence
from treewright.models import (
    BayesianNetwork,
    ConditionalGaussianNetwork,
    FeatureNetwork,
    GaussianNetwork,
    MarkovNetwork,
)
from treewright.models.answers import Distribution
from treewright.models.continuous.normal_answers import Normal
from treewright.models.mixed.mixtures import MixedMarginals, NormalMixture
from treewright.networks import list_networks
from treewright.reports.curves import drawn_normals
from treewright.reports.explorer.mixed_data import mixed_plan, mixed_tables, placed
from treewright.reports.feature_picture import drawn_structure
from treewright.reports.links import links_of
from treewright.tables.schema import Schema, Variable

FORMAT, VERSION = "treewright-page", 1
UNSAVED = "model.twm"  # a name for a model that is in no file
NOT_EXPLAINED = "Not known exactly of a model whose rows take several ways through its graph"
THE_MEANS = "The means are it"
UNTOLD = "Told of states by states: what a number tells, or what is told of one, has no closed form here."
MOST_CELLS = 4_000_000  # 64 MB in a page, and about a tenth of a second for a click
MOST_NUMBERS = 16_000_000  # beside states: up to a second for a click, in slices

PageData = dict[str, Any]


def page_data(
    source: Any,
    *,
    title: str = "",
    file: str = "",
    given: Mapping[str, Any] | None = None,
    confidence: EdgeConfidence | None = None,
) -> PageData:
    """What a page holds of a model or a bare structure, without its drawing.

    `file` is where Python finds the model again, `given` the evidence that the page opens with (impossible
    evidence is refused), `confidence` how sure each edge is.

    Examples
    --------
    >>> from treewright.networks import load_network
    >>> data = page_data(load_network("asia"), title="Chest clinic", given={"smoke": "yes"})
    >>> data["kind"], len(data["variables"]), data["edges"][0], data["given"]
    ('tables', 8, [0, 1], [[2, [1.0, 0.0]]])
    """
    structure = getattr(source, "structure", source)
    data = {"format": FORMAT, "version": VERSION, "kind": "structure", "title": title, "file": file}
    data |= _drawn(source, structure, confidence)
    data["given"] = []
    if isinstance(source, BayesianNetwork | MarkovNetwork):
        data |= _tables(source, given, file)
    elif isinstance(source, FeatureNetwork):
        data |= _features(source, given, file)
    elif isinstance(source, GaussianNetwork):
        data |= _normal(source, given, file)
    elif isinstance(source, ConditionalGaussianNetwork):
        data |= _mixed(source, given, file)
    return data


def loading(file: str) -> str:
    """The Python that opens a model again; of one that is in no file, how it gets into one.

    Examples
    --------
    >>> loading("alarm"), loading("a.bif")
    ("tw.load_network('alarm')", "tw.read_model('a.bif')")
    >>> loading("")
    "tw.load('model.twm')  # after model.save('model.twm')"
    """
    if not file:
        return f"{loading(UNSAVED)}  # after model.save({UNSAVED!r})"
    if file in list_networks():
        return f"tw.load_network({file!r})"
    own = PurePath(file).suffix.lower() == ".twm"
    return f"tw.{'load' if own else 'read_model'}({file!r})"


def n_stored_rows(source: Any) -> int:
    """Rows of the training data that a page of this model would hold verbatim."""
    if not isinstance(source, FeatureNetwork):
        return 0
    graph = source.graph
    return sum(len(graph.numbers_of(node)) for node in range(graph.n_nodes) if graph.kind(node) == "rows")


def packed(numbers: npt.ArrayLike, kind: str = "<f8") -> str:
    """Numbers as text: gzip without a time stamp, base64."""
    return packed_bytes(np.ascontiguousarray(numbers, dtype=kind).tobytes())


def packed_bytes(raw: bytes) -> str:
    return base64.b64encode(gzip.compress(raw, 9, mtime=0)).decode("ascii")


def _drawn(source: Any, structure: Any, confidence: EdgeConfidence | None) -> PageData:
    """Variables, edges and what is known about them."""
    schema = structure.schema
    shown = drawn_structure(structure) if isinstance(source, FeatureNetwork) else structure
    links = links_of(shown)
    data: PageData = {
        "directed": any(link.arrow != "none" for link in links),
        "variables": [_variable(variable) for variable in schema],
        "edges": [list(link.arc) for link in links],
        "arrows": [link.arrow for link in links],
    }
    if isinstance(source, FeatureNetwork) and len(links) < structure.n_edges:
        data["undrawn"] = f"{structure.n_edges:,} pairs are joined, too many to draw"
    if confidence is not None:
        data["confidence"] = [round(confidence.strength(*schema.names_of(link.arc)), 4) for link in links]
    if isinstance(clusters := getattr(structure, "clusters", None), Clusters):
        data["clusters"] = _clusters(schema, clusters)
    return data


def _variable(variable: Variable) -> PageData:
    if variable.states is None:
        return {"name": variable.name}
    found: PageData = {"name": variable.name, "states": [str(state) for state in variable.states]}
    if not all(isinstance(state, str) for state in variable.states):
        found["literals"] = [repr(state) for state in variable.states]
    return found


def _clusters(schema: Schema, clusters: Clusters) -> list[PageData]:
    grown = zip(clusters.grown_from, clusters.cluster_scopes, strict=True)
    return [
        {
            "name": clusters.centres[star],
            "members": sorted(schema.index(name) for name in clusters.schema.names_of(scope)),
        }
        for star, scope in grown
    ]


def _tables(model: BayesianNetwork | MarkovNetwork, given: Mapping[str, Any] | None, file: str) -> PageData:
    engine = model._engine
    assert isinstance(engine, JunctionTreeEngine)
    network = "bayesian" if isinstance(model, BayesianNetwork) else "markov"
    data: PageData = {"kind": "tables", "network": network, "given": _likelihoods(model, given)}
    if sum(table.size for table in engine.tables) <= MOST_CELLS:
        data["factors"] = [{"scope": list(factor.scope)} for factor in engine.factors]
        data["numbers"] = packed(np.concatenate([np.zeros(0), *engine.tables]))
        if (plan := engine.plan(MOST_CELLS)) is not None:
            return data | {"plan": plan._asdict()}
    return data | _still(model, given, f"its junction tree has more than {MOST_CELLS:,} cells", file)


def _features(model: FeatureNetwork, given: Mapping[str, Any] | None, file: str) -> PageData:
    data: PageData = {"kind": "features", "given": _likelihoods(model, given), "exact": model.is_exact}
    if not model.is_exact:
        data["unexplained"] = NOT_EXPLAINED
    kinds, child_begin, children, integer_begin, integers, number_begin, numbers = model.graph.arrays
    if _cells_of(model) > MOST_CELLS:
        return data | _still(model, given, f"its graph has more than {MOST_CELLS:,} cells", file)
    arrays = {
        "kinds": kinds, "child_begin": child_begin, "children": children,
        "integer_begin": integer_begin, "integers": integers, "number_begin": number_begin,
    }  # fmt: skip
    data["arrays"] = {name: packed(array, "<u4") for name, array in arrays.items()}
    return data | {"numbers": packed(numbers)}


def _cells_of(model: FeatureNetwork) -> int:
    """What a page works through: numbers of the graph, cliques of its leaves, codes of its rows."""
    graph, states = model.graph, model.schema.cardinalities
    _, _, _, integer_begin, integers, _, numbers = graph.arrays
    cells = len(numbers) + len(integers)
    for node in range(graph.n_nodes):
        if graph.kind(node) == "hidden":
            cells += _clique_cells(graph.integers(node), states)
        elif graph.kind(node) == "rows":
            cells += int(integers[integer_begin[node]]) * len(graph.numbers_of(node))
    return cells


def _clique_cells(about: list[int], states: Sequence[int]) -> int:
    """Of a tree of hidden states: a clique is a variable, its hidden state and what it sees of its parent."""
    hidden, sees_parent, _, *places = about
    variables, ups = places[::2], places[1::2]
    cells = 0
    for v, up in zip(variables, ups, strict=True):
        above = 1 if up >= len(variables) else hidden * (states[variables[up]] if sees_parent else 1)
        cells += states[v] * hidden * above
    return cells


def _normal(model: GaussianNetwork, given: Mapping[str, Any] | None, file: str) -> PageData:
    evidence = read_real_evidence(model.schema, given)
    known = [list(item) for item in zip(evidence.observed, evidence.values, strict=True)]
    if known:
        model.marginals(given)  # refuses values that contradict each other
    data: PageData = {"kind": "normal", "given": known, "unexplained": THE_MEANS}
    families = []
    for v in range(len(model.schema)):
        parents = model.dag.parents(v)
        weights = model.coefficients(v)
        families.append(
            {
                "parents": list(parents),
                "weights": [weights[name] for name in model.schema.names_of(parents)],
                "offset": float(model.intercepts[v]),
                "variance": float(model.variances[v]),
            }
        )
    data |= {"families": families, "order": [int(v) for v in model.dag.topological_order]}
    if len(model.schema) ** 2 > MOST_CELLS:
        return data | _still(model, given, f"its covariance has more than {MOST_CELLS:,} numbers", file)
    return data


def _mixed(model: ConditionalGaussianNetwork, given: Mapping[str, Any] | None, file: str) -> PageData:
    data: PageData = {"kind": "mixed", "network": "bayesian", "untold": UNTOLD}
    data["given"] = _mixed_evidence(model, given)
    tables, numbers = mixed_tables(model)
    if numbers.size <= MOST_CELLS:
        data |= tables | {"numbers": packed(numbers)}
        found = mixed_plan(model._engine, MOST_CELLS, MOST_NUMBERS)
        if found.plan is not None:
            return data | {"plan": placed(model, found.plan)}
    why = f"the joint states that its numbers hang on need more than {MOST_NUMBERS:,} numbers"
    return data | _still(model, given, why, file)


def _mixed_evidence(model: ConditionalGaussianNetwork, given: Mapping[str, Any] | None) -> list[list[Any]]:
    """Likelihoods of states, and numbers as they are."""
    evidence, states = model._read(given), model._engine.schema
    if given:
        model.marginals(given)  # refuses what is impossible
    known = [
        [model.schema.index(states.names[v]), likelihood]
        for v, likelihood in _known_states(evidence.states, states)
    ]
    return known + [[model.schema.index(name), number] for name, number in evidence.numbers.items()]


def _still(model: Any, given: Mapping[str, Any] | None, why: str, file: str) -> PageData:
    """The beliefs at the time of writing, where these can be had, and what to call for others."""
    call = f"{loading(file) if file else 'model'}.marginals(given={{...}})"
    try:
        beliefs = model.marginals(given)
    except TableTooLarge:
        return {"note": f"This page has no beliefs: {why}, and so many that Python refuses too."}
    flat = [x for name in model.schema.names for x in _flat(beliefs[name])]
    note = f"Beliefs here are those of the time of writing: {why}. In Python: {call}"
    found: PageData = {"starting": packed(flat), "note": note}
    if isinstance(beliefs, MixedMarginals):
        drawn = {v: beliefs[name] for v, name in enumerate(model.schema.names)}
        found["mixtures"] = [
            [v, *(part.tolist() for part in drawn_normals(answer))]
            for v, answer in drawn.items()
            if isinstance(answer, NormalMixture)
        ]
    return found


def _flat(answer: Distribution | Normal | NormalMixture) -> Iterable[float]:
    """The probabilities of states; of a number, its mean and its deviation."""
    if isinstance(answer, Distribution):
        return [float(p) for p in answer.array]
    return answer.mean, answer.standard_deviation


def _likelihoods(model: Any, given: Mapping[str, Any] | None) -> list[list[Any]]:
    """Evidence as one likelihood for each state; a state that is known is a likelihood with a single one."""
    evidence: Evidence = model._read(given)
    if given:
        model.marginals(given)  # refuses what is impossible
    return _known_states(evidence, model.schema)


def _known_states(evidence: Evidence, schema: Schema) -> list[list[Any]]:
    known: list[list[Any]] = []
    for v, state in zip(evidence.observed, evidence.states, strict=True):
        known.append([v, [float(code == state) for code in range(schema.cardinalities[v])]])
    known += [list(item) for item in zip(evidence.weighted, evidence.likelihoods, strict=True)]
    return known

"""Certificates that are wrong in every way one could think of: each has to be caught, by the right rule."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.verification.signed import edited

import treewright as tw
from treewright.verification.clusters import check_certificate
from treewright.verification.door import check_bytes
from treewright.verification.report import Findings

ASIA = tw.load_network("asia")
FAMILIES = [(*ASIA.schema.names_of(ASIA.dag.parents(v)), name) for v, name in enumerate(ASIA.schema.names)]


def certificate(model):
    found = []
    edited(model, lambda content: found.append(content["certificate"]))
    return found[0]


GOOD = certificate(ASIA)


def position(*names):
    return next(i for i, cluster in enumerate(GOOD["clusters"]) if set(cluster) == set(names))


def test_the_certificate_that_is_changed_below():
    assert sorted(map(sorted, GOOD["clusters"])) == [
        ["asia", "tub"],
        ["bronc", "dysp", "either"],
        ["bronc", "either", "smoke"],
        ["either", "lung", "smoke"],
        ["either", "lung", "tub"],
        ["either", "xray"],
    ]
    assert check_bytes(edited(ASIA, lambda content: None), "asia").valid


def drop(*names):
    """Leave a name out of a cluster."""
    i = position(*names)
    return lambda c, i=i: c["clusters"][i].remove(names[-1])


def rewire(c):
    """A tree still, but xray's cluster hangs where either is not."""
    i, j = position("either", "xray"), position("asia", "tub")
    c["edges"] = [edge for edge in c["edges"] if i not in edge] + [[i, j]]


def split_off(c):
    c["edges"] = [edge for edge in c["edges"] if position("asia", "tub") not in edge]


MUTATIONS = {
    "a family loses its child": (drop("either", "bronc", "dysp"), "cover", {"dysp"}),
    "a family loses a parent": (drop("either", "dysp", "bronc"), "cover", {"bronc", "either", "dysp"}),
    "a variable in no cluster": (drop("either", "xray"), "cover", {"xray"}),
    "a fill edge is left out": (drop("bronc", "smoke", "either"), "running intersection", {"either"}),
    "an edge is missing": (split_off, "running intersection", {"tub"}),
    "all edges are missing": (lambda c: c["edges"].clear(), "running intersection", {"tub"}),
    "a cluster hangs elsewhere": (rewire, "running intersection", {"either"}),
    "a cluster is missing": (
        lambda c: (c["clusters"].pop(), c.update(edges=[e for e in c["edges"] if 5 not in e])),
        "cover",
        set(),
    ),
    "a far variable is added": (
        lambda c: c["clusters"][position("either", "xray")].append("asia"),
        "running intersection",
        {"asia"},
    ),
    "an edge closes a cycle": (
        lambda c: c["edges"].append([position("asia", "tub"), position("either", "xray")]),
        "forest",
        {"asia"},
    ),
    "an edge is there twice": (lambda c: c["edges"].append(c["edges"][0]), "forest", set()),
    "an edge is there twice, turned": (lambda c: c["edges"].append(c["edges"][0][::-1]), "forest", set()),
    "a loop": (lambda c: c["edges"].append([2, 2]), "forest", set()),
    "an edge to nowhere": (lambda c: c["edges"].append([0, 6]), "forest", set()),
    "a negative position": (lambda c: c["edges"].append([-1, 0]), "forest", set()),
    "a position that is a truth value": (lambda c: c["edges"].append([True, 3]), "forest", set()),
    "three ends": (lambda c: c["edges"].append([0, 1, 2]), "forest", set()),
    "an edge of names": (lambda c: c["edges"].append(["asia", "tub"]), "forest", set()),
    "edges are no list": (lambda c: c.update(edges={}), "forest", set()),
    "a cluster is there twice": (lambda c: c["clusters"].append(c["clusters"][0]), "certificate", set()),
    "a cluster is there twice, turned": (
        lambda c: c["clusters"].append(c["clusters"][1][::-1]),
        "certificate",
        set(),
    ),
    "an empty cluster": (lambda c: c["clusters"].append([]), "certificate", set()),
    "a name is unknown": (lambda c: c["clusters"][0].append("nobody"), "certificate", {"nobody"}),
    "a name is misspelt": (lambda c: c["clusters"][0].__setitem__(0, "Asia"), "certificate", {"Asia"}),
    "a name is there twice": (lambda c: c["clusters"][0].append(c["clusters"][0][0]), "certificate", set()),
    "a name is a number": (lambda c: c["clusters"][0].append(1), "certificate", set()),
    "a cluster is a text": (lambda c: c["clusters"].__setitem__(0, "asia"), "certificate", set()),
    "clusters are no list": (lambda c: c.update(clusters={}), "certificate", set()),
    "no clusters": (lambda c: c.update(clusters=[], edges=[]), "cover", {"asia"}),
    "a width is claimed that is too small": (lambda c: c.update(bound=1), "bound", {"either"}),
    "the claim is a text": (lambda c: c.update(bound="2"), "bound", set()),
    "the claim is negative": (lambda c: c.update(bound=-1), "bound", set()),
    "the claim is a truth value": (lambda c: c.update(bound=True), "bound", set()),
    "a key is missing": (lambda c: c.pop("bound"), "certificate", set()),
    "a key too many": (lambda c: c.update(width=2), "certificate", set()),
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_corrupted_certificates_are_caught(name):
    change, rule, about = MUTATIONS[name]
    report = check_bytes(edited(ASIA, lambda content: change(content["certificate"])), "asia")
    assert not report.valid
    named = [violation for violation in report.violations if violation.check == rule]
    assert named, report
    assert about <= {variable for violation in named for variable in violation.variables}
    assert report.width == (2 if rule == "bound" else None)
    if rule in ("cover", "running intersection"):
        assert all(any(v in violation.message for v in violation.variables) for violation in named)


def test_a_certificate_that_is_no_object():
    report = check_bytes(edited(ASIA, lambda content: content.update(certificate=[])), "asia")
    assert [v.check for v in report.violations] == ["certificate"]


def judged(section, scopes=FAMILIES, names=ASIA.schema.names):
    findings = Findings()
    proof = check_certificate(section, names, scopes, findings)
    return proof, [str(violation) for violation in findings.violations]


def test_messages():
    section = copy.deepcopy(GOOD)
    drop("bronc", "smoke", "either")(section)
    split_off(section)
    section["bound"] = 1
    assert judged(section)[1] == [
        "running intersection: the clusters that hold 'tub' do not hang together: no way from "
        "{asia, tub} to {either, lung, tub}",
        "running intersection: the clusters that hold 'either' do not hang together: no way from "
        "{bronc, dysp, either} to {either, lung, smoke}",
        "bound: a width of 1 is claimed; the cluster {bronc, dysp, either} makes it 2",
    ]


def test_other_trees_prove_as_well():
    one = {"clusters": [list(ASIA.schema.names)], "edges": [], "bound": 7}
    assert judged(one)[0].width == 7
    inside = copy.deepcopy(GOOD)  # a cluster inside another is no fault
    inside["clusters"].append(["xray"])
    inside["edges"].append([position("either", "xray"), 6])
    assert judged(inside) == (judged(inside)[0], [])
    assert judged({"clusters": [], "edges": [], "bound": None}, [], [])[0].width == -1


@pytest.mark.slow
@settings(max_examples=150)
@given(st.integers(0, 2**32), st.data())
def test_two_judges_agree_on_random_trees(seed, data):
    """What the library's own type takes for a tree with running intersection, and nothing else, passes."""
    rng = np.random.default_rng(seed)
    names = "abcdef"
    schema = tw.Schema(tw.Variable(name) for name in names)
    clusters = data.draw(
        st.lists(
            st.sets(st.sampled_from(names), min_size=1).map(sorted), min_size=1, max_size=5, unique_by=tuple
        )
    )
    n = len(clusters)
    edges = [[int(rng.integers(0, i)), i] for i in range(1, n) if rng.random() < 0.9]
    if n > 2 and rng.random() < 0.2:
        edges.append([0, n - 1])
    try:
        width = tw.JunctionTree(schema, clusters, edges).width
    except tw.errors.GraphError:
        width = None
    proof, _ = judged({"clusters": clusters, "edges": edges, "bound": None}, [], list(names))
    assert proof.width == width

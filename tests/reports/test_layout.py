import itertools
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright.models import read_model
from treewright.networks import load_network, random_dag
from treewright.reports.layout import lay_out


def arcs_of(dag):
    return [(dag.schema.index(u), dag.schema.index(v)) for u, v in dag.edges()]


def published_network(name):
    """One that ships with the package, or a larger one from TREEWRIGHT_DATA."""
    if name == "alarm":
        return load_network(name)
    file = Path(os.environ.get("TREEWRIGHT_DATA", ""), "networks", f"{name}.bif.gz")
    if not file.is_file():
        pytest.skip(f"TREEWRIGHT_DATA names no folder with networks/{name}.bif.gz")
    return read_model(file)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(1, 14), st.floats(0, 0.6), st.integers(0, 1000))
def test_no_boxes_overlap_and_arcs_point_down(n, density, seed):
    rng = np.random.default_rng(seed)
    arcs = arcs_of(random_dag(n, density=density, rng=rng))
    sizes = [(float(w), float(h)) for w, h in rng.integers(20, 120, size=(n, 2))]
    layout = lay_out(sizes, arcs)
    assert set(layout.routes) == set(arcs)
    for (ax, ay), (bx, by), (aw, ah), (bw, bh) in (
        (layout.centres[i], layout.centres[j], sizes[i], sizes[j])
        for i, j in itertools.combinations(range(n), 2)
    ):
        assert abs(ax - bx) >= (aw + bw) / 2 - 1e-6 or abs(ay - by) >= (ah + bh) / 2 - 1e-6
    for (x, y), (w, h) in zip(layout.centres, sizes, strict=True):
        assert w / 2 - 1e-6 <= x <= layout.width - w / 2 + 1e-6
        assert h / 2 - 1e-6 <= y <= layout.height - h / 2 + 1e-6
    for points in layout.routes.values():
        assert all(a[1] <= b[1] for a, b in itertools.pairwise(points))


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 12), st.floats(0.1, 0.5), st.integers(0, 1000))
def test_arcs_go_around_the_boxes(n, density, seed):
    rng = np.random.default_rng(seed)
    arcs = arcs_of(random_dag(n, density=density, rng=rng))
    sizes = [(60.0, 30.0)] * n
    layout = lay_out(sizes, arcs)
    for (u, v), points in layout.routes.items():
        for (x0, y0), (x1, y1) in zip(points[1:-1:2], points[2:-1:2], strict=True):
            assert x0 == x1  # upright through a layer
            for w in range(n):
                x, y = layout.centres[w]
                if w not in (u, v) and y0 <= y <= y1:
                    assert abs(x - x0) >= 30


def test_isolated_nodes_fill_shelves():
    layout = lay_out([(50, 20)] * 100, [])
    assert layout.width < 2000
    assert len(set(layout.centres)) == 100


def test_nothing_to_draw():
    assert lay_out([], []).centres == ()


def polylines(layout):
    """Pieces of all routes, and which route each belongs to."""
    pieces = [(k, *a, *b) for k, way in enumerate(layout.routes.values()) for a, b in itertools.pairwise(way)]
    return np.array([piece[0] for piece in pieces]), np.array([piece[1:] for piece in pieces])


def side(a, b, c):
    """On which side of the line from a to b a point lies."""
    return np.sign((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def n_crossings(layout):
    owners, pieces = polylines(layout)
    order = np.argsort(pieces[:, 1], kind="stable")
    owners, pieces = owners[order], pieces[order]
    total = 0
    for i, piece in enumerate(pieces):
        other = np.flatnonzero((pieces[:, 1] < piece[3]) & (owners != owners[i]))
        other = pieces[other[other > i]].T
        a, b, c, d = piece[:2], piece[2:], other[:2], other[2:]
        total += int(np.sum((side(a, b, c) * side(a, b, d) < 0) & (side(c, d, a) * side(c, d, b) < 0)))
    return total


def crossed_boxes(layout, sizes):
    """Pairs of an arc and a box that it does not end at but passes over."""
    centres, half = np.array(layout.centres), np.array(sizes) / 2 - 0.5
    steps = np.linspace(0, 1, 41)[:, None, None]
    found = set()
    for (u, v), way in layout.routes.items():
        for a, b in itertools.pairwise(np.array(way)):
            over = np.flatnonzero((np.abs(a + (b - a) * steps - centres) < half).all(axis=2).any(axis=0))
            found |= {(u, v, int(w)) for w in over if w not in (u, v)}
    return found


# Crossings of the same cards by other layouts, elkjs and dagre: 7 and 22 for alarm, 835 and 813 for andes.
@pytest.mark.parametrize(("name", "most"), [("alarm", 8), pytest.param("andes", 638, marks=pytest.mark.slow)])
def test_large_pictures_have_few_crossings(name, most):
    dag = published_network(name).dag
    schema, arcs = dag.schema, arcs_of(dag)
    sizes = [(158.0, 33.0 + 17 * len(variable.states)) for variable in schema]
    layout = lay_out(sizes, arcs, schema.names)
    assert n_crossings(layout) <= 1.05 * most
    assert crossed_boxes(layout, sizes) == set()


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 12), st.floats(0.1, 0.5), st.integers(0, 1000))
def test_no_arc_crosses_a_box_of_any_size(n, density, seed):
    rng = np.random.default_rng(seed)
    arcs = arcs_of(random_dag(n, density=density, rng=rng))
    sizes = [(float(w), float(h)) for w, h in rng.integers(20, 120, size=(n, 2))]
    assert crossed_boxes(lay_out(sizes, arcs), sizes) == set()


def test_pictures_do_not_depend_on_the_order_of_columns():
    schema, arcs = load_network("alarm").schema, arcs_of(load_network("alarm").dag)
    turned = np.random.default_rng(1).permutation(len(schema)).tolist()
    place = {v: i for i, v in enumerate(turned)}
    first = lay_out([(100.0, 40.0)] * len(schema), arcs, schema.names)
    second = lay_out(
        [(100.0, 40.0)] * len(schema),
        [(place[u], place[v]) for u, v in arcs],
        [schema.names[v] for v in turned],
    )
    assert [second.centres[place[v]] for v in range(len(schema))] == list(first.centres)
    assert all(second.routes[place[u], place[v]] == way for (u, v), way in first.routes.items())


def test_wide_pictures_get_more_room_between_layers():
    arcs = [(0, v) for v in range(1, 12)]
    narrow, wide = (lay_out([(width, 30.0)] * 12, arcs) for width in (20.0, 60.0))
    assert narrow.height < wide.height
    assert wide.height == 2 * 30 + 4 * 54  # and never more than four times as much

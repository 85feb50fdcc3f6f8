import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright.networks import random_dag
from treewright.reports.layout import lay_out


def arcs_of(dag):
    return [(dag.schema.index(u), dag.schema.index(v)) for u, v in dag.edges()]


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

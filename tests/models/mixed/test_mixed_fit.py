"""Lines that are fitted are regressions in each joint state, whatever the units are."""

import numpy as np
import pytest

import treewright as tw
from treewright.errors import SchemaError
from treewright.models.mixed.mixed_fit import fit_mixed
from treewright.statistics import mixed_moments


def drawn(n=24_000):
    rng = np.random.default_rng(0)
    group, other = rng.integers(0, 2, n), rng.integers(0, 3, n)
    x, far = rng.normal(size=n), 1e4 * rng.normal(size=n) + 5e4
    y = 100 * (x * (1 + group) - 2e-4 * far + other + 0.1 * rng.normal(size=n)) + 7
    return tw.read_table({"y": y, "group": group, "x": x, "other": other, "far": far})


ARCS = [("group", "y"), ("other", "y"), ("x", "y"), ("far", "y")]


def test_lines_are_regressions_in_each_state():
    table = drawn()
    model = fit_mixed(tw.Dag(table.schema, ARCS), mixed_moments(table))
    lines, columns = model.lines("y"), {name: np.asarray(table.column(name)) for name in table.schema.names}
    for g, o in ((0, 0), (0, 2), (1, 1)):
        rows = (columns["group"] == g) & (columns["other"] == o)
        design = np.stack([np.ones(rows.sum()), columns["x"][rows], columns["far"][rows]], axis=1)
        expected, residue, *_ = np.linalg.lstsq(design, columns["y"][rows], rcond=None)
        found = [lines.intercepts[g, o], lines.coefficients["x"][g, o], lines.coefficients["far"][g, o]]
        np.testing.assert_allclose(found, expected, rtol=0.02)
        assert lines.variances[g, o] == pytest.approx(residue[0] / rows.sum(), rel=0.05)


def test_without_labels_above_there_is_one_line():
    table = drawn()
    model = fit_mixed(tw.Dag(table.schema, [("x", "y"), ("far", "y")]), mixed_moments(table))
    lines = model.lines("y")
    design = np.stack([np.ones(table.n_rows), table.column("x"), table.column("far")], axis=1)
    expected, residue, *_ = np.linalg.lstsq(design, np.asarray(table.column("y")), rcond=None)
    found = [lines.intercepts, lines.coefficients["x"], lines.coefficients["far"]]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert lines.variances == pytest.approx(residue[0] / table.n_rows, rel=1e-9)


def test_no_rows_are_refused():
    schema = tw.Schema([tw.Variable("a", (0, 1)), tw.Variable("x")])
    nothing = tw.Table(schema, [np.zeros(0, dtype=np.int64), np.zeros(0)])
    with pytest.raises(SchemaError):
        fit_mixed(tw.Dag(schema, []), mixed_moments(nothing))

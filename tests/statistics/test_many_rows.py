"""More than 2^20 rows are numbered block by block: the same numbers as of fewer rows with weights."""

import numpy as np
import pytest

import treewright as tw
from treewright import _core
from treewright.statistics.families import ScoreSettings
from treewright.tables.table import Table

pytestmark = pytest.mark.slow  # a million rows

N_ONCE = 1 << 20  # rows up to here are numbered once
N_AGAIN = 3000
STATES = [2, 3, 300, 5, 4, 60, 7, 70, 6]


@pytest.fixture(scope="module")
def both():
    """The same rows, the first ones twice: as rows, and as weights."""
    rng = np.random.default_rng(4)
    schema = tw.Schema([tw.Variable(f"v{i}", tuple(range(r))) for i, r in enumerate(STATES)])
    columns = [rng.integers(0, r, N_ONCE) for r in STATES]
    columns[4] = (columns[1] + columns[2] % 2) % 4
    weights = np.ones(N_ONCE, dtype=np.int64)
    weights[:N_AGAIN] = 2
    rows = Table(schema, [np.concatenate([one, one[:N_AGAIN]]) for one in columns])
    return tw.count(rows), tw.count(Table(schema, columns, weights=weights))


@pytest.fixture(params=[2])
def n_threads(request):
    _core.set_threads(request.param)
    yield
    _core.set_threads(0)


FAMILIES = [(4, (1, 2)), (8, (2, 5, 7)), (2, (5, 7)), (1, (2, 5, 7, 8))]


@pytest.mark.parametrize("kind", ["bic", "bdeu"])
def test_scores(both, n_threads, kind):
    settings = ScoreSettings(kind, 1.0)
    one, other = both
    families = list(FAMILIES)
    np.testing.assert_array_equal(*(c.score_families(settings, families) for c in both))
    for child, parents in FAMILIES:
        rest = [v for v in range(len(STATES)) if v != child and v not in parents]
        for some in (rest[:5], rest[:2]):
            np.testing.assert_array_equal(*(c.score_additions(settings, child, parents, some) for c in both))
        a, b = (c.score_deletions(settings, child, parents) for c in (one, other))
        np.testing.assert_array_equal(a, b)


def test_tests(both, n_threads):
    settings = tw.GTest(both[0]).settings
    for child, given in FAMILIES:
        rest = [v for v in range(len(STATES)) if v != child and v not in given]
        for partners in (rest[:5], rest[:2]):
            a, b = (c.test_partners(settings, child, given, partners) for c in both)
            for one, other in zip(a, b, strict=True):
                np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("context", [(), (1,), (2, 4), (2, 7), (2, 5, 7)])
def test_partners(both, n_threads, context):
    others = [v for v in range(len(STATES)) if v not in context][:4]
    (states, cells), (seen, found) = (counter.partners(context, others) for counter in both)
    np.testing.assert_array_equal(states, seen)
    for a, b in zip(cells, found, strict=True):
        np.testing.assert_array_equal(a, b)


def test_tables(both, n_threads):
    scopes = [(2, 4), (7, 5), (2, 5, 7), (0, 1, 3, 4), (8, 6, 4, 1, 0)]
    for a, b in zip(*(counter.counts_many(scopes) for counter in both), strict=True):
        np.testing.assert_array_equal(a, b)
    for a, b in zip(*(counter.sparse_counts_many([(2, 5, 7, 8)]) for counter in both), strict=True):
        np.testing.assert_array_equal(a.codes, b.codes)
        np.testing.assert_array_equal(a.counts, b.counts)


def test_real_weights_add_up_in_the_order_of_rows(both):
    rows = both[0].table
    half = tw.count(rows.with_weights(np.full(rows.n_rows, 0.5)))
    for scope in [(2, 5, 7), (1, 4)]:
        np.testing.assert_array_equal(half.counts(scope), both[0].counts(scope) / 2)
    a, b = tw.BIC(half), tw.BIC(tw.count(rows.take(slice(0, N_ONCE)).with_weights(np.full(N_ONCE, 0.5))))
    assert np.isfinite([a.local(8, (2, 5, 7)), b.local(8, (2, 5, 7))]).all()

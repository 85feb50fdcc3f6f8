"""Scores of families that are counted in different tables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.criteria.scores.native_scores import native_scores
from treewright.criteria.scores.pooled_score import PooledScore
from treewright.errors import SettingError


def clinics(seed=0, rows=(400, 700, 300)):
    network = tw.load_network("asia")
    rng = np.random.default_rng(seed)
    first = ["asia", "tub", "lung", "either", "xray"]
    sets = [first, ["smoke", "lung", "bronc", "either", "dysp"], ["lung", "xray"]]
    return tw.tables.Databases(
        [network.sample(n, rng=rng).select(s) for n, s in zip(rows, sets, strict=True)]
    )


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_the_core_scores_like_its_twin(seed):
    rng = np.random.default_rng(seed)
    databases = clinics(seed % 3)
    score = tw.criteria.PooledScore(databases, ["sparse-qnml", "bic", "bdeu"][seed % 3])
    native = native_scores(score)
    child, *parents = rng.choice(8, int(rng.integers(1, 5)), replace=False).tolist()
    parents = sorted(parents)
    ours = score.local(child, parents)
    theirs = native.local(child, parents)
    if ours == -np.inf:
        assert theirs < -1e200
        return
    assert theirs == pytest.approx(ours, abs=1e-5)
    others = [v for v in range(8) if v != child and v not in parents]
    own, found = native.additions(child, parents, others)
    expected = score.local_additions(child, parents, others)
    assert own == theirs
    assert np.clip(found, -1e9, None) == pytest.approx(np.clip(expected, -1e9, None), abs=1e-5)


def test_equivalent_networks_score_the_same():
    databases = clinics()
    score = tw.criteria.PooledScore(databases)
    arcs = [("lung", "either"), ("either", "xray"), ("lung", "xray"), ("smoke", "lung"), ("lung", "bronc")]
    dag = tw.Dag(databases.schema, arcs)
    turned = tw.Dag(databases.schema, [("either", "lung"), *arcs[1:3], ("lung", "smoke"), arcs[4]])
    assert tw.Cpdag.of(dag) == tw.Cpdag.of(turned)
    assert score.score(dag) == pytest.approx(score.score(turned), abs=1e-6)


def test_one_table_is_scored_as_ever():
    table = tw.load_network("asia").sample(500, rng=np.random.default_rng(0))
    databases = tw.tables.Databases([table])
    for name, plain in (("bic", tw.BIC(tw.count(table))), ("qnml", tw.QNML(tw.count(table)))):
        pooled = tw.criteria.PooledScore(databases, name)
        for child, parents in (("lung", ()), ("either", ("lung", "tub")), ("dysp", ("bronc",))):
            assert pooled.local(child, parents) == pytest.approx(plain.local(child, parents), abs=1e-6)
    sparse = tw.criteria.PooledScore(databases)
    assert sparse.edge_price == pytest.approx(np.log(8))


def test_parents_come_in_the_order_that_keeps_most_rows():
    databases = clinics()
    score = tw.criteria.PooledScore(databases)
    index = databases.schema.index
    plan = score.steps((index("lung"), tuple(sorted(map(index, ("either", "xray", "tub"))))))
    assert [databases.schema.names_of(parents) for _, parents in plan] == [
        (),
        ("either",),
        ("either", "tub", "xray"),
    ]
    assert score.steps((index("lung"), (index("smoke"), index("xray")))) == ()


def test_scores_that_do_not_fit_are_refused():
    databases = clinics()
    with pytest.raises(SettingError, match=r"score 'bicc' is not known; scores are .* did you mean 'bic'"):
        tw.criteria.PooledScore(databases, "bicc")
    with pytest.raises(SettingError, match="continuous tables are scored by 'gaussian-bic'"):
        tw.criteria.PooledScore(tw.read_databases([{"a": [0.5, 1.5]}]), "bic")


def test_of_parents_with_as_many_rows_the_first_is_taken():
    rows = {name: [0, 1, 1, 0] for name in "abc"}
    databases = tw.read_databases([{name: rows[name] for name in names} for names in ("ca", "cb", "cab")])
    a, b, c = (databases.schema.index(name) for name in "abc")
    taken = [parents for _, parents in PooledScore(databases).steps((c, tuple(sorted((a, b)))))]
    assert taken == [(), (min(a, b),), tuple(sorted((a, b)))]

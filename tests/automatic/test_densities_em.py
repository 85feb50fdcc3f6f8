"""Hidden trees, mixtures and other densities from rows with gaps."""

import numpy as np
import pytest

import treewright as tw
from treewright.automatic import fill_density
from treewright.automatic.densities_em import draw_gaps, split
from treewright.models import score_observed


def gapped(network, n, share, seed=1):
    rng = np.random.default_rng(seed)
    full, held_out = network.sample(n, rng=rng), network.sample(4_000, rng=rng)
    masks = rng.random((len(full.schema), n)) < share
    return full, tw.Table(full.schema, full.columns, missing=dict(enumerate(masks))), held_out


def hidden(rows, valid=None):
    return tw.learn_hidden_tree(tw.count(rows), states=4, valid=valid)


def mixture(rows, valid=None):
    return tw.learn_mixture(tw.count(rows), components=4, valid=valid)


@pytest.mark.parametrize("learn", [hidden, mixture])
def test_all_rows_tell_more_than_complete_ones(learn):
    full, table, held_out = gapped(tw.load_network("asia"), 2_000, 0.2)
    whole = ~np.logical_or.reduce(list(table.missing.values()))
    of_all = fill_density(table, learn).model.score(held_out)
    of_whole = tw.FeatureNetwork(learn(full.take(whole)).structure).score(held_out)
    of_full = tw.FeatureNetwork(learn(full).structure).score(held_out)
    assert of_whole < of_all
    assert of_full - of_all < 0.5 * (of_full - of_whole)


def test_the_round_that_is_kept_is_the_best_on_what_rows_held_out_show():
    _, table, _ = gapped(tw.load_network("asia"), 800, 0.2)
    found = fill_density(table, hidden)
    _, others = split(table, 0)
    kept = score_observed(found.model, others)
    assert kept == pytest.approx(max(found.scores))
    assert f"round {int(np.argmax(found.scores)) + 1} of {len(found.scores)}" in found.about(table)


def test_draws_are_those_of_the_model_given_what_a_row_shows():
    asia = tw.load_network("asia")
    rows = asia.sample(6_000, rng=np.random.default_rng(0))
    gaps = np.ones(rows.n_rows, dtype=bool)
    masks = {rows.schema.index(name): gaps for name in ("lung", "bronc", "either")}
    table = tw.Table(rows.schema, rows.columns, missing=masks)
    drawn = draw_gaps(asia, table, seed=3)
    assert not drawn.has_missing
    assert np.isfinite(asia.log_probability(drawn)).all()  # nothing that cannot be
    given = {"smoke": "yes", "dysp": "yes", "xray": "no", "asia": "no", "tub": "no"}
    same = np.ones(rows.n_rows, dtype=bool)
    for name, state in given.items():
        same &= rows.column(name) == rows.schema[name].states.index(state)
    joint = asia.query(["lung", "bronc"], given=given)
    for lung in ("yes", "no"):
        for bronc in ("yes", "no"):
            codes = [rows.schema[n].states.index(s) for n, s in (("lung", lung), ("bronc", bronc))]
            hits = (drawn.column("lung") == codes[0]) & (drawn.column("bronc") == codes[1])
            p = joint[lung, bronc]
            assert hits[same].mean() == pytest.approx(p, abs=5 * np.sqrt(p * (1 - p) / same.sum()) + 1e-9)


def test_rows_and_columns_in_another_order_draw_the_same():
    _, table, _ = gapped(tw.load_network("asia"), 300, 0.3)
    order = np.random.default_rng(5).permutation(300)
    names = list(reversed(table.schema.names))
    turned = table.take(order).select(names)
    one, other = fill_density(table, hidden), fill_density(turned, hidden)
    assert one.scores == other.scores
    said = {"smoke": "yes", "xray": "no"}
    assert one.model.query("lung", given=said) == other.model.query("lung", given=said)


def test_equal_rows_draw_each_for_itself():
    table = tw.read_table({"a": [0, 1] * 50 + [None] * 100, "b": [0] * 200}, missing="em")
    coin = tw.fit(tw.Dag(table.schema), tw.count(table.take(slice(0, 100))))
    drawn = draw_gaps(coin, table, seed=0)
    assert 30 < int(drawn.column("a")[100:].sum()) < 70
    assert (drawn.column("a")[:100] == table.column("a")[:100]).all()


def test_rows_to_choose_by_are_taken_as_they_are():
    _, table, _ = gapped(tw.load_network("asia"), 400, 0.2)
    found = fill_density(table.take(slice(0, 300)), hidden, valid=table.take(slice(300, 400)))
    assert score_observed(found.model, table.take(slice(300, 400))) == pytest.approx(max(found.scores))


def test_numbers_are_refused_with_the_way_out():
    """Not with the advice to say `em`, which was said already."""
    table = tw.read_table({"x": [0.5, None, 1.5, 2.25] * 9, "y": [0.25, 1.0, 3.5, None] * 9}, missing="em")
    said = "^densities are learned from labels, and 'x' holds numbers; cut continuous columns .* with bins=4$"
    with pytest.raises(tw.errors.SchemaError, match=said):
        fill_density(table, hidden)
    with pytest.raises(
        tw.errors.SettingError, match=r"^seed= of fill_density is a whole number .* found -1$"
    ):
        fill_density(table, hidden, seed=-1)

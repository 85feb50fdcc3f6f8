"""Numbers among labels: held-out rows decide whether they are cut, whatever the order of rows and columns."""

import numpy as np
import pytest

import treewright as tw
from treewright.automatic.mixed import row_hashes, settle_numbers


def clouds(n=400, seed=0):
    """Two clouds, told apart by a label: lines serve."""
    rng = np.random.default_rng(seed)
    state = rng.integers(2, size=n)
    x = 3.0 * state + rng.normal(size=n)
    return {"state": np.where(state, "on", "off"), "x": x, "y": x * (1 - 2 * state) + rng.normal(size=n)}


def rings(n=600, seed=0):
    """Numbers that no line tells anything about: intervals serve."""
    rng = np.random.default_rng(seed)
    turn = rng.uniform(0, 2 * np.pi, size=n)
    x = rng.choice([0.0, 1.0, 5.0], size=n) + rng.uniform(0, 0.01, size=n)
    return {"label": np.where(turn > np.pi, "u", "v"), "x": x, "y": 3 * (x - 2.5) ** 2 + 0.01 * turn}


def test_what_foretells_rows_better_is_taken():
    result = tw.learn(clouds())
    assert isinstance(result.model, tw.models.ConditionalGaussianNetwork)
    assert result.reason.startswith(
        "1 discrete column, 2 continuous columns and 400 rows: the network found by"
    )
    assert result.certificate.width == result.width
    assert result.cost.refused is False
    assert result.model.provenance["score"] == "sparse-mixed-bic"
    cut = tw.learn(rings())
    assert isinstance(cut.model, tw.BayesianNetwork)
    assert "nats less likely each with the numbers as they are)" in cut.notes[0]


def test_the_order_of_rows_and_columns_has_no_say():
    rows = clouds()
    first = tw.learn(rows)
    order = np.random.default_rng(1).permutation(400)
    other = tw.learn({name: rows[name][order] for name in ("y", "state", "x")})
    assert other.structure.edges() == first.structure.edges()
    assert other.notes[0].split(":")[0] == first.notes[0].split(":")[0]  # names come as the columns do
    table, turned = tw.read_table(rows), tw.read_table({name: rows[name][order] for name in rows})
    assert (row_hashes(table)[order] == row_hashes(turned)).all()


def test_gaps_knowledge_and_few_rows():
    rows = {name: column.tolist() for name, column in clouds().items()}
    rows["x"][3] = None
    result = tw.learn(rows)
    said = "structure from the 399 of 400 rows that miss nothing; tables and lines from all rows by EM"
    assert any(note.startswith(said) for note in result.notes)
    known = tw.Knowledge(required=[("x", "state")])
    assert "requires x -> state" in tw.learn(clouds(), knowledge=known).notes[0]
    few = {name: column[:20] for name, column in clouds().items()}
    assert "too few to choose by" in settle_numbers(tw.read_table(few))[1][0]
    assert isinstance(tw.learn(clouds(), bins=3).model, tw.BayesianNetwork)
    with pytest.raises(tw.errors.SettingError, match="certify="):
        tw.learn(clouds(), rows=100, certify=True)
    assert tw.learn(clouds(), rows=100).structure.n_edges > 0
    moments = tw.statistics.mixed_moments(tw.read_table(clouds()))
    assert tw.learn(moments).structure.edges() == tw.learn(clouds()).structure.edges()


def test_the_clock_ends_the_search():
    result = tw.learn(clouds(), seconds=1e-9)
    assert isinstance(result.model, tw.models.ConditionalGaussianNetwork)


def tangled(n=600, seed=0):
    """Four numbers that all hang together, and a label that changes how."""
    rng = np.random.default_rng(seed)
    s = rng.integers(2, size=n)
    x = 3 * s + rng.normal(size=n)
    y = x + s * rng.normal(size=n)
    z = 0.3 * x * y + s + rng.normal(size=n)
    return {"s": np.where(s, "on", "off"), "x": x, "y": y, "z": z, "w": x + y + z + rng.normal(size=n)}


def test_a_bound_on_the_width_is_never_passed_over():
    rows = tw.read_table(tangled())
    moments = tw.statistics.mixed_moments(rows)
    assert tw.learn(moments).width == 3
    assert tw.learn(moments, treewidth=3).width == 3
    for bound in (1, 2):
        narrow = tw.learn(moments, treewidth=bound)
        assert narrow.width == tw.graphs.triangulate_strongly(narrow.structure.moral_graph()).width == bound
        with pytest.raises(tw.errors.TreewidthError, match="requires; allow a wider network"):
            tw.learn(moments, treewidth=1, knowledge=tw.Knowledge(required=[("s", "w"), ("x", "w")]))
    kept = tw.learn(rows, treewidth=2)
    assert isinstance(kept.model, tw.models.ConditionalGaussianNetwork)
    assert kept.width == 2
    assert tw.learn(rows, treewidth=1, bins=3).width == 1
    assert tw.learn(moments, treewidth=2, seconds=60).width == 2


def test_a_mixture_too_dear_to_ask_is_narrowed():
    moments = tw.statistics.mixed_moments(tw.read_table(tangled()))
    tw.set_memory_limit(64)
    try:
        reason = tw.learn(moments).reason
    finally:
        tw.set_memory_limit(None)
    assert "narrowed, since at first with treewidth 3" in reason
    assert "and now with treewidth 1" in reason


@pytest.mark.parametrize("rows", [clouds(), rings()], ids=["clouds", "rings"])
@pytest.mark.parametrize("knowledge", [None, tw.Knowledge(forbidden=[("same", "x"), ("y", "x")])])
def test_a_number_that_is_always_the_same_has_no_say(rows, knowledge):
    """It once decided for intervals, which are infinitely dense around it."""
    alone, _ = settle_numbers(tw.read_table(rows))
    beside, said = settle_numbers(
        tw.read_table({"same": [3.25] * len(rows["x"]), **rows}), knowledge=knowledge
    )
    assert beside.schema["x"].is_discrete == alone.schema["x"].is_discrete
    assert "inf nats" not in said[0]


def test_nothing_but_a_number_that_is_always_the_same():
    settled, said = settle_numbers(tw.read_table({"same": [0.5] * 80, "label": ["a", "b"] * 40}))
    assert settled.schema["same"].is_discrete
    assert "0.00 nats" in said[0]

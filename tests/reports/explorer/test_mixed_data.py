"""What a page holds of a network of states and numbers."""

import json

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.pages import embedded_model
from tests.reference.models.mixtures import random_mixed

import treewright as tw
from treewright.models.mixed.mixtures import NormalMixture
from treewright.reports.curves import MOST_NORMALS, drawn_normals
from treewright.reports.explorer.mixed_data import mixed_plan
from treewright.reports.explorer.page_data import page_data


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32), density=st.floats(0, 1))
def test_one_plan_has_room_for_whatever_is_known(seed, density):
    """Numbers and states that are known take groups apart, and put none together."""
    rng = np.random.default_rng(seed)
    model = random_mixed(rng, int(rng.integers(1, 6)), int(rng.integers(1, 7)), density=density)
    engine = model._engine
    plan = mixed_plan(engine, 4_000_000, 4_000_000).plan
    cliques = [set(engine.schema.names_of(scope)) for scope in plan.scopes]
    for _ in range(12):
        numbers = {name: 0.0 for name in model.continuous if rng.random() < rng.random()}
        known = [name for name in engine.schema.names if rng.random() < 0.3]
        wanted = [name for name in model.continuous if name not in numbers and rng.random() < 0.7]
        for part in engine.parts(numbers, wanted, known):
            assert any(set(part.scope) <= clique for clique in cliques) or not part.scope


def test_numbers_follow_tables_and_keep_every_bit():
    model = random_mixed(np.random.default_rng(2), 3, 4, density=0.7)
    data = page_data(model, given={})
    assert data["kind"] == "mixed"
    assert data == json.loads(json.dumps(page_data(model)))
    assert [line["child"] for line in data["lines"]] == [
        model.schema.index(name) for name in model._engine.families
    ]
    assert embedded_model(tw.to_html(model))["lines"] == data["lines"]


def test_the_limit_counts_what_numbers_hang_on(monkeypatch):
    model = random_mixed(np.random.default_rng(2), 3, 4, density=0.7)
    found = mixed_plan(model._engine, 4_000_000, 4_000_000)
    assert mixed_plan(model._engine, 4_000_000, found.cells - 1).plan is None
    assert mixed_plan(model._engine, 4_000_000, found.cells).plan is not None
    groups = model._engine.parts({}, model.continuous)
    states = [np.prod([model._engine.schema[n].cardinality for n in part.scope]) for part in groups]
    hidden = [len(part.hidden) for part in groups]
    assert found.cells == sum(n * (2 + h * h) for n, h in zip(states, hidden, strict=True))
    monkeypatch.setattr("treewright.reports.explorer.page_data.MOST_CELLS", 40)
    monkeypatch.setattr("treewright.reports.explorer.page_data.MOST_NUMBERS", 40)
    data = page_data(model)
    assert "plan" not in data
    assert "40" in data["note"]
    assert len(data["mixtures"]) == 4


def test_few_normals_draw_the_curve_of_many():
    rng = np.random.default_rng(5)
    n = 20_000
    answer = NormalMixture(
        "x", np.full(n, 1 / n), np.where(rng.random(n) < 0.3, 0.0, 10.0) + rng.normal(size=n), np.full(n, 0.5)
    )
    weights, means, deviations = drawn_normals(answer)
    assert len(weights) <= MOST_NORMALS
    np.testing.assert_allclose(weights.sum(), 1)
    np.testing.assert_allclose(weights @ means, answer.mean)
    np.testing.assert_allclose(weights @ (deviations**2 + (means - answer.mean) ** 2), answer.variance)
    few = NormalMixture("x", weights, means, deviations**2)
    for x in (-2.0, 0.0, 1.0, 5.0, 9.0, 12.0):
        assert abs(few.density(x) - answer.density(x)) < 0.01


def test_states_and_numbers_that_are_known_are_told_apart():
    model = random_mixed(np.random.default_rng(2), 3, 4, density=0.7)
    state, number = model.discrete.schema.names[0], model.continuous[0]
    first = model.schema[state].states[0]
    data = page_data(model, given={number: 0.25, state: first})
    known = dict(map(tuple, [(v, str(told)) for v, told in data["given"]]))
    assert known[model.schema.index(number)] == "0.25"
    assert model.schema.index(state) in known
    assert len(known) == 2
    assert "plan" in data


def test_so_many_numbers_are_worked_with_and_no_more():
    model = random_mixed(np.random.default_rng(2), 3, 4, density=0.7)
    cells = mixed_plan(model._engine, 4_000_000, 4_000_000).cells
    groups = model._engine.parts({}, model._engine.families)
    states = {v.name: v.cardinality for v in model.discrete.schema}
    assert cells == sum(
        int(np.prod([states[name] for name in part.scope])) * (2 + len(part.hidden) ** 2) for part in groups
    )
    tables = sum(table.size for table in model.discrete.tables)
    assert mixed_plan(model._engine, max(cells, 100 * tables), cells).plan is not None
    assert mixed_plan(model._engine, max(cells, 100 * tables), cells - 1).plan is None

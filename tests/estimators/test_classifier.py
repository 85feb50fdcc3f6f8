"""The classifier: members beside enumeration, holes, weights, orders of rows, explanations."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.errors import SchemaError, SettingError, TreewrightError

STRUCTURES = ["naive", "tree", "averaged", "k-dependence", "network"]


@pytest.fixture(scope="module")
def frame():
    rows = tw.load_network("asia").sample(800, rng=np.random.default_rng(1)).to_pandas()
    return rows.astype(str)[["lung", "smoke", "bronc", "either", "xray", "dysp"]]


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 240)
    X = rng.normal(size=(240, 4)) + y[:, None] * [1.5, 0.5, 0.0, -1.0]
    return pd.DataFrame(X, columns=list("abcd")), np.array(["low", "mid", "top"])[y]


def split(frame):
    return frame.drop(columns="lung"), frame["lung"]


@pytest.mark.parametrize("structure", STRUCTURES)
def test_missing_cells_are_summed_out(structure, frame):
    """What is said of a row with holes is the mean of what is said of its completions."""
    X, y = split(frame)
    told = tw.BayesianClassifier(structure=structure).fit(X, y)
    member = told._panels[0].members[structure]
    if structure == "averaged":
        pytest.skip("an average of networks has no joint table; see tests/models/classifying")
    model = member.model
    row = {"smoke": "yes", "xray": "no"}
    said = told.predict_proba(pd.DataFrame([{**dict.fromkeys(X), **row}]))[0]
    weights = np.zeros(2)
    open_names = [name for name in X if name not in row]
    for states in product(("no", "yes"), repeat=len(open_names)):
        cells = {**row, **dict(zip(open_names, states, strict=True))}
        weights += [model.probability_of({**cells, "lung": label}) for label in told.classes_]
    np.testing.assert_allclose(said, weights / weights.sum(), rtol=1e-12)


@pytest.mark.parametrize("structure", ["tree", "k-dependence", "network"])
def test_rows_looked_up_are_rows_propagated(structure, frame):
    X, y = split(frame)
    told = tw.BayesianClassifier(structure=structure).fit(X, y)
    model = told._panels[0].members[structure].model
    np.testing.assert_allclose(told.predict_proba(X), model.predict_table(X, "lung").array, rtol=1e-12)
    holes = X.mask(np.random.default_rng(0).random(X.shape) < 0.3)
    np.testing.assert_allclose(told.predict_proba(holes), model.predict_table(holes, "lung").array, rtol=1e-9)


@pytest.mark.parametrize("structure", [*STRUCTURES, "stack", "auto"])
class TestEvery:
    def test_says_distributions(self, structure, frame):
        X, y = split(frame)
        told = tw.BayesianClassifier(structure=structure).fit(X, y)
        said = told.predict_proba(X)
        assert told.classes_.tolist() == ["no", "yes"]
        assert said.sum(axis=1) == pytest.approx(1.0)
        np.testing.assert_allclose(np.log(said), told.predict_log_proba(X), atol=1e-12)
        assert (told.predict(X) == told.classes_[said.argmax(axis=1)]).all()
        assert told.score(X, y) > 0.94

    def test_any_order_of_rows_and_columns(self, structure, frame):
        X, y = split(frame)
        order = np.random.default_rng(0).permutation(len(X))
        one = tw.BayesianClassifier(structure=structure).fit(X, y)
        two = tw.BayesianClassifier(structure=structure).fit(X.iloc[order, ::-1], y.iloc[order])
        np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X), rtol=1e-9)
        assert one.structure_ == two.structure_

    def test_numbers(self, structure, numbers):
        X, y = numbers
        told = tw.BayesianClassifier(structure=structure).fit(X, y)
        assert told.score(X, y) > 0.7
        assert told.predict_proba(X.mask(X > 1)).sum(axis=1) == pytest.approx(1.0)
        assert told.predict_proba(X * 1e6).sum(axis=1) == pytest.approx(1.0)

    def test_nothing_is_known(self, structure, frame):
        X, y = split(frame)
        told = tw.BayesianClassifier(structure=structure).fit(X, y)
        share = (y == "yes").mean()
        blank = pd.DataFrame({name: [None] for name in X}, dtype=object)
        assert told.predict_proba(blank)[0, 1] == pytest.approx(share, abs=0.03)

    def test_explanations_add_up(self, structure, frame):
        X, y = split(frame)
        told = tw.BayesianClassifier(structure=structure).fit(X, y)
        row = X.iloc[[7]]
        why = told.explain(row)
        assert why.probability == pytest.approx(told.predict_proba(row)[0].max())
        bits = sum(one.bits for one in why.findings)
        assert bits == pytest.approx(np.log2(why.probability / why.prior))
        assert {one.name for one in why.findings} == set(X)
        first = why.findings[0]
        assert first.bits == pytest.approx(first.alone)
        assert abs(first.alone) == pytest.approx(max(abs(one.alone) for one in why.findings))


def test_auto_is_as_good_as_its_members_on_rows_held_out(frame):
    told = tw.BayesianClassifier().fit(*split(frame))
    assert set(STRUCTURES) < set(told.losses_)
    taken = told.losses_[told.structure_ if told.structure_ in told.losses_ else "stack"]
    assert taken <= min(told.losses_.values()) + 0.01


def test_a_stack_of_numbers_has_other_cuts(numbers):
    told = tw.BayesianClassifier(structure="stack").fit(*numbers)
    assert {"naive", "tree on even cuts", "naive of normal numbers"} < set(told.losses_)
    assert len(told.weights_) == sum(len(panel.members) for panel in told._panels)


@pytest.mark.parametrize("structure", ["naive", "stack"])
def test_weights_are_repeated_rows(structure, numbers):
    X, y = numbers
    weights = np.arange(len(X)) % 3
    heavy = tw.BayesianClassifier(structure=structure).fit(X.to_numpy(), y, sample_weight=weights)
    again = tw.BayesianClassifier(structure=structure).fit(X.to_numpy().repeat(weights, 0), y.repeat(weights))
    np.testing.assert_allclose(
        heavy.predict_proba(X.to_numpy()), again.predict_proba(X.to_numpy()), rtol=1e-6
    )


def test_class_weights(frame):
    X, y = split(frame)
    blank = pd.DataFrame({name: [None] for name in X}, dtype=object)
    even = tw.BayesianClassifier(structure="naive", class_weight="balanced").fit(X, y)
    assert even.predict_proba(blank)[0] == pytest.approx([0.5, 0.5], abs=0.01)
    times = 1 + 9 * (y == "yes").to_numpy()
    chosen = tw.BayesianClassifier(structure="naive", class_weight={"yes": 10.0}).fit(X, y)
    weighed = tw.BayesianClassifier(structure="naive").fit(X, y, sample_weight=times)
    np.testing.assert_allclose(chosen.predict_proba(X), weighed.predict_proba(X), rtol=1e-9)


def test_labels_never_seen(frame):
    X, y = split(frame)
    strange = X.head(5).assign(smoke="pipe")
    told = tw.BayesianClassifier(structure="tree").fit(X, y)
    np.testing.assert_allclose(
        told.predict_proba(strange), told.predict_proba(X.head(5).assign(smoke=None)), rtol=1e-12
    )
    with pytest.raises(TreewrightError, match="pipe"):
        tw.BayesianClassifier(structure="tree", unseen="error").fit(X, y).predict(strange)


def test_missing_where_it_was_missing_before_is_a_state(frame):
    X, y = split(frame)
    gone = (y == "yes") & (np.arange(len(y)) % 2 == 0)  # missing tells
    told = tw.BayesianClassifier(structure="naive").fit(X.assign(smoke=X["smoke"].where(~gone)), y)
    blank = pd.DataFrame({"smoke": [None], "xray": ["no"]}, dtype=object)
    seen = pd.DataFrame({"smoke": ["yes"], "xray": ["no"]})
    assert told.predict_proba(blank)[0, 1] > told.predict_proba(seen)[0, 1]


def test_calibration_takes_back_what_is_said_twice():
    """Five copies of one finding make naive Bayes far too sure; rows held out notice."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2_000)
    x = np.where(rng.random(2_000) < 0.7, y, 1 - y)
    X = np.repeat(x[:, None], 5, axis=1)
    sure = tw.BayesianClassifier(structure="naive").fit(X, y)
    calm = tw.BayesianClassifier(structure="naive", calibrate=True).fit(X, y)
    assert sure.reliability(X, y).error > 0.2
    assert calm.reliability(X, y).error < 0.02
    assert calm.weights_ == pytest.approx([0.2], abs=0.02)


def test_one_class_and_few_rows():
    for n in (1, 2, 3):
        told = tw.BayesianClassifier().fit(np.arange(n)[:, None] % 2, np.zeros(n, dtype=int))
        assert told.predict([[0]]).tolist() == [0]
    told = tw.BayesianClassifier().fit([[0], [1], [1]], ["a", "b", "c"])
    assert told.predict_proba([[0], [1]]).sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"structure": "naif"}, "structure is one of .*did you mean 'naive'"),
        ({"folds": 1}, "folds= of BayesianClassifier is too small; found 1"),
        ({"smoothing": 0.0}, "smoothing= of BayesianClassifier is too small"),
        ({"bins": 0}, "bins= of BayesianClassifier is too small"),
        ({"class_weight": "even"}, "class_weight is 'balanced' or a dictionary; found 'even'"),
        ({"unseen": "state"}, "unseen is 'ignore' or 'error' for a class; found 'state'"),
    ],
)
def test_settings_that_make_no_sense(settings, message, frame):
    with pytest.raises(SettingError, match=message):
        tw.BayesianClassifier(**settings).fit(*split(frame))


def test_refusals(frame):
    X, y = split(frame)
    with pytest.raises(SettingError, match="requires y to be passed"):
        tw.BayesianClassifier().fit(X, None)
    told = tw.BayesianClassifier(structure="naive").fit(X, y)
    with pytest.raises(SchemaError, match="explain takes one row; found 2"):
        told.explain(X.head(2))
    with pytest.raises(SchemaError, match="y has the label 'maybe', which BayesianClassifier was not fitted"):
        told.reliability(X.head(1), ["maybe"])

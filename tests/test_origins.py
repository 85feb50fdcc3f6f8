"""What a model says about where it came from, whoever made it."""

import json

import numpy as np
import pytest

import treewright as tw
from treewright.models.formats import twm
from treewright.origins import described, digest_of, origin_of

ROWS = tw.load_network("asia").sample(400, rng=np.random.default_rng(2))
FRAME = {name: list(labels) for name, labels in ROWS.to_dict().items()} | {
    "age": np.random.default_rng(0).normal(50, 10, 400).round(1).tolist()
}
KNOWN = tw.Knowledge(required=[("smoke", "lung")], forbidden=[("lung", "asia")])


def kept(model, tmp_path):
    """What is still there after the model was saved and loaded."""
    path = tmp_path / "m.twm"
    model.save(path)
    assert tw.load(path).provenance == twm.read_provenance(path) == json.loads(json.dumps(model.provenance))
    return tw.load(path).provenance


def test_four_verbs(tmp_path):
    table = tw.read_table(FRAME, bins={"age": 3}, missing="drop", missing_values="?")
    counter = tw.count(table)
    learned = tw.learn_bounded_treewidth(tw.BIC(counter), treewidth=2, knowledge=KNOWN, effort=0.5)
    model = tw.fit(learned.structure, counter, prior=tw.Dirichlet(2.0))
    told = kept(model, tmp_path)
    assert told["learner"] == "learn_bounded_treewidth"
    assert told["settings"]["treewidth"] == 2
    assert told["settings"]["effort"] == 0.5
    assert told["settings"]["max_parents"] is None  # also what was not said
    assert told["settings"]["knowledge"] == described(KNOWN)
    assert described(KNOWN)["required"] == [["smoke", "lung"]]
    assert told["settings"]["score"].startswith("BIC")
    assert "progress" not in told["settings"]
    assert told["fitting"] == {"prior": {"ess": 2.0}, "keep_counts": False}
    assert (told["rows"], told["columns"]) == (400, list(table.schema.names))
    assert told["reading"]["missing"] == "drop"
    assert told["reading"]["bins"] == {"age": 3}
    assert told["reading"]["missing_values"] == "?"
    assert told["treewright"] == tw.__version__


def test_the_default(tmp_path):
    found = tw.learn(FRAME, bins={"age": 3}, knowledge=KNOWN, treewidth=3)
    told = kept(found.model, tmp_path)
    assert (told["method"], told["learner"], told["rows"]) == ("auto", "learn", 400)
    assert told["settings"]["knowledge"] == described(KNOWN)
    assert told["settings"]["missing"] == "auto"
    assert told["reading"]["bins"] == {"age": 3}
    assert told["reason"] == found.reason
    assert told["treewright"] == tw.__version__
    found.save(tmp_path / "again.twm")
    assert twm.read_provenance(tmp_path / "again.twm") == told
    numbers = tw.learn({"x": np.arange(50) / 7, "y": np.arange(50) % 7 / 3})
    assert kept(numbers.model, tmp_path)["columns"] == ["x", "y"]


def test_chance_is_kept():
    rng = np.random.default_rng(5)
    state = described(rng)
    learned = tw.learn_aggressive(tw.BIC(tw.count(ROWS)), rng=rng, perturbations=1)
    assert origin_of(learned.structure)["settings"]["rng"] == state
    assert described(rng) != state


@pytest.mark.parametrize(
    "learn",
    [
        lambda counter: tw.learn_pc(tw.GTest(counter, alpha=0.01), depth=2).dag,
        lambda counter: tw.learn_blankets(tw.MarginalPseudoLikelihood(counter), treewidth=3).structure,
        lambda counter: tw.learn_cutset_network(counter, smoothing=1.0).structure,
        lambda counter: tw.learn_knots(counter).structure,
        lambda counter: tw.learn_chow_liu(tw.BIC(counter)).structure,
    ],
)
def test_every_kind_of_structure(learn, tmp_path):
    counter = tw.count(ROWS)
    told = kept(tw.fit(learn(counter), counter), tmp_path)
    assert told["learner"].startswith("learn_")
    assert told["rows"] == 400
    assert told["settings"]


def test_continuous_models(tmp_path):
    rng = np.random.default_rng(0)
    table = tw.read_table({"x": rng.normal(size=50), "y": rng.normal(size=50)})
    moments = tw.moments(table)
    learned = tw.learn_hill_climbing(tw.GaussianBIC(moments), effort=1)
    told = kept(tw.fit(learned.structure, moments), tmp_path)
    assert told["settings"]["effort"] == 1
    assert told["columns"] == ["x", "y"]


def test_a_structure_made_by_hand_says_nothing():
    model = tw.fit(tw.Dag(ROWS.schema, []), tw.count(ROWS))
    assert model.provenance == {}


def test_what_an_interrupted_search_found_says_it_too():
    def stop(step):
        if step.phase == "settle":
            raise KeyboardInterrupt

    with pytest.raises(tw.errors.Interrupted) as caught:
        tw.learn_bounded_treewidth(tw.BIC(tw.count(ROWS)), treewidth=2, progress=stop)
    assert origin_of(caught.value.learned.structure)["settings"]["treewidth"] == 2


@pytest.mark.parametrize(
    "estimator",
    [
        tw.ChowLiuTree(missing="drop", unseen="state"),
        tw.BoundedTreewidth(treewidth=2, knowledge=KNOWN, bins=4),
        tw.HillClimbing(effort=1, seed=7),
        tw.PC(alpha=0.001),
        tw.Knots(),
        tw.BlanketMarkov(),
        tw.EfficientMarkov(min_rows=50, smoothing=1.0),
        tw.SeparationTree(),
    ],
)
def test_estimators(estimator, tmp_path):
    told = kept(estimator.fit(ROWS).model_, tmp_path)
    assert told["estimator"] == type(estimator).__name__
    assert told["settings"] == described(estimator.get_params())
    assert set(told["columns"]) == set(ROWS.schema.names)
    assert told["treewright"] == tw.__version__
    read = type(estimator)(**{**estimator.get_params(), "missing": "state"}).fit(ROWS.to_dict())
    assert read.model_.provenance["rows"] == 400
    assert read.model_.provenance["reading"]["missing"] == "state"


def test_settings_as_json_can_say_them():
    values = [None, True, 3, 2.5, float("inf"), np.float64(1.5), np.arange(3), {"b", "a"}, ("x", 1)]
    assert described(values) == [None, True, 3, 2.5, "inf", 1.5, [0, 1, 2], ["a", "b"], ["x", 1]]
    assert described(np.zeros((100, 100))) == "array of shape (100, 100)"
    assert described(ROWS)["rows"] == 400
    assert described(tw.Dag(ROWS.schema, [("asia", "tub")])) == {"edges": [["asia", "tub"]]}
    json.dumps(described([ROWS, tw.BIC(tw.count(ROWS)), np.random.default_rng(0), tw.Dirichlet(1.0), object]))


def test_digests_tell_rows_apart():
    other = ROWS.take(np.arange(399, -1, -1))
    assert digest_of(ROWS) != digest_of(other)
    assert digest_of(ROWS) == digest_of(ROWS.reordered(sorted(ROWS.schema.names)))
    assert digest_of(ROWS) != digest_of(ROWS.with_weights(np.full(400, 2)))


def test_a_digest_tells_rows_from_others(tmp_path):
    """Whoever fits: by verbs, by default, by an estimator, from one table or several."""
    counter = tw.count(ROWS)
    learned = tw.learn_chow_liu(tw.BIC(counter))
    fitted = kept(tw.fit(learned.structure, counter), tmp_path)
    assert fitted["digest"] == digest_of(ROWS)
    assert tw.learn(ROWS).model.provenance["digest"] == digest_of(ROWS)
    assert tw.ChowLiuTree().fit(ROWS).model_.provenance["digest"] == digest_of(ROWS)
    assert tw.EfficientMarkov(min_rows=50, smoothing=1.0).fit(ROWS).model_.provenance["digest"] == digest_of(
        ROWS
    )
    parts = [ROWS.select(["asia", "tub", "either"]), ROWS.select(["lung", "either", "smoke"])]
    several = tw.SeparationTree().fit(parts).model_.provenance["digest"]
    assert several not in (digest_of(ROWS), *map(digest_of, parts))
    other = ROWS.take(np.arange(399))
    assert tw.fit(learned.structure, tw.count(other)).provenance["digest"] != fitted["digest"]


def test_counts_without_rows_have_no_digest():
    lines = tw.moments(tw.read_table({"x": [0.5, 1.5, 2.25], "y": [1.5, 0.25, 0.5]}))
    assert "digest" not in tw.fit(tw.learn_chow_liu(tw.GaussianBIC(lines)).structure, lines).provenance

"""The scikit-learn door: same answers as the four verbs, and the habits that scikit-learn expects."""

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

import treewright as tw
from treewright.errors import DataWarning, NotFittedError, SchemaError, SettingError, UnknownNameError

ESTIMATORS = [
    tw.BlanketMarkov,
    tw.BoundedTreewidth,
    tw.ChowLiuTree,
    tw.HillClimbing,
    tw.PC,
    tw.SeparationTree,
]


@pytest.fixture(scope="module")
def rows():
    return tw.load_network("asia").sample(2_000, rng=np.random.default_rng(3))


@pytest.fixture(scope="module")
def frame(rows):
    return pd.DataFrame(rows.to_dict())


@pytest.mark.parametrize("kind", ESTIMATORS)
class TestHabits:
    def test_settings_come_back(self, kind):
        estimator = kind()
        assert kind(**estimator.get_params()).get_params() == estimator.get_params()

    def test_unknown_setting(self, kind):
        with pytest.raises(SettingError, match=r"has no setting 'priors'; .*did you mean 'prior'"):
            kind().set_params(priors=None)

    def test_asked_too_early(self, kind):
        for ask in (lambda e: e.query("a"), lambda e: e.score({"a": [1]}), lambda e: e.sample(1)):
            with pytest.raises(NotFittedError, match=r"has learned nothing yet; call \.fit\(rows\) first"):
                ask(kind())

    def test_clone(self, kind):
        base = pytest.importorskip("sklearn.base")
        original = kind(seed=7)
        assert base.clone(original).get_params() == original.get_params()

    def test_pipeline(self, kind, frame):
        pipeline = pytest.importorskip("sklearn.pipeline")
        steps = pipeline.Pipeline([("learn", kind())]).fit(frame)
        assert steps.score(frame) == kind().fit(frame).score(frame)

    def test_grid_search(self, kind, frame):
        selection = pytest.importorskip("sklearn.model_selection")
        schema = kind().fit(frame).model_.schema
        priors = [tw.Dirichlet(0.5), tw.Dirichlet(1.0), tw.Dirichlet(500.0)]  # none makes rows impossible
        search = selection.GridSearchCV(kind(schema=schema), {"prior": priors}, cv=3).fit(frame)
        assert search.best_params_["prior"] != tw.Dirichlet(500.0)
        assert search.best_estimator_.score(frame) > -3

    def test_attributes(self, kind, frame):
        fitted = kind().fit(frame)
        assert fitted.structure_ == fitted.model_.structure
        assert fitted.width_ >= 1
        assert fitted.trace_.seconds > 0
        assert fitted.report_ is not None

    def test_same_answer_from_any_container(self, kind, frame, rows):
        fitted = [kind().fit(source) for source in (frame, pl.from_pandas(frame), rows.to_dict())]
        assert all(one.model_ == fitted[0].model_ for one in fitted)

    def test_predicts_without_the_target(self, kind, frame):
        fitted = kind().fit(frame)
        assert (fitted.predict(frame.drop(columns="xray"), "xray") == fitted.predict(frame, "xray")).all()
        holes = frame.copy()
        holes.loc[::2, "either"] = None
        assert len(fitted.predict(holes, "xray")) == len(frame)

    def test_predicts_from_an_array(self, kind):
        codes = np.array([[0, 0], [1, 1]] * 30)
        assert kind().fit(codes).predict(codes, "x1").tolist() == codes[:, 1].tolist()

    def test_refuses_what_it_cannot_predict(self, kind, frame):
        fitted = kind().fit(frame)
        with pytest.raises(UnknownNameError, match="'xrays'"):
            fitted.predict(frame, "xrays")
        with pytest.raises(SchemaError, match="to predict 'xray' the rows need a column of the model"):
            fitted.predict(pd.DataFrame({"other": [1]}), "xray")

    def test_samples_repeat(self, kind, frame):
        fitted = kind().fit(frame)
        assert fitted.sample(50) == fitted.sample(50)
        assert (
            fitted.sample(50, {"smoke": "yes"}, rng=np.random.default_rng(1)).labels("smoke").tolist()
            == ["yes"] * 50
        )

    def test_picture(self, kind, frame):
        assert "<svg" in kind().fit(frame)._repr_html_()
        assert "<svg" not in kind()._repr_html_()


def test_a_tree_is_what_the_verbs_make(frame):
    counter = tw.count(tw.read_table(frame))
    verbs = tw.fit(tw.learn_chow_liu(tw.BIC(counter)).structure, counter)
    assert tw.ChowLiuTree().fit(frame).model_ == verbs


def test_score_is_a_setting_and_a_method(frame):
    tree = tw.ChowLiuTree(score="loglik")
    assert tree.get_params()["score"] == "loglik"
    assert tree.fit(frame).score(frame) < 0
    with pytest.raises(SettingError, match=r"score 'bick' is not known; .*did you mean 'bic'"):
        tw.ChowLiuTree(score="bick").fit(frame)


def test_shows_what_was_changed():
    assert repr(tw.ChowLiuTree(score="aic")) == "ChowLiuTree(score='aic')"
    assert repr(tw.ChowLiuTree()) == "ChowLiuTree()"


@pytest.mark.slow
def test_scikit_learn_is_never_imported():
    code = (
        "import sys, treewright as tw; tw.ChowLiuTree().fit({'a': [0, 1], 'b': [0, 1]}).score({'a': [0], "
        "'b': [1]}); assert 'sklearn' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_hill_climbing_is_what_the_verbs_make(frame):
    counter = tw.count(tw.read_table(frame))
    learned = tw.learn_hill_climbing(tw.SparseQNML(counter))
    estimator = tw.HillClimbing().fit(frame)
    assert estimator.model_ == tw.fit(learned.structure, counter)
    assert estimator.cpdag_ == learned.cpdag == tw.Cpdag.of(estimator.structure_)


def test_pc_is_what_the_verbs_make(frame):
    counter = tw.count(tw.read_table(frame))
    learned = tw.learn_pc(tw.GTest(counter, alpha=0.01))
    estimator = tw.PC().fit(frame)
    assert estimator.model_ == tw.fit(learned.dag, counter)
    assert estimator.cpdag_ == learned.structure
    with pytest.raises(SettingError, match="test 'f' is not known; tests are 'g', 'chi-square', 'posterior'"):
        tw.PC(test="f").fit(frame)


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_knowledge_is_obeyed(kind, frame):
    known = tw.Knowledge(required=[("dysp", "bronc")], forbidden_edges=[("lung", "smoke")])
    known.on(tw.read_table(frame).schema).check(kind(knowledge=known).fit(frame).structure_)


@pytest.mark.parametrize("kind", [kind for kind in ESTIMATORS if kind is not tw.BlanketMarkov])
def test_the_class_is_kept(kind, frame, tmp_path):
    known = tw.Knowledge(tiers=[["smoke"], ["bronc", "lung"]])
    for told in (None, known):
        model = kind(knowledge=told).fit(frame).model_
        bound = (told or tw.Knowledge()).on(model.schema)
        assert model.pattern == bound.pattern_of(model.dag)
        model.save(tmp_path / "m.twm")
        assert tw.load(tmp_path / "m.twm").pattern == model.pattern


class TestEfficientMarkov:
    def test_settings_and_answers(self, rows, frame):
        markov = tw.EfficientMarkov(delta=0.01, min_rows=100, smoothing=1.0).fit(frame)
        learned = tw.learn_efficient_markov(tw.count(rows), delta=0.01, min_rows=100, smoothing=1.0)
        assert markov.score(frame) == pytest.approx(tw.FeatureNetwork(learned.structure).score(rows))
        assert markov.structure_ == markov.graph_.to_undirected()
        assert markov.settings_ == learned.settings
        assert markov.width_ >= 1
        assert set(markov.predict(frame.head(5), target="lung")) <= {"no", "yes"}

    def test_validation_rows_choose(self, rows):
        valid = tw.load_network("asia").sample(500, rng=np.random.default_rng(4))
        markov = tw.EfficientMarkov(smoothing=1.0, min_rows=50).fit(rows, valid=valid)
        learned = tw.learn_efficient_markov(tw.count(rows), smoothing=1.0, min_rows=50, valid=valid)
        assert markov.settings_ == learned.settings
        assert markov.graph_ == learned.structure

    def test_habits(self):
        base = pytest.importorskip("sklearn.base")
        original = tw.EfficientMarkov(score="inverse-exponential", largest_set=2)
        assert base.clone(original).get_params() == original.get_params()
        assert repr(original) == "EfficientMarkov(largest_set=2, score='inverse-exponential')"


class TestIdentifiers:
    """A column in which every row has its own value fits anything; `fit` says so."""

    SAID = "looks like an identifier, better left out with read_table(..., columns=[...]): key"
    EVERY = (
        tw.ChowLiuTree(),
        tw.HillClimbing(),
        tw.PC(),
        tw.BoundedTreewidth(treewidth=2),
        tw.Knots(),
        tw.BlanketMarkov(),
        tw.SeparationTree(),
        tw.EfficientMarkov(min_rows=10, smoothing=1.0),
    )

    def keyed(self, n=60):
        return {"key": [f"k{i}" for i in range(n)], "a": [0, 1] * (n // 2), "b": [0, 1, 1, 1] * (n // 4)}

    @pytest.mark.parametrize("estimator", EVERY, ids=lambda estimator: type(estimator).__name__)
    def test_every_estimator_warns_once(self, estimator):
        with pytest.warns(DataWarning) as caught:
            estimator.fit(self.keyed())
        assert [str(warning.message) for warning in caught] == [self.SAID]
        assert caught[0].filename == __file__  # the line that called fit

    def test_several_tables_warn_once(self):
        with pytest.warns(DataWarning) as caught:
            tw.SeparationTree().fit([self.keyed(), self.keyed(80)])
        assert [str(warning.message) for warning in caught] == [self.SAID]

    def test_a_table_without_a_report_is_looked_at(self):
        rows = tw.read_table(self.keyed())
        bare = tw.Table(rows.schema, rows.columns)
        with pytest.warns(DataWarning, match=": key$"):
            tw.ChowLiuTree().fit(bare)

    def test_no_word_about_what_was_left_out_or_has_few_values(self):
        rows = tw.read_table(self.keyed())
        tw.ChowLiuTree().fit(rows.select(["a", "b"]))  # its report still knows the key
        wide = tw.Schema([tw.Variable("v", tuple(range(30)))])  # more states than rows, two of them seen
        tw.ChowLiuTree().fit(tw.Table(wide, [np.array([0, 1] * 12, dtype=np.uint8)]))

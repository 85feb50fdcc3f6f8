"""scikit-learn's own checks and tools, with every estimator."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import treewright as tw
from treewright.errors import MissingValuesError, NotFittedError, SchemaError, SettingError, WeightError
from treewright.estimators import expected_failed_checks
from treewright.estimators.rows import not_fitted

sklearn = pytest.importorskip("sklearn")
joblib = pytest.importorskip("joblib")
from sklearn.calibration import CalibratedClassifierCV  # noqa: E402
from sklearn.compose import ColumnTransformer  # noqa: E402
from sklearn.exceptions import NotFittedError as TheirNotFittedError  # noqa: E402
from sklearn.model_selection import (  # noqa: E402
    GridSearchCV,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import KBinsDiscretizer, OrdinalEncoder  # noqa: E402
from sklearn.utils import get_tags  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

DENSITY = [
    tw.BlanketMarkov,
    tw.BoundedTreewidth,
    tw.ChowLiuTree,
    tw.EfficientMarkov,
    tw.HillClimbing,
    tw.Knots,
    tw.PC,
    tw.SeparationTree,
]
COUNTING = [tw.BoundedTreewidth, tw.ChowLiuTree, tw.HillClimbing, tw.Knots, tw.PC]
ALL = [*DENSITY, tw.BayesianClassifier]
STRUCTURES = ["naive", "tree", "averaged", "k-dependence", "network", "stack", "auto"]
IN_CHECKS = [
    tw.ChowLiuTree(),
    tw.SeparationTree(),
    *(tw.BayesianClassifier(structure=structure) for structure in STRUCTURES[:3]),
    tw.BayesianClassifier(structure="averaged", missing="sum"),
]
IN_FULL = [
    *(tw.BayesianClassifier(structure=structure) for structure in STRUCTURES[3:]),
    *(tw.BayesianClassifier(structure=one, missing="sum") for one in STRUCTURES if one != "averaged"),
    *(kind() for kind in DENSITY if kind not in (tw.ChowLiuTree, tw.SeparationTree)),
    *(kind(missing=missing) for kind in DENSITY for missing in ("state", "drop")),
    *(kind(missing="em") for kind in COUNTING),
    *(kind(missing="available") for kind in (tw.ChowLiuTree, tw.PC)),
]


@pytest.fixture(scope="module")
def rows():
    return tw.load_network("asia").sample(600, rng=np.random.default_rng(3))


@pytest.fixture(scope="module")
def frame(rows):
    return pd.DataFrame(rows.to_dict())


@pytest.fixture(scope="module")
def codes(rows):
    return np.stack([np.asarray(column) for column in rows.columns], axis=1).astype(np.int64)


def checks_of(estimators):
    with warnings.catch_warnings():  # scikit-learn would rather see its own base class
        warnings.simplefilter("ignore")
        return parametrize_with_checks(estimators, expected_failed_checks=expected_failed_checks)


@pytest.mark.filterwarnings("ignore")
@checks_of(IN_CHECKS)
def test_their_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@checks_of(IN_FULL)
def test_their_checks_of_the_others(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kind", DENSITY)
def test_what_goes_beside_dropped_rows_is_dropped(kind, frame):
    X, y = frame.drop(columns="lung").copy(), frame["lung"]
    gone = np.arange(len(X)) % 4 == 0
    X.loc[gone, "smoke"] = None
    weights = 1 + np.arange(len(X)) % 3
    told = kind(missing="drop").fit(X, y, sample_weight=weights)
    alone = kind().fit(X[~gone], y[~gone], sample_weight=weights[~gone])
    assert told.model_ == alone.model_
    assert told.score(X, y, sample_weight=weights) == alone.score(
        X[~gone], y[~gone], sample_weight=weights[~gone]
    )
    for other, labels in (
        (pl.from_pandas(X), pl.from_pandas(y)),
        (tw.read_table(X, missing="em"), y.tolist()),
    ):
        again = kind(missing="drop").fit(other, labels, sample_weight=weights)
        np.testing.assert_allclose(again.score(X, y), alone.score(X[~gone], y[~gone]), rtol=1e-12)


def test_exceptions_have_reasons():
    for kind in DENSITY:
        assert all(len(reason) > 40 for reason in expected_failed_checks(kind()).values())
    assert "check_estimators_nan_inf" not in expected_failed_checks(tw.PC(missing="state"))
    assert expected_failed_checks(tw.BayesianClassifier()) == {}


@pytest.mark.parametrize("estimator", [*IN_CHECKS, *IN_FULL], ids=repr)
def test_exceptions_are_a_tag(estimator):
    assert get_tags(estimator).expected_failed_checks == expected_failed_checks(estimator)


@pytest.mark.parametrize("kind", DENSITY)
class TestDensity:
    def test_y_is_a_column(self, kind, frame):
        X, y = frame.drop(columns="lung"), frame["lung"]
        apart, whole = kind().fit(X, y), kind().fit(frame[[*X, "lung"]])
        assert apart.model_ == whole.model_
        assert (apart.predict(X) == whole.predict(X, "lung")).all()
        assert apart.score(X, y) == whole.score(frame)
        assert apart.score(X) == pytest.approx(whole.model_.log_evidence(tw.read_table(X)).mean())
        assert apart.log_probability(X, y).sum() == pytest.approx(apart.log_probability(frame).sum())

    def test_y_without_a_name(self, kind, codes):
        fitted = kind().fit(codes[:, :4], codes[:, 4] + 10)
        assert fitted.model_.schema.names[-1] == "y"
        assert set(fitted.predict(codes[:, :4])) <= {10, 11}

    def test_weights_are_repeated_rows(self, kind, codes):
        weights = np.arange(len(codes)) % 3
        heavy = kind().fit(codes, sample_weight=weights)
        again = kind().fit(np.repeat(codes, weights, axis=0))
        np.testing.assert_allclose(heavy.log_probability(codes), again.log_probability(codes), rtol=1e-9)

    def test_scores_with_weights(self, kind, codes):
        fitted, weights = kind().fit(codes), np.arange(len(codes)) % 3
        twice = fitted.score(np.repeat(codes, weights, axis=0))
        assert fitted.score(codes, sample_weight=weights) == pytest.approx(twice)

    def test_target_is_asked_for(self, kind, codes):
        with pytest.raises(
            SettingError, match="predict takes a target, the name of a column, unless fit was"
        ):
            kind().fit(codes).predict(codes)


@pytest.mark.parametrize("kind", ALL)
class TestAll:
    def test_pickle_and_joblib(self, kind, codes, tmp_path):
        fitted = kind().fit(codes[:, :-1], codes[:, -1])
        joblib.dump(fitted, tmp_path / "fitted.joblib")
        for again in (pickle.loads(pickle.dumps(fitted)), joblib.load(tmp_path / "fitted.joblib")):
            assert again.get_params() == fitted.get_params()
            assert (again.predict(codes[:, :-1]) == fitted.predict(codes[:, :-1])).all()

    def test_columns_are_noted(self, kind, frame, codes):
        fitted = kind().fit(frame.drop(columns="lung"), frame["lung"])
        assert fitted.n_features_in_ == 7
        assert fitted.feature_names_in_.tolist() == [*frame.drop(columns="lung")]
        fitted.fit(codes[:, :3], codes[:, 3])
        assert fitted.n_features_in_ == 3
        assert not hasattr(fitted, "feature_names_in_")
        with pytest.raises(SchemaError, match=r"X has 4 features, but \w+ is expecting 3 features as input"):
            fitted.predict(codes[:, :4])

    def test_sparse_rows(self, kind, codes):
        X, y = codes[:, :-1], codes[:, -1]
        thin = sparse.csr_matrix(X)
        assert (kind().fit(thin, y).predict(thin) == kind().fit(X, y).predict(X)).all()

    def test_sparse_rows_that_would_not_fit(self, kind):
        huge = sparse.csr_matrix((10**7, 10**6), dtype=np.int8)
        with pytest.raises(
            SchemaError, match=r"the sparse rows would take .* once every cell is written out"
        ):
            kind().fit(huge, np.zeros(10**7, dtype=np.int8))

    @pytest.mark.parametrize("empty", [pd.DataFrame(), pd.DataFrame({"a": []}), pl.DataFrame({"a": []}), {}])
    def test_nothing_to_learn_from(self, kind, empty):
        with pytest.raises(SchemaError, match="needs rows with columns; the frame has no "):
            kind().fit(empty, [])

    def test_weights_of_zero(self, kind, codes):
        with pytest.raises(WeightError, match="sample_weight is zero for every row"):
            kind().fit(codes[:, :-1], codes[:, -1], sample_weight=np.zeros(len(codes)))

    def test_not_fitted_in_both_words(self, kind, codes):
        for error in (NotFittedError, TheirNotFittedError, ValueError):
            with pytest.raises(error, match="has learned nothing yet"):
                kind().predict(codes)

    def test_frames_of_the_callers_library(self, kind, frame):
        X, y = frame.drop(columns="lung"), frame["lung"]
        fitted = kind().fit(pl.from_pandas(X), y.to_numpy())
        asked = () if kind is tw.BayesianClassifier else ("y",)
        assert isinstance(fitted.predict_table(pl.from_pandas(X), *asked).to_frame(), pl.DataFrame)
        assert isinstance(fitted.predict_table(X, *asked).to_frame(), pd.DataFrame)


def test_not_fitted_survives_a_pipe():
    error = pickle.loads(pickle.dumps(not_fitted("PC")))
    assert isinstance(error, NotFittedError)
    assert isinstance(error, TheirNotFittedError)
    assert str(error) == "this PC has learned nothing yet; call .fit(rows) first"


@pytest.mark.parametrize("kind", COUNTING)
def test_further_rows_add(kind, codes):
    half = len(codes) // 2
    step = kind().partial_fit(codes[:half]).partial_fit(codes[half:])
    shape = step.structure_
    assert shape == kind().fit(codes[:half]).structure_
    assert step.model_ == tw.fit(shape, tw.count(tw.read_table(codes))).with_provenance(
        step.model_.provenance
    )


def test_further_rows_with_y_and_weights(codes):
    X, y = codes[:, :-1], codes[:, -1]
    once = tw.ChowLiuTree().partial_fit(X, y).partial_fit(X, y, sample_weight=np.full(len(X), 2))
    more = tw.fit(
        once.structure_, tw.count(tw.ChowLiuTree()._joined(np.repeat(X, 3, 0), np.repeat(y, 3), None))
    )
    np.testing.assert_allclose(
        once.log_probability(X, y), more.log_probability(once._known(X, y)), rtol=1e-12
    )


def test_pipeline_with_cuts():
    X, y = sklearn.datasets.load_iris(return_X_y=True)
    cut = KBinsDiscretizer(4, encode="ordinal", quantile_method="averaged_inverted_cdf")
    for last in (tw.ChowLiuTree(), tw.BayesianClassifier(structure="naive")):
        assert (make_pipeline(cut, last).fit(X, y).predict(X) == y).mean() > 0.93
    thin = KBinsDiscretizer(4, encode="onehot", quantile_method="averaged_inverted_cdf")
    assert make_pipeline(thin, tw.BayesianClassifier(structure="naive")).fit(X, y).score(X, y) > 0.93


def test_pipeline_with_columns(frame):
    X, y = frame.drop(columns="lung"), frame["lung"]
    told = ColumnTransformer([("told", OrdinalEncoder(), ["smoke", "xray"])], remainder="drop")
    both = [
        make_pipeline(
            sklearn.base.clone(told).set_output(transform=kind), tw.BayesianClassifier(structure="tree")
        ).fit(X, y)
        for kind in ("default", "pandas", "polars")
    ]
    expected = tw.BayesianClassifier(structure="tree").fit(X[["smoke", "xray"]], y).predict_proba(X)
    for one in both:
        np.testing.assert_allclose(one.predict_proba(X), expected, rtol=1e-12)


def test_grid_search_over_structures(frame):
    X, y = frame.drop(columns="lung"), frame["lung"]
    grid = {"structure": ["naive", "tree"], "smoothing": [0.5, 5.0]}
    search = GridSearchCV(tw.BayesianClassifier(), grid, scoring="neg_log_loss", cv=3).fit(X, y)
    assert search.best_params_["structure"] in grid["structure"]
    assert -search.best_score_ < 0.25
    assert cross_val_score(tw.ChowLiuTree(), X, y, cv=3).mean() < 0


def test_calibrated_by_scikit_learn(frame):
    X, y = frame.drop(columns="lung"), frame["lung"]
    told = CalibratedClassifierCV(tw.BayesianClassifier(structure="naive"), cv=3).fit(X, y)
    assert told.predict_proba(X).sum(axis=1) == pytest.approx(1.0)
    assert told.score(X, y) > 0.9


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_jobs_in_parallel(backend, codes):
    grid = {"structure": ["naive", "tree"]}
    X, y = codes[:, :-1], codes[:, -1]
    with joblib.parallel_backend(backend, n_jobs=2):
        search = GridSearchCV(tw.BayesianClassifier(), grid, cv=3).fit(X, y)
    alone = GridSearchCV(tw.BayesianClassifier(), grid, cv=3, n_jobs=1).fit(X, y)
    for told in ("mean_test_score", "split0_test_score", "split2_test_score"):
        assert search.cv_results_[told].tolist() == alone.cv_results_[told].tolist()


def test_no_output_to_set(frame):
    """There is nothing to transform, so `set_output` of a pipeline is for the steps before."""
    X, y = frame.drop(columns="lung"), frame["lung"]
    steps = make_pipeline(OrdinalEncoder(), tw.BayesianClassifier(structure="naive"))
    steps.set_output(transform="pandas").fit(X, y)
    assert steps[-1].feature_names_in_.tolist() == [*X]
    for kind in ALL:
        assert get_tags(kind()).transformer_tags is None
        assert not hasattr(kind(), "transform")


@pytest.mark.parametrize("kind", ALL)
def test_a_file_has_columns_too(kind, frame, tmp_path):
    frame.drop(columns="lung").to_csv(tmp_path / "rows.csv", index=False)
    fitted = kind().fit(str(tmp_path / "rows.csv"), frame["lung"].to_numpy())
    assert fitted.n_features_in_ == 7
    assert fitted.feature_names_in_.tolist() == [*frame.drop(columns="lung")]


class TestRouting:
    @pytest.fixture(autouse=True)
    def routing(self):
        with sklearn.config_context(enable_metadata_routing=True):
            yield

    def test_weights_find_their_way(self, codes):
        X, y = codes[:, :-1], codes[:, -1]
        weights = np.arange(len(codes)) % 3
        told = tw.BayesianClassifier(structure="naive").set_fit_request(sample_weight="heavy")
        told.set_score_request(sample_weight=False)
        found = cross_validate(told, X, y, params={"heavy": weights}, cv=3, return_estimator=True)
        train = next(iter(StratifiedKFold(3).split(X, y)))[0]
        alone = tw.BayesianClassifier(structure="naive").fit(X[train], y[train], sample_weight=weights[train])
        assert (found["estimator"][0].predict_proba(X) == alone.predict_proba(X)).all()
        light = cross_validate(told.set_fit_request(sample_weight=False), X, y, cv=3, return_estimator=True)
        assert (light["estimator"][0].predict_proba(X) != alone.predict_proba(X)).any()

    @pytest.mark.parametrize("kind", ALL)
    def test_requests_are_kept_by_clones(self, kind):
        asked = kind().set_fit_request(sample_weight=True).get_metadata_routing()
        assert asked.fit.requests == {"sample_weight": True}
        assert asked.score.requests == {"sample_weight": None}
        again = sklearn.base.clone(kind().set_score_request(sample_weight=False))
        assert again.get_metadata_routing().score.requests == {"sample_weight": False}
        assert ("sample_weight" in asked.partial_fit.requests) == hasattr(kind(), "partial_fit")

    def test_refusals(self):
        with pytest.raises(SettingError, match="BayesianClassifier has no partial_fit with these settings"):
            tw.BayesianClassifier().set_partial_fit_request(sample_weight=True)
        with (
            sklearn.config_context(enable_metadata_routing=False),
            pytest.raises(RuntimeError, match="set_fit_request is for metadata routing, which is off"),
        ):
            tw.PC().set_fit_request(sample_weight=True)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([[0, 1]] * 600, "takes one target; y should be a 1d array, got an array of shape"),
        ([0] * 599, "Found input variables with inconsistent numbers of samples"),
        ([0.5] * 600, "Unknown label type: continuous"),
        ([np.nan] * 600, "Input y contains NaN or infinity"),
        ([None] * 600, "Input y contains NaN"),
        *(
            (np.array(["no"] * 599 + [gap], dtype=object), "Input y contains NaN")
            for gap in (pd.NA, pd.NaT, None, float("nan"), np.float64("nan"), np.datetime64("NaT"))
        ),
        (np.array(["no"] * 599 + [1], dtype=object), "sorts the labels of y; found some of int, str"),
        ([1j] * 600, "Complex data not supported"),
    ],
)
def test_targets_that_are_none(codes, y, message):
    for kind in (tw.ChowLiuTree, tw.BayesianClassifier):
        with pytest.raises((SchemaError, SettingError), match=message):
            kind().fit(codes, y)


def test_rows_that_are_none(codes):
    for X, message in [
        (codes[0], "Reshape your data"),
        (codes * 1j, "Complex data not supported"),
        (np.empty((0, 3)), "0 sample"),
        (np.empty((3, 0)), "0 feature"),
        (np.where(codes > 0, np.inf, codes), "X holds infinity"),
    ]:
        with pytest.raises(SchemaError, match=message):
            tw.ChowLiuTree().fit(X)
    with pytest.raises(MissingValuesError, match="Input X contains NaN; ChowLiuTree takes missing='drop'"):
        tw.ChowLiuTree().fit(np.where(codes > 0, np.nan, codes))


def test_y_that_the_rows_have_already(frame):
    with pytest.raises(SchemaError, match="the rows have a column 'lung' already; rename it, or y"):
        tw.ChowLiuTree().fit(frame, frame["lung"])
    with pytest.raises(SettingError, match="y and sample_weight go with one table"):
        tw.SeparationTree().fit([frame, frame], frame["lung"])

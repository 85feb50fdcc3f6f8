"""The same rows say the same, whatever they come as: tables, frames, categories; gaps and further rows."""

import functools

import numpy as np
import pandas as pd
import polars as pl
import pytest

import treewright as tw
from treewright.errors import SchemaError, SettingError
from treewright.models.classifying.counts import PairCounts
from treewright.statistics import AvailableCounter

STRUCTURES = ["naive", "tree", "averaged", "k-dependence", "network", "auto"]
N = 400


@pytest.fixture(scope="module")
def rows():
    """Reals, whole numbers of few and of many values, labels, gaps; the class."""
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, N)
    frame = pd.DataFrame(
        {
            "real": rng.normal(size=N) + 2 * y,
            "whole": np.clip(rng.integers(0, 12, N) + 3 * y, 0, 11),
            "few": rng.integers(0, 3, N) + y,
            "word": np.where(rng.random(N) < 0.8, np.where(y, "b", "a"), "c"),
            "gaps": np.where((rng.random(N) < 0.6) & (y == 1), np.nan, rng.integers(0, 3, N)),
            "holes": np.where(rng.random(N) < 0.2, np.nan, rng.normal(size=N) + y),
        }
    )
    return frame, np.array(["no", "yes"])[y]


def kinds_of(frame):
    """The rows in other clothes."""
    categories = frame.assign(whole=pd.Categorical(frame["whole"]), few=pd.Categorical(frame["few"]))
    table = tw.read_table(frame, missing="em")
    assert table.schema["whole"].is_discrete
    yield "table", table
    yield "table of categories", tw.read_table(categories, missing="em")
    yield "categories", categories
    yield "polars", pl.from_pandas(frame)
    yield "dictionary", {name: [None if pd.isna(x) else x for x in frame[name]] for name in frame}
    yield "few columns more", frame.assign(other="x")


def one_row(rows, at):
    if isinstance(rows, dict):
        return {name: [column[at]] for name, column in rows.items()}
    return rows.take([at]) if isinstance(rows, tw.Table) else rows[at : at + 1]


@pytest.fixture(scope="module")
def fitted(rows):
    """One classifier of each kind."""

    @functools.cache
    def fit(structure, missing):
        return tw.BayesianClassifier(structure=structure, missing=missing).fit(*rows)

    return fit


@pytest.mark.parametrize("missing", ["state", "sum"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_the_same_rows_say_the_same(structure, missing, rows, fitted):
    X, y = rows
    told = fitted(structure, missing)
    expected = told.predict_proba(X)
    assert told.score(X, y) > 0.9
    for kind, other in kinds_of(X):
        np.testing.assert_allclose(told.predict_proba(other), expected, rtol=1e-12, err_msg=kind)


@pytest.mark.parametrize("missing", ["state", "sum"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_explanations_are_of_what_is_predicted(structure, missing, rows, fitted):
    X, _ = rows
    told = fitted(structure, missing)
    for at in (0, 1, 2, int(np.argmax(X["gaps"].isna())), int(np.argmax(X["holes"].isna()))):
        row = X.iloc[[at]]
        said = told.predict_proba(row)[0].max()
        for kind, other in [("frame", X), *kinds_of(X)]:
            why = told.explain(one_row(other, at))
            assert why.probability == pytest.approx(said, rel=1e-9), kind
            bits = sum(one.bits for one in why.findings)
            assert bits == pytest.approx(np.log2(why.probability / why.prior), abs=1e-9)
        named = {one.name: one.value for one in why.findings}
        gone = {name for name in X if pd.isna(X[name].iloc[at])}
        assert set(named) == (set(X) if missing == "state" else set(X) - gone)
        assert {name for name, value in named.items() if value == "missing"} == gone & set(named)


@pytest.mark.parametrize("kind", ["table", "categories"])
def test_fitted_from_declared_states(kind, rows):
    """Tables and categories say themselves what are states, also of many values."""
    X, y = rows[0][["whole", "word"]], rows[1]
    X = X if kind == "table" else X.assign(whole=pd.Categorical(X["whole"]))
    told = tw.BayesianClassifier(structure="naive").fit(tw.read_table(X) if kind == "table" else X, y)
    assert told._panels[0].schema["whole"].cardinality == 12
    expected = told.predict_proba(X)
    plain = rows[0][["whole", "word"]]
    for other in (plain, tw.read_table(plain), plain.assign(whole=plain["whole"].astype(float))):
        np.testing.assert_allclose(told.predict_proba(other), expected, rtol=1e-12)


def test_a_declared_schema_stays(rows):
    schema = tw.Schema([tw.Variable("whole", tuple(range(30))), tw.Variable("word", ("a", "b", "c", "d"))])
    table = tw.read_table(rows[0], schema=schema)
    told = tw.BayesianClassifier(structure="tree").fit(table, rows[1])
    assert told._panels[0].schema.select(["whole", "word"]) == schema


def test_nothing_known_and_cells_of_none(rows):
    told = tw.BayesianClassifier(structure="tree").fit(*rows)
    why = told.explain({"word": ["b"], "real": [None]})
    assert why.probability == pytest.approx(told.predict_proba({"word": ["b"], "real": [None]})[0].max())
    assert [one.name for one in why.findings] == ["word"]
    with pytest.raises(SchemaError, match="the rows need a column of the model beside it"):
        told.predict({"other": [1]})


# codes


@pytest.fixture(scope="module")
def codes():
    """Sixty categories without order, as an encoder writes them."""
    rng = np.random.default_rng(6)
    tells = rng.random(60) < 0.5
    code = rng.integers(0, 60, 4_000)
    y = np.where(rng.random(4_000) < 0.8, tells[code], ~tells[code]).astype(int)
    return code, y


@pytest.mark.parametrize("categorical", ["all", ["code"]])
def test_codes_of_many_categories_are_states(categorical, codes):
    code, y = codes
    words = pd.DataFrame({"code": np.char.add("is ", code.astype(str))})
    expected = tw.BayesianClassifier(structure="naive").fit(words, y).predict(words)
    for kind in (int, float):
        X = pd.DataFrame({"code": code.astype(kind)})
        told = tw.BayesianClassifier(structure="naive", categorical=categorical).fit(X, y)
        assert told._panels[0].schema["code"].cardinality == 60
        assert (told.predict(X) == expected).all()
        assert told.score(X, y) > 0.78
    cut = tw.BayesianClassifier(structure="naive").fit(X, y)
    assert cut._panels[0].schema["code"].cardinality < 60


def test_codes_behind_an_encoder(codes):
    pytest.importorskip("sklearn")
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OrdinalEncoder

    code, y = codes
    words = pd.DataFrame({"code": np.char.add("is ", code.astype(str))})
    expected = tw.BayesianClassifier(structure="naive").fit(words, y).predict(words)
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    steps = make_pipeline(encoder, tw.BayesianClassifier(structure="naive", categorical="all"))
    assert (steps.fit(words, y).predict(words) == expected).all()
    assert steps.predict_proba(pd.DataFrame({"code": ["never seen"]}))[0, 1] == pytest.approx(
        y.mean(), abs=1e-3
    )


@pytest.mark.parametrize(
    ("categorical", "error", "message"),
    [
        (["cods"], SettingError, "categorical names 'cods', which is no column; .*did you mean 'code'"),
        ("code", SettingError, "categorical is 'auto', 'all' or a list of names; found 'code'"),
        (["real"], SchemaError, "column 'real' holds 0.5"),
    ],
)
def test_categories_that_make_no_sense(categorical, error, message):
    X = pd.DataFrame({"code": [0, 1, 0], "real": [0.5, 1.5, 2.0]})
    with pytest.raises(error, match=message):
        tw.BayesianClassifier(categorical=categorical).fit(X, [0, 1, 0])


# gaps


def test_gaps_are_summed_where_that_is_asked(rows):
    """Each table in the rows that show it, and a gap is silent."""
    X, y = rows[0][["word", "gaps"]], rows[1]
    told = tw.BayesianClassifier(structure="naive", missing="sum").fit(X, y)
    alone = tw.BayesianClassifier(structure="naive").fit(X[["word"]], y)
    blank = X.assign(gaps=np.nan)
    np.testing.assert_allclose(told.predict_proba(blank), alone.predict_proba(X[["word"]]), rtol=1e-12)
    shown = X["gaps"].notna()
    other = tw.BayesianClassifier(structure="naive").fit(X.loc[shown, ["gaps"]], y[shown])
    mine, theirs = (one._panels[0] for one in (told, other))
    at, there = mine.schema.index("gaps"), theirs.schema.index("gaps")
    np.testing.assert_allclose(
        mine.members["naive"].model.tables[at], theirs.members["naive"].model.tables[there], rtol=1e-12
    )
    states = tw.BayesianClassifier(structure="naive").fit(X, y)
    yes = states.classes_.tolist().index("yes")
    assert states.predict_proba(blank)[:, yes].mean() > told.predict_proba(blank)[:, yes].mean() + 0.2


# further rows


@pytest.fixture(scope="module")
def asia():
    table = tw.load_network("asia").sample(600, rng=np.random.default_rng(1))
    names = [name for name in table.schema.names if name != "lung"]
    X = tw.Table(table.schema.select(names), [table.columns[table.schema.index(name)] for name in names])
    return X, np.asarray(table.labels("lung"), dtype=str)


@pytest.mark.parametrize("structure", ["naive", "averaged"])
def test_further_rows_add(structure, asia):
    X, y = asia
    whole = tw.BayesianClassifier(structure=structure).fit(X, y)
    steps = tw.BayesianClassifier(structure=structure)
    for part in (slice(0, 100), slice(100, 350), slice(350, 600)):
        assert steps.partial_fit(X.take(part), y[part], classes=["no", "yes"]) is steps
    np.testing.assert_allclose(steps.predict_proba(X), whole.predict_proba(X), rtol=1e-12)
    fitted = tw.BayesianClassifier(structure=structure).fit(X.take(slice(0, 100)), y[:100])
    fitted.partial_fit(X.take(slice(100, 600)), y[100:])
    np.testing.assert_allclose(fitted.predict_proba(X), whole.predict_proba(X), rtol=1e-12)


def test_further_rows_have_weights_and_gaps(asia):
    X, y = asia
    heavy = tw.BayesianClassifier(structure="naive", class_weight={"yes": 3.0}).partial_fit(
        X, y, classes=["yes", "no"], sample_weight=np.full(600, 2.0)
    )
    heavy.partial_fit(X, y, sample_weight=np.full(600, 0.5))
    once = tw.BayesianClassifier(structure="naive", class_weight={"yes": 3.0}).fit(
        X, y, sample_weight=np.full(600, 2.5)
    )
    np.testing.assert_allclose(heavy.predict_proba(X), once.predict_proba(X), rtol=1e-9)
    frame = X.to_pandas()
    told = tw.BayesianClassifier(structure="naive", missing="sum").partial_fit(frame, y)
    told.partial_fit(frame.assign(smoke=None, tub="never seen"), y)
    counts, names = told._panels[0].counts, ("smoke", "tub", "xray")
    sums = {name: int(counts.counts(("y", name)).sum()) for name in names}
    assert sums == {"smoke": 600, "tub": 600, "xray": 1200}


def test_counts_of_pairs_are_those_of_the_counter(asia):
    X, _ = asia
    counter = AvailableCounter(X)
    kept = PairCounts.of(counter, 2, "averaged")
    for scope in ((2,), (2, 0), (2, 0, 1), (2, 3, 5)):
        assert (kept.counts(scope) == counter.counts(scope)).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"structure": "tree"}, "structure='tree' asks for more: take structure='naive' or 'averaged'"),
        ({"structure": "naive", "calibrate": True}, "calibrate=True asks for more: take calibrate=False"),
        ({"structure": "naive", "class_weight": "balanced"}, "class_weight='balanced' asks for more"),
    ],
)
def test_further_rows_are_refused_where_more_than_counts_is_learned(settings, message, asia):
    told = tw.BayesianClassifier(**settings)
    assert not hasattr(told, "partial_fit")
    for error in (SettingError, AttributeError):
        with pytest.raises(error, match=message):
            told.partial_fit(*asia)


def test_further_rows_of_other_shape(asia):
    X, y = asia
    told = tw.BayesianClassifier(structure="naive").partial_fit(X, y)
    with pytest.raises(SchemaError, match="further rows need the columns of the first; 'asia' is not there"):
        told.partial_fit(X.to_pandas().drop(columns="asia"), y)
    with pytest.raises(SchemaError, match="y has the label 'maybe'"):
        told.partial_fit(X, np.full(600, "maybe"))
    with pytest.raises(SettingError, match="classes of further rows are those of the first"):
        told.partial_fit(X, y, classes=["no", "yes", "maybe"])


# weights of classes


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"x": 5}, "class_weight names 'x', which is no class; classes are 'no', 'yes'"),
        ([1, 2], r"class_weight is 'balanced' or a dictionary; found \[1, 2\]"),
        ({"yes": -1.0}, "class_weight of BayesianClassifier is at least 0; found -1.0"),
        ({"yes": "much"}, "class_weight= of BayesianClassifier is a finite number"),
    ],
)
def test_weights_of_classes_that_make_no_sense(weights, message, asia):
    with pytest.raises(SettingError, match=message):
        tw.BayesianClassifier(structure="naive", class_weight=weights).fit(*asia)


def test_weights_of_classes_that_a_fold_lacks(asia):
    X, y = asia
    told = tw.BayesianClassifier(structure="naive", class_weight={"no": 1.0, "yes": 2.0, "rare": 9.0})
    assert told.fit(X, y).classes_.tolist() == ["no", "yes"]


def test_reliability_with_weights(asia):
    X, y = asia
    told = tw.BayesianClassifier(structure="naive").fit(X, y)
    weights = np.arange(len(y)) % 3
    order = np.repeat(np.arange(len(y)), weights)
    heavy, again = told.reliability(X, y, sample_weight=weights), told.reliability(X.take(order), y[order])
    np.testing.assert_allclose(heavy.counts, again.counts)
    assert heavy.error == pytest.approx(again.error)
    picture = again.to_svg()
    assert all(f">{tick}</text>" in picture for tick in ("0", "0.25", "0.5", "0.75", "1"))

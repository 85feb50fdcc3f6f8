"""What was passed in the place of something else is refused by name, with the line to write instead."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.learners.every import LEARNERS

import treewright as tw
from treewright.criteria.registry import DISCRETE_SCORES
from treewright.errors import ArgumentError, SettingError, TreewrightError
from treewright.learners import measure_dependencies

DISCRETE = tw.read_table({"a": [0, 1, 1, 0], "b": [0, 1, 0, 1]})
CONTINUOUS = tw.read_table({"x": [0.5, 1.5, 4.0], "y": [1.5, 0.5, 2.0]})
COUNTER, MOMENTS = tw.count(DISCRETE), tw.moments(CONTINUOUS)
TEST, SCORE = tw.GTest(COUNTER), tw.BIC(COUNTER)


def call_with(learner, first):
    """Call a learner with something else for its first argument."""
    return getattr(tw.learners, learner)(first, **LEARNERS[learner].options_for(DISCRETE))


@pytest.mark.parametrize("wrong", [None, "bic", tw.BIC, DISCRETE, np.zeros((3, 2)), 7])
@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_refuses_what_it_does_not_take(name, wrong):
    if name == "learn_class_blanket" and wrong is DISCRETE:
        wrong = COUNTER  # this one takes a table
    with pytest.raises(TreewrightError, match="; found ") as refusal:
        call_with(name, wrong)
    message = str(refusal.value)
    assert "write " in message or "first, " in message
    if name != "learn_from_databases":  # which reads for itself and speaks of a list of tables
        assert message.startswith(f"{name} takes ")
        assert ": write tw." in message or " first, tw." in message


def test_classes_are_made_into_scores_and_tests():
    for name in LEARNERS:  # the way out names a thing that there is
        with pytest.raises(TreewrightError) as refusal:
            call_with(name, None)
        for maker in re.findall(r"tw\.(\w+)", str(refusal.value)):
            assert hasattr(tw, maker)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda: tw.count(pd.DataFrame({"a": [0]})),
            "count takes a table; found a DataFrame: read it first, tw.read_table(...)",
        ),
        (
            lambda: tw.count("asia.csv"),
            "count takes a table; found the text 'asia.csv': read it first, tw.read_table('asia.csv')",
        ),
        (
            lambda: tw.count(Path("data") / "asia.csv"),
            f"count takes a table; found a {type(Path()).__name__}: read it first, "
            "tw.read_table('data/asia.csv')",
        ),
        (
            lambda: tw.count(COUNTER),
            "count takes a table; found a WholeCounter: read one first, tw.read_table(...)",
        ),
        (
            lambda: tw.moments({"x": [0.5]}),
            "moments takes a table; found a dict: read it first, tw.read_table(...)",
        ),
        (lambda: tw.BIC(DISCRETE), "BIC takes counts; found a Table: count it first, tw.count(table)"),
        (lambda: tw.GTest(DISCRETE), "GTest takes counts; found a Table: count it first, tw.count(table)"),
        (
            lambda: tw.BDeu("asia.csv"),
            "BDeu takes counts; found the text 'asia.csv': read it first, "
            "tw.count(tw.read_table('asia.csv'))",
        ),
        (
            lambda: tw.GaussianBIC(CONTINUOUS),
            "GaussianBIC takes moments; found a Table: take its moments first, tw.moments(table)",
        ),
        (
            lambda: tw.FisherZTest(COUNTER),
            "FisherZTest takes moments; found a WholeCounter: write tw.moments(table)",
        ),
        (
            lambda: tw.MarginalPseudoLikelihood(DISCRETE),
            "MarginalPseudoLikelihood takes counts; found a Table: count it first, tw.count(table)",
        ),
        (
            lambda: tw.criteria.CachedScore("bic"),
            "CachedScore takes a score; found the text 'bic': write tw.BIC(tw.count(table))",
        ),
        (
            lambda: tw.fit(tw.Dag(DISCRETE.schema, []), DISCRETE),
            "fit takes counts or moments; found a Table: count it first, tw.count(table)",
        ),
    ],
)
def test_what_skips_a_verb_is_told_which(ask, message):
    with pytest.raises(ArgumentError, match=f"^{re.escape(message)}$"):
        ask()


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (DISCRETE, "a Table: count it first, tw.BIC(tw.count(table))"),
        (CONTINUOUS, "a Table: take its moments first, tw.GaussianBIC(tw.moments(table))"),
        (COUNTER, "a WholeCounter: write tw.BIC(counter)"),
        (MOMENTS, "a Moments: write tw.GaussianBIC(moments)"),
        (TEST, "a GTest: write tw.BIC(tw.count(table))"),
        ("bic", "the text 'bic': write tw.BIC(tw.count(table))"),
        ("sparse-qnml", "the text 'sparse-qnml': write tw.SparseQNML(tw.count(table))"),
        ("loglik", "the text 'loglik': write tw.LogLikelihood(tw.count(table))"),
        ("gaussian", "the text 'gaussian': write tw.GaussianBIC(tw.moments(table))"),
        ("best", "the text 'best': write tw.BIC(tw.count(table))"),
        (tw.BDeu, "the class BDeu: write tw.BDeu(tw.count(table))"),
        (tw.GaussianBIC, "the class GaussianBIC: write tw.GaussianBIC(tw.moments(table))"),
        (None, "None: write tw.BIC(tw.count(table))"),
        (np.zeros((2, 2)), "a ndarray: read it first, tw.BIC(tw.count(tw.read_table(...)))"),
    ],
)
def test_a_learner_by_score_tells_how_to_make_one(found, message):
    with pytest.raises(ArgumentError) as refusal:
        tw.learn_chow_liu(found)
    assert str(refusal.value) == f"learn_chow_liu takes a score; found {message}"


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (DISCRETE, "a Table: count it first, tw.GTest(tw.count(table))"),
        ("chi-square", "the text 'chi-square': write tw.ChiSquareTest(tw.count(table))"),
        (tw.FisherZTest, "the class FisherZTest: write tw.FisherZTest(tw.moments(table))"),
        (SCORE, "a BIC: write tw.GTest(tw.count(table))"),
    ],
)
def test_a_learner_by_tests_tells_how_to_make_one(found, message):
    with pytest.raises(ArgumentError) as refusal:
        tw.learn_pc(found)
    assert str(refusal.value) == f"learn_pc takes an independence test; found {message}"


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda: tw.learn_pc(TEST, score="bic"),
            "score= of learn_pc takes a score; found the text 'bic': write tw.BIC(tw.count(table))",
        ),
        (
            lambda: tw.learn_blocks(COUNTER, score=tw.K2),
            "score= of learn_blocks takes a score; found the class K2: write tw.K2(tw.count(table))",
        ),
        (
            lambda: tw.learn_blocks(COUNTER, test="g"),
            "test= of learn_blocks takes an independence test; found the text 'g': write "
            "tw.GTest(tw.count(table))",
        ),
        (
            lambda: tw.learn_knots(COUNTER, score="bdeu"),
            "score= of learn_knots takes a score; found the text 'bdeu': write tw.BDeu(tw.count(table))",
        ),
        (
            lambda: tw.learners.class_search(COUNTER),
            "class_search takes a score; found a WholeCounter: write tw.BIC(counter)",
        ),
        (
            lambda: tw.choose_score(DISCRETE),
            "choose_score takes counts; found a Table: count it first, tw.count(table)",
        ),
        (
            lambda: tw.learn_blankets(SCORE),
            "learn_blankets takes a score of undirected graphs; found a BIC: write "
            "tw.BlanketsJointPosterior(tw.count(table))",
        ),
        (
            lambda: tw.learn_by_separation_tree("tree", TEST),
            "learn_by_separation_tree takes a d-separation tree; found the text 'tree': write "
            "tw.separation_tree_from_hypergraph(schema, hyperedges)",
        ),
        (
            lambda: tw.learn_mixture(COUNTER, valid=COUNTER),
            "valid= of learn_mixture takes a table; found a WholeCounter: read one first, tw.read_table(...)",
        ),
    ],
)
def test_options_are_refused_by_their_names(ask, message):
    with pytest.raises(ArgumentError) as refusal:
        ask()
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: tw.mutual_information(DISCRETE, "a", "b"), "mutual_information takes counts"),
        (lambda: tw.statistics.pairwise_information(DISCRETE), "pairwise_information takes counts"),
        (lambda: tw.statistics.entropy(DISCRETE, "a"), "entropy takes counts"),
        (lambda: tw.statistics.merge_states(DISCRETE), "merge_states takes counts"),
        (lambda: measure_dependencies(DISCRETE), "measure_dependencies takes counts or moments"),
        (
            lambda: tw.learners.find_low_information_blocks(DISCRETE, delta=0.1),
            "find_low_information_blocks takes counts",
        ),
    ],
)
def test_a_table_is_counted_before_it_is_measured(ask, message):
    with pytest.raises(ArgumentError) as refusal:
        ask()
    assert str(refusal.value) == f"{message}; found a Table: count it first, tw.count(table)"


@pytest.mark.parametrize(
    ("ask", "name"),
    [
        (lambda: tw.learners.find_blankets(DISCRETE), "find_blankets"),
        (lambda: tw.learners.grow_shrink(DISCRETE, "a"), "grow_shrink"),
        (lambda: tw.learners.interleaved(DISCRETE, "a"), "interleaved"),
        (lambda: tw.learners.estimate_independence_graph(DISCRETE), "estimate_independence_graph"),
    ],
)
def test_a_table_does_not_test(ask, name):
    with pytest.raises(ArgumentError) as refusal:
        ask()
    assert str(refusal.value) == (
        f"{name} takes an independence test; found a Table: count it first, tw.GTest(tw.count(table))"
    )


def test_a_wrong_kind_is_caught_as_a_setting_and_as_a_type():
    assert issubclass(ArgumentError, SettingError)
    assert issubclass(ArgumentError, TypeError)


def test_one_table_is_not_several():
    with pytest.raises(tw.errors.SchemaError) as refusal:
        tw.learn_from_databases(pd.DataFrame({"a": [0, 1]}))
    assert str(refusal.value) == (
        "several tables are given as a list of them; for one, write [...]; found a DataFrame"
    )


def test_knots_name_every_score_there_is():
    with pytest.raises(SettingError) as refusal:
        tw.Knots(score="nope").fit(DISCRETE)
    known = ", ".join(map(repr, ["auto", *DISCRETE_SCORES]))
    assert str(refusal.value) == f"score 'nope' is not known; scores are {known}"

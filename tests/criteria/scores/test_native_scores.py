"""Scores as native searches ask them: the same numbers as the Python score, whoever answers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.learners.classes.class_examples import Plain

import treewright as tw
from treewright.criteria.scores.native_scores import native_scores

KINDS = [tw.LogLikelihood, tw.AIC, tw.BIC, tw.QNML, tw.BDeu, tw.K2, tw.SparseQNML]
NAMES = ("d", "b", "e", "a", "c")


def random_table(seed, n_rows=200):
    rng = np.random.default_rng(seed)
    return tw.read_table({name: rng.integers(2 + i % 3, size=n_rows) for i, name in enumerate(NAMES)})


def scores_of(seed):
    table = random_table(seed)
    counter = tw.count(table)
    weights = np.random.default_rng(seed).integers(0, 4, size=table.n_rows)
    weighted = tw.count(table.with_weights(weights))
    real = tw.count(table.with_weights(weights + 0.25))
    continuous = tw.read_table({k: np.random.default_rng(i).normal(size=50) for i, k in enumerate(NAMES)})
    yield from (kind(counter) for kind in KINDS)
    yield from (tw.BIC(weighted), tw.BDeu(real, ess=3.0), tw.BIC(real))
    yield tw.criteria.EdgePrior(tw.criteria.EdgePrior(tw.BIC(counter), 0.5), 0.25)
    yield tw.criteria.CachedScore(tw.BIC(counter))
    yield tw.BIC(tw.statistics.CachedCounter(counter))
    yield tw.GaussianBIC(tw.moments(continuous))
    yield tw.criteria.EdgePrior(tw.GaussianBIC(tw.moments(continuous)), 0.5)
    yield tw.BDe(counter, tw.criteria.UniformPrior(counter.schema))
    yield tw.BIC(tw.ShardedCounter([counter, weighted]))
    yield Plain(tw.BIC(counter))


SCORES = list(scores_of(1))


@pytest.mark.parametrize("score", SCORES, ids=lambda score: type(score).__name__)
@settings(max_examples=25)
@given(data=st.data())
def test_every_answer_is_that_of_the_python_score(score, data):
    native = native_scores(score)
    by_name = score.schema.name_order
    everybody = list(range(5))
    child = data.draw(st.sampled_from(everybody))
    others = data.draw(st.permutations([v for v in everybody if v != child]))
    cut = data.draw(st.integers(0, 4))
    parents, candidates = others[:cut], others[cut:]
    own, additions = native.additions(child, parents, candidates)
    again, deletions = native.deletions(child, parents)

    def expected(family):
        return score.local(by_name[child], [by_name[p] for p in family])

    tolerance = {"abs": 1e-6, "rel": 0}
    assert own == again == native.local(child, parents) == pytest.approx(expected(parents), **tolerance)
    assert additions.tolist() == pytest.approx([expected([*parents, c]) for c in candidates], **tolerance)
    fewer = [parents[:i] + parents[i + 1 :] for i in range(cut)]
    assert deletions.tolist() == pytest.approx([expected(family) for family in fewer], **tolerance)
    gains = score.pair_gains()[np.ix_(by_name, by_name)]
    np.testing.assert_allclose(native.pair_gains(), gains, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_native_answers_agree_to_the_last_bit(kind):
    score = kind(tw.count(random_table(2)))
    native = native_scores(score)
    order = score.schema.name_order
    for child, parents in [(0, ()), (3, (1,)), (2, (4, 0)), (1, (0, 2, 3)), (4, (0, 1, 2, 3))]:
        assert native.local(child, parents) == score.local(order[child], [order[p] for p in parents])
        assert native.local(child, parents) % native.resolution == 0


def test_many_and_few_candidates_are_counted_differently_to_the_same_bits():
    score = tw.BDeu(tw.count(random_table(3)))
    native, other = native_scores(score), native_scores(score)
    together = native.additions(0, [], [1, 2, 3, 4])[1]
    one_by_one = [other.additions(0, [], [v])[1][0] for v in (1, 2, 3, 4)]
    assert together.tolist() == one_by_one
    families, _, passes = native.tally
    assert (families, passes) == (4, 1)
    assert other.tally[2] == 0  # no pass for a single candidate
    assert [native.additions(0, [], [v])[1][0] for v in (1, 2, 3, 4)] == one_by_one
    assert native.tally[2] == 1  # what was counted together is known


def test_equivalent_families_tie_exactly_with_real_weights():
    table = random_table(4)
    weights = np.random.default_rng(4).random(table.n_rows)
    native = native_scores(tw.BIC(tw.count(table.with_weights(weights))))
    for x, y, others in [(0, 1, []), (2, 3, [0]), (4, 1, [0, 3])]:
        forward = native.local(y, [*others, x]) - native.local(y, others)
        assert forward == native.local(x, [*others, y]) - native.local(x, others)


def test_a_family_that_costs_more_than_any_fit_returns_is_hopeless():
    native = native_scores(tw.BIC(tw.count(random_table(5, n_rows=4))))
    assert not native.is_hopeless(0, [])
    assert native.is_hopeless(0, [1, 2, 3, 4])
    assert not native_scores(tw.LogLikelihood(tw.count(random_table(5)))).is_hopeless(0, [1, 2, 3, 4])


def test_which_scores_are_exact():
    counter = tw.count(random_table(6))
    assert native_scores(tw.BIC(counter)).least_gain == 0
    assert native_scores(tw.BDe(counter, tw.criteria.UniformPrior(counter.schema))).least_gain == 0
    rounded = native_scores(Plain(tw.BIC(counter)))
    assert 0 < rounded.least_gain < 1e-6
    assert not native_scores(tw.K2(counter)).is_score_equivalent


def test_an_exception_in_a_python_score_arrives():
    class Broken(Plain):
        def local_additions(self, child, parents, candidates):
            raise RuntimeError("no connection")

    with pytest.raises(RuntimeError, match="no connection"):
        native_scores(Broken(tw.BIC(tw.count(random_table(7))))).additions(0, [], [1])


def test_a_score_that_is_not_a_number_is_refused():
    class Odd(Plain):
        def local(self, child, parents=()):
            return float("nan")

    with pytest.raises(ValueError, match=r"^a local score is not a number$"):
        native_scores(Odd(tw.BIC(tw.count(random_table(8))))).local(0, [])


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1))
def test_families_that_share_their_counts_score_as_if_counted_alone(kind, seed):
    rng = np.random.default_rng(seed)
    columns = {f"v{i}": rng.integers(2 + i % 3, size=400) for i in range(8)}
    columns["wide"] = rng.integers(300, size=400).astype(str)
    score = kind(tw.count(tw.read_table(columns)))
    sharing = native_scores(score)
    for _ in range(12):
        child, *others = rng.permutation(4).tolist()  # few variables: sets come back
        parents = others[: int(rng.integers(1, 4))]
        candidates = [v for v in range(9) if v != child and v not in parents]
        own, additions = sharing.additions(child, parents, candidates)
        alone = native_scores(score)
        assert own == alone.local(child, parents)
        assert additions.tolist() == [alone.local(child, [*parents, v]) for v in candidates]


def test_families_over_the_same_variables_share_a_pass():
    rng = np.random.default_rng(0)
    columns = {f"v{i}": rng.integers(2, size=400) for i in range(9)}
    native = native_scores(tw.BIC(tw.count(tw.read_table(columns))))
    for child, parents in ((0, [1, 2]), (1, [0, 2]), (2, [0, 1]), (0, [1, 2])):
        native.additions(child, parents, [v for v in range(9) if v != child and v not in parents])
    n_passes = native.tally[2]
    assert n_passes <= 3 + 1  # {0, 1, 2} once, and each pair of parents at most once

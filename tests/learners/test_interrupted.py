"""Ctrl-C during a search: the best so far travels with the exception, sound and with its proof."""

import numpy as np
import pytest
from tests.learners import every
from tests.learners.interrupts import needs_a_timer, seconds_to_stop

import treewright as tw
from treewright.errors import Interrupted
from treewright.learners.efficient_markov import validated
from treewright.learners.learned import INTERRUPTED

ALARM = tw.load_network("alarm")
TABLE = ALARM.sample(1_000, rng=np.random.default_rng(0)).select(sorted(ALARM.schema.names))
COUNTER = tw.count(TABLE)
SCORE = tw.BIC(COUNTER)
TIERS = tw.Knowledge(required=[("VENTLUNG", "EXPCO2")], forbidden=[("HR", "CATECHOL")])


def interrupting(after):
    """Whoever listens to the progress and presses Ctrl-C at the n-th news."""
    heard = 0

    def listen(*news):
        nonlocal heard
        heard += 1
        if heard == after:
            raise KeyboardInterrupt

    return listen


def bounded(**options):
    return tw.learn_bounded_treewidth(SCORE, treewidth=3, effort=2, **options)


def hill(**options):
    return tw.learn_hill_climbing(SCORE, effort=3, **options)


def knots(**options):
    return tw.learn_knots(COUNTER, score=tw.SparseQNML(COUNTER), effort=3, **options)


def hybrid(**options):
    return tw.learn_hybrid(SCORE, **options)


def from_tables(**options):
    return tw.learners.learn_from_databases(
        tw.tables.Databases([TABLE]), engine="class", score=SCORE, **options
    )


@pytest.mark.parametrize("learn", [bounded, hill, knots, from_tables])
@pytest.mark.parametrize("knowledge", [None, TIERS])
def test_the_best_so_far_is_an_answer_like_any_other(learn, knowledge):
    whole = learn(knowledge=knowledge)
    scores = []
    for after in range(1, 40):
        try:
            ended = learn(knowledge=knowledge, progress=interrupting(after))
        except Interrupted as stop:
            found = stop.learned
        except KeyboardInterrupt:
            assert knowledge is not None or after == 1  # nothing yet, or nothing that obeys
            continue
        else:
            assert ended.structure == whole.structure
            break
        assert type(found) is type(whole)
        assert found.trace.stopped_by == "interrupt"
        assert INTERRUPTED in found.notes or learn is from_tables
        dag = found.dag
        if learn is not knots:
            assert found.score == pytest.approx(SCORE.score(dag))
        scores.append(found.score)
        if knowledge is not None:
            assert knowledge.on(TABLE.schema).obeyed_by(dag)
        if found.certificate is not None:
            assert found.certificate.width <= 3
            graph = found.certificate.graph()
            moral = dag.moral_graph()
            assert {frozenset(edge) for edge in moral.edges()} <= {frozenset(edge) for edge in graph.edges()}
        tw.fit(dag, COUNTER)
    assert scores
    assert max(scores) <= whole.score + 1e-6
    if knowledge is None:
        assert scores == sorted(scores)  # a search never forgets its best


@pytest.mark.parametrize("learn", [tw.learners.learn_dag_climbing, tw.learners.learn_tabu])
def test_climbing_among_networks(learn):
    score = tw.BIC(tw.count(wide_table(40)))
    known = tw.Knowledge(required=[("VENTLUNG0", "EXPCO20")])
    stop = stopped(lambda: learn(score, knowledge=known, progress=interrupting(2)))  # after 50 ms
    assert stop.learned.score == pytest.approx(score.score(stop.learned.structure))
    assert stop.learned.structure.has_arc("VENTLUNG0", "EXPCO20")
    assert stop.learned.score > score.score(known.on(score.schema).required_dag())


def stopped(work):
    with pytest.raises(KeyboardInterrupt) as caught:
        work()
    assert isinstance(caught.value, Interrupted)
    assert str(caught.value) == "interrupted; the best that was found so far is in .learned"
    assert not isinstance(caught.value, Exception)  # `except Exception` does not catch Ctrl-C
    return caught.value


@pytest.mark.parametrize("learn", [tw.learn_cutset_network, tw.learn_efficient_markov])
def test_settings_that_were_tried_so_far(learn):
    counter = tw.count(TABLE.select(TABLE.schema.names[:8]))
    stop = stopped(lambda: learn(counter, rng=np.random.default_rng(0), progress=interrupting(3)))
    network = tw.FeatureNetwork(stop.learned.structure)
    assert stop.learned.valid_log_likelihood is not None
    assert np.isfinite(network.score(TABLE.select(TABLE.schema.names[:8])))


def test_a_pool_of_mixtures():
    counter = tw.count(TABLE.select(TABLE.schema.names[:8]))

    phases = set()

    def listen(step):
        phases.add(step.phase)
        if len(phases) == 3:  # the third model is being learned
            raise KeyboardInterrupt

    stop = stopped(lambda: tw.learn_mixture(counter, components="auto", budget=5.0, progress=listen))
    assert len(stop.learned.members) == 1
    assert stop.learned.trace.stopped_by == "interrupt"


def test_parts_of_an_answer_are_no_answer():
    with pytest.raises(KeyboardInterrupt) as caught:
        tw.choose_score(Interrupting(COUNTER))
    assert not isinstance(caught.value, Interrupted)


class Interrupting:
    """A counter that is interrupted when it is asked for the tenth time."""

    def __init__(self, counter):
        self._counter, self._asked = counter, 0

    def __getattr__(self, name):
        if name.startswith("counts"):
            self._asked += 1
            if self._asked > 3:
                raise KeyboardInterrupt
        return getattr(self._counter, name)


@pytest.mark.slow
@needs_a_timer
@pytest.mark.parametrize("seconds", [0.7, 1.0])
def test_a_signal_is_obeyed_at_once(seconds):
    score = tw.BIC(tw.count(wide_table()))
    score.score(tw.learn_chow_liu(score).structure)
    caught = []

    def search():
        try:
            tw.learn_bounded_treewidth(score, treewidth=4, effort=1_000)
        except KeyboardInterrupt as stop:
            caught.append(stop)
            raise

    assert seconds_to_stop(search, after=seconds) < 0.5 * tw._core.threads()
    if isinstance(caught[0], Interrupted):
        learned = caught[0].learned
        assert learned.score == pytest.approx(score.score(learned.structure))
        assert learned.width <= 4


def numbers_with_gaps():
    rng = np.random.default_rng(0)
    rows = np.cumsum(rng.normal(size=(1_000, 20)), axis=1)
    rows[rng.random(rows.shape) < 0.15] = np.nan
    columns = {f"x{i}": [None if np.isnan(x) else x for x in rows[:, i].tolist()] for i in range(20)}
    return tw.read_table(columns, missing="em")


@needs_a_timer
@pytest.mark.parametrize(
    ("rows", "options"),
    [
        (numbers_with_gaps, {"missing": "em"}),
        (lambda: every.with_numbers(TABLE), {}),
        (lambda: every.with_numbers(TABLE), {"treewidth": 2}),
    ],
    ids=["numbers with gaps", "numbers and labels", "narrow"],
)
def test_a_signal_is_obeyed_by_the_default(rows, options):
    table = rows()
    assert seconds_to_stop(lambda: tw.learn(table, **options), after=0.1) < 0.5 * tw._core.threads()


def wide_table(n=4):
    """Several hospitals side by side."""
    parts = [ALARM.sample(1_000, rng=np.random.default_rng(seed)).to_dict() for seed in range(n)]
    return tw.read_table({f"{name}{i}": rows for i, part in enumerate(parts) for name, rows in part.items()})


def test_pc_keeps_the_skeleton_of_the_level_before():
    test = tw.GTest(COUNTER, alpha=0.01)
    for after, depth in ((3, 1), (4, 2)):  # news before the levels 0, 1, 2, ...
        stop = stopped(lambda after=after: tw.learn_pc(test, progress=interrupting(after)))
        smaller = tw.learn_pc(test, depth=depth, collider_rule="first")
        assert stop.learned.skeleton == smaller.skeleton
        assert stop.learned.structure == smaller.structure
        assert dict(stop.learned.separators) == dict(smaller.separators)
        assert INTERRUPTED in stop.learned.notes
        tw.fit(stop.learned.dag, COUNTER)


def test_pc_interrupted_while_it_directs():
    test = tw.GTest(COUNTER, alpha=0.01)
    whole = tw.learn_pc(test)
    stop = stopped(lambda: tw.learn_pc(test, progress=interrupting(5)))  # "directions"
    assert stop.learned.skeleton == whole.skeleton
    known = stopped(lambda: tw.learn_pc(test, knowledge=TIERS, progress=interrupting(4)))
    assert TIERS.on(TABLE.schema).obeyed_by(known.learned.dag)


def nothing_kept(work):
    with pytest.raises(KeyboardInterrupt) as caught:
        work()
    assert not isinstance(caught.value, Interrupted)
    return str(caught.value)


def test_why_nothing_is_kept(monkeypatch):
    nothing = "interrupted; there is nothing to keep yet: "
    test, few = tw.GTest(COUNTER), tw.count(TABLE.select(TABLE.schema.names[:6]))
    assert nothing_kept(lambda: tw.learn_pc(test, progress=interrupting(2))) == nothing + (
        "pairs that no other variable separates are known only after the tests with one given"
    )
    assert nothing_kept(lambda: tw.learn_tpda(test, progress=interrupting(1))) == nothing + (
        "the draft was not drawn yet"
    )
    assert nothing_kept(lambda: tw.learn_l1_neighbourhoods(few, progress=interrupting(2))) == nothing + (
        "the graph joins what the regressions of all variables found"
    )
    score = tw.BlanketsJointPosterior(few)
    assert nothing_kept(lambda: tw.learn_blankets(score, progress=interrupting(1))) == nothing + (
        "the search has a graph only once its start is found"
    )
    monkeypatch.setattr(validated, "FeatureGraph", interrupting(1))  # the first graph is being made
    work = nothing_kept(lambda: tw.learn_efficient_markov(few, rng=np.random.default_rng(0)))
    assert work == nothing + "no settings were tried yet"


@pytest.mark.parametrize(("after", "last"), [(2, "draft"), (3, "thicken"), (4, "thin")])
def test_tpda_keeps_the_graph_of_the_phase_before(after, last):
    test = tw.GTest(COUNTER)
    stop = stopped(lambda: tw.learn_tpda(test, progress=interrupting(after)))
    assert [phase.name for phase in stop.learned.trace.phases][-2] == last
    assert stop.learned.skeleton.n_edges > 20
    assert stop.learned.n_tests > 0
    tw.fit(stop.learned.dag, COUNTER)


def test_blankets_keep_the_best_graph_that_they_met():
    """Flips are told every tenth of a second, the first at once; what is kept is no worse than the start."""
    score = tw.BlanketsJointPosterior(COUNTER)
    heard = []

    def listen(step):
        heard.append(step)
        if step.phase == "search" and step.score is not None:
            raise KeyboardInterrupt

    for search in ("walk", "tabu", "ibmap"):
        stop = stopped(lambda search=search: tw.learn_blankets(score, search, progress=listen))
        total = score.judge().total(stop.learned.structure.rows)
        assert stop.learned.score == pytest.approx(total)
        assert stop.learned.score >= score.judge().total(stop.learned.start.rows)
        assert stop.learned.trace.stopped_by == "interrupt"
    narrow = stopped(lambda: tw.learn_blankets(score, "walk", treewidth=2, progress=listen))
    assert narrow.learned.certificate.width <= 2


def test_blankets_of_the_walk_stay_while_another_score_is_tried(monkeypatch):
    monkeypatch.setattr("treewright.learners.blanket_scores.learn.may_be_even", lambda graph: True)
    score = tw.BlanketsJointPosterior(COUNTER)

    def listen(step):
        if step.phase == "choice":
            raise KeyboardInterrupt

    stop = stopped(lambda: tw.learn_blankets(score, progress=listen))
    assert stop.learned.criterion.counter is COUNTER
    assert stop.learned.structure.n_edges > 0

"""Ctrl-C during a search: the best so far travels with the exception, sound and with its proof."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import treewright as tw
from treewright.errors import Interrupted
from treewright.learners.learned import INTERRUPTED

ALARM = tw.load_network("alarm")
TABLE = ALARM.sample(1_000, rng=np.random.default_rng(0)).select(sorted(ALARM.schema.names))
COUNTER = tw.count(TABLE)
SCORE = tw.BIC(COUNTER)
TIERS = tw.Knowledge(required=[("VENTLUNG", "EXPCO2")], forbidden=[("HR", "CATECHOL")])


def interrupting(after):
    """Whoever listens to the progress and presses Ctrl-C at the n-th news."""
    heard = 0

    def listen(step):
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
    score = tw.BIC(tw.count(wide_table(16)))
    known = tw.Knowledge(required=[("VENTLUNG0", "EXPCO20")])
    stop = stopped(lambda: learn(score, knowledge=known, progress=interrupting(1)))  # after 50 ms
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
@pytest.mark.parametrize("seconds", [0.2, 0.5])
def test_a_signal_is_obeyed_at_once(seconds):
    score = tw.BIC(tw.count(wide_table()))
    score.score(tw.learn_chow_liu(score).structure)
    timer = threading.Timer(seconds + 0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    began = time.perf_counter()
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt) as caught:
            tw.learn_bounded_treewidth(score, treewidth=4, effort=1_000)
    finally:
        timer.cancel()
    assert time.perf_counter() - began < seconds + 0.5 + 0.5
    if isinstance(caught.value, Interrupted):
        learned = caught.value.learned
        assert learned.score == pytest.approx(score.score(learned.structure))
        assert learned.width <= 4


def wide_table(n=4):
    """Several hospitals side by side."""
    parts = [ALARM.sample(1_000, rng=np.random.default_rng(seed)).to_dict() for seed in range(n)]
    return tw.read_table({f"{name}{i}": rows for i, part in enumerate(parts) for name, rows in part.items()})

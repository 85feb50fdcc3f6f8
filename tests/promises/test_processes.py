"""Forks, threads and the end of Python: nothing crashes, nothing hangs, and every answer is the same."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.promises.children import finished, forked, started
from tests.promises.work import MODELS, asked_of

import treewright as tw
from treewright import _core
from treewright.learners.classes.threads import one_native_thread
from treewright.once import cached_property

ALARM = tw.load_network("alarm")
ROWS = ALARM.sample(5_000, rng=np.random.default_rng(0))


@pytest.fixture
def four_threads():
    _core.set_threads(4)
    yield
    _core.set_threads(0)


def learned(table=ROWS):
    score = tw.BIC(tw.count(table))
    network = tw.learn_bounded_treewidth(score, treewidth=3, effort=0).structure
    return network.edges(), tw.fit(network, tw.count(table)).marginals().array("HR").tolist()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX")
def test_a_fork_after_threads(four_threads):
    """The child has none of its parent's threads; it makes its own, and so does a child of it."""
    expected = learned()

    def same():
        assert learned() == expected

    def same_twice():
        same()
        assert forked(same) == 0

    assert forked(same_twice) == 0
    same()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX")
@pytest.mark.slow
def test_forks_beside_threads_that_work(four_threads):
    """Whatever a thread had locked, in Python or in the core, when the process was forked."""
    score, model = tw.BIC(tw.count(ROWS)), tw.load_network("asia")
    expected = learned(), tw.learn_chow_liu(score).structure, repr(model.marginals())
    stop = threading.Event()

    def work():
        while not stop.is_set():
            learned()
            tw.learn_chow_liu(score)
            model.marginals()

    def same():
        assert (learned(), tw.learn_chow_liu(score).structure, repr(model.marginals())) == expected

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        assert [forked(same, seconds=60) for _ in range(10)] == [0] * 10
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_a_fork_beside_threads_ends_at_once():
    """It waits for none of the calls that its parent's threads were in."""
    script = """
        import os, threading, time
        import numpy as np
        import treewright as tw
        table = tw.load_network("alarm").sample(2_000, rng=np.random.default_rng(0))
        long = lambda: tw.learn_bounded_treewidth(tw.BIC(tw.count(table)), treewidth=4, effort=1_000_000)
        threading.Thread(target=long, daemon=True).start()
        time.sleep(0.3)
        child = os.fork()
        if child:
            begin = time.monotonic()
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), time.monotonic() - begin < 60)
    """
    assert finished(started(script)) == (0, "0 True\n", "")


def test_what_is_kept_is_locked_by_nobody():
    """The properties of a class have no lock in common; whoever comes first is right for all."""

    class Slow:
        @cached_property
        def answer(self):
            begun.wait()
            return object()

    begun, one, other = threading.Barrier(2), Slow(), Slow()
    with ThreadPoolExecutor(2) as pool:  # the barrier breaks if one has to wait for the other
        both = pool.submit(lambda: one.answer), pool.submit(lambda: other.answer)
        assert both[0].result(60) is one.answer
        assert both[1].result(60) is other.answer is not one.answer
        same = Slow()
        found = [pool.submit(lambda: same.answer) for _ in range(2)]
        assert found[0].result(60) is found[1].result(60) is same.answer
    assert isinstance(Slow.answer, cached_property)


ENDING = """
    import sys, threading, time
    import numpy as np
    import treewright as tw
    from treewright import _core
    _core.set_threads(4)
    table = tw.load_network("alarm").sample(2_000, rng=np.random.default_rng(0))
    work = {
        "bounded": lambda: tw.learn_bounded_treewidth(tw.BIC(tw.count(table)), treewidth=4, effort=1_000_000),
        "hidden": lambda: tw.learn_hidden_tree(tw.count(table), states=8, epochs=1_000_000),
        "pc": lambda: [tw.learn_pc(tw.GTest(tw.count(table), alpha=0.05)) for _ in range(1_000_000)],
        "query": lambda: [tw.load_network("alarm").marginals() for _ in range(1_000_000)],
    }[sys.argv[1]]
    for _ in range(3):
        threading.Thread(target=work, daemon=True).start()
    time.sleep(float(sys.argv[2]))
"""


@pytest.mark.parametrize("kind", ["bounded", "hidden", "pc", "query"])
def test_the_end_of_python_while_threads_learn(kind):
    """Daemon threads inside native calls are stopped while the interpreter is still there to come back to."""
    assert finished(started(ENDING, kind, 0.3)) == (0, "", "")


def test_what_ends_last_may_still_work():
    script = """
        import atexit
        import threading, time

        @atexit.register
        def last():
            print(tw.learn_chow_liu(tw.BIC(tw.count(table))).structure == before)

        import numpy as np
        import treewright as tw
        table = tw.load_network("asia").sample(500, rng=np.random.default_rng(0))
        before = tw.learn_chow_liu(tw.BIC(tw.count(table))).structure
    """
    assert finished(started(script)) == (0, "True\n", "")


def told(answer):
    """Something to compare: numbers to the last bit."""
    if isinstance(answer, tw.Table):
        return {name: list(values) for name, values in answer.to_dict().items()}
    return np.asarray(answer).tolist() if isinstance(answer, np.ndarray | float) else repr(answer)


@pytest.mark.parametrize("kind", MODELS)
def test_sixteen_threads_on_one_model(kind, four_threads):
    """All questions at once, of one object."""
    questions = asked_of(MODELS[kind]())
    expected = {asked: told(work()) for asked, work in questions.items()}
    barrier = threading.Barrier(16)

    def ask(start):
        barrier.wait()
        order = [*questions][start % len(questions) :] + [*questions][: start % len(questions)]
        return {asked: told(questions[asked]()) for asked in order}

    with ThreadPoolExecutor(16) as pool:
        assert all(found == expected for found in pool.map(ask, range(16)))


def test_sixteen_threads_on_one_score(four_threads):
    """Searches that share what was counted; each one is as if it were alone."""
    score = tw.BIC(tw.count(ROWS))
    test = tw.GTest(tw.count(ROWS), alpha=0.05)
    searches = [
        lambda: tw.learn_bounded_treewidth(score, treewidth=2, effort=0),
        lambda: tw.learn_hill_climbing(score, effort=0),
        lambda: tw.learn_pc(test, depth=1),
        lambda: tw.learn_chow_liu(score),
    ]
    expected = [search().structure for search in searches]
    with ThreadPoolExecutor(16) as pool:
        found = pool.map(lambda i: searches[i % 4]().structure, range(16))
        assert list(found) == expected * 4


def test_threads_that_come_back_to_the_number_there_was(four_threads):
    """Whoever asks for one native thread for a while, in whatever order they come and go."""
    first, second = one_native_thread(), one_native_thread()
    assert first.__enter__() == 4
    assert second.__enter__() == _core.threads() == 1
    first.__exit__(None, None, None)
    assert _core.threads() == 1
    second.__exit__(None, None, None)
    assert _core.threads() == 4

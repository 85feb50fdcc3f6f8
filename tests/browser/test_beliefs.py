"""What the page keeps and measures: history, comparison, strength of edges, worth of questions; all exact."""

import json
import math

import numpy as np
import pytest
from tests.browser.test_engines import kinds_of_nodes, open_page, random_gaussian

import treewright as tw
from treewright.models import FeatureNetwork, MarkovNetwork
from treewright.reports.explorer.page_data import page_data

ALARM_GIVEN = {"HR": "HIGH", "BP": {"LOW": 0.7, "NORMAL": 0.2, "HIGH": 0.1}}
WORTH = "async v => Array.from(await beliefs.worth(v))"


def information(table):
    """Mutual information of two axes, in bits."""
    outer = np.outer(table.sum(axis=1), table.sum(axis=0))
    used = table > 0
    return float((table[used] * np.log2(table[used] / outer[used])).sum())


def pair(model, u, v, given):
    return np.asarray(model.query([u, v], given).array)


def test_strength_of_edges_is_the_information_that_is_left(engines):
    alarm = tw.load_network("alarm")
    open_page(engines, alarm, given=ALARM_GIVEN)
    found = engines.evaluate("() => beliefs.strength")
    edges = engines.evaluate("() => beliefs.edges")
    names = alarm.schema.names
    expected = [information(pair(alarm, names[u], names[v], ALARM_GIVEN)) for u, v in edges]
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("kind", ["mix", "split", "hiddenTrue"])
def test_strength_of_edges_without_cliques(engines, kind):
    model = kinds_of_nodes()[kind]
    names, first = model.schema.names, model.schema[0]
    open_page(engines, model, given={first.name: first.states[0]})
    engines.wait_for_function("() => beliefs.strength")
    found, edges = engines.evaluate("() => [beliefs.strength, beliefs.edges]")
    given = {first.name: first.states[0]}
    expected = [0 if 0 in (u, v) else information(pair(model, names[u], names[v], given)) for u, v in edges]
    assert len(edges) > 1
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("make", [lambda: tw.load_network("asia"), lambda: kinds_of_nodes()["mix"]])
def test_worth_of_a_question_is_the_information_about_the_target(engines, make):
    model = make()
    names = model.schema.names
    given = {names[-1]: model.schema[-1 % len(names)].states[0]}
    open_page(engines, model, given=given)
    found = engines.evaluate(WORTH, 0)
    expected = [
        0 if v < 1 else information(pair(model, names[0], names[v], given)) for v in range(len(names))
    ]
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_measures_of_a_gaussian_network(engines):
    model = random_gaussian(8, np.random.default_rng(1))
    names = model.schema.names
    given = {names[3]: 0.5}
    open_page(engines, model, given=given)
    found = engines.evaluate(WORTH, 0)
    for v, name in enumerate(names):
        if v not in (0, 3):
            correlation = model.query([names[0], name], given).correlation()[0, 1]
            assert found[v] == pytest.approx(-0.5 * math.log2(1 - correlation**2), abs=1e-9)
    assert found[0] == found[3] == 0
    edges = engines.evaluate("() => beliefs.edges")
    strength = engines.evaluate("() => beliefs.strength")
    for (u, v), bits in zip(edges, strength, strict=True):
        if u == 0:
            assert bits == pytest.approx(found[v], abs=1e-12)
    deviation = model.query(names[0], given).standard_deviation
    entropy = engines.evaluate("() => beliefs.entropy(0)")
    assert entropy == pytest.approx(math.log2(deviation * math.sqrt(2 * math.pi * math.e)), abs=1e-9)
    assert 0 < engines.evaluate("() => beliefs.change(0)") < 1
    assert engines.evaluate("() => beliefs.change(3)") == 1


def test_change_and_entropy_of_states(engines):
    asia = tw.load_network("asia")
    open_page(engines, asia, given={"xray": "yes"})
    p, q = asia.query("lung").array, asia.query("lung", {"xray": "yes"}).array
    middle = (p + q) / 2
    divergence = 0.5 * (p @ np.log2(p / middle)) + 0.5 * (q @ np.log2(q / middle))
    v = asia.schema.index("lung")
    assert engines.evaluate("v => beliefs.change(v)", v) == pytest.approx(math.sqrt(divergence), abs=1e-9)
    assert engines.evaluate("v => beliefs.entropy(v)", v) == pytest.approx(float(-q @ np.log2(q)), abs=1e-9)


def test_every_step_can_be_taken_back_and_done_again(engines):
    open_page(engines, tw.load_network("asia"))
    seen = engines.evaluate(
        """async () => {
          const sizes = [], say = () => sizes.push(beliefs.evidence.size), one = [1, 0];
          for (const v of [0, 1, 2]) { await beliefs.step(e => e.set(v, one)); say(); }
          await beliefs.undo(); say(); await beliefs.undo(); say(); await beliefs.redo(); say();
          await beliefs.step(e => e.delete(0)); say(); await beliefs.redo(); say();
          for (let i = 0; i < 250; i++) await beliefs.step(e => e.set(3, [i + 1, 1]));
          for (let i = 0; i < 250; i++) await beliefs.undo();
          sizes.push(beliefs.future.length, beliefs.evidence.get(3)[0]);
          return sizes;
        }"""
    )
    assert seen == [1, 2, 3, 2, 1, 2, 1, 1, 200, 50]


def test_hold_compares_with_what_is_believed_now(engines):
    open_page(engines, tw.load_network("asia"))
    changes = engines.evaluate(
        """async () => {
          await beliefs.step(e => e.set(0, [1, 0]));
          const found = [beliefs.change(1)];
          beliefs.hold(); found.push(beliefs.change(1), beliefs.held);
          await beliefs.step(e => e.set(0, [0, 1])); found.push(beliefs.change(1));
          beliefs.hold(); found.push(beliefs.change(1));
          return found;
        }"""
    )
    assert changes[0] > 0
    assert changes[1:3] == [0, True]
    assert changes[3] > changes[4] > 0


def large_network():
    """A grid whose cliques have more than 300,000 cells in all."""
    n, states = 5, tuple(range(8))
    names = [[f"x{i}{j}" for j in range(n)] for i in range(n)]
    rng = np.random.default_rng(0)
    schema = tw.Schema([tw.Variable(name, states) for row in names for name in row])
    across = [(row[j], row[j + 1]) for row in names for j in range(n - 1)]
    down = [(names[i][j], names[i + 1][j]) for i in range(n - 1) for j in range(n)]
    return MarkovNetwork(schema, {edge: rng.uniform(0.5, 1, (8, 8)) for edge in across + down})


def test_large_models_answer_in_slices_and_the_latest_question_wins(engines):
    model = large_network()
    cells = open_page(engines, model)
    assert 300_000 < cells <= 4_000_000
    found = engines.evaluate(
        """async () => {
          let ticks = 0, renewed = 0, time = 0;
          const hours = performance.now;
          performance.now = () => (time += 10);  // every step is a slice
          beliefs.listen = () => { renewed++; };
          const clock = new MessageChannel();  // another task, which waits for its turn between slices
          clock.port1.onmessage = () => { ticks++; clock.port2.postMessage(null); };
          clock.port2.postMessage(null);
          const one = k => Array.from({ length: 8 }, (_, i) => Number(i === k));
          beliefs.step(e => e.set(0, one(0)));
          const busy = beliefs.busy, dropped = beliefs.worth(5);
          const last = beliefs.step(e => e.set(0, one(3)));
          await last;
          clock.port1.close();
          performance.now = hours;
          const now = Array.from(beliefs.now);
          return { ticks, renewed, busy, after: beliefs.busy, now, dropped: await dropped };
        }"""
    )
    assert found["busy"] is True
    assert found["after"] is False
    assert found["renewed"] == 1
    assert found["ticks"] > 0
    assert found["dropped"] is None
    answer = model.marginals({"x00": 3})
    expected = np.concatenate([answer.array(name) for name in model.schema.names])
    np.testing.assert_allclose(found["now"], expected, atol=1e-9)


OTHERS_GO_ON = """
async begin => {
  let turns = 0, time = 0;
  const clock = performance.now;
  performance.now = () => (time += 10);  // every step is a slice
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => { turns++; port2.postMessage(null); };
  port2.postMessage(null);
  const found = await eval(begin)();
  port1.close();
  performance.now = clock;
  return [turns, found];
}
"""


def test_the_first_beliefs_and_the_explanation_come_in_slices_too(engines):
    model = large_network()
    data = json.loads(json.dumps(page_data(model)))
    engines.evaluate("data => { window.data = data; }", data)
    turns, _ = engines.evaluate(
        OTHERS_GO_ON, "async () => { window.beliefs = await Beliefs.open(window.data); }"
    )
    assert turns > 20  # cliques, up and down
    now = engines.evaluate("() => Array.from(beliefs.now)")
    answer = model.marginals()
    np.testing.assert_allclose(
        now, np.concatenate([answer.array(name) for name in model.schema.names]), atol=1e-9
    )
    turns, best = engines.evaluate(OTHERS_GO_ON, "() => beliefs.mostProbable()")
    assert turns > 10
    assert best["logMass"] == pytest.approx(model.mpe().log_probability, abs=1e-9)


def stored_rows(n_rows, n_variables):
    """A graph that is one leaf of stored rows."""
    rng = np.random.default_rng(6)
    schema = tw.Schema([tw.Variable(f"x{i:02}", tuple(range(5))) for i in range(n_variables)])
    codes = np.unique(rng.integers(0, 5, (n_rows, n_variables), dtype=np.uint32), axis=0)
    builder = tw.graphs.FeatureGraphBuilder(schema)
    weights = np.full(len(codes), 1 / len(codes))
    return FeatureNetwork(builder.graph(builder.rows(schema.names, codes, weights)))


def test_work_inside_one_leaf_is_sliced_and_its_rows_stay_packed(engines):
    model = stored_rows(20_000, 16)
    session = engines.context.new_cdp_session(engines)

    def heap():
        session.send("HeapProfiler.collectGarbage")
        return session.send("Runtime.getHeapUsage")["usedSize"]

    engines.evaluate("() => { window.beliefs = null; }")
    before = heap()
    assert open_page(engines, model) >= 320_000
    assert heap() - before < 3_000_000  # 320,000 codes of their own took 78 MB
    ask = (
        "async () => { await beliefs.set(new Map([[3, [0, 1, 0, 0, 0]]])); return Array.from(beliefs.now); }"
    )
    turns, now = engines.evaluate(OTHERS_GO_ON, ask)
    assert turns > 10  # 50,000 codes at a time
    answer = model.marginals({"x03": 1})
    np.testing.assert_allclose(
        now, np.concatenate([answer.array(name) for name in model.schema.names]), atol=1e-9
    )


def test_a_page_that_may_not_propagate_keeps_its_beliefs(engines, monkeypatch):
    from treewright.reports.explorer import page_data

    monkeypatch.setattr(page_data, "MOST_CELLS", 100)
    alarm = tw.load_network("alarm")
    assert open_page(engines, alarm, given={"HR": "LOW"}) is None
    now = engines.evaluate(
        "async () => { await beliefs.step(e => e.set(0, [1, 0])); return Array.from(beliefs.now); }"
    )
    answer = alarm.marginals({"HR": "LOW"})
    np.testing.assert_array_equal(now, np.concatenate([answer.array(name) for name in alarm.schema.names]))


def test_an_unknown_version_is_refused_with_a_sentence(engines):
    said = engines.evaluate(
        "() => Beliefs.open({ format: 'treewright-page', version: 9 }).catch(error => error.message)"
    )
    assert said == "This page holds treewright-page 9; its script reads treewright-page 1."

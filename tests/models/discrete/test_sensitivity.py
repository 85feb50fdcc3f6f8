import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.inference.random_questions import random_evidence, random_families, random_schema
from tests.reference.models.enumeration import product_table, summed_to, with_evidence

import treewright as tw
from treewright.errors import EvidenceError, ImpossibleEvidence
from treewright.inference import Factor


def network_of(families, schema):
    """A Bayesian network of random families, parents in schema order."""
    arcs = [(schema.names[u], schema.names[f.scope[-1]]) for f in families for u in f.scope[:-1]]
    dag = tw.Dag(schema, arcs)
    tables = []
    for v, family in enumerate(families):
        tables.append(family.table.transpose([family.scope.index(u) for u in (*dag.parents(v), v)]))
    return tw.BayesianNetwork(dag, tables)


def moved_row(row, k, to):
    """The row with one number put elsewhere and the rest scaled; evenly where the rest is nothing."""
    rest, left = row.sum() - row[k], row.sum() - to
    new = row * left / rest if rest > 1e-15 else np.full(len(row), left / (len(row) - 1))
    new[k] = to
    return new


def masses(model, evidence, t, code):
    """P(e, t) and P(e), by enumeration."""
    families = [Factor((*model.dag.parents(v), v), table) for v, table in enumerate(model.tables)]
    product = with_evidence(product_table(model.schema.cardinalities, families), evidence)
    shares = summed_to(product, (t,))
    return float(shares[code]), float(shares.sum())


def slow_derivatives(model, evidence, t, code):
    """Both masses are linear in each number: two points of each give the slope, however far apart."""
    joint, whole = masses(model, evidence, t, code)
    for v, table in enumerate(model.tables):
        found = np.zeros(table.shape)
        for cell in np.ndindex(table.shape):
            if table.shape[-1] > 1:
                tables = [np.array(one) for one in model.tables]
                to = 0.5 if abs(table[cell] - 0.5) > 0.1 else 0.25
                tables[v][cell[:-1]] = moved_row(table[cell[:-1]], cell[-1], to)
                other = masses(tw.BayesianNetwork(model.dag, tables), evidence, t, code)
                slopes = (np.array(other) - (joint, whole)) / (to - table[cell])
                found[cell] = (slopes[0] - joint / whole * slopes[1]) / whole
        yield found


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32))
def test_derivatives_agree_with_enumeration(seed):
    """With zeros and ones in the tables, single states and soft evidence, on the target too."""
    rng = np.random.default_rng(seed)
    schema = random_schema(rng, most=4)
    model = network_of(random_families(schema, rng), schema)
    evidence = random_evidence(schema, rng, 0.2)
    free = [v for v in range(len(schema)) if v not in evidence.observed]
    assume(free)
    t = int(rng.choice(free))
    code = int(rng.integers(schema.cardinalities[t]))
    assume(masses(model, evidence, t, code)[1] > 0)
    words = {
        schema.names[v]: schema[v].states[s] for v, s in zip(evidence.observed, evidence.states, strict=True)
    }
    for v, likelihood in zip(evidence.weighted, evidence.likelihoods, strict=True):
        words[schema.names[v]] = dict(zip(schema[v].states, likelihood, strict=True))
    found = model.sensitivity(schema.names[t], schema[t].states[code], words)
    for v, expected in enumerate(slow_derivatives(model, evidence, t, code)):
        np.testing.assert_allclose(np.asarray(found.table(v)), expected, rtol=1e-7, atol=1e-9)


def test_finite_differences_agree():
    alarm = tw.load_network("alarm")
    given = {"HR": "HIGH", "EXPCO2": "LOW"}
    found = alarm.sensitivity("LVFAILURE", "TRUE", given)
    assert found.probability == alarm.query("LVFAILURE", given)["TRUE"]
    strongest = list(found)[:6]
    assert [abs(one.derivative) for one in strongest] == sorted(
        (abs(o.derivative) for o in strongest), reverse=True
    )
    for one in strongest:
        v, table = alarm.schema.index(one.variable), np.array(alarm.table(one.variable))
        parents = alarm.schema.names_of(alarm.dag.parents(v))
        row = tuple(alarm.schema[name].code(one.given[name]) for name in parents)
        k = alarm.schema[v].code(one.state)
        answers = []
        for step in (-1e-6, 1e-6):
            tables = list(alarm.tables)
            tables[v] = np.array(table)
            tables[v][row] = moved_row(table[row], k, table[row][k] + step)
            answers.append(tw.BayesianNetwork(alarm.dag, tables).query("LVFAILURE", given)["TRUE"])
        assert (answers[1] - answers[0]) / 2e-6 == pytest.approx(one.derivative, rel=1e-5)
        assert one.probability == table[row][k]


def test_numbers_without_a_say_are_left_out():
    asia = tw.load_network("asia")
    found = asia.sensitivity("lung", "yes", {"smoke": "yes"})
    assert {one.variable for one in found} == {"lung"}
    assert len(found) == 2
    assert str(next(iter(found))) == "P(lung=yes | smoke=yes)"
    assert not found.table("dysp").any()
    frame = found.to_frame()
    assert frame["number"].tolist() == ["P(lung=yes | smoke=yes)", "P(lung=no | smoke=yes)"]
    np.testing.assert_allclose(frame["derivative"], [1, -1])
    assert "<table>" in found._repr_html_()


def test_what_is_known_does_not_move():
    asia = tw.load_network("asia")
    with pytest.raises(EvidenceError) as refused:
        asia.sensitivity("lung", "yes", {"lung": "no"})
    assert str(refused.value) == "lung is given, so no number moves it; ask about a variable that is not"
    with pytest.raises(ImpossibleEvidence):
        asia.sensitivity("smoke", "yes", {"tub": "yes", "either": "no"})
    schema = tw.Schema([tw.Variable("a", ("only",))])
    alone = tw.BayesianNetwork(tw.Dag(schema), [[1.0]])
    said = repr(alone.sensitivity("a", "only"))
    assert said == "P(a=only | ...) = 1.0000 does not move with any number of the tables"

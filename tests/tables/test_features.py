import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright.errors import SchemaError, UnknownNameError
from treewright.tables import Feature, Literal, Schema, Table, Variable

SCHEMA = Schema([Variable("b", ("no", "yes")), Variable("a", (0, 1, 2)), Variable("c", ("x", "y"))])


def holds(feature, row):
    """The slow twin: one row, a dictionary of labels, None where missing."""
    conjunction = all((row[t.variable] == t.state) == t.holds for t in feature.terms)
    return conjunction != feature.negated


@st.composite
def tables(draw):
    n = draw(st.integers(0, 12))
    columns = [draw(st.lists(st.integers(0, r - 1), min_size=n, max_size=n)) for r in (2, 3, 2)]
    masks = {v: draw(st.lists(st.booleans(), min_size=n, max_size=n)) for v in range(3)}
    return Table(SCHEMA, [np.array(c, dtype=int) for c in columns], missing=masks)


@st.composite
def features(draw):
    variables = draw(st.lists(st.sampled_from(SCHEMA.variables), max_size=4))
    literals = [Literal(v.name, draw(st.sampled_from(v.states)), draw(st.booleans())) for v in variables]
    return Feature(literals, negated=draw(st.booleans()))


@pytest.mark.slow
@settings(deadline=None)
@given(tables(), features())
def test_mask_is_the_twins(table, feature):
    labels = table.to_dict()
    rows = [dict(zip(labels, cells, strict=True)) for cells in zip(*labels.values(), strict=True)]
    assert feature.mask(table).tolist() == [holds(feature, row) for row in rows]
    bound = feature.bind(SCHEMA)
    assert bound.mask(table).tolist() == feature.mask(table).tolist()
    assert ((~feature).mask(table) == ~feature.mask(table)).all()


@pytest.mark.slow
@settings(deadline=None)
@given(tables(), features(), features())
def test_and_narrows(table, one, other):
    try:
        both = one & other
    except SchemaError:
        assert (one.negated and len(one.terms) != 1) or (other.negated and len(other.terms) != 1)
        return
    assert (both.mask(table) == (one.mask(table) & other.mask(table))).all()


@settings(deadline=None)
@given(features())
def test_there_is_one_way_to_say_it(feature):
    assert Feature(reversed(feature.terms), negated=feature.negated) == feature
    assert ~~feature == feature
    assert hash(~~feature) == hash(feature)
    assert feature.bind(SCHEMA) == feature
    assert pickle.loads(pickle.dumps(feature)) == feature


def test_codes_are_sorted_by_position():
    feature = Feature({"a": 2, "b": "yes"}, schema=SCHEMA)
    assert feature.literals == ((0, 1), (1, 2))
    assert feature.excluded == ()
    assert not feature.negated
    assert (~feature).literals == ((0, 1), (1, 2))
    assert (~feature).negated
    assert feature.variables == ("a", "b")
    mixed = feature & Feature([~Literal("c", "x")])
    assert mixed.excluded == ((2, 0),)
    assert Feature.of_codes(SCHEMA, mixed.literals, excluded=mixed.excluded) == mixed


def test_a_negative_literal_is_a_negated_feature():
    assert Feature([~Literal("b", "no")]) == ~Feature({"b": "no"})
    assert (~Feature({"b": "no"})).negated


def test_contradictions_hold_nowhere():
    table = Table(SCHEMA, [[0, 1], [0, 1], [0, 1]])
    impossible = Feature({"b": "no"}) & Feature({"b": "yes"})
    assert impossible.is_contradiction
    assert not impossible.mask(table).any()
    assert (~impossible).mask(table).all()
    assert (Feature({"b": "no"}) & ~Feature({"b": "no"})).is_contradiction
    assert not Feature({"b": "no", "a": 1}).is_contradiction


def test_an_empty_feature_always_holds():
    table = Table(SCHEMA, [[0, 1], [0, 1], [0, 1]])
    assert Feature().mask(table).all()
    assert str(Feature()) == "always"
    assert not (~Feature()).mask(table).any()


def test_other_column_order():
    table = Table(SCHEMA, [[0, 1], [0, 2], [0, 1]])
    bound = Feature({"a": 2}, schema=SCHEMA)
    assert bound.mask(table.reordered(["c", "b", "a"])).tolist() == [False, True]


def test_refusals():
    with pytest.raises(UnknownNameError, match="b='maybe' is not a state of b; states are 'no', 'yes'"):
        Feature({"b": "maybe"}, schema=SCHEMA)
    with pytest.raises(UnknownNameError, match="there is no variable 'd'"):
        Feature({"d": 1}).bind(SCHEMA)
    with pytest.raises(SchemaError, match=r"feature.bind\(schema\) looks up its codes"):
        _ = Feature({"a": 1}).literals
    with pytest.raises(SchemaError, match="found 'a'"):
        Feature(["a"])
    with pytest.raises(SchemaError, match="'a' has 3 states; there is no state number 3"):
        Feature.of_codes(SCHEMA, [(1, 3)])
    with pytest.raises(SchemaError, match=r"not \(a=1 & b='no'\) is not a conjunction"):
        ~Feature({"a": 1, "b": "no"}) & Feature({"c": "x"})
    with pytest.raises(TypeError):
        Feature({"a": 1}) & {"b": "no"}

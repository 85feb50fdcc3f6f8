import numpy as np
import pytest
from tests import hostile

from treewright.errors import SchemaError, UnknownNameError
from treewright.models import Distribution, Marginals
from treewright.tables.schema import Schema, Variable

RAIN = Variable("rain", ("no", "yes"))
LEVEL = Variable("level", (1, 2, 3))


def joint():
    return Distribution([RAIN, LEVEL], np.array([[0.1, 0.2, 0.3], [0.0, 0.15, 0.25]]), np.log(0.5))


def test_one_variable_reads_like_a_mapping():
    answer = Distribution([RAIN], np.array([0.75, 0.25]))
    assert answer["yes"] == answer["yes",] == 0.25
    assert list(answer) == ["no", "yes"]
    assert dict(answer) == answer.dict() == {"no": 0.75, "yes": 0.25}
    assert "yes" in answer
    assert "maybe" not in answer
    assert sum(answer.values()) == 1
    assert answer.probability_of_evidence == 1
    with pytest.raises(ValueError, match="read-only"):
        answer.array[0] = 1


def test_several_variables_read_by_tuples():
    answer = joint()
    assert answer["yes", 3] == 0.25
    assert len(answer) == 6
    assert next(iter(answer)) == ("no", 1)
    assert answer.dict()["no", 2] == 0.2
    assert answer.probability_of_evidence == pytest.approx(0.5)
    assert answer.names == ("rain", "level")


def test_unknown_states_are_refused():
    with pytest.raises(UnknownNameError, match="rain='maybe' is not a state of rain; states are 'no', 'yes'"):
        joint()["maybe", 1]
    with pytest.raises(SchemaError, match="names one state for each of 'rain', 'level'; found 'yes'"):
        joint()["yes"]


def test_printed_tables():
    assert repr(joint()).splitlines()[:3] == [
        "  rain  level",
        "  no    1      0.100000",
        "  no    2      0.200000",
    ]
    long = Distribution([Variable("x", tuple(range(40)))], np.full(40, 1 / 40))
    assert repr(long).endswith("... 16 more")
    assert "... 16 more" in long._repr_html_()


def in_a_notebook(model):
    """Everything that a notebook shows of a model and its answers."""
    first, second = model.schema.names
    given = {first: model.schema.variables[0].states[0]}
    answers = [model.query(second, given=given), model.query([first, second]), model.marginals(given=given)]
    shown = [model, model.sample(20, rng=np.random.default_rng(0)), *answers]
    return [one._repr_html_() for one in shown]


@pytest.mark.parametrize("kind", hostile.LABELS)
def test_hostile_labels_in_a_notebook(kind):
    model = hostile.named(kind)
    for shown, plain in zip(in_a_notebook(model), in_a_notebook(hostile.harmless()), strict=True):
        hostile.assert_nothing_broke_out(shown, plain)
    assert hostile.LABELS[kind][:20] in hostile.Page(in_a_notebook(model)[2]).text


def test_marginals():
    result = Marginals(Schema([RAIN, LEVEL]), [np.array([0.75, 0.25]), np.array([0.5, 0.25, 0.25])])
    assert result["rain"]["yes"] == 0.25
    assert result.array("level").tolist() == [0.5, 0.25, 0.25]
    assert list(result) == ["rain", "level"]
    assert len(result) == 2
    assert "level\n  1  0.500000" in repr(result)
    with pytest.raises(UnknownNameError, match="did you mean 'rain'"):
        result["rian"]


def test_marginals_as_a_frame():
    frame = Marginals(Schema([RAIN, LEVEL]), [np.array([0.75, 0.25]), np.array([0.5, 0.25, 0.25])]).to_frame()
    assert list(frame.columns) == ["variable", "state", "probability"]
    assert frame.iloc[1].tolist() == ["rain", "yes", 0.25]
    assert len(frame) == 5

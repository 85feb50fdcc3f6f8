import numpy as np
import pytest

from treewright.errors import EvidenceError
from treewright.inference.evidence import read_evidence
from treewright.tables.schema import Schema, Variable

SCHEMA = Schema(
    [Variable("smoker", ("no", "yes")), Variable("stage", (1, 2, 3)), Variable("mixed", ("1", 1.5, True))]
)


def test_labels_become_codes():
    assert read_evidence(SCHEMA, {"stage": 2, "smoker": "yes"}) == {1: 1, 0: 1}
    assert read_evidence(SCHEMA, {"mixed": "1"}) == {2: 0}
    assert read_evidence(SCHEMA, {"mixed": 1}) == {2: 2}
    assert read_evidence(SCHEMA, {"stage": np.int64(3), "smoker": np.str_("no")}) == {1: 2, 0: 0}
    assert read_evidence(SCHEMA, None) == {}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"smoker": "maybe"}, "evidence smoker='maybe' is not a state of smoker; states are 'no', 'yes'"),
        (
            {"smoker": "Yes"},
            "evidence smoker='Yes' is not a state of smoker; states are 'no', 'yes'; did you mean 'yes'?",
        ),
        ({"stage": "2"}, "evidence stage='2' is not a state of stage; states are 1, 2, 3; did you mean 2?"),
        ({"stage": None}, "evidence stage=None is not a state of stage; states are 1, 2, 3"),
        ({"stage": [1]}, "evidence stage=[1] is not a state of stage; states are 1, 2, 3"),
        (
            {"smokr": "yes"},
            "evidence smokr='yes' names no variable of the model; variables are 'smoker', 'stage', 'mixed'; "
            "did you mean 'smoker'?",
        ),
        (
            {0: "yes"},
            "evidence 0='yes' names no variable of the model; variables are 'smoker', 'stage', 'mixed'",
        ),
        (["smoker"], "evidence is a mapping from names to states; found list"),
    ],
)
def test_refusals(given, message):
    with pytest.raises(EvidenceError) as error:
        read_evidence(SCHEMA, given)
    assert str(error.value) == message

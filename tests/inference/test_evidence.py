import numpy as np
import pytest

from treewright.errors import EvidenceError
from treewright.inference.evidence import Evidence, EvidenceReader, read_real_evidence
from treewright.tables.schema import Schema, Variable

SCHEMA = Schema(
    [Variable("smoker", ("no", "yes")), Variable("stage", (1, 2, 3)), Variable("mixed", ("1", 1.5, True))]
)


def read_evidence(schema, given):
    evidence = EvidenceReader(schema)(given)
    assert not evidence.weighted
    return dict(zip(evidence.observed, evidence.states, strict=True))


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


def test_soft_evidence_is_a_likelihood_for_every_state():
    evidence = EvidenceReader(SCHEMA)({"stage": {1: 0.5, 3: 0, 2: np.float32(2)}, "smoker": "yes"})
    assert (evidence.observed, evidence.states) == ([0], [1])
    assert (evidence.weighted, evidence.likelihoods) == ([1], [[0.5, 2.0, 0.0]])
    assert len(evidence) == 2
    assert evidence.describe(SCHEMA) == "smoker='yes', stage={1: 0.5, 2: 2.0, 3: 0.0}"
    assert evidence.only([1]).describe(SCHEMA) == "stage={1: 0.5, 2: 2.0, 3: 0.0}"


def test_the_reader_agrees_with_the_codes_of_the_schema():
    for given in ({"stage": 2, "smoker": "yes"}, {"mixed": 1}, {"mixed": "1"}, {"stage": np.int64(3)}, {}):
        codes = {SCHEMA.index(name): SCHEMA[name].code(state) for name, state in given.items()}
        assert read_evidence(SCHEMA, given) == codes


@pytest.mark.parametrize(
    ("likelihood", "message"),
    [
        (
            {"no": 1, "maybe": 1},
            "soft evidence on smoker names 'maybe', which is not a state of it; states are 'no', 'yes'",
        ),
        (
            {"no": 1},
            "soft evidence on smoker needs a likelihood for every state; 'yes' has none (0 forbids a state)",
        ),
        (
            {"no": 0, "yes": 0},
            "soft evidence on smoker is non-negative numbers that are not all zero; "
            "found {'no': 0, 'yes': 0}",
        ),
        (
            {"no": -1, "yes": 2},
            "soft evidence on smoker is non-negative numbers that are not all zero; "
            "found {'no': -1, 'yes': 2}",
        ),
        (
            {"no": "x", "yes": 2},
            "soft evidence on smoker is non-negative numbers that are not all zero; "
            "found {'no': 'x', 'yes': 2}",
        ),
    ],
)
def test_likelihoods_that_are_none(likelihood, message):
    with pytest.raises(EvidenceError) as error:
        EvidenceReader(SCHEMA)({"smoker": likelihood})
    assert str(error.value) == message


@pytest.mark.parametrize(
    "given", [{"smoker": "maybe"}, {"stage": [1]}, {"smokr": "yes"}, ["smoker"], {0: {}}]
)
def test_the_reader_refuses_what_the_plain_function_refuses(given):
    with pytest.raises(EvidenceError) as error:
        EvidenceReader(SCHEMA)(given)
    with pytest.raises(EvidenceError) as plain:
        read_evidence(SCHEMA, given)
    assert str(error.value) == str(plain.value)


def test_a_number_is_the_interval_that_it_lies_in():
    schema = Schema(
        [Variable("age", ("[0, 40)", "[40, 100]")), Variable("n", (1, 2)), Variable("s", ("no", "yes"))]
    )
    read = EvidenceReader(schema)
    for number, code in (
        (0, 0),
        (39.99, 0),
        (40, 1),
        (np.float32(70), 1),
        (100, 1),
        (170, 1),
        (-3, 0),
        (np.inf, 1),
    ):
        assert read({"age": number}).states == [code]
    assert read({"n": 2.0}).states == [1]
    for given in ({"age": "70"}, {"age": True}, {"age": np.nan}, {"s": 1}, {"n": 1.5}):
        with pytest.raises(EvidenceError, match="is not a state of"):
            read(given)
    with_missing = EvidenceReader(Schema([Variable("age", ("[0, 40)", "[40, 100]", "<missing>"))]))
    assert with_missing({"age": 70}).states == [1]


def test_evidence_is_described_up_to_a_limit():
    schema = Schema(Variable(f"v{i:02}", (0, 1)) for i in range(15))
    twelve = Evidence(list(range(12)), [1] * 12)
    assert twelve.describe(schema) == ", ".join(f"v{i:02}=1" for i in range(12))
    more = Evidence(list(range(13)), [0] * 13, [14], [[0.5, 1.0]])
    assert more.describe(schema) == ", ".join(f"v{i:02}=0" for i in range(12)) + " and 2 more"
    assert Evidence([0], [1], [14], [[0.5, 1.0]]).describe(schema) == "v00=1, v14={0: 0.5, 1: 1.0}"


def test_numbers_are_described_up_to_a_limit():
    schema = Schema(Variable(f"v{i:02}") for i in range(15))
    for n, more in ((12, ""), (14, " and 2 more")):
        found = read_real_evidence(schema, {f"v{i:02}": i for i in range(n)})
        assert found.describe(schema) == ", ".join(f"v{i:02}={float(i)!r}" for i in range(12)) + more


@pytest.mark.parametrize("value", [True, np.bool_(True), "3", None, np.nan, np.inf, np.array([1.0])])
def test_what_is_no_finite_number_is_refused(value):
    with pytest.raises(EvidenceError, match="is not a finite number; x is continuous"):
        read_real_evidence(Schema([Variable("x")]), {"x": value})


def test_numbers_of_numpy():
    schema = Schema([Variable("x"), Variable("y")])
    found = read_real_evidence(schema, {"y": np.array(2.5), "x": np.int64(3)})
    assert (found.observed, found.values) == ((0, 1), (3.0, 2.5))


def test_soft_evidence_on_nobody_is_refused():
    with pytest.raises(EvidenceError, match=r"evidence nobody=\{'no': 1.0\} names no variable of the model"):
        EvidenceReader(SCHEMA)({"nobody": {"no": 1.0}})


def test_the_nearest_state_is_named():
    with pytest.raises(EvidenceError, match=r"states are 'no', 'yes'; did you mean 'yes'\?$"):
        EvidenceReader(SCHEMA)({"smoker": "yess"})
    many = Schema([Variable("code", tuple(f"c{i:02}" for i in range(25)))])
    with pytest.raises(EvidenceError, match=r"'c19' and 5 more$"):
        EvidenceReader(many)({"code": "?"})


def test_numbers_have_no_states():
    schema = Schema([Variable("height"), Variable("smoker", ("no", "yes"))])
    for given in ({"height": 1.8}, {"height": "tall"}):
        with pytest.raises(EvidenceError, match="is not a state of height"):
            EvidenceReader(schema)(given)
    with pytest.raises(EvidenceError, match=r"names 'tall', which is not a state of it"):
        EvidenceReader(schema)({"height": {"tall": 1.0}})


@pytest.mark.parametrize("likelihood", [np.inf, -0.5, np.nan, "much", None])
def test_likelihoods_are_finite_and_not_negative(likelihood):
    words = "soft evidence on smoker is non-negative numbers that are not all zero"
    with pytest.raises(EvidenceError, match=words):
        EvidenceReader(SCHEMA)({"smoker": {"no": 1.0, "yes": likelihood}})

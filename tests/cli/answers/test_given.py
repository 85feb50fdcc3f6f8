import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright import Schema, Variable
from treewright.cli.answers.given import is_item, read_given, state_written, written_states
from treewright.errors import EvidenceError
from treewright.tables.raw_form import RawForm

LABELS = st.one_of(
    st.text(max_size=3), st.integers(-3, 3), st.booleans(), st.sampled_from([0.5, -1.5, 1e300])
)


def test_labels_keep_their_type():
    schema = Schema([Variable("n", (0, 1)), Variable("t", ("0", "1")), Variable("b", (False, True))])
    assert read_given(schema, ["n=1", "t=1", "b=true"]) == {"n": 1, "t": "1", "b": True}
    assert read_given(schema, ["b=TRUE"]) == {"b": True}
    assert isinstance(read_given(schema, ["n=1.0"])["n"], int | str)


def test_whole_reals_are_found_by_their_number():
    assert state_written(Variable("x", (1.0, 2.5)), "1") == 1.0
    assert state_written(Variable("x", (1.0, 2.5)), "1.0") == 1.0


def test_numbers_are_typed_as_the_rows_write_them():
    intervals = ("[0, 1.5)", "[1.5, 2000]")
    comma = Variable("crp", intervals, raw=RawForm(decimal=","))
    assert state_written(comma, "1,25") == state_written(comma, "1.25") == "[0, 1.5)"
    assert state_written(comma, "1.000,5") == "[1.5, 2000]"
    mended = Variable("cost", intervals, raw=RawForm(mended=True))
    assert state_written(mended, "1,234.5") == "[1.5, 2000]"
    assert state_written(mended, "1,25") == "1,25"  # which the model refuses
    assert state_written(Variable("crp", intervals), "1,25") == "1,25"
    assert state_written(Variable("crp", None, raw=RawForm(decimal=",")), "1,25") == 1.25


def test_the_longest_name_wins():
    schema = Schema([Variable("a", ("b=c", "c")), Variable("a=b", ("c", "d"))])
    assert read_given(schema, ["a=b=c"]) == {"a=b": "c"}
    assert read_given(schema, ["a=c"]) == {"a": "c"}


def test_states_may_hold_equals_signs_and_be_empty():
    schema = Schema([Variable("x", ("", "p=q"))])
    assert read_given(schema, ["x=p=q"]) == {"x": "p=q"}
    assert read_given(schema, ["x="]) == {"x": ""}


def test_a_number_and_a_text_that_look_alike_stay_apart():
    variable = Variable("x", (1, "1", "a"))
    assert written_states(variable) == ["1", '"1"', "a"]
    assert state_written(variable, "1") == 1
    assert isinstance(state_written(variable, '"1"'), str)


@pytest.mark.slow
@given(st.lists(LABELS, min_size=1, max_size=6))
def test_what_is_printed_can_be_typed(labels):
    try:
        variable = Variable("x", tuple(labels))
    except ValueError:
        return  # the same state twice
    forms = written_states(variable)
    if len(set(forms)) == len(forms):
        for form, state in zip(forms, variable.states, strict=True):
            found = state_written(variable, form)
            assert (found, type(found)) == (state, type(state))


def test_refusals():
    schema = Schema([Variable("smoke", ("no", "yes"))])
    with pytest.raises(EvidenceError, match="what is given is written name=state; found 'smoke'"):
        read_given(schema, ["smoke"])
    with pytest.raises(EvidenceError, match=r"smok='yes' names no variable.*did you mean 'smoke'"):
        read_given(schema, ["smok=yes"])
    with pytest.raises(EvidenceError, match="smoke is given twice, as 'yes' and as 'no'"):
        read_given(schema, ["smoke=yes", "smoke=no"])


def test_names_and_items_are_told_apart():
    schema = Schema([Variable("a=b", (0, 1)), Variable("c", (0, 1))])
    assert [is_item(schema, text) for text in ("a=b", "c", "c=1", "d")] == [False, False, True, False]

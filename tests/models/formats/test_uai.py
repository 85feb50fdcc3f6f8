import numpy as np
import pytest
from tests.models.formats.samples import collider

from treewright.errors import FormatError
from treewright.models.formats import uai
from treewright.models.formats.text import Source

FILE = """BAYES
3
3 2 2
3
1 0
1 1
3 0 1 2

3
 0.2 0.3 0.5

2
 0.25 0.75

12
 0.1 0.9
 0.2 0.8
 0.3 0.7
 0.4 0.6
 0.5 0.5
 0.6 0.4
"""


def read(text):
    draft = uai.read(Source("m.uai", text.encode()))
    return draft.finish(), draft


def refused(text):
    with pytest.raises(FormatError) as error:
        read(text)
    return str(error.value)


def test_the_file():
    assert uai.write(collider(), uai.export(collider().schema)).decode() == FILE
    model, draft = read(FILE)
    assert model.schema.names == ("x0", "x1", "x2")
    assert model.schema["x0"].states == ("0", "1", "2")
    assert [t.tolist() for t in model.tables] == [t.tolist() for t in collider().tables]
    assert draft.notes == []


def test_scopes_in_any_order():
    text = FILE.replace("3 0 1 2", "3 1 0 2").replace(
        FILE.split("12\n")[1], "0.1 0.9 0.3 0.7 0.5 0.5 0.2 0.8 0.4 0.6 0.6 0.4"
    )
    assert read(text)[0].table("x2").tolist() == collider().table("C").tolist()


def test_the_order_of_pgmpy():
    text = FILE.replace("3 0 1 2", "3 1 0 2").replace(
        FILE.split("12\n")[1], "0.1 0.2 0.3 0.4 0.5 0.6 0.9 0.8 0.7 0.6 0.5 0.4"
    )
    model, draft = read(text)
    assert model.table("x2").tolist() == collider().table("C").tolist()
    assert draft.notes == ["tables list the last variable slowest, as pgmpy does"]


def test_the_order_of_pyagrum():
    text = FILE.replace("1 0\n1 1\n3 0 1 2", "1 0   # A\n1 1   # B\n3 0 1 2   # C").replace(
        FILE.split("12\n")[1], "0.1 0.9 0.3 0.7 0.5 0.5 0.2 0.8 0.4 0.6 0.6 0.4"
    )
    model, draft = read(text)
    assert model.table("x2").tolist() == collider().table("C").tolist()
    assert draft.notes == ["tables list the first parent fastest, as pyAgrum does"]


def test_numbers_have_no_exponent():
    assert uai._decimal(1e-7) == "0.0000001"
    for value in (5e-324, 1e-5, 0.1, 1.0, 0.0):
        assert float(uai._decimal(value)) == value
        assert "e" not in uai._decimal(value)
    assert np.isfinite(float(uai._decimal(1e-300)))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "BAYES",
            "OTHER",
            "m.uai, line 1, column 1: expected BAYES or MARKOV at the start, found 'OTHER'",
        ),
        (
            "BAYES\n3",
            "BAYES\n2000000000",
            "line 2, column 1: the number of variables is 2,000,000,000, more than the file can hold",
        ),
        ("BAYES\n3", "BAYES\n1e999", "line 2, column 1: '1e999' is not a finite number"),
        ("BAYES\n3", "BAYES\n2.5", "the number of variables is a whole number; found 2.5"),
        ("BAYES\n3", "BAYES\n-3", "the number of variables is a whole number; found -3.0"),
        ("3 2 2\n3", "3 2 2\n2", "a Bayesian network of 3 variables has 3 tables"),
        (
            "3 2 2\n",
            "2000000000 2 2\n",
            "line 9, column 1: a table has 3 numbers, its scope asks for another number",
        ),
        ("3 0 1 2", "3 0 1 7", "there is no variable 7; there are 3, counted from 0"),
        ("3 0 1 2", "3 0 0 2", "a scope names a variable twice"),
        ("3 0 1 2", "0", "line 7, column 1: a scope names at least one variable"),
        ("3 0 1 2", "3 1 2 0", "there is no table of variable 2"),
        ("\n12\n", "\n13\n", "line 15, column 1: a table has 13 numbers"),
        (" 0.6 0.4\n", " 0.6", "the file ends within a table of 12 numbers"),
        (" 0.6 0.4\n", " 0.6 0.4 1", "there is something behind the last table"),
        (
            " 0.6 0.4\n",
            " 0.6 0.5",
            "line 7, column 1: the row of 'x2' given x0='2', x1='1' sums to 1.1, not to 1",
        ),
        (" 0.6 0.4\n", " 0.6 zero", "'zero' is not a finite number"),
    ],
)
def test_refusals(old, new, message):
    at = FILE.rindex(old)
    assert message in refused(FILE[:at] + new + FILE[at + len(old) :])


def test_cardinalities_that_no_table_proves_are_refused():
    text = "BAYES 2 2000000000 2 2 1 1 1 1 2 .5 .5 2 .5 .5"
    assert "there is no table of variable 0" in refused(text)
    assert refused("") == (
        "m.uai, line 1, column 1: expected BAYES or MARKOV at the start, found ''; other kinds are not read"
    )


@pytest.mark.parametrize(
    ("kind", "states", "words"),
    [
        ("MARKOV", 1, "a scope has 40 variables, more than 30"),
        ("BAYES", 2, "a table has 1 numbers, its scope asks for another number"),
    ],
)
def test_many_variables_in_a_scope_are_refused(kind, states, words):
    assert words in refused(wide_scope(kind, states))


def test_constants_in_a_scope_may_be_many():
    assert read(wide_scope("BAYES", 1))[0].dag.n_edges == 39


def wide_scope(kind, states, n=40):
    text = f"{kind} {n} {f'{states} ' * n} {n} " + "".join(f"1 {v} " for v in range(n - 1))
    return text + f"{n} {' '.join(map(str, range(n)))} " + "1 1 " * n


def test_variables_that_no_table_mentions_are_believed_while_they_are_few():
    few = "MARKOV 3 2 2 2 1 1 0 2 .5 .5"
    assert len(read(few)[0].schema) == 3
    many = f"MARKOV 20000 {'1 ' * 20_000} 0"
    assert "variable 16384 has 1 states, and no table mentions it" in refused(many)


def test_constants_are_factors_while_they_are_few():
    many = f"MARKOV 1 2 2000 {'0 ' * 2000} {'1 1 ' * 2000}"
    assert "more than 1,000 tables are about no variable, and one would say the same" in refused(many)

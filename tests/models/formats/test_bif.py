import numpy as np
import pytest
from tests.models.formats.samples import collider

from treewright.errors import FormatError
from treewright.models.formats import bif
from treewright.models.formats.names import export_names
from treewright.models.formats.text import Source

HEAD = """network unknown {
}
variable A {
  type discrete [ 3 ] { x, y, z };
}
variable B {
  type discrete [ 2 ] { n, p };
}
variable C {
  type discrete [ 2 ] { low, high };
}
probability ( A ) {
  table 0.2, 0.3, 0.5;
}
probability ( B ) {
  table 0.25, 0.75;
}
"""
ROWS = """probability ( C | A, B ) {
  (x, n) 0.1, 0.9;
  (x, p) 0.2, 0.8;
  (y, n) 0.3, 0.7;
  (y, p) 0.4, 0.6;
  (z, n) 0.5, 0.5;
  (z, p) 0.6, 0.4;
}
"""


def read(text):
    draft = bif.read(Source("m.bif", text.encode() if isinstance(text, str) else text))
    return draft.finish(), draft


def refused(text):
    with pytest.raises(FormatError) as error:
        read(text)
    return str(error.value)


def test_the_file_is_what_others_write():
    model = collider()
    assert bif.write(model, export_names(model.schema, bif.NAMES)).decode() == HEAD + ROWS


@pytest.mark.parametrize(
    "rows",
    [
        ROWS,
        # any order of rows and of parents
        """probability ( C | B, A ) { (p, x) 0.2, 0.8; (n, x) 0.1, 0.9; (n, z) 0.5, 0.5; (n, y) 0.3, 0.7;
           (p, z) 0.6, 0.4; (p, y) 0.4, 0.6; }""",
        # without commas, quoted, with comments and properties
        """probability ( "C" "A" "B" ) { // six rows
           property anything (goes { here ;
           (x, n) 0.1 0.9; ("x", "p") 0.2 0.8; /* two
           lines */ (y, n) .3 .7; (y, p) 4e-1 6E-1; (z, n) 0.5 0.5; (z, p) 0.6 0.4; }""".replace(
            "{ here", "here"
        ),
        # the child's states first, as the format says
        "probability ( C | A, B ) { table 0.1 0.2 0.3 0.4 0.5 0.6 0.9 0.8 0.7 0.6 0.5 0.4 ; }",
        # whole rows, as some programs do
        "probability(C|A,B){table 0.1,0.9,0.2,0.8,0.3,0.7,0.4,0.6,0.5,0.5,0.6,0.4;}",
        # a default for the rest
        """probability ( C | A, B ) { default 0.1, 0.9; (x, p) 0.2, 0.8; (y, n) 0.3, 0.7; (y, p) 0.4, 0.6;
           (z, n) 0.5, 0.5; (z, p) 0.6, 0.4; }""",
    ],
)
def test_dialects_say_the_same(rows):
    assert read(HEAD + rows)[0] == collider()
    assert read("\ufeff" + (HEAD + rows).replace("\n", "\r\n"))[0] == collider()


def test_whole_rows_in_a_table_are_noted():
    _, draft = read(HEAD + "probability(C|A,B){table 0.1,0.9,0.2,0.8,0.3,0.7,0.4,0.6,0.5,0.5,0.6,0.4;}")
    assert draft.notes == ["the table of 'C' lists rows, not states, first"]


def test_the_dog_problem_of_javabayes():
    model, _ = read(
        """// Bayesian network
network "Dog-Problem" { //5 variables
  property "credal-set constant-density-bounded 1.1" ;
}
variable  "light-on" { //2 values
  type discrete[2] {  "true"  "false" };
  property "position = (218, 195)" ;
}
variable  "family-out" {
  type discrete[2] {  "true"  "false" };
}
probability (  "light-on"  "family-out" ) { //2 variable(s) and 4 values
  table 0.6 0.05 0.4 0.95 ;
}
probability (  "family-out" ) { //1 variable(s) and 2 values
  table 0.15 0.85 ;
}
"""
    )
    assert model.schema["light-on"].states == ("true", "false")
    assert model.table("light-on").tolist() == [[0.6, 0.4], [0.05, 0.95]]


def test_bare_labels_with_spaces_and_commas():
    model, _ = read(
        """network unknown { }
variable size of x { type discrete [ 3 ] { [0,1], (1,2], more than 2 }; }
variable B { type discrete [ 2 ] { not at all, yes }; }
probability ( size of x ) { table 0.2, 0.3, 0.5; }
probability ( B | size of x ) {
  ([0,1]) 0.1, 0.9;
  ((1,2]) 0.25, 0.75;
  (more than 2) 0.5, 0.5;
}
"""
    )
    assert model.schema["size of x"].states == ("[0,1]", "(1,2]", "more than 2")
    assert model.schema["B"].states == ("not at all", "yes")
    assert model.table("B").tolist() == [[0.1, 0.9], [0.25, 0.75], [0.5, 0.5]]


def test_rounded_rows_are_rescaled_once_and_reported():
    model, draft = read(HEAD + ROWS.replace("(x, n) 0.1, 0.9", "(x, n) 0.10003, 0.9"))
    assert model.table("C")[0, 0].tolist() == [0.10003 / 1.00003, 0.9 / 1.00003]
    (one,) = draft.renormalised
    assert (one.variable, one.n_rows) == ("C", 1)
    assert np.isclose(one.largest, 3e-5)
    again, second = read(bif.write(model, export_names(model.schema, bif.NAMES)))
    assert again == model
    assert second.renormalised == []


def test_exact_rows_stay_as_they_are():
    rows = ROWS.replace("(x, n) 0.1, 0.9", f"(x, n) {1 / 3!r}, {2 / 3 + 1e-13!r}")
    model, draft = read(HEAD + rows)
    assert model.table("C")[0, 0].tolist() == [1 / 3, 2 / 3 + 1e-13]
    assert draft.renormalised == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "(x, n) 0.1, 0.9",
            "(x, n) 0.1, 0.899",
            "m.bif, line 19, column 3: the row of 'C' given A='x', B='n' sums to 0.999, not to 1",
        ),
        (
            "(y, p) 0.4, 0.6",
            "(y, p) -0.4, 1.4",
            "line 22, column 3: the row of 'C' given A='y', B='p' holds -0.4, which is no probability",
        ),
        ("(y, p) 0.4, 0.6", "(y, p) 1e308, 1e308", "given A='y', B='p' sums to inf, not to 1"),
        (
            "probability ( B ) {",
            ROWS + "probability ( B ) {",
            "line 26, column 13: there are two tables of 'C'",
        ),
        ("(y, p) 0.4, 0.6", "(y, p) nan, 0.6", "line 22, column 10: 'nan' is not a finite number"),
        ("(y, p) 0.4, 0.6", "(y, p) 1e999, 0.6", "line 22, column 10: '1e999' is not a finite number"),
        (
            "(y, p) 0.4, 0.6",
            "(y, n) 0.4, 0.6",
            "line 22, column 3: the table of 'C' has two rows for ('y', 'n')",
        ),
        (
            "  (y, p) 0.4, 0.6;\n",
            "",
            "line 18, column 13: the table of 'C' has 5 of its 6 rows; there is none for ('y', 'p')",
        ),
        ("(y, p)", "(y, q)", "line 22, column 7: 'q' is not a state of 'B'; states are 'n', 'p'"),
        ("(y, p)", "(y)", "line 22, column 4: expected ',' after 'y': a row names one state of each parent"),
        ("(y, p) 0.4, 0.6", "(y, p) 0.4", "line 22, column 3: expected 2 numbers in this row, found 1"),
        ("(y, p) 0.4", "(y, p) (0.4", "line 22, column 10: expected a number, found '('"),
        ("(y, p) 0.4, 0.6", "(y, p", "line 22, column 7: 'p;' is not a state of 'B'; states are 'n', 'p'"),
        (ROWS.split("{", 1)[1], "(x, n;}", "line 18, column 31: 'n;}' is not a state of 'B'"),
        ("{ low, high }", "{ low, low }", "line 9, column 10: state 'low' of 'C' is listed twice"),
        ("[ 2 ] { low", "[ 3 ] { low", "line 10, column 19: 'C' declares 3 states and lists 2"),
        (
            "[ 2 ] { low",
            "[ 2000000000 ] { low",
            "line 10, column 19: 'C' declares 2000000000 states and lists 2",
        ),
        (
            "discrete [ 2 ] { low",
            "continuous [ 2 ] { low",
            "line 10, column 8: variable 'C' is 'continuous'; only discrete ones are read",
        ),
        ("variable C", "variable B", "line 9, column 10: variable 'B' is declared twice"),
        (
            "( C | A, B )",
            "( C | A, D )",
            "line 18, column 22: 'D' is no variable of this file; there are 'A', 'B', 'C'",
        ),
        ("( C | A, B )", "( C | A, A )", "line 18, column 22: 'A' is listed twice in the table of 'C'"),
        (
            "( A ) {\n  table 0.2, 0.3, 0.5;",
            "( A | C ) { default 0.2, 0.3, 0.5;",
            "line 12, column 13: the parents close a directed cycle: A -> C -> A",
        ),
        ("( B ) {", "( A ) {", "has 2 numbers; its states and those of its parents ask for 3"),
        ("probability ( B ) {\n  table 0.25, 0.75;\n}", "", "line 6, column 10: there is no table of 'B'"),
        (
            "table 0.25, 0.75;",
            "table 0.25, 0.75, 0;",
            "line 15, column 13: the table of 'B' has 3 numbers; its states and those of its parents ask",
        ),
        ("table 0.25, 0.75;", "table 0.25, 0.75", "line 16, column 15: expected ';' at the end of a row"),
        (
            "table 0.25, 0.75;",
            "table 0.25, 0.75; table 0.25, 0.75;",
            "expected a row, one table or one default, found 'table'",
        ),
        (
            "table 0.25, 0.75;",
            "(x) 0.25, 0.75;",
            "line 16, column 3: 'B' has no parents, so it has a table and no rows",
        ),
        (
            "table 0.25, 0.75;",
            "table 0.25, 0.75; default 0.5 0.5;",
            "a probability has either a table or rows, not both",
        ),
        (
            "network unknown {",
            "nonsense {",
            "line 1, column 1: expected network, variable or probability, found 'nonsense'",
        ),
        ("network unknown", "/* network unknown", "line 1, column 1: a comment that never ends"),
        (
            "(z, p) 0.6, 0.4;\n}",
            "(z, p) 0.6, 0.4;",
            "line 18, column 26: a probability never ends: there is no '}' behind it",
        ),
    ],
)
def test_refusals(old, new, message):
    text = HEAD + ROWS
    assert text.count(old) == 1
    assert message in refused(text.replace(old, new))


def test_nothing_is_not_a_model():
    assert refused("") == "m.bif: the file declares no variable"
    assert refused("network x { }") == "m.bif: the file declares no variable"


def test_bytes_that_are_no_utf8_have_a_place():
    assert refused(b"network x {\n \xff }") == (
        "m.bif, line 2, column 2: this byte is no UTF-8; save the file in that encoding"
    )


def test_a_default_does_not_blow_up():
    names = [f"v{i}" for i in range(61)]
    text = "".join(f"variable {name} {{ type discrete [ 2 ] {{ a, b }}; }}\n" for name in names)
    text += f"probability ( v60 | {', '.join(names[:60])} ) {{ default 0.5, 0.5; }}\n"
    assert "the table of 'v60' would have more than 10^18 cells, far more than the file says" in refused(text)
    text = text.replace("default 0.5, 0.5;", f"({', '.join('a' for _ in range(60))}) 0.5, 0.5;")
    assert "has 1 of its more than 10^18 rows; there is none for ('a', 'a'," in refused(text)


def test_more_parents_than_axes():
    names = [f"v{i}" for i in range(71)]
    text = "".join(f"variable {name} {{ type discrete [ 1 ] {{ a }}; }}\n" for name in names)
    text += "".join(f"probability ( {name} ) {{ table 1; }}\n" for name in names[:70])
    text += f"probability ( v70 | {', '.join(names[:70])} ) {{ ({', '.join('a' * 70)}) 1; }}\n"
    assert read(text)[0].table("v70").tolist() == [1.0]

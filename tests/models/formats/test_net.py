import pytest
from tests.models.formats.samples import collider

from treewright.errors import FormatError
from treewright.models.formats import net
from treewright.models.formats.names import export_names
from treewright.models.formats.text import Source


def read(text):
    draft = net.read(Source("m.net", text.encode()))
    return draft.finish(), draft


def refused(text):
    with pytest.raises(FormatError) as error:
        read(text)
    return str(error.value)


FILE = net.write(collider(), export_names(collider().schema, net.NAMES)).decode()


def test_the_file():
    assert read(FILE)[0] == collider()
    assert FILE.endswith(
        """potential (C | A B)
{
  data = (((0.1 0.9)
          (0.2 0.8))
          ((0.3 0.7)
          (0.4 0.6))
          ((0.5 0.5)
          (0.6 0.4)));
}
"""
    )


def test_what_hugin_writes():
    text = """% a comment
net
{
  node_size = (80 40);
  name = "x;y";
}
discrete node A % another
{
  label = "the \\"A\\" of it";
  position = (110 20);
  states = ("x"
            "say \\"y\\""
            "z");
}
node B { states = (n p); subtype = boolean; }
node C { states = (<5 >=5); }
potential (A |) { data = (0.2 0.3 0.5); }
potential (B) { data = (0.25 0.75); experience = (7); }
potential (C | A B) { data = (0.1 0.9 0.2 0.8 0.3 0.7 0.4 0.6 0.5 0.5 0.6 0.4); }
"""
    model, _ = read(text)
    assert model.schema["A"].states == ("x", 'say "y"', "z")
    assert model.schema["C"].states == ("<5", ">=5")
    assert [t.tolist() for t in model.tables] == [t.tolist() for t in collider().tables]
    wrapped = text.replace("% a comment\nnet", "class X\n{\n  inputs = ();\n  net") + "}\n"
    with pytest.raises(FormatError):
        read(wrapped[:-2])


def test_a_class_is_its_content():
    text = "class X { inputs = (); outputs = (); node_size = (1 2);\n" + FILE.split("}\n", 1)[1] + "}"
    assert read(text)[0] == collider()
    assert "expected '}' at the end of the class, found the end of the file" in refused(text[:-1])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("(0.25 0.75)", "(0.25 0.75", "a bracket of the data is not closed"),
        ("(0.25 0.75)", "(0.25 0.75))(", "expected numbers in brackets, found ')'"),
        ("(0.25 0.75)", '("0.25" 0.75)', "expected numbers in brackets, found '0.25'"),
        ("(0.25 0.75)", "(0.25 1e999)", "'1e999' is not a finite number"),
        ("(0.25 0.75)", "(0.25 0.75 0)", "the table of 'B' has 3 numbers"),
        ("(0.25 0.75)", "(1.25 -0.25)", "the row of 'B' holds -0.25, which is no probability"),
        ("(0.25 0.75)", "(0.25 0.7)", "m.net, line 20, column 11: the row of 'B' sums to 0.95, not to 1"),
        ("data = (0.25 0.75);", "", "line 20, column 11: the potential of 'B' has no data"),
        ("(B)", "(B A)", "a potential is about one node; found 2"),
        ("(B)", "(B | A A)", "'A' is listed twice in the table of 'B'"),
        ("(B)", "(B | C)", "the table of 'B' has 2 numbers; its states and those of its parents ask for 4"),
        ("node B", "decision B", "line 8, column 1: decision nodes are not read, only discrete ones"),
        ("node B", "nothing B", "line 8, column 1: expected net, node or potential, found 'nothing'"),
        ('states = ("n" "p");', "", "line 8, column 6: node 'B' has no states"),
        ('states = ("n" "p");', 'states = ("n" ("p"));', "line 10, column 17: expected a state, found '('"),
        (
            'states = ("n" "p");',
            'states = ("n" "p"); states = ("n" "p");',
            "node 'B' has two attributes states",
        ),
        ('("n" "p")', "()", "line 8, column 6: discrete variable 'B' needs at least one state; found none"),
        ('"p"', '"p', "a quote that never ends"),
    ],
)
def test_refusals(old, new, message):
    assert FILE.count(old) == 1
    assert message in refused(FILE.replace(old, new))

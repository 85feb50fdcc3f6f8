import pytest
from tests.models.formats.samples import LABELS, collider, labelled

from treewright.errors import FormatError
from treewright.graphs import Cpdag
from treewright.models.convert import from_dot, to_dot
from treewright.networks import load_network


def test_the_text():
    assert collider().to_dot() == 'digraph {\n  "A";\n  "B";\n  "C";\n  "A" -> "C";\n  "B" -> "C";\n}\n'


@pytest.mark.parametrize("kind", LABELS)
def test_the_trip(kind):
    model = labelled(LABELS[kind])
    assert from_dot(model.to_dot()) == model.dag
    assert from_dot(model.to_dot(), model.schema) == model.dag


def test_what_others_write():
    text = """strict digraph G { // a comment
      rankdir=LR; node [shape=box, label="a -> b"]; # another
      a -> b -> c [weight=2, color="red;green"]
      a:port->d:n; "e f", /* one
      more */ g
    }"""
    dag = from_dot(text)
    assert dag.schema.names == ("a", "b", "c", "d", "e f", "g")
    assert dag.edges() == [("a", "b"), ("a", "d"), ("b", "c")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("graph { a -- b }", "line 1, column 1: expected digraph: the arcs of a model have directions"),
        ("digraph { a -> b; b -> a }", "these arcs close a directed cycle: a -> b -> a"),
        ("digraph { a -> }", "line 1, column 16: expected a node, found '}'"),
        ("digraph { a", "expected a node, found the end of the file"),
        ("digraph { subgraph x { a } }", "line 1, column 11: subgraphs are not read"),
        ("digraph { } x", "expected the end, found 'x'"),
        ("digraph { a [b=", "a list of attributes never ends"),
        ("strict", "expected digraph"),
        ("", "expected digraph, found the end of the file"),
    ],
)
def test_refusals(text, message):
    with pytest.raises(FormatError) as error:
        from_dot(text)
    assert message in str(error.value)


def test_names_must_be_in_the_schema():
    with pytest.raises(FormatError, match="there is no variable 'nobody'"):
        from_dot("digraph { asia -> nobody }", load_network("asia").schema)


def test_an_edge_that_could_point_either_way_has_no_arrow():
    dag = load_network("asia").dag
    text = to_dot(dag.with_pattern(Cpdag.of(dag)))
    assert '"smoke" -> "lung" [dir=none];' in text
    assert '"lung" -> "either";' in text
    assert from_dot(text, dag.schema) == dag

import pytest
from tests.models.formats.samples import collider

from treewright.errors import FormatError
from treewright.graphs.directed.dag import Dag
from treewright.models import BayesianNetwork
from treewright.models.formats import xdsl
from treewright.models.formats.names import export_names
from treewright.models.formats.text import Source
from treewright.tables.schema import Schema, Variable


def read(text):
    draft = xdsl.read(Source("m.xdsl", text.encode()))
    return draft.finish(), draft


def write(model):
    return xdsl.write(model, export_names(model.schema, xdsl.NAMES)).decode()


def refused(text):
    with pytest.raises(FormatError) as error:
        read(text)
    return str(error.value)


FILE = write(collider())


def test_the_trip():
    assert read(FILE)[0] == collider()


def test_parents_come_first_and_the_order_of_the_model_comes_back():
    schema = Schema([Variable("child", ("a", "b")), Variable("parent", ("a", "b"))])
    model = BayesianNetwork(Dag(schema, [("parent", "child")]), [[[0.1, 0.9], [0.2, 0.8]], [0.5, 0.5]])
    text = write(model)
    assert text.index('<cpt id="parent">') < text.index('<cpt id="child">')
    assert read(text)[0] == model
    assert read(text.replace("treewright", "GeNIe"))[0].schema.names == ("parent", "child")


def test_what_genie_writes():
    model, _ = read(
        """<?xml version="1.0" encoding="ISO-8859-1"?>
<smile version="1.0" id="Network1" numsamples="10000" discsamples="10000">
	<nodes>
		<cpt id="Success" diagtype="target">
			<state id="Yes" default="true" />
			<state id="No" />
			<probabilities>0.2 0.8</probabilities>
			<property id="x">y</property>
		</cpt>
		<deterministic id="Same">
			<state id="Y" />
			<state id="N" />
			<parents>Success</parents>
			<resultingstates>N Y</resultingstates>
		</deterministic>
	</nodes>
	<extensions>
		<genie version="1.0" app="GeNIe 2.0" name="Network1"><node id="Success"></node></genie>
	</extensions>
</smile>
"""
    )
    assert model.table("Same").tolist() == [[0.0, 1.0], [1.0, 0.0]]


def test_the_order_of_pyagrum():
    rows = "0.1 0.9 0.3 0.7 0.5 0.5 0.2 0.8 0.4 0.6 0.6 0.4"  # A fastest
    text = FILE.replace("0.1 0.9 0.2 0.8 0.3 0.7 0.4 0.6 0.5 0.5 0.6 0.4", rows)
    model, draft = read(text.replace('app="treewright"', 'app="aGrUM 2.0"'))
    assert model == collider()
    assert draft.notes == ["written by pyAgrum: the first parent is the fastest"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<smile", "<!DOCTYPE smile><smile", "line 2, column 16: a document type"),
        ('<cpt id="A">', "<cpt>", "line 4, column 5: a cpt has no id"),
        ('<cpt id="A">', '<cpt id="B">', "variable 'B' is declared twice"),
        ("<parents>A B</parents>", "<parents>A D</parents>", "'D' is no variable of this file"),
        ("<parents>A B</parents>", "<parents>A A</parents>", "'A' is listed twice in the table of 'C'"),
        (
            "<parents>A B</parents>",
            "",
            "the table of 'C' has 12 numbers; its states and those of its parents ask for 2",
        ),
        ("0.25 0.75", "0.25 nan", "'nan' is not a finite number"),
        ("0.25 0.75", "-0.25 1.25", "the row of 'B' holds -0.25, which is no probability"),
        ("<nodes>", '<nodes><decision id="D"/>', "node 'D' is of the kind decision; nodes with tables"),
        ("<nodes>", "<nodes/><nodes>", "expected one element nodes, found 2"),
    ],
)
def test_refusals(old, new, message):
    assert FILE.count(old) == 1
    assert message in refused(FILE.replace(old, new))


@pytest.mark.slow
def test_deterministic_nodes_do_not_blow_up():
    n = 9000
    states = "".join(f'<state id="s{i}"/>' for i in range(n))
    numbers = " ".join(["1"] + ["0"] * (n - 1))
    root = f'<cpt id="p">{states}<probabilities>{numbers}</probabilities></cpt>'
    leaf = f'<deterministic id="c">{states}<parents>p</parents><resultingstates>{"s0 " * n}</resultingstates>'
    text = f"<smile><nodes>{root}{leaf}</deterministic></nodes></smile>"
    assert "the table of 'c' would have 81,000,000 cells, far more than the file says" in refused(text)


def test_resulting_states_are_states():
    text = """<smile><nodes><cpt id="p"><state id="a"/><state id="b"/><probabilities>1 0</probabilities></cpt>
    <deterministic id="c"><state id="a"/><parents>p</parents><resultingstates>a {}</resultingstates>
    </deterministic></nodes></smile>"""
    assert read(text.format("a"))[0].table("c").tolist() == [[1.0], [1.0]]
    assert "'z' is not a state of 'c'" in refused(text.format("z"))
    assert "'c' lists 1 resulting states, not one per row of its table" in refused(text.format(""))

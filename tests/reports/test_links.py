from hypothesis import given
from hypothesis import strategies as st

from treewright.networks import load_network
from treewright.reports.layers import least_span_layers
from treewright.reports.links import links_of
from treewright.reports.render import to_svg
from treewright.tables.schema import Schema, Variable

SCHEMA = Schema([Variable(name, ("a", "b")) for name in "uvwxyz"])


class Mixed:
    schema = SCHEMA

    def __init__(self, directed, undirected):
        self.directed, self.undirected = directed, undirected

    def directed_edges(self):
        return self.directed

    def undirected_edges(self):
        return self.undirected


def test_a_dag_points_down():
    dag = load_network("alarm").dag
    assert {link.arrow for link in links_of(dag)} == {"down"}
    assert sorted(dag.schema.names_of(link.arc) for link in links_of(dag)) == dag.edges()


def test_cycles_are_opened():
    graph = Mixed([("u", "v"), ("v", "w"), ("w", "u"), ("x", "u")], [])
    links = links_of(graph)
    assert sorted(link.arrow for link in links) == ["down", "down", "down", "up"]
    svg = to_svg(graph)
    assert svg.count("marker-end=") == 3
    assert svg.count('data-from="w" data-to="u"') == svg.count("marker-start=") == 1


pairs = st.lists(st.permutations(SCHEMA.names).map(lambda p: tuple(p[:2])), max_size=12, unique_by=frozenset)


@given(pairs, st.integers(0, 12))
def test_links_are_always_acyclic(edges, n_directed):
    links = links_of(Mixed(edges[:n_directed], edges[n_directed:]))
    assert len(links) == len(edges)
    least_span_layers(range(len(SCHEMA)), [link.arc for link in links])  # asserts that there is no cycle

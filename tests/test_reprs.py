"""What an object shows of itself fits in a few lines, whatever its size."""

import numpy as np

import treewright as tw

LINES, LETTERS = 26, 1_500
RNG = np.random.default_rng(0)
N = 300


def wide_model():
    schema = tw.Schema([tw.Variable(f"variable number {v}", ("no", "yes")) for v in range(N)])
    dag = tw.Dag(schema, [(v, v + 1) for v in range(N - 1)] + [(v, v + 2) for v in range(N - 2)])
    tables = [RNG.dirichlet([1, 1], size=tuple(2 for _ in dag.parents(v))) for v in range(N)]
    return tw.BayesianNetwork(dag, tables)


def made_of_many():
    model = wide_model()
    schema, dag, rows = model.schema, model.dag, model.sample(50, rng=RNG)
    counter, alarm = tw.count(rows), tw.count(tw.load_network("alarm").sample(300, rng=RNG))
    many = tw.Variable("x", tuple(f"state number {k}" for k in range(5_000)))
    yield from (many, tw.Schema([many] * 1), schema, dag, tw.Cpdag.of(dag), dag.moral_graph(), rows, counter)
    yield from (model, model.marginals(), model.mpe(), model.cost(), tw.MarkovNetwork.of(model))
    yield model.query(list(schema.names[:3]))
    yield tw.BayesianNetwork(tw.Dag(tw.Schema([many])), [np.full(5_000, 1 / 5_000)]).table("x")
    yield tw.load_network("alarm").table("CATECHOL")
    yield from (tw.read_table(rows.to_dict()).report, tw.ShardedTable(rows.shards(3)))
    yield tw.Knowledge(required=dag.edges(), tiers=[schema.names])
    yield tw.Feature(dict.fromkeys(schema.names, "yes"))
    yield tw.JunctionTree.of(dag.moral_graph())
    yield from (tw.compare(dag, tw.Dag(schema)), tw.models.FamilyCounts(dag, counter))
    yield from (score(counter) for score in (tw.BIC, tw.BDeu, tw.QNML, tw.GTest, tw.MarginalPseudoLikelihood))
    yield tw.inference.EvidenceReader(schema)(dict.fromkeys(schema.names, "yes"))
    yield tw.models.propagate_loopy_beliefs(tw.MarkovNetwork.of(model), sweeps=2)
    yield tw.models.sample_gibbs(model, 4, rng=RNG)
    for learned in (
        tw.learn_pc(tw.GTest(alarm)),
        tw.learn_hill_climbing(tw.BIC(alarm)),
        tw.learn_knots(alarm),
    ):
        yield from (learned, learned.trace)
    yield tw.learn_bounded_treewidth(tw.BIC(alarm), treewidth=3)
    table = tw.read_table(RNG.normal(size=(80, 60)))
    normal = tw.fit(tw.Dag(table.schema, [(v, v + 1) for v in range(59)]), tw.moments(table))
    yield from (
        tw.moments(table),
        normal,
        normal.marginals(),
        normal.query(list(table.schema.names)),
        normal.cost(),
    )
    yield tw.fit_em(dag, rows)
    yield tw.ChowLiuTree(schema=schema)


def test_a_repr_fits_in_a_few_lines():
    shown = [(type(thing).__name__, repr(thing)) for thing in made_of_many()]
    assert [name for name, text in shown if text.count("\n") >= LINES or len(text) > LETTERS] == []
    assert [name for name, text in shown if "object at 0x" in text] == []


def test_small_things_are_shown_whole():
    assert repr(tw.Variable("a", (0, 1))) == "Variable(name='a', states=(0, 1), ordered=False)"
    assert repr(tw.load_network("asia").schema["smoke"]).endswith("states=('yes', 'no'), ordered=False)")

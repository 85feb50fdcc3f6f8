"""Columns that the data cannot tell apart: one of them takes part in the search over classes."""

import numpy as np

import treewright as tw


def test_a_relabelled_column_changes_no_other_edge():
    table = tw.load_network("asia").sample(3_000, rng=np.random.default_rng(4))
    columns = dict(zip(table.schema.names, table.columns, strict=True))
    plain = tw.learners.class_search(tw.BIC(tw.count(tw.read_table(columns))))
    columns["a_copy"] = 1 - columns["bronc"]
    columns["z_copy"] = np.array(["x", "y"])[columns["bronc"]]
    learned = tw.learners.class_search(tw.BIC(tw.count(tw.read_table(columns))))
    assert learned.copies == (("a_copy", "bronc"), ("a_copy", "z_copy"))
    renamed = {"bronc": "a_copy"}
    expected = {frozenset(renamed.get(v, v) for v in edge) for edge in plain.cpdag.edges()}
    found = {frozenset(edge) for edge in learned.cpdag.edges()}
    assert found == expected | {frozenset(("a_copy", "bronc")), frozenset(("a_copy", "z_copy"))}


def test_constant_columns_are_no_copies():
    rows = {"a": [0] * 8, "b": ["x"] * 8, "c": [0, 1] * 4}
    learned = tw.learners.class_search(tw.BIC(tw.count(tw.read_table(rows))))
    assert learned.copies == ()
    assert learned.structure.n_edges == 0


def test_a_copy_that_may_not_be_joined_searches_for_itself():
    rng = np.random.default_rng(0)
    a = rng.integers(2, size=500)
    c = np.where(rng.random(500) < 0.9, a, 1 - a)
    score = tw.BIC(tw.count(tw.read_table({"a": a, "b": 1 - a, "c": c})))
    apart = tw.UndirectedGraph(score.schema, [("a", "c"), ("b", "c")])
    learned = tw.learners.class_search(score, allow=apart)
    assert learned.copies == ()
    assert learned.cpdag.skeleton() == apart


def test_of_copies_the_one_that_the_knowledge_names_takes_part():
    rng = np.random.default_rng(0)
    b = rng.integers(2, size=500)
    noisy = {name: np.where(rng.random(500) < 0.9, b, 1 - b) for name in "xyz"}
    score = tw.BIC(tw.count(tw.read_table({"a": b, "b": 1 - b, "c": b, **noisy})))
    assert tw.learn_hill_climbing(score).copies == (("a", "b"), ("a", "c"))
    barred = tw.Knowledge(forbidden=[("x", "b")])
    assert tw.learn_hill_climbing(score, knowledge=barred).copies == (("b", "a"), ("b", "c"))
    both = tw.Knowledge(forbidden=[("x", "b")], required=[("c", "y")])
    learned = tw.learn_hill_climbing(score, knowledge=both)
    assert learned.copies == (("c", "a"), ("c", "b"))
    assert {"x", "y", "z"} <= {v for edge in learned.structure.edges() if "c" in edge for v in edge}
    assert tw.learn_hybrid(score, knowledge=both).copies == learned.copies


def test_a_start_in_which_copies_hang_already():
    rng = np.random.default_rng(5)
    table = tw.load_network("asia").sample(2_000, rng=rng)
    labels = table.to_dict()
    labels["a copy"] = [{"yes": "ja", "no": "nein"}[label] for label in labels["xray"]]
    score = tw.BIC(tw.count(tw.read_table(labels)))
    learned = tw.learn_hill_climbing(score)
    assert learned.copies == (("a copy", "xray"),)
    for start in (learned.structure, learned.cpdag, tw.learners.learn_dag_climbing(score).structure):
        again = tw.learn_hill_climbing(score, start=start)
        assert again.score >= score.score(start.to_dag() if isinstance(start, tw.Cpdag) else start) - 1e-6
    assert tw.learn_hill_climbing(score, start=learned.structure).cpdag == learned.cpdag

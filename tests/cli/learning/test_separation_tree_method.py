"""`learn --method separation-tree`: one table, several, sets of variables, both engines."""

import numpy as np
import pytest

import treewright as tw

CLINICS = (["asia", "tub", "lung", "either", "xray"], ["smoke", "lung", "bronc", "either", "dysp"])


def write(table, path):
    rows = zip(*table.to_dict().values(), strict=True)
    lines = [",".join(table.schema.names), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def clinics(asia_model, tmp_path):
    rng = np.random.default_rng(1)
    tables = [asia_model.sample(6_000, rng=rng).select(columns) for columns in CLINICS]
    return [write(table, tmp_path / f"clinic{i}.csv") for i, table in enumerate(tables)]


@pytest.fixture
def sets(tmp_path):
    path = tmp_path / "sets.txt"
    path.write_text("# two clinics\n" + "\n".join(map(", ".join, CLINICS)))
    return path


@pytest.mark.slow
def test_one_table_without_knowledge_is_the_class_search(run_json, asia_rows):
    found = run_json("learn", asia_rows, "--method", "separation-tree")
    climbed = run_json("learn", asia_rows, "--method", "hill-climbing")
    assert found["score"] == climbed["score"]
    assert (found["edges"], found["undirected_edges"]) == (climbed["edges"], climbed["undirected_edges"])
    assert found["variables"] == climbed["variables"]
    assert found["tables"] == [{"name": "table 1", "rows": 2_000, "columns": sorted(found["variables"])}]


@pytest.mark.parametrize("engine", ["class", "tests"])
def test_sets_keep_pairs_apart(run_json, asia_rows, sets, engine):
    found = run_json("learn", asia_rows, "-m", "separation-tree", "--hypergraph", sets, "--engine", engine)
    assert all(any(set(edge) <= set(one) for one in CLINICS) for edge in found["edges"])
    assert (found["engine"], found["untestable"], found["contradictions"]) == (engine, [], [])


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["class", "tests"])
def test_sets_are_not_held_against_resampled_rows(run_json, asia_rows, sets, engine):
    options = ("-m", "separation-tree", "--hypergraph", sets, "--engine", engine, "--bootstrap", "8")
    found = run_json("learn", asia_rows, *options)
    assert found["confidence"]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["class", "tests"])
def test_several_tables(run_json, run, clinics, tmp_path, engine):
    target = tmp_path / "m.twm"
    found = run_json("learn", *clinics, "-m", "separation-tree", "--engine", engine, "-o", target)
    keys = {"variables", "edges", "directed", "width", "score", "rows", "seconds", "log_likelihood"}
    assert keys <= found.keys()
    assert (found["rows"], found["directed"], len(found["variables"])) == (12_000, True, 8)
    assert [one["columns"] for one in found["tables"]] == [sorted(columns) for columns in CLINICS]
    assert found["untestable"] == [["either", "lung"]]
    assert (found["never_observed_together"], found["undecided"]) == ([], [])
    assert found["homogeneity"]["rejected"] == []
    assert found["homogeneity"]["comparisons"] > 0
    tables = tw.read_databases(list(map(str, clinics)))
    estimator = tw.SeparationTree(engine=engine).fit(tables)
    assert found["edges"] == [list(edge) for edge in estimator.structure_.edges()]
    assert found["log_likelihood"] == pytest.approx(estimator.score(tables))
    assert run_json("verify", target)["valid"] is True
    asked = run_json("query", target, "dysp", "--given", "xray=yes")["distribution"]["yes"]
    assert asked == pytest.approx(estimator.query("dysp", given={"xray": "yes"})["yes"])
    if engine == "class":  # `either` is a function of its parents, which tests cannot see through
        assert asked == pytest.approx(0.641, abs=0.05)
    assert run("explore", target, "-o", tmp_path / "page.html").exit_code == 0


@pytest.mark.slow
def test_any_mix_of_files(run_json, clinics, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    parquet, base = tmp_path / "one.parquet", tmp_path / "clinic.duckdb"
    duckdb.sql(f"COPY (SELECT * FROM '{clinics[0]}') TO '{parquet}'")
    with duckdb.connect(str(base)) as connection:
        connection.execute(f"CREATE TABLE \"visits of 2024\" AS SELECT * FROM '{clinics[1]}'")
    plain = run_json("learn", *clinics, "-m", "separation-tree")
    mixed = run_json("learn", parquet, f"{base}::visits of 2024", "-m", "separation-tree")
    assert mixed["edges"] == plain["edges"]
    assert run_json("inspect", f"{base}::visits of 2024")["rows"] == 6_000


@pytest.mark.slow
def test_tables_of_different_populations_are_told(run_json, clinics, tmp_path):
    other = clinics[1].read_text().replace(",no,", ",yes,")
    clinics[1].write_text(other)
    found = run_json("learn", *clinics, "-m", "separation-tree")
    assert found["homogeneity"]["rejected"][0]["about"] == "distribution"
    assert any(note.startswith("the tables differ where they overlap") for note in found["notes"])


@pytest.mark.slow
def test_held_out_tables(run_json, clinics):
    found = run_json("learn", *clinics, "-m", "separation-tree", "--valid", clinics[0])
    assert found["valid_rows"] == 6_000
    assert np.isfinite(found["valid_log_likelihood"])


@pytest.mark.slow
def test_tables_are_resampled_each_by_itself(run_json, clinics, tmp_path):
    target = tmp_path / "m.twm"
    found = run_json("learn", *clinics, "-m", "separation-tree", "--bootstrap", "4", "-o", target)
    sure = {frozenset((one["from"], one["to"])): one["strength"] for one in found["confidence"]}
    assert sure[frozenset(("bronc", "dysp"))] == sure[frozenset(("either", "xray"))] == 1
    assert run_json("explore", target, "-o", tmp_path / "page.html")["resamplings"] == 4


@pytest.mark.slow
def test_columns_can_be_left_out_and_cut(run_json, tmp_path):
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text("id,x,y\n" + "\n".join(f"{i},{i % 7 + 0.5},{i % 2}" for i in range(90)))
    second.write_text("x,z\n" + "\n".join(f"{i % 9 + 0.25},{i % 3}" for i in range(90)))
    found = run_json("learn", first, second, "-m", "separation-tree", "--ignore", "id", "--bins", "3")
    assert found["variables"] == ["x", "y", "z"]


@pytest.mark.slow
def test_continuous_tables(run_json, tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    y, z = x + rng.normal(size=400), rng.normal(size=400)
    w = y[::-1] + rng.normal(size=400)
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text("x,y,z\n" + "\n".join(f"{a},{b},{c}" for a, b, c in zip(x, y, z, strict=True)))
    second.write_text("y,w\n" + "\n".join(f"{a},{b}" for a, b in zip(y[::-1], w, strict=True)))
    for engine in ("class", "tests"):
        found = run_json("learn", first, second, "-m", "separation-tree", "--engine", engine)
        assert {frozenset(edge) for edge in found["edges"]} == {frozenset("xy"), frozenset("wy")}
        alone = run_json("learn", first, "-m", "separation-tree", "--engine", engine)
        assert {frozenset(edge) for edge in alone["edges"]} == {frozenset("xy")}


def test_gaps_are_kept_in_one_table_only(run_json, refused, asia_rows, clinics):
    lines = asia_rows.read_text().splitlines()
    asia_rows.write_text("\n".join([lines[0], "," + lines[1].split(",", 1)[1], *lines[2:]]))
    found = run_json("learn", asia_rows, "-m", "separation-tree", "--missing", "em")
    assert found["tables"][0]["rows"] == 1_999
    said = refused("learn", *clinics, "-m", "separation-tree", "--missing", "em")
    assert "--missing em is for one table; for several use --missing drop or state" in said


@pytest.mark.slow
def test_refusals(refused, asia_rows, clinics, sets, tmp_path):
    learn = ("learn", "-m", "separation-tree")
    assert (
        "--method auto learns from one table, and these do not have the same columns; not in all: asia, "
        "bronc, dysp, smoke, tub, xray. --method separation-tree learns from tables that share some columns"
    ) in " ".join(refused("learn", *clinics).split())
    assert "--hypergraph means nothing to --method pc; it belongs to separation-tree" in refused(
        "learn", asia_rows, "-m", "pc", "--hypergraph", sets
    )
    assert "--engine 'test' is not known; engines are" in refused(*learn, asia_rows, "--engine", "test")
    assert "--alpha is the level of tests; it goes with --engine tests" in refused(
        *learn, asia_rows, "--alpha", "0.1"
    )
    assert "--effort is for a search by score" in refused(
        *learn, asia_rows, "--effort", "1", "--engine", "tests"
    )
    assert "--ess is for one table" in refused(*learn, *clinics, "--score", "bdeu", "--ess", "2")
    assert "--ignore 'dyps' names no column; there are" in refused(*learn, *clinics, "--ignore", "dyps")
    assert "is written file.duckdb::table; found 'x.duckdb::'" in refused(*learn, "x.duckdb::")
    sets.write_text("asia, tub\nlung, either")
    said = refused(*learn, asia_rows, "--hypergraph", sets)
    assert "every variable lies in a hyperedge; in none: 'bronc', 'dysp', 'smoke', 'xray'" in said
    sets.write_text("asia, tub\n\nlung, , either")
    assert "sets.txt, line 3, column 7: a name is missing between two commas" in refused(
        *learn, asia_rows, "--hypergraph", sets
    )


def test_sets_that_the_rows_contradict(refused, asia_rows, sets):
    sets.write_text("asia tub lung either xray dysp\nsmoke bronc either lung")  # parents of dysp torn apart
    said = refused("learn", asia_rows, "-m", "separation-tree", "--hypergraph", sets)
    assert "the hypergraph contradicts the data: 'bronc' and 'dysp' depend on each other given" in said
    assert "put 'bronc' and 'dysp' into one hyperedge" in " ".join(said.split())

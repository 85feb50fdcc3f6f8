import pytest


@pytest.fixture
def survey(tmp_path):
    path = tmp_path / "survey.csv"
    lines = [f"p{i},{20 + i % 40}.5,{'yes' if i % 3 else 'no'},{'' if i < 2 else 'a'},1" for i in range(100)]
    path.write_text("\n".join(["person,age,smoker,mark,constant", *lines]) + "\n")
    return path


def test_document(run_json, survey):
    found = run_json("inspect", survey)
    assert (found["rows"], found["rows_read"], found["rows_with_missing"]) == (100, 100, 2)
    assert found["missing"] == "error"
    assert found["constant"] == ["mark", "constant"]
    assert found["identifiers"] == ["person"]
    columns = {column["name"]: column for column in found["columns"]}
    assert columns["age"]["kind"] == "continuous"
    assert columns["age"]["states"] is None
    assert columns["smoker"]["states"] == ["no", "yes"]
    assert columns["mark"]["n_missing"] == 2
    assert columns["person"]["action"] == "leave it out: --ignore"
    assert len(columns["person"]["states"]) == 50
    assert columns["person"]["n_states"] == 100
    assert any("other methods want --missing" in line for line in found["plan"])


def test_policies(run_json, survey):
    dropped = run_json("inspect", survey, "--missing", "drop", "--bins", "4")
    assert (dropped["rows"], dropped["rows_dropped"], dropped["rows_with_missing"]) == (98, 2, 2)
    ages = next(column for column in dropped["columns"] if column["name"] == "age")
    assert len(ages["states"]) == 4
    assert ages["is_binned"]
    as_state = run_json("inspect", survey, "--missing", "state")
    mark = next(column for column in as_state["columns"] if column["name"] == "mark")
    assert mark["n_states"] == 2


def test_for_people(run, survey):
    text = run("inspect", survey, "--ignore", "person").stdout
    assert "100 rows, 4 columns" in text
    assert "kept, or cut if that foretells more" in " ".join(text.split())
    assert "2 rows of 100 with missing cells: the default learns from the others" in text


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("a,b\nx,1\ny,\nx,2\n", "1 row of 3 with missing cells: the default learns from the others and fits"),
        (
            "a,b\nx,1\ny,\n,2\n",
            "2 rows of 3 with missing cells: the default makes missing a state of its own;",
        ),
        (
            "a,b\n1.5,1.25\n2.5,\n0.5,2.5\n",
            "1 row of 3 with missing cells: the default learns from the others;",
        ),
        ("a,b\n1.5,1.25\n2.5,\n,2.5\n", "2 rows of 3 with missing cells: the default refuses so many;"),
    ],
)
def test_the_plan_is_what_learn_does(run_json, refused, tmp_path, rows, said):
    path = tmp_path / "holes.csv"
    path.write_text(rows)
    found = run_json("inspect", path)
    assert found["plan"][0].startswith(said)
    assert "--missing" not in found["next"]
    if "refuses" in said:
        assert "only 1 of 3 rows have a number in every column" in refused("learn", path)
        return
    learned = " ".join(run_json("learn", path)["notes"])
    assert ("missing is a state" in learned) == ("a state" in said)
    assert ("tables from all rows by EM" in learned) == ("and fits" in said)


def test_cutting_numbers_is_offered_and_not_forced(run_json, tmp_path):
    mixed, numbers = tmp_path / "mixed.csv", tmp_path / "numbers.csv"
    rows = [(20.5 + i % 40, "yes" if i % 3 else "no", (i * 7 % 11) / 4) for i in range(60)]
    mixed.write_text("\n".join(["age,smoker,dose", *(f"{a},{s},{d}" for a, s, d in rows)]) + "\n")
    numbers.write_text("\n".join(["age,dose", *(f"{a},{d}" for a, _, d in rows)]) + "\n")
    found, alone = run_json("inspect", mixed), run_json("inspect", numbers)
    assert found["plan"] == [
        "2 continuous columns: kept or cut, as rows held out decide; --bins 4 cuts in any case"
    ]
    assert alone["plan"] == ["2 continuous columns: kept as they are; --bins 4 cuts in any case"]
    assert "--bins" not in found["next"] + alone["next"]
    assert "--bins 3" in run_json("inspect", mixed, "--bins", "3")["next"]  # as it was asked for
    assert alone["columns"][0]["action"] == "kept as it is"


def test_bare(run, survey):
    lines = run("inspect", survey, "--quiet").stdout.splitlines()
    assert lines[1:3] == ["age\tcontinuous\t\t0", "smoker\tdiscrete\t2\t0"]


def test_nothing_to_do(run, asia_rows):
    assert "nothing is missing; every column will be used as it is" in run("inspect", asia_rows).stdout


@pytest.mark.slow
def test_a_column_without_values_is_told_not_refused(run_json, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,empty\nx,\ny,\n")
    for policy in ("error", "drop", "em"):
        found = run_json("inspect", path, "--missing", policy)
        assert found["ignored"] == [{"name": "empty", "reason": "holds no value"}]
        assert found["rows"] == 2


@pytest.mark.slow
def test_schema_of_a_model(run_json, refused, asia_rows, asia_file):
    found = run_json("inspect", asia_rows, "--schema", asia_file)
    assert found["columns"][0]["states"] == ["yes", "no"]
    other = asia_rows.with_name("other.csv")
    other.write_text(asia_rows.read_text().replace("yes", "yess"))
    assert "did you mean 'yes'?" in refused("inspect", other, "--schema", asia_file)


def test_unicode(run_json, run, tmp_path):
    path = tmp_path / "größe ж.csv"
    path.write_text("größe,性別\nklein,男\ngroß,女\n", encoding="utf-8")
    found = run_json("inspect", path)
    assert [column["name"] for column in found["columns"]] == ["größe", "性別"]
    assert found["columns"][1]["states"] == ["女", "男"]
    assert "性別" in run("inspect", path).stdout


def test_names_are_no_markup(run, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("[red]a[/red],[/]\n[bold]x,:smile:\ny,z\n")
    text = run("inspect", path).stdout
    for part in ("[red]a[/red]", "[/]", "[bold]x", ":smile:"):
        assert part in text


@pytest.mark.slow
def test_refusals(refused, tmp_path):
    missing = refused("inspect", tmp_path / "no.csv")
    assert "there is no file" in missing
    (tmp_path / "asia.csv").write_text("a\nx\n")
    assert "did you mean 'asia.csv'?" in refused("inspect", tmp_path / "asai.csv")
    (tmp_path / "empty").mkdir()
    assert "is a folder, and it has no files of rows" in refused("inspect", tmp_path / "empty")
    assert "--ignore 'b' names no column; there are 'a'" in refused(
        "inspect", tmp_path / "asia.csv", "--ignore", "b"
    )
    message = refused("inspect", tmp_path / "asia.csv", "--missing", "maybe")
    assert "--missing" in message


def test_files_as_spreadsheets_write_them(run, run_json, refused, tmp_path):
    rows = "".join(f"{i};{'yn'[i % 2]};€ {1 + i % 7}.{i + 100},50;{i % 9},5 %\n" for i in range(1, 61))
    path, model = tmp_path / "sheet.csv", tmp_path / "m.twm"
    path.write_text("sep=;\n;died;income;share\n" + rows, encoding="utf-16")
    found = run_json("inspect", path)
    assert found["next"].endswith("sheet.csv --mend -o model.twm")
    assert [one["columns"] for one in found["findings"] if one["kind"] == "numbers with signs"] == [
        ["income"],
        ["share"],
    ]
    learned = run_json("learn", path, "--mend", "--bins", "2", "-o", model)
    notes = "\n".join(learned["notes"])
    for words in (
        "left out, since it has no name: column 1",
        "read as text in UTF-16",
        "the first line says that ';' is between fields",
        "numbers with '€' read in 'income' (60 cells)",
    ):
        assert words in notes
    asked = run("query", model, "died", "--given", "income=€ 2.120,50").stdout
    assert "died, given income=[" in asked
    assert run_json("score", model, path)["rows"] == 60
    assert "share='5 kg' is not a state" in refused("query", model, "died", "--given", "share=5 kg")


def test_lines_and_names_that_do_not_fit(run_json, refused, tmp_path):
    path, model = tmp_path / "survey.csv", tmp_path / "m.twm"
    rows = "".join(f"{'xy'[i % 2]},{i % 3},{'uv'[i % 2]}\n" for i in range(60))
    path.write_text("Survey\n\nq,q,r\n" + rows + "x,1\n")
    said = refused("learn", path, "-o", model)
    assert "header=2, --skip-lines 2, reads them" in said.replace("\n", " ")
    assert "mend=True, --mend, puts" in refused("learn", path, "--skip-lines", "2").replace("\n", " ")
    assert "says that there are no names" in refused("inspect", path, "--skip-lines", 2, "--no-header")
    learned = run_json("learn", path, "--skip-lines", "2", "--mend", "-o", model)
    assert "names that come again have numbers: 'q.2'" in learned["notes"]
    assert "1 row with too few fields misses the last ones (line 64)" in learned["notes"]
    assert run_json("score", model, path, "--skip-lines", "2", "--missing", "drop")["rows"] == 60
    answers = run_json("predict", model, path, "--skip-lines", "2", "-t", "r", "-o", tmp_path / "out.csv")
    assert answers["rows"] == 61
    assert not (tmp_path / "model.twm").exists()


def test_columns_of_other_types_are_told_not_refused(run_json, refused, tmp_path):
    import duckdb

    path = tmp_path / "rows.parquet"
    with duckdb.connect() as connection:
        connection.execute(
            "COPY (SELECT ['a', 'b'][1 + i % 2] AS a, [i] AS \"l st\", {'u': i} AS s, NULL AS n "
            f"FROM range(40) t(i)) TO '{path}' (FORMAT parquet)"
        )
    said = refused("learn", path, "-o", tmp_path / "m.twm").replace("\n", " ")
    assert "columns 'l st', 's' hold values of type BIGINT[] and values of type STRUCT" in said
    assert "on the command line: --ignore 'l st' --ignore s (or --mend)" in said
    found = run_json("inspect", path)
    assert {one["name"] for one in found["ignored"]} == {"l st", "s", "n"}
    assert found["next"].endswith("--ignore 'l st' --ignore s --ignore n -o model.twm")
    mended = run_json("learn", path, "--mend", "-o", tmp_path / "m.twm")
    assert mended["variables"] == ["a"]
    header = tmp_path / "header.csv"
    header.write_text("a,b\n")
    assert "columns 'a', 'b' have no rows, so what they can hold is unknown" in refused("inspect", header)

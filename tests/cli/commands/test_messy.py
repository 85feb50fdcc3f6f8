"""The twelve messy files on the command line: inspect names the trap and says what to type; that works."""

import html
import json
import shlex

import pytest
from tests.messy import twelve

FILES = {messy.name: messy for messy in twelve()}
# Traps that are told at learning too, unless they are mended there.
READ = {
    "marks among numbers",
    "numbers that may be marks",
    "decimal commas",
    "dates",
    "spellings",
    "many states",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(FILES))
def test_from_inspect_to_an_answer(run_json, run, tmp_path, name):
    messy = FILES[name]
    path = messy.write(tmp_path)
    before = path.read_bytes()
    found = run_json("inspect", path)
    told = {(finding["kind"], name) for finding in found["findings"] for name in finding["columns"]}
    assert set(messy.kinds) <= {finding["kind"] for finding in found["findings"]}
    shown = run("inspect", path).stdout
    assert [word for word in messy.words if word not in shown] == []
    program, command, *arguments = shlex.split(found["next"])
    assert (program, command) == ("treewright", "learn")
    model = tmp_path / "model.twm"
    arguments = [str(model) if one == "model.twm" else one for one in arguments]
    learned = run_json(command, *arguments)
    said = "\n".join([*learned["notes"], *arguments])
    assert [column for kind, column in told if kind in READ and column.strip() not in said] == []
    kept = json.loads(model.read_text())
    assert ("--mend" in arguments) == ("mendings" in kept["provenance"])
    assert set(run_json("query", model, messy.query)["distribution"]) == {"no", "yes"}
    scored = run_json("score", model, path, "--missing", "em")
    if any(note.startswith("learned from the ") for note in learned["notes"]):  # how likely those are
        assert scored["rows"] > learned["rows"]
        scored = run_json("score", model, path, "--missing", "drop")
    assert scored["rows"] == learned["rows"]
    assert scored["log_likelihood"] == pytest.approx(learned["log_likelihood"])
    run("report", model, path, "-o", tmp_path / "page.html")
    page = html.unescape((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert [word for word in messy.words if word not in page] == []
    assert path.read_bytes() == before


def test_mending_is_shown_and_kept(run, run_json, tmp_path):
    path = FILES["marks"].write(tmp_path)
    shown = run("inspect", path, "--mend").stdout
    assert "mended: 1 change" in shown
    assert "taken as missing in 'crp'" in shown
    model = tmp_path / "m.twm"
    learned = run_json("learn", path, "--mend", "--missing", "state", "--bins", "3", "-o", model)
    assert any(remark.startswith("mended: ") for remark in learned["notes"])
    (mending,) = json.loads(model.read_text())["provenance"]["mendings"]
    assert (mending["kind"], mending["columns"]) == ("missing", ["crp"])
    assert mending["cells"] == found_cells(run_json, path)


def found_cells(run_json, path):
    (finding,) = run_json("inspect", path)["findings"]
    return finding["cells"]


def test_options_that_mend_one_column(run_json, tmp_path):
    limits = FILES["limits"].write(tmp_path)
    options = ["--missing-value", "psa=<0.5", "--missing-value", "psa=-"]
    found = run_json("inspect", limits, *options)
    (psa,) = [column for column in found["columns"] if column["name"] == "psa"]
    assert psa["kind"] == "continuous"
    assert psa["n_missing"] > 0
    dates = FILES["dates"].write(tmp_path)
    parts = run_json("inspect", dates, "--dates", "visit=year,month", "--dates", "wave=dmy,month")
    names = [column["name"] for column in parts["columns"]]
    assert names == ["smoker", "ill", "died", "visit.year", "visit.month", "seen", "wave.month"]
    commas = FILES["commas"].write(tmp_path)
    height = run_json("inspect", commas, "--decimal", ",")["columns"][-1]
    assert (height["name"], height["kind"]) == ("height", "continuous")


def test_cuts_for_all_columns(run_json, tmp_path):
    path = FILES["copies"].write(tmp_path)
    for rule, n_states in (("mdl:died", 1), ("hartemink:3", 3), ("uniform:5", 5)):
        (age,) = [c for c in run_json("inspect", path, "--bins", rule)["columns"] if c["name"] == "age"]
        assert age["n_states"] == n_states


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--missing-value", "crpp=NA"], "there is no such column; there are"),
        (["--decimal", "x"], "decimal is '.' or ','; found 'x'"),
        (["--dates", "crp=year"], "'crp', which is not a column of dates"),
        (["--dates", "died=millennium"], "are taken apart into year, quarter, month"),
        (["--dates", "year", "--dates", "died=year"], "--dates is one list of parts for all columns"),
        (["--bins", "mdl:deid"], "did you mean 'died'?"),
    ],
)
def test_refusals(refused, tmp_path, options, words):
    assert words in refused("inspect", FILES["marks"].write(tmp_path), "--missing-value", "NA", *options)


def test_wide_files_stay_readable(run, run_json, tmp_path):
    path = tmp_path / "wide.csv"
    names = [f"v{i:04}" for i in range(3000)]
    rows = [[str((i * j) % 2) for j in range(3000)] for i in range(30)]
    rows[3][17] = "NA"
    path.write_text("\n".join(",".join(row) for row in [names, *rows]) + "\n")
    shown = run("inspect", path).stdout
    assert len(shown.splitlines()) < 150
    assert "other columns are not shown; --json has them all" in shown
    assert "'v0017' holds numbers, and 'NA' among them in 1 cell (first in row 4)" in shown
    assert len(run_json("inspect", path)["columns"]) == 3000

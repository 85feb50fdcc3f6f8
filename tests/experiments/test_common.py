"""What experiments share: intervals by hand, results that repeat, marks that have to be there."""

import math
from functools import partial

import numpy as np
import pytest
from experiments.common import (
    Cell,
    Experiment,
    Interval,
    Line,
    Panel,
    Results,
    data_file,
    density,
    draw,
    fill_table,
    folds,
    markdown_table,
    mean_interval,
    network,
    paired_interval,
    read_results,
    run,
    timed,
    write_results,
)
from experiments.common.plots import compact
from scipy import stats

import treewright as tw


@pytest.fixture
def no_data(monkeypatch):
    monkeypatch.delenv("TREEWRIGHT_DATA", raising=False)


def test_a_paired_interval_is_that_of_the_t_test():
    rng = np.random.default_rng(0)
    ours, theirs = rng.normal(size=7), rng.normal(size=7)
    found = paired_interval(ours.tolist(), theirs.tolist())
    wanted = stats.ttest_rel(ours, theirs).confidence_interval(0.95)
    assert found.mean - found.half_width == pytest.approx(wanted.low)
    assert found.mean + found.half_width == pytest.approx(wanted.high)


def test_what_both_find_hard_does_not_count():
    assert paired_interval([1, 101, 201], [0, 100, 200]) == Interval(1.0, 0.0, 3)


def test_one_value_has_no_interval():
    found = mean_interval([2.0])
    assert found.mean == 2.0
    assert math.isnan(found.half_width)
    assert found.shown(1) == "2.0"
    assert not found.excludes_zero


def test_intervals_as_text():
    assert Interval(-1.254, 0.3, 5).shown() == "-1.25 ± 0.30"
    assert Interval(1.254, 0.3, 5).shown(1, sign=True) == "**+1.3 ± 0.3**"
    assert Interval(0.2, 0.3, 5).shown(1, sign=True) == "+0.2 ± 0.3"


def test_unpaired_values_are_refused():
    with pytest.raises(ValueError, match="pairs are wanted; found 2 values and 1"):
        paired_interval([1, 2], [1])


def test_every_row_is_held_out_once():
    table = tw.Table.from_codes([np.arange(11) % 3, np.arange(11) % 2], [3, 2])
    shares = list(folds(table, 4))
    assert [fold.test.n_rows for fold in shares] == [3, 3, 3, 2]
    assert all(fold.train.n_rows + fold.test.n_rows == 11 for fold in shares)
    held_out = sorted(tuple(row) for fold in shares for row in zip(*fold.test.columns, strict=True))
    assert held_out == sorted(zip(*table.columns, strict=True))


def test_results_come_back(tmp_path):
    path = tmp_path / "results" / "figure.json"
    results = Results("python -m x", [{"data": "a", "loss": 1 / 3}, {"data": "b", "loss": [1.0, 2]}])
    write_results(path, results)
    first = path.read_bytes()
    write_results(path, results)
    assert path.read_bytes() == first
    found = read_results(path)
    assert found.rows == [{"data": "a", "loss": 0.33333333}, {"data": "b", "loss": [1.0, 2]}]
    assert found.versions == results.versions
    assert set(found.versions) == {"python", "treewright", "numpy", "scipy"}


def test_tables_go_between_their_marks(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- table: x -->\nold\n<!-- end: x -->\nb\n")
    for _ in range(2):
        fill_table(page, "x", markdown_table(["K", "loss"], [(1, 2.5)]))
    assert (
        page.read_text()
        == "a\n<!-- table: x -->\n| K | loss |\n| --- | --- |\n| 1 | 2.5 |\n<!-- end: x -->\nb\n"
    )
    with pytest.raises(ValueError, match=r"page.md has to have '<!-- table: y -->' and, after it"):
        fill_table(page, "y", "text")


def test_a_stand_in_says_so(no_data):
    assert data_file("density", "nltcs.npz") is None
    rows = density("nltcs")
    assert rows.shown == "nltcs (generated)"
    assert rows.train == density("nltcs").train
    assert network("asia")[1] == "asia"
    assert network("andes")[1] == "andes"  # of the catalogue
    assert network("munin")[1] == "munin (generated)"


def test_a_folder_without_the_file_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("TREEWRIGHT_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"which has no density/nltcs\.npz"):
        density("nltcs")


def test_time_comes_with_the_result():
    result, seconds = timed(lambda: sum(range(1000)), repeats=3)
    assert result == 499500
    assert 0 <= seconds < 1


def test_pictures_repeat(tmp_path):
    pytest.importorskip("matplotlib")
    panel = Panel("genes", "K", "log-loss", [Line("chains", [1, 2], [3.0, 2.5], [0.1, 0.2])])
    for name in ("a.svg", "b.svg"):
        draw(tmp_path / name, [panel])
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert b"chains" in (tmp_path / "a.svg").read_bytes()


def test_compact_pictures_keep_their_letters():
    svg = (
        '<svg>\n <metadata>x</metadata>\n <g id="a">\n  <path d="M 1.23456 -0.00001\nL 2.5 3"/>\n'
        '  <text x="7.129">0.1256</text>\n </g>\n</svg>\n'
    )
    assert compact(svg) == '<svg><g><path d="M 1.23 -0 L 2.5 3"/><text x="7.13">0.1256</text></g></svg>\n'


def test_a_full_run_keeps_its_rows_and_fills_its_page(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("TREEWRIGHT_DATA", str(tmp_path))
    page = tmp_path / "page.md"
    page.write_text("<!-- table: t -->\n<!-- end: t -->\n")

    def tables(rows):
        return {"t": markdown_table(["x"], [[row["x"]] for row in rows])}

    experiment = Experiment(
        "paper.figure", lambda full: iter([{"x": 1}, {"x": int(full)}]), tables, "page.md"
    )
    assert run(experiment, [], root=tmp_path) == [{"x": 1}, {"x": 1}]
    assert "| x |\n| --- |\n| 1 |\n| 1 |\n" in page.read_text()
    page.write_text("<!-- table: t -->\n<!-- end: t -->\n")
    assert run(experiment, ["--render"], root=tmp_path) == [{"x": 1}, {"x": 1}]
    assert "| 1 |" in page.read_text()
    assert capsys.readouterr().out == "x 1\nx 1\n"


def test_a_table_that_the_page_has_no_place_for_goes_into_the_record(tmp_path, monkeypatch):
    monkeypatch.setenv("TREEWRIGHT_DATA", str(tmp_path))
    record = tmp_path / "experiments" / "paper" / "RECORD.md"
    record.parent.mkdir(parents=True)
    for file, name in ((tmp_path / "page.md", "short"), (record, "long")):
        file.write_text(f"<!-- table: {name} -->\n<!-- end: {name} -->\n")
    tables = {"short": "few", "long": "many"}
    run(
        Experiment("paper.figure", lambda full: iter([{"x": 1}]), lambda rows: tables, "page.md"),
        [],
        root=tmp_path,
    )
    assert "few" in (tmp_path / "page.md").read_text()
    assert "many" in record.read_text()
    tables["nowhere"] = "none"
    with pytest.raises(ValueError, match="nowhere"):
        run(
            Experiment("paper.figure", lambda full: iter([]), lambda rows: tables, "page.md"),
            [],
            root=tmp_path,
        )


def test_cells_that_were_measured_are_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("TREEWRIGHT_DATA", str(tmp_path))
    (tmp_path / "page.md").write_text("")
    asked = []

    def squared(number):
        asked.append(number)
        return {"square": number**2}

    def experiment(*numbers):
        cells = [Cell({"number": number}, partial(squared, number)) for number in numbers]
        return Experiment("paper.figure", lambda full: iter(cells), lambda rows: {}, "page.md")

    run(experiment(1, 2), [], root=tmp_path)
    found = run(experiment(2, 3), ["--resume"], root=tmp_path)
    assert found == [{"number": 2, "square": 4}, {"number": 3, "square": 9}]
    assert asked == [1, 2, 3]
    run(experiment(3), [], root=tmp_path)
    assert asked == [1, 2, 3, 3], "without --resume everything is measured again"


def test_a_picture_may_be_an_svg(tmp_path, monkeypatch):
    monkeypatch.setenv("TREEWRIGHT_DATA", str(tmp_path))
    (tmp_path / "page.md").write_text("")
    drawn = {"a.svg": "<svg>\n<g/>\n</svg>"}
    experiment = Experiment(
        "paper.figure", lambda full: iter([{"x": 1}]), lambda rows: {}, "page.md", lambda rows: drawn
    )
    run(experiment, [], root=tmp_path)
    assert (tmp_path / "pictures" / "a.svg").read_text() == "<svg><g/></svg>\n"

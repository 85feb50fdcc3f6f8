"""What survey platforms, spreadsheets and accountants make of numbers, dates, times and answers."""

import random

import pytest

import treewright as tw
from treewright.cli import main

N = 120


def beside(**columns):
    """A column to test beside one that has no trap."""
    chance = random.Random(5)
    return {"died": [chance.choice(["yes", "no"]) for _ in range(N)], **columns}


def drawn(make, seed=3):
    chance = random.Random(seed)
    return [make(chance) for _ in range(N)]


def kinds(rows, **how):
    return {finding.kind: finding for finding in tw.read_table(rows, **how).report.findings}


class TestNumbers:
    @pytest.mark.parametrize(
        ("write", "first"),
        [
            (lambda n: f"({-n})" if n < 0 else str(n), "(12)"),
            (lambda n: f"{-n}-" if n < 0 else str(n), "12-"),
            (lambda n: str(n).replace("-", "\u2212"), "\u221212"),
            (lambda n: f"{n:+d}", "-12"),
        ],
    )
    def test_a_minus_as_accountants_and_typesetters_write_it(self, write, first):
        numbers = [-12, *drawn(lambda c: c.randint(-400, 400))[1:]]
        rows = beside(balance=list(map(write, numbers)))
        assert rows["balance"][0] == first
        found = kinds(rows)
        assert found["numbers with signs"].option == "--mend"
        assert "whose sign is written otherwise" in found["numbers with signs"].sentence
        table = tw.read_table(rows, mend=True)
        assert table.to_dict()["balance"] == numbers
        model = tw.learn(table).model
        assert model.score(rows) == model.score(table)  # later rows are read alike

    def test_school_grades_are_no_numbers(self):
        rows = beside(grade=drawn(lambda c: c.choice(["1", "1-", "2+", "2", "2-", "3"])))
        assert set(kinds(rows)) == set()
        assert tw.read_table(rows, mend=True).schema["grade"].cardinality == 6

    def test_telephones_are_no_amounts(self):
        rows = beside(phone=drawn(lambda c: f"+1{c.randint(10**9, 10**10 - 1)}"))
        assert "numbers with signs" not in kinds(rows)

    @pytest.mark.parametrize(
        "write",
        [
            lambda c: f"{c.randint(90, 180)}/{c.randint(50, 110)}",
            lambda c: f"{c.randint(40, 99)} kg" if c.random() < 0.5 else f"{c.randint(100, 200)} lb",
            lambda c: f"{c.randint(1, 99)}.5%" if c.random() < 0.5 else f"0.{c.randint(100, 999)}",
            lambda c: f"{c.randint(1, 9)},{c.randint(10, 99)},{c.randint(100, 999)}",
        ],
    )
    def test_texts_of_digits_are_never_silent_states_or_keys(self, write):
        found = kinds(beside(value=drawn(write)))
        assert set(found) == {"numbers of other forms"}
        assert found["numbers of other forms"].option == "else --ignore value"
        table = tw.read_table(beside(value=drawn(write)))
        assert {one.kind for one in tw.tables.inspect_table(table)} == {"numbers of other forms"}

    def test_commas_that_could_be_either_have_two_ways_out(self):
        rows = beside(pay=drawn(lambda c: f"{c.randint(1_000, 99_999):,}"))
        assert kinds(rows)["decimal commas"].option == "--decimal , or, if they do, --decimal ."
        plain = [int(text.replace(",", "")) for text in rows["pay"]]
        table = tw.read_table(rows, decimal=".")
        assert table.to_dict()["pay"] == plain
        assert [str(one) for one in table.report.mendings] == [
            f"commas between thousands read in 'pay' ({N} cells)"
        ]
        assert tw.read_table(rows, decimal=",").to_dict()["pay"] == [n / 1000 for n in plain]
        model = tw.learn(table).model
        assert model.score(rows) == model.score(table)

    def test_points_of_thousands_beside_decimal_commas(self, tmp_path):
        """1.234 is above a thousand where 70,5 is a fraction; it was read as a fraction without a word."""
        chance = random.Random(1)
        pay = [chance.randint(1_000, 99_999) for _ in range(N)]
        weight = [round(chance.uniform(40, 99), 1) for _ in range(N)]
        lines = ["sex;pay;weight"]
        lines += [
            f"{chance.choice('mf')};{p:,}".replace(",", ".") + f";{w:.1f}".replace(".", ",")
            for p, w in zip(pay, weight, strict=True)
        ]
        path = tmp_path / "export.csv"
        path.write_text("\n".join(lines) + "\n")
        found = kinds(path)["points of thousands"]
        assert (found.columns, found.option) == (("pay",), "--decimal ,")
        table = tw.read_table(path, decimal=",")
        assert table.to_dict()["pay"] == pay
        assert table.to_dict()["weight"] == weight
        assert "points between thousands read in 'pay'" in str(table.report)
        read = tw.read_table(path, schema=table.schema)  # without saying so once more
        assert read.to_dict()["pay"] == pay

    def test_a_point_that_parts_no_thousands_is_one_of_decimals(self, tmp_path):
        path = tmp_path / "rows.csv"
        path.write_text("a;b;c\n" + "1,5;2.25;True\n2,5;3.5;False\n" * 30)
        assert tw.read_table(path, decimal=",").to_dict()["b"][:2] == [2.25, 3.5]
        assert tw.read_table(path, decimal=",").schema["c"].states == (False, True)

    def test_an_income_is_no_key(self):
        rows = beside(income=drawn(lambda c: c.randint(10_000, 90_000)), case=list(range(1_001, 1_001 + N)))
        assert tw.read_table(rows).report.identifiers == ("case",)


class TestDates:
    def test_dates_of_several_forms_are_read_if_only_one_reading_fits(self):
        forms = ["2023-04-{0:02}", "4/{0}/2023", "{0} Apr 2023"]
        rows = beside(visit=drawn(lambda c: c.choice(forms).format(c.randint(1, 28))))
        assert kinds(rows)["dates"].option == "--dates visit=year,month, or --ignore visit"
        table = tw.read_table(rows, dates={"visit": ("month", "day")})
        assert set(table.to_dict()["visit.month"]) == {4}
        bare = [text.removeprefix("2023-04-").removeprefix("4/") for text in rows["visit"]]
        days = [int(text.split("/")[0].split()[0]) for text in bare]
        assert table.to_dict()["visit.day"] == days

    def test_marks_among_dates(self):
        rows = beside(
            visit=drawn(
                lambda c: "soon" if c.random() < 0.1 else f"2023-{c.randint(1, 12):02}-{c.randint(1, 28):02}"
            )
        )
        found = kinds(rows)["marks among dates"]
        assert "'soon' among them" in found.sentence
        assert found.option == "--missing-value visit=soon --dates visit=year,month"
        table = tw.read_table(
            rows, missing_values={"visit": ["soon"]}, dates={"visit": ("month",)}, missing="em"
        )
        assert table.report["visit.month"].n_missing == rows["visit"].count("soon")

    def test_times_of_day_have_an_hour(self, tmp_path, capsys):
        rows = beside(at=drawn(lambda c: f"{c.randint(0, 23)}:{c.randint(0, 59):02}"))
        assert kinds(rows)["dates"].option == "--dates at=hour, or --ignore at"
        hours = [int(text.split(":")[0]) for text in rows["at"]]
        assert tw.read_table(rows, dates=("year", "hour")).to_dict()["at.hour"] == hours
        with pytest.raises(tw.errors.SchemaError) as refused:
            tw.read_table(rows, dates={"at": ("year",)})
        assert str(refused.value) == "'at' holds times of day, which have no year; ask for its hour"
        path = tmp_path / "rows.csv"
        path.write_text("died,at\n" + "".join(f"{a},{b}\n" for a, b in zip(*rows.values(), strict=True)))
        assert main(["inspect", str(path)]) == 0
        assert f"next: treewright learn {path} --dates at=hour -o model.twm" in capsys.readouterr().out

    def test_a_clock_of_twelve_hours(self):
        rows = beside(at=["12:05 AM", "12:05 p.m.", "7:30 PM", "7:30 am"] * (N // 4))
        assert tw.read_table(rows, dates=("hour",)).to_dict()["at.hour"][:4] == [0, 12, 19, 7]


class TestAnswers:
    def test_yes_and_no_in_several_spellings(self):
        rows = beside(
            smokes=drawn(lambda c: c.choice(["yes", "Yes", "Y", "true", "1", "no", "N", "0", "false"]))
        )
        assert set(kinds(rows)) == {"spellings of yes and no"}
        table = tw.read_table(rows, mend=True)
        assert table.schema["smokes"].cardinality == 2
        yes = {text for text in rows["smokes"] if text.lower()[0] in "yt1"}
        said = {table.labels("smokes")[i] for i, text in enumerate(rows["smokes"]) if text in yes}
        assert len(said) == 1
        assert tw.read_table(rows, schema=table.schema).to_dict() == table.to_dict()
        other = {"died": ["no"], "smokes": ["TRUE"]}  # a spelling that no row had
        assert tw.read_table(other, schema=table.schema).labels("smokes")[0] in said

    @pytest.mark.parametrize(
        "labels", [["yes", "no"], ["0", "1"], ["Y", "N", "maybe"], ["1", "2", "0"], ["y", "yes"]]
    )
    def test_others_stay_as_they_are(self, labels):
        rows = beside(x=drawn(lambda c: c.choice(labels)))
        assert tw.read_table(rows, mend=True).schema["x"].cardinality == len(labels)

    def test_several_answers_in_one_cell(self):
        languages = ["en", "de", "fr", "it"]
        rows = beside(speaks=drawn(lambda c: ";".join(sorted(c.sample(languages, c.randint(1, 3))))))
        found = kinds(rows)["several answers"]
        assert "make a column of each answer between ';'" in found.sentence

    def test_addresses_and_ranges_are_one_answer(self):
        rows = beside(
            town=drawn(
                lambda c: c.choice(["Rome, Italy", "Oslo, Norway", "Bern, Switzerland", "Paris, France"])
            ),
            age=drawn(lambda c: c.choice(["18-24", "25-34", "35-44", "45+"])),
        )
        assert kinds(rows) == {}

    def test_what_nobody_sees_parts_no_labels(self):
        rows = beside(
            town=drawn(lambda c: c.choice(["Orl\u00e9ans", "Orle\u0301ans", "Orl\u00e9ans\u200b"])),
            other=drawn(lambda c: c.choice("abc")),
        )
        assert kinds(rows)["spellings"].columns == ("town",)
        assert tw.read_table(rows, mend=True).schema["town"].cardinality == 1

    def test_refusals_among_numbers(self):
        rows = beside(age=drawn(lambda c: c.choice([str(c.randint(18, 89)), "Refused", "90+", "don't know"])))
        found = kinds(rows)["marks among numbers"]
        assert set(found.labels) == {"Refused", "90+", "don't know"}
        assert "a limit of detection is a value" in found.sentence


class TestSources:
    def test_instants_say_by_which_clock_they_are_read(self, tmp_path):
        pandas = pytest.importorskip("pandas")
        pytest.importorskip("pyarrow")
        days = pandas.date_range("2024-01-01", periods=20, tz="Europe/Berlin")
        frame = pandas.DataFrame({"at": days, "x": ["a", "b"] * 10})
        table = tw.read_table(frame)
        assert table.report["at"].notes == ("instants, as clocks in Europe/Berlin show them",)
        assert table.schema["at"].states[0] == "2024-01-01"
        frame.to_parquet(tmp_path / "rows.parquet")
        table = tw.read_table(tmp_path / "rows.parquet")
        assert table.report["at"].notes == ("instants, as clocks in UTC show them",)
        assert table.schema["at"].states[0] == "2023-12-31 23:00:00"

    def test_all_columns_without_a_name_are_counted(self, tmp_path):
        path = tmp_path / "rows.csv"
        path.write_text("a;b;;;\n" + "x;y;;;\nz;w;;;\n" * 10)
        assert "3 columns have no name, and are left out" in tw.read_table(path).report.notes

    def test_names_without_rows(self, tmp_path, capsys):
        path = tmp_path / "rows.csv"
        path.write_text("a,b\n")
        assert main(["learn", str(path)]) == 1
        told = capsys.readouterr().err
        assert "on the command line: rows are needed; there is nothing below the names of the columns" in told

    def test_long_names_and_labels_leave_a_listing_readable(self, tmp_path, capsys):
        path = tmp_path / "rows.csv"
        path.write_text(f'"{"q" * 300}","line\nbreak"\n' + f"{'a' * 200},b\n{'c' * 200},b\n" * 10)
        assert main(["inspect", str(path)]) == 0
        shown = capsys.readouterr().out
        assert "line break" in shown
        assert max(map(len, shown.partition("to look at")[0].splitlines())) < 240

    def test_a_frame_is_inspected_as_it_is(self):
        polars = pytest.importorskip("polars")
        rows = beside(planet=["earth"] * N)
        told = [str(one) for one in tw.tables.inspect_table(tw.read_table(rows))]
        assert "'planet' never changes" in told[0]
        for frame in (rows, polars.DataFrame(rows), polars.DataFrame(rows).lazy()):
            assert [str(one) for one in tw.tables.inspect_table(frame)] == told

    def test_an_estimator_takes_a_lazy_frame(self):
        polars = pytest.importorskip("polars")
        rows = beside(other=drawn(lambda c: c.choice("ab")))
        eager, lazy = polars.DataFrame(rows), polars.DataFrame(rows).lazy()
        assert tw.HillClimbing().fit(lazy).structure_ == tw.HillClimbing().fit(eager).structure_

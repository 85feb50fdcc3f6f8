"""Twelve messy files, as clinics and surveys send them: each with a trap, and the words that must name it."""

import random
from dataclasses import dataclass, field

ROWS = 300


@dataclass
class Messy:
    """Rows of texts under a header, and what has to be found: kinds, words of sentences, options."""

    name: str
    columns: dict
    kinds: tuple
    words: tuple
    options: tuple = ()
    query: str = "died"
    delimiter: str = ","
    learn: tuple = field(default=())

    def write(self, folder):
        path = folder / f"{self.name}.csv"
        rows = zip(*self.columns.values(), strict=True)
        lines = [self.delimiter.join(self.columns), *map(self.delimiter.join, rows)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path


def clean(chance, n=ROWS):
    """Columns without a trap: a disease that smoking causes, and a death that it causes."""
    smoker = [chance.random() < 0.4 for _ in range(n)]
    ill = [chance.random() < (0.7 if one else 0.2) for one in smoker]
    died = [chance.random() < (0.6 if one else 0.1) for one in ill]
    names = {"smoker": smoker, "ill": ill, "died": died}
    return {name: ["yes" if one else "no" for one in values] for name, values in names.items()}


def with_some(chance, values, marks, share=0.06):
    """Some of the values replaced by marks; each mark stands somewhere."""
    made = [chance.choice(marks) if chance.random() < share else value for value in values]
    for i, mark in enumerate(marks):
        made[7 * i + 3] = mark
    return made


def numbers(chance, mean, spread, form="{:.1f}", n=ROWS):
    return [form.format(chance.gauss(mean, spread)) for _ in range(n)]


def twelve():
    """The files, the same every time."""
    chance = random.Random(17)
    made = [
        Messy(
            "marks",
            {
                **clean(chance),
                "crp": with_some(chance, numbers(chance, 20, 5, "{:.2f}"), ["NA", "?", "n/a", "."]),
            },
            ("marks among numbers",),
            ("'crp' holds numbers, and", "'NA'", "first in row"),
            ("--missing-value crp=NA", "--missing-value 'crp=?'", "--mend"),
            learn=("--missing", "state", "--bins", "3"),
        ),
        Messy(
            "limits",
            {**clean(chance), "psa": with_some(chance, numbers(chance, 4, 1, "{:.2f}"), ["<0.5", "-"])},
            ("marks among numbers",),
            ("a limit of detection is a value, not a missing one", "'<0.5'"),
            ("--missing-value 'psa=<0.5'", "--missing-value psa=-"),
        ),
        Messy(
            "sentinels",
            {**clean(chance), "weight": with_some(chance, numbers(chance, 70, 9), ["-999"])},
            ("numbers that may be marks",),
            ("'weight' holds -999", "far from all other numbers"),
            ("--missing-value weight=-999",),
            learn=("--missing", "drop", "--bins", "3"),
        ),
        Messy(
            "commas",
            {**clean(chance), "height": [t.replace(".", ",") for t in numbers(chance, 170, 9)]},
            ("decimal commas",),
            ("'height' holds numbers with commas such as", "read as texts"),
            ("--decimal ,", "--mend"),
            delimiter=";",
            learn=("--bins", "3"),
        ),
        Messy(
            "dates",
            {
                **clean(chance),
                "visit": [
                    f"{chance.randint(2019, 2023)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
                    for _ in range(ROWS)
                ],
                "seen": [
                    f"{chance.randint(1, 28)}/{chance.randint(1, 12)}/{chance.randint(2019, 2023)}"
                    for _ in range(ROWS)
                ],
                "wave": [f"0{chance.randint(1, 3)}.0{chance.randint(1, 3)}.2024" for _ in range(ROWS)],
            },
            ("dates",),
            ("'visit'", "each a state of its own"),
            ("--dates year,month",),
        ),
        Messy(
            "spellings",
            {
                **clean(chance),
                " sex ": [chance.choice(["m", "f", "M", "F"]) for _ in range(ROWS)],
                "ward": [chance.choice(["North", "north", "NORTH ", "South", "south"]) for _ in range(ROWS)],
                "gene": [chance.choice(["AA", "Aa", "aa"]) for _ in range(ROWS)],
            },
            ("spellings", "spellings of short labels", "blanks in names"),
            (
                "differ in blanks or case only",
                "'NORTH '",
                "they stay apart, since case may mean something",
                "' sex '",
            ),
            ("--mend",),
        ),
        Messy(
            "texts",
            {
                **clean(chance),
                "stage": with_some(
                    chance, [chance.choice(["I", "II", "III"]) for _ in range(ROWS)], ["NA", "?"]
                ),
            },
            ("marks among texts",),
            ("'stage' holds 'NA', '?'", "a state like any other, if it does not mean missing"),
            ("--missing-value stage=NA", "--missing-value 'stage=?'"),
            learn=("--missing", "state"),
        ),
        Messy(
            "constant",
            {**clean(chance), "hospital": ["St. Mary"] * ROWS, "rare": ["no"] * (ROWS - 1) + ["yes"]},
            ("constant", "nearly constant"),
            ("'hospital' never changes", "'rare' is nearly constant: 'no' in all but 1 row"),
            ("--ignore hospital", "--ignore rare"),
        ),
        copies(chance),
        Messy(
            "keys",
            {
                **clean(chance),
                "patient": [f"P{i * 7919 % 100003:06}" for i in range(ROWS)],
                "row": [str(i + 1) for i in range(ROWS)],
                "comment": [f"seen by doctor {i}, came back".replace(",", ";") for i in range(ROWS)],
            },
            ("identifiers",),
            ("'patient', 'row', 'comment' have values of their own in nearly every row",),
            ("--ignore patient", "--ignore comment"),
        ),
        Messy(
            "crowded",
            {**clean(chance), "diagnosis": [f"C{chance.randint(0, 120):03}" for _ in range(ROWS)]},
            ("many states",),
            ("'diagnosis' has", "states for 300 rows", "too few to tell what depends on it"),
            ("--ignore diagnosis",),
        ),
        Messy(
            "few",
            {
                **clean(chance, 40),
                **{f"item{i:02}": [chance.choice("ab") for _ in range(40)] for i in range(60)},
            },
            ("few rows",),
            ("40 rows for 63 columns: few edges can be told from chance",),
            ("--bootstrap 100",),
        ),
    ]
    assert len(made) == 12
    return made


def copies(chance):
    """A column twice under other names of its states, and thirty rows that were entered twice."""
    columns = clean(chance)
    columns |= {"sex": [chance.choice("mf") for _ in range(ROWS)], "age": numbers(chance, 50, 10, "{:.3f}")}
    columns["gender"] = [{"m": "male", "f": "female"}[one] for one in columns["sex"]]
    doubled = {name: [*values, *values[:30]] for name, values in columns.items()}
    return Messy(
        "copies",
        doubled,
        ("copies", "repeated rows"),
        (
            "'sex', 'gender' are copies of each other up to the names of their states",
            "30 rows like an earlier one",
        ),
        ("--ignore gender",),
        learn=("--bins", "3"),
    )

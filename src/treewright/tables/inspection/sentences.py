"""Findings in plain sentences, each with the option that mends it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from treewright.tables.exports import counted
from treewright.tables.inspection.words import AMONG_NUMBERS, is_mark, word
from treewright.tables.report import Finding, listed

OR_MEND = (" (or --mend)", " (or mend=True)")


@dataclass(frozen=True)
class Seen:
    """One thing in one column: which labels, in how many cells, in which rows first."""

    kind: str
    column: str
    labels: tuple[str, ...] = ()
    cells: int = 0
    rows: tuple[int, ...] = ()
    n_states: int = 0
    about: str = ""


@dataclass(frozen=True)
class Group:
    """Columns of which the same is to be said."""

    kind: str
    seen: Sequence[Seen]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(one.column for one in self.seen)

    @property
    def labels(self) -> tuple[str, ...]:
        return self.seen[0].labels

    @property
    def n_cells(self) -> int:
        return sum(one.cells for one in self.seen)

    @property
    def who(self) -> str:
        """The subject of a sentence, with its verb."""
        if len(self.seen) == 1:
            return f"{self.names[0]!r} holds"
        return f"{len(self.seen):,} columns ({listed([repr(name) for name in self.names], 4)}) hold"

    @property
    def where(self) -> str:
        """In how many cells, and in which rows first."""
        first = self.seen[0]
        rows = f"first in row{'s' if len(first.rows) > 1 else ''} {', '.join(map(str, first.rows))}"
        column = f" of {first.column!r}" if len(self.seen) > 1 else ""
        return f"in {counted(self.n_cells, 'cell')} ({rows}{column})"

    def shown(self, most: int = 5) -> str:
        return listed([repr(label) for label in self.labels], most)

    def examples(self, most: int = 2) -> str:
        return ", ".join(repr(label) for label in self.labels[:most])

    def told(self, sentence: str, option: str = "", python: str = "") -> Finding:
        first = self.seen[0]
        return Finding(self.kind, self.names, sentence, option, python, self.n_cells, self.labels, first.rows)

    @property
    def as_missing(self) -> tuple[str, str]:
        """The options that take the labels for missing cells."""
        many, marks = len(self.names) > 3, list(self.labels[:4])
        said = marks if many else [f"{name}={mark}" for name in self.names for mark in marks]
        by_name = dict.fromkeys(self.names, marks)
        option = " ".join(f"--missing-value {shlex.quote(text)}" for text in said)
        return option, f"missing_values={marks if many else by_name!r}"


def tell_marks(group: Group) -> Finding:
    n_states = f"{group.seen[0].n_states:,} states" if len(group.seen) == 1 else "states, one for each"
    limits = any(word(label) == "limit" for label in group.labels)
    doubt = "; a limit of detection is a value, not a missing one" if limits else ""
    sentence = (
        f"{group.who} numbers, and {group.shown()} among them {group.where}: all of it is read as texts, "
        f"{n_states}{doubt}"
    )
    option, python = group.as_missing
    if all(is_mark(label, AMONG_NUMBERS) for label in group.labels):
        option, python = option + OR_MEND[0], python + OR_MEND[1]
    return group.told(sentence, option, python)


def tell_marks_among_texts(group: Group) -> Finding:
    sentence = (
        f"{group.who} {group.shown()} {group.where}: a state like any other, if it does not mean missing"
    )
    return group.told(sentence, *group.as_missing)


def tell_sentinels(group: Group) -> Finding:
    (number,) = group.labels
    option, python = group.as_missing
    clear = all(one.about == "clear" for one in group.seen)
    why = "alone below zero and far" if clear else "far"
    sentence = (
        f"{group.who} {number} {group.where}, {why} from all other numbers: it may stand for a missing one"
    )
    or_mend = OR_MEND if clear else ("", "")
    return group.told(sentence, option + or_mend[0], python.replace(repr(number), number) + or_mend[1])


def tell_commas(group: Group) -> Finding:
    about = group.seen[0].about
    sentence = f"{group.who} numbers with commas such as {group.examples()} {group.where}, read as texts"
    if about == "unclear":
        doubt = "the commas could also set thousands apart"
        option = "--decimal , or, if they do, --decimal ."
        return group.told(f"{sentence}; {doubt}", option, "decimal=',' or, if they do, decimal='.'")
    if about == "held back":
        option, python = "--decimal , beside --missing-value", "decimal=',' beside missing_values="
        return group.told(
            f"{sentence}, as are those without while other texts stand among them", option, python
        )
    return group.told(sentence, "--decimal ," + OR_MEND[0], "decimal=','" + OR_MEND[1])


def tell_points(group: Group) -> Finding:
    sentence = (
        f"{group.who} numbers such as {', '.join(group.labels)}: beside decimal commas in other columns "
        "their points may set thousands apart"
    )
    return group.told(sentence, "--decimal ,", "decimal=','")


def tell_thousands(group: Group) -> Finding:
    sentence = f"{group.who} numbers with commas between thousands such as {group.examples()} {group.where}"
    return group.told(f"{sentence}, read as texts", "--mend", "mend=True")


def tell_signs(group: Group) -> Finding:
    sign = group.seen[0].about
    carried = {" ": "with blanks between thousands", "-": "whose sign is written otherwise"}.get(
        sign, f"with {sign!r}"
    )
    sentence = f"{group.who} numbers {carried} such as {group.examples()} {group.where}, read as texts"
    return group.told(sentence, "--mend", "mend=True")


def tell_number_texts(group: Group) -> Finding:
    sentence = (
        f"{group.who} nothing but numbers, written as texts such as {group.examples()}: each is a state"
    )
    return group.told(sentence, "", "convert it to numbers")


def tell_other_forms(group: Group) -> Finding:
    states = f", {group.seen[0].n_states:,} states" if len(group.names) == 1 else ""
    sentence = (
        f"{group.who} texts of digits such as {group.examples()} {group.where}{states}: if they are numbers, "
        "write them plainly, each in a column of its own"
    )
    name = group.names[0] if len(group.names) == 1 else "COLUMN"
    return group.told(sentence, f"else --ignore {shlex.quote(name)}", "else columns=[...] without them")


def tell_marks_among_dates(group: Group) -> Finding:
    name = group.names[0]
    sentence = f"{group.who} dates, and {group.shown()} among them {group.where}: all of it is read as texts"
    option, python = group.as_missing
    dates = f"{name}=dmy,year,month" if group.seen[0].about == "unclear" else f"{name}=year,month"
    return group.told(
        sentence, f"{option} --dates {shlex.quote(dates)}", f"{python}, dates={ {name: ('year', 'month')}!r}"
    )


def tell_truth(group: Group) -> Finding:
    sentence = f"{group.who} yes and no in several spellings, each a state of its own: {group.shown(8)}"
    return group.told(sentence, "--mend", "mend=True")


def tell_several_answers(group: Group) -> Finding:
    shown, between = group.examples(), group.seen[0].about
    sentence = (
        f"{group.who} several answers in one cell, such as {shown}, {group.where}: each combination is a "
        f"state of its own; make a column of each answer between {between!r}"
    )
    return group.told(sentence)


def tell_dates(group: Group) -> Finding:
    if group.seen[0].about == "time":
        names = group.names
        where = "hour" if len(names) > 1 else f"{names[0]}=hour"
        sentence = f"{group.who} times of day such as {group.examples(1)}, each a state of its own"
        out = "" if len(names) > 1 else f", or --ignore {shlex.quote(names[0])}"
        python = "dates=('hour',)" if len(names) > 1 else f"dates={ {names[0]: ('hour',)}!r}"
        return group.told(sentence, f"--dates {shlex.quote(where)}{out}", python)
    order = "dmy," if group.seen[0].about == "unclear" else ""
    doubt = "; day and month could be either, so say dmy or mdy" if order else ""
    n_states = f"{group.seen[0].n_states:,} of them, " if len(group.seen) == 1 else ""
    taken = "each a state of its own"
    if group.seen[0].about == "whole numbers":
        taken = "read as whole numbers, whose steps mean nothing"
    sentence = f"{group.who} dates such as {group.examples(1)}, {n_states}{taken}{doubt}"
    parts = f"{order}year,month"
    if len(group.names) > 1:
        return group.told(sentence, f"--dates {parts}", f"dates={tuple(parts.split(','))!r}")
    name = group.names[0]
    option = f"--dates {shlex.quote(f'{name}={parts}')}, or --ignore {shlex.quote(name)}"
    return group.told(sentence, option, f"dates={ {name: tuple(parts.split(','))}!r}")


def tell_spellings(group: Group) -> Finding:
    sentence = (
        f"{group.who} labels that differ in blanks or case only, each a state of its own: {group.shown(6)}"
    )
    return group.told(sentence, "--mend", "mend=True")


def tell_short_spellings(group: Group) -> Finding:
    return group.told(
        f"{group.who} short labels that differ in case only: {group.shown(6)}; they stay apart, since case "
        "may mean something: if it does not, write them alike"
    )


def tell_names(group: Group) -> Finding:
    shown = listed([repr(name) for name in group.names], 6)
    return group.told(f"blanks before or after a name: {shown}", "--mend", "mend=True")


# The gravest first.
SENTENCES: dict[str, Callable[[Group], Finding]] = {
    "marks among numbers": tell_marks,
    "numbers that may be marks": tell_sentinels,
    "decimal commas": tell_commas,
    "thousands": tell_thousands,
    "points of thousands": tell_points,
    "numbers with signs": tell_signs,
    "dates": tell_dates,
    "marks among dates": tell_marks_among_dates,
    "numbers of other forms": tell_other_forms,
    "numbers as texts": tell_number_texts,
    "spellings of yes and no": tell_truth,
    "spellings": tell_spellings,
    "spellings of short labels": tell_short_spellings,
    "marks among texts": tell_marks_among_texts,
    "several answers": tell_several_answers,
    "blanks in names": tell_names,
}
KEYED_BY_LABELS = frozenset(SENTENCES) - {
    "dates", "decimal commas", "thousands", "numbers as texts", "numbers with signs", "blanks in names",
    "numbers of other forms", "several answers", "points of thousands"
}  # fmt: skip

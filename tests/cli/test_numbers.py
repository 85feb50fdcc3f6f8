"""Every option that is a number, given as what it cannot be: an answer or a refusal, and no traceback."""

import re

import numpy as np
import pytest
import typer
from tests.doors import WORK, within
from typer.testing import CliRunner

import treewright as tw
from treewright.cli.app import app

VALUES = ("2147483648", "9223372036854775808", "-1", "0", "nan", "inf", "1e300", "three")
WORDS = {
    "learn": ["rows.csv", "--quiet"],
    "score": ["asia.twm", "rows.csv"],
    "query": ["asia.twm", "dysp"],
    "cross-validate": ["rows.csv", "--method", "chow-liu"],
    "explore": ["asia.twm", "-o", "page.html", "--force"],
    "predict": ["asia.twm", "rows.csv", "--target", "dysp"],
    "report": ["asia.twm", "rows.csv", "-o", "report.html", "--force"],
    "inspect": ["rows.csv"],
}


def numbers():
    """The options that are numbers, by command."""
    for name, command in typer.main.get_command(app).commands.items():
        for option in command.params:
            told = getattr(option, "type_descriptor", None)  # older versions of typer have a type of click
            kind = str(told.annotation) if told is not None else option.type.name
            if re.search(r"\b(int|integer|float)\b", kind):
                yield name, option.opts[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("numbers")
    asia = tw.load_network("asia")
    asia.save(made / "asia.twm")
    rows = asia.sample(60, rng=np.random.default_rng(0)).to_dict()
    lines = [",".join(rows), *(",".join(map(str, row)) for row in zip(*rows.values(), strict=True))]
    (made / "rows.csv").write_text("\n".join(lines) + "\n")
    return made


@pytest.mark.slow
@pytest.mark.parametrize(("command", "option"), [pair for pair in numbers() if pair[0] != "demo"])
def test_a_number_is_taken_or_refused(command, option, folder, monkeypatch):
    monkeypatch.chdir(folder)
    for value in VALUES:
        with within(2 * WORK):
            result = CliRunner().invoke(app, [command, *WORDS.get(command, ["asia.twm"]), option, value])
        assert result.exit_code in (0, 1, 2), (value, result.output)
        assert result.exception is None or isinstance(result.exception, SystemExit), (value, result.exception)


def test_options_are_found():
    assert {("learn", "--treewidth"), ("sample", "--rows")} <= set(numbers()), sorted(numbers())

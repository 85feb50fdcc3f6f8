"""The command line in this process (`run`) and in one of its own (`spawn`)."""

import json
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from treewright import load_network
from treewright.cli.app import app


@pytest.fixture
def run():
    def run(*arguments, code=0):
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        assert result.exit_code == code, result.output
        if result.exception is not None:
            assert isinstance(result.exception, SystemExit), result.exception
        return result

    return run


@pytest.fixture
def run_json(run):
    """The one document on stdout."""

    def run_json(*arguments, code=0):
        result = run(*arguments, "--json", code=code)
        assert result.stdout.count("\n") == 1
        return json.loads(result.stdout, parse_constant=pytest.fail)

    return run_json


@pytest.fixture
def refused(run):
    """The message of a refusal: stdout stays empty, no traceback, one error."""

    def refused(*arguments, code=1):
        result = run(*arguments, code=code)
        assert result.stdout == ""
        assert "Traceback" not in result.stderr
        assert result.stderr.startswith("error: ")
        return result.stderr

    return refused


@pytest.fixture
def spawn():
    def spawn(*arguments, **options):
        command = [sys.executable, "-m", "treewright", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, **options)

    return spawn


@pytest.fixture
def asia_model():
    return load_network("asia")


@pytest.fixture
def asia_rows(asia_model, tmp_path):
    """A CSV file of 2,000 rows."""
    table = asia_model.sample(2_000, rng=np.random.default_rng(5))
    path = tmp_path / "asia.csv"
    rows = zip(*table.to_dict().values(), strict=True)
    path.write_text("\n".join([",".join(table.schema.names), *map(",".join, rows)]) + "\n")
    return path


@pytest.fixture
def asia_file(asia_model, tmp_path):
    path = tmp_path / "asia.twm"
    asia_model.save(path)
    return path

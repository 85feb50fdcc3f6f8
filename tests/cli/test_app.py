import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

import treewright
from treewright.cli import main
from treewright.cli.learning.methods import METHODS

COMMANDS = (
    "demo",
    "inspect",
    "learn",
    "query",
    "marginals",
    "score",
    "sample",
    "mpe",
    "predict",
    "cross-validate",
    "report",
    "compare",
    "verify",
    "convert",
    "explore",
    "doctor",
)


def test_version(run):
    assert run("--version").stdout == f"{treewright.__version__}\n"


@pytest.mark.slow
def test_the_module_is_the_command(spawn):
    done = spawn("--version")
    assert (done.returncode, done.stdout) == (0, f"{treewright.__version__}\n")


def test_no_command_shows_help(run):
    result = run()
    assert "Usage" in result.stdout
    for command in COMMANDS:
        assert command in result.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_and_both_ways_to_answer(run, command):
    help_text = run(command, "--help").stdout
    assert f"Example: treewright {command}" in help_text
    assert "--json" in help_text
    assert "--quiet" in help_text


@pytest.mark.parametrize("command", [*COMMANDS, None])
def test_help_names_what_to_write_and_no_types_of_python(run, command):
    help_text = run(*([] if command is None else [command]), "--help").stdout
    for word in ("<bool>", "<str>", "<int", "<float>", "<list"):
        assert word not in help_text


def test_help_says_which_method_when(run):
    said = " ".join(run("learn", "--help").stdout.split())
    for wish, methods in {
        "a width of your own": "bounded, chains",
        "independence tests instead of a score": "pc, tpda",
        "several tables that share only some of their columns": "separation-tree",
        "a network without directions": "bjp, mpl, ib, l1",
        "rows described as well as possible, edges or not": "mixture, cutset, lem",
    }.items():
        assert f"{wish}: {methods}" in said
        assert set(methods.split(", ")) <= set(METHODS)


@pytest.mark.slow
def test_shells_complete_commands_and_options(spawn):
    assert "_treewright_completion" in spawn("--show-completion", "bash").stdout
    for words, found in (("treewright pre", "predict"), ("treewright sample --se", "--seed")):
        asked = {
            "_TREEWRIGHT_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(words.count(" ")),
        }
        assert found in spawn(env={**os.environ, **asked}).stdout.split()


def test_an_unknown_command_names_the_nearest(refused):
    assert "Did you mean 'learn'?" in refused("lern")


def test_usage_errors_are_the_users_input(refused):
    message = refused("query", "asia")
    assert "Missing argument 'TARGET'" in message
    assert "treewright query --help" in message


def test_errors_with_json_are_one_document(run):
    result = run("query", "asia", "lungs", "--json", code=1)
    error = json.loads(result.stdout)["error"]
    assert error["type"] == "UnknownNameError"
    assert error["exit_code"] == 1
    assert "did you mean 'lung'?" in error["message"]
    assert result.stderr == f"error: {error['message']}\n"


def test_usage_errors_with_json_are_one_document(run):
    result = run("lern", "--json", code=1)
    assert json.loads(result.stdout)["error"]["exit_code"] == 1


def test_main_returns_the_exit_code(capsys):
    assert main(["--version"]) == 0
    assert main(["query", "asia", "lungs"]) == 1
    assert main(["sample", "asia", "-n", "1000", "--memory", "1KiB"]) == 2
    assert "error: " in capsys.readouterr().err


@pytest.mark.slow
def test_help_loads_no_reader():
    script = (
        "import sys\nfrom treewright.cli import main\nmain(['--help'])\n"
        "heavy = {'duckdb', 'pandas', 'polars', 'pyarrow', 'scipy', 'narwhals', 'networkx'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


@pytest.mark.slow
def test_a_pipe_gets_one_document_without_colour_or_progress(spawn, asia_rows):
    done = spawn("learn", asia_rows, "--json", env={**os.environ, "FORCE_COLOR": "1"})
    assert done.returncode == 0
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert json.loads(done.stdout)["rows"] == 2_000


@pytest.mark.slow
def test_text_in_a_pipe_has_no_control_codes(spawn, tmp_path):
    done = spawn("demo", cwd=tmp_path)
    assert done.returncode == 0
    assert "\x1b" not in done.stdout + done.stderr
    assert done.stderr == ""
    assert all(line == line.rstrip() for line in done.stdout.splitlines())


@pytest.mark.slow
def test_a_terminal_of_ascii_letters_is_no_failure(spawn, tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("größe,ж\nklein,1\ngroß,2\n", encoding="utf-8")
    done = spawn("inspect", rows, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert r"gr\xf6\xdfe" in done.stdout


@pytest.mark.slow
def test_a_reader_that_had_enough_is_no_error():
    command = [sys.executable, "-m", "treewright", "sample", "alarm", "-n", "50000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline().startswith(b"HISTORY,")
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(30) == 0


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interrupt_leaves_130_and_no_file(tmp_path):
    target = tmp_path / "rows.csv"
    arguments = ["sample", "alarm", "-n", "3000000", "-o", str(target)]
    command = [sys.executable, "-m", "treewright", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while not any(tmp_path.iterdir()) and time.monotonic() < deadline:  # until it writes
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert (stdout, stderr) == ("", "interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_with_json_is_a_document(run_json, monkeypatch):
    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("treewright.cli.commands.sample.open_with_given", interrupt)
    document = run_json("sample", "asia", "-n", "5", code=130)
    assert document["error"] == {"type": "Interrupted", "message": "interrupted", "exit_code": 130}


def test_faults_of_the_program_are_not_hidden(monkeypatch):
    def fail(*arguments, **options):
        raise ZeroDivisionError

    monkeypatch.setattr("treewright.cli.commands.sample.open_with_given", fail)
    with pytest.raises(ZeroDivisionError):
        main(["sample", "asia", "-n", "5"])


def seen_on_a_terminal(*arguments, cwd):
    """What a command writes when both streams are a terminal."""
    import pty

    controller, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    command = [sys.executable, "-m", "treewright", *arguments]
    with subprocess.Popen(command, stdout=terminal, stderr=terminal, cwd=cwd, env=environment) as process:
        os.close(terminal)
        seen = b""
        try:
            while block := os.read(controller, 65536):
                seen += block
        except OSError:  # the other end has closed
            pass
        assert process.wait(30) == 0
    os.close(controller)
    return seen


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals of POSIX")
def test_a_terminal_gets_progress_and_colour(tmp_path):
    seen = seen_on_a_terminal("sample", "asia", "-n", "1000", "-o", "rows.csv", cwd=tmp_path)
    assert b"sampling" in seen
    assert b"writing" in seen
    assert b"\x1b[" in seen
    assert b"1,000 rows of 8 columns in rows.csv" in seen


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals of POSIX")
def test_a_terminal_sees_where_a_search_is(tmp_path, run):
    rows = tmp_path / "rows.csv"
    run("sample", "alarm", "-n", "300", "-o", str(rows))
    # long enough for the bar to be drawn again, however busy the machine is
    search = ("-m", "bounded", "--effort", "1000000", "--seconds", "2")
    seen = seen_on_a_terminal("learn", "rows.csv", "-k", "3", *search, cwd=tmp_path)
    assert re.search(rb"learning: round [0-9,]+, width [0-3] of 3, score -[0-9,.]+", seen)

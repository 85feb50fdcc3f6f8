"""Nothing is lost: what commands write, and what they refuse to write over."""

import gzip
import os
import stat

import numpy as np
import pytest

from treewright import load_network, read_model, write_model
from treewright.cli.files import kind_of

KINDS = {"model": "a model", "page": "a page", "rows": "rows", "trace": "a trace", "packed": "packed rows"}


@pytest.fixture
def there(tmp_path, asia_rows, asia_file, run):
    """A file of each kind, by kind."""
    page, trace = tmp_path / "page.html", tmp_path / "trace.json"
    run("explore", asia_file, "-o", page)
    run("learn", asia_rows, "--method", "chow-liu", "--trace", trace, "-q")
    packed = tmp_path / "rows.twp"
    run("pack", asia_rows, "-o", packed)
    return {"model": asia_file, "page": page, "rows": asia_rows, "trace": trace, "packed": packed}


@pytest.fixture
def commands(tmp_path):
    """Every command that writes: what it writes, and how it is said with another name for the output."""
    rows, model = tmp_path / "in.csv", tmp_path / "in.twm"
    asia = load_network("asia")
    asia.save(model)
    table = asia.sample(300, rng=np.random.default_rng(1))
    rows.write_text(
        "\n".join([",".join(table.schema.names), *map(",".join, zip(*table.to_dict().values(), strict=True))])
    )
    return {
        "learn": ("model", lambda to: ("learn", rows, "-m", "chow-liu", "-o", to)),
        "trace": ("trace", lambda to: ("learn", rows, "-m", "chow-liu", "--trace", to)),
        "sample": ("rows", lambda to: ("sample", model, "-n", 10, "--seed", 1, "-o", to)),
        "convert": ("model", lambda to: ("convert", model, to)),
        "explore": ("page", lambda to: ("explore", model, "-o", to)),
        "predict": ("rows", lambda to: ("predict", model, rows, "--target", "lung", "-o", to)),
        "report": ("page", lambda to: ("report", model, rows, "-o", to)),
        "pack": ("packed", lambda to: ("pack", rows, "-o", to)),
    }


NAMES = ("learn", "trace", "sample", "convert", "explore", "predict", "report", "pack")


@pytest.mark.parametrize("command", NAMES)
def test_a_file_of_another_kind_is_refused(command, commands, there, refused):
    kind, said = commands[command]
    for other in KINDS.keys() - {kind}:
        ending = ".csv" if kind == "rows" or other == "rows" else ".twm"
        before = there[other].read_bytes()
        path = there[other].rename(there[other].with_name(f"{other}{ending}"))
        assert refused(*said(path)) == (
            f"error: cannot write {str(path)!r}: it holds {KINDS[other]}, and {KINDS[kind]} would take its "
            "place; choose another name, or replace it with --force\n"
        )
        assert path.read_bytes() == before


@pytest.mark.parametrize("command", NAMES)
def test_a_file_of_the_same_kind_is_replaced_and_that_is_said(command, commands, tmp_path, run, run_json):
    kind, said = commands[command]
    path = tmp_path / f"out{ENDINGS[kind]}"
    assert "replaced" not in run(*said(path)).stdout
    assert f"  replaced {path}, which held {KINDS[kind]}\n" in run(*said(path)).stdout
    assert run_json(*said(path))["replaced"] == [str(path)]
    assert kind_of(str(path)) == kind
    assert "replaced" not in run(*said(path), "--quiet").stdout


@pytest.mark.parametrize("command", ["learn", "trace", "explore"])
def test_force_replaces_what_is_there_and_says_so(command, commands, there, run):
    kind, said = commands[command]
    path = there["rows"]
    assert f"  replaced {path}, which held rows\n" in run(*said(path), "--force").stdout
    assert kind_of(str(path)) == kind


def test_rows_are_not_replaced_by_what_is_learned_from_them(asia_rows, tmp_path, refused, monkeypatch):
    before = asia_rows.read_bytes()
    link, hard = tmp_path / "link.csv", tmp_path / "hard.csv"
    link.symlink_to(asia_rows)
    os.link(asia_rows, hard)
    monkeypatch.chdir(tmp_path)
    for said in (asia_rows, "asia.csv", "./asia.csv", link, hard, "as*.csv"):
        for output in (asia_rows, "asia.csv", link, hard):
            for force in ((), ("--force",)):
                message = refused("learn", said, "-o", output, *force)
                other = "" if str(said) == str(output) else f", {str(said)!r}"
                assert message == (
                    f"error: cannot write {str(output)!r}: it is one of the inputs{other}; choose another "
                    "name\n"
                )
    assert asia_rows.read_bytes() == before
    assert link.is_symlink()


def test_no_input_of_learn_is_written_over(asia_rows, asia_file, tmp_path, refused):
    knowledge, order, sets = tmp_path / "k.json", tmp_path / "order.txt", tmp_path / "sets.txt"
    knowledge.write_text('{"forbidden": [["asia", "xray"]]}')
    order.write_text("asia\ntub\n")
    sets.write_text("asia tub\n")
    later = tmp_path / "later.csv"
    later.write_bytes(asia_rows.read_bytes())
    given = {
        "--knowledge": knowledge,
        "--order": order,
        "--hypergraph": sets,
        "--valid": later,
        "--schema": asia_file,
    }
    for option, path in given.items():
        before = path.read_bytes()
        method = ("-m", "separation-tree") if option == "--hypergraph" else ()
        for output in ("-o", "--trace"):
            said = refused("learn", asia_rows, option, path, output, path, *method)
            assert f"cannot write {str(path)!r}: it is one of the inputs; choose another name" in said
        assert path.read_bytes() == before


def test_a_checkpoint_takes_the_place_of_nothing(asia_rows, asia_file, tmp_path, run, refused):
    said = ("learn", asia_rows, "-m", "chow-liu", "--checkpoint")
    assert refused(*said, asia_rows) == (
        f"error: cannot write {str(asia_rows)!r}: it is one of the inputs; choose another name\n"
    )
    for force in ((), ("--force",)):
        assert refused(*said, asia_file, *force) == (
            f"error: cannot write {str(asia_file)!r}: it holds a model, and a checkpoint would take its "
            "place; choose another name\n"
        )
    kept = tmp_path / "run.twc"
    run(*said, kept)
    assert kind_of(str(kept)) == "checkpoint"
    assert "replaced" not in run(*said, kept).stdout  # it goes on where it was
    assert "it holds a checkpoint, and a model would take its place" in refused(*said[:-1], "-o", kept)
    assert "cannot write" in refused(*said, tmp_path / "one", "-o", tmp_path / "one")


def test_a_model_is_replaced_by_a_model_from_it_only_by_force(asia_file, asia_rows, run, refused):
    said = ("learn", asia_rows, "--schema", asia_file, "-o", asia_file, "-m", "chow-liu")
    assert "it is one of the inputs; choose another name, or replace it with --force" in refused(*said)
    assert f"replaced {asia_file}, which held a model" in run(*said, "--force").stdout
    assert "or replace it with --force" in refused("convert", asia_file, asia_file)
    assert "or replace" not in refused("explore", asia_file, "-o", asia_file, "--force")


def test_predictions_do_not_replace_the_rows_they_are_of(asia_file, asia_rows, run, refused):
    said = ("predict", asia_file, asia_rows, "--target", "lung", "-o", asia_rows)
    before = asia_rows.read_bytes()
    assert "it is one of the inputs; choose another name, or replace it with --force" in refused(*said)
    assert asia_rows.read_bytes() == before
    run(*said, "--force")  # rows by rows, all of them read before
    assert len(asia_rows.read_bytes().splitlines()) == len(before.splitlines())


def test_two_outputs_have_two_names(asia_rows, tmp_path, refused):
    path = tmp_path / "m.twm"
    said = refused("learn", asia_rows, "-o", path, "--trace", tmp_path / "." / "m.twm")
    assert "twice; give each output a name of its own" in said
    assert not path.exists()


def test_the_demo_keeps_what_is_not_its_own(tmp_path, refused, run):
    page = tmp_path / "demo.html"
    page.write_text("dear diary\n")
    assert "it holds text of another kind, and a page would take its place" in refused(
        "demo", "--output", tmp_path
    )
    assert page.read_text() == "dear diary\n"
    assert not (tmp_path / "demo.twm").exists()
    assert (
        f"replaced {page}, which held text of another kind"
        in run("demo", "--output", tmp_path, "--force").stdout
    )


@pytest.mark.parametrize("ending", ["twm", "bif", "xmlbif", "xdsl", "net", "uai", "bif.gz", "twm.gz"])
def test_models_of_every_format_are_known_as_models(ending, tmp_path, run):
    path = tmp_path / f"a.{ending}"
    write_model(load_network("asia"), path)
    assert kind_of(str(path)) == "model"
    assert f"replaced {path}, which held a model" in run("convert", "asia", path).stdout
    assert read_model(path).schema.names == load_network("asia").schema.names


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.csv", b"class,net\nnode,1\n", "rows"),
        ("a.csv", b"network\n1\n", "rows"),
        ("a.csv.gz", gzip.compress(b"a,b\n1,2\n", mtime=0), "rows"),
        ("a.txt", b"a;b\n1;2\n", "rows"),
        ("a.txt", b"to do\n", "text"),
        ("a", b"a\tb\n1\t2\n", "rows"),
        ("a.md", b"a, b and c\n", "text"),
        ("a.parquet", b"PAR1\0\0\0\0", "rows"),
        ("a.duckdb", b"\0\1\2\3\4\5\6\7DUCK\0", "rows"),
        ("a.twm", b"\x93NUMPY\0", "other"),
        ("a.bif", b"// made by hand\n/* twice */ network unknown {\n}", "model"),
        ("a.json", b'{"required": []}', "text"),
        ("a.html", b"\n <HTML><body>", "page"),
        ("a.gz", b"\x1f\x8b damaged", "other"),
    ],
)
def test_what_a_file_is_shows_in_how_it_starts(name, content, kind, tmp_path):
    path = tmp_path / name
    path.write_bytes(content)
    assert kind_of(str(path)) == kind


def test_an_empty_file_a_device_and_a_pipe_may_be_written(tmp_path, asia_file, run, spawn):
    empty = tmp_path / "empty.txt"
    empty.touch()
    assert "replaced" not in run("explore", asia_file, "-o", empty).stdout
    run("explore", asia_file, "-o", os.devnull)
    assert spawn("explore", asia_file, "-o", "/dev/stdout").stdout.startswith("<!doctype html>")


def test_permissions_and_links_survive(asia_file, tmp_path, run):
    link = tmp_path / "link.twm"
    link.symlink_to(asia_file)
    asia_file.chmod(0o640)
    run("convert", "alarm", link)
    assert link.is_symlink()
    assert stat.S_IMODE(asia_file.stat().st_mode) == 0o640
    assert len(read_model(asia_file).schema) == 37
    rows, packed = tmp_path / "rows.csv", tmp_path / "rows.twp"
    run("sample", "asia", "-n", 20, "--seed", 1, "-o", rows)
    run("pack", rows, "-o", packed)
    packed.chmod(0o640)
    link.unlink()
    link.symlink_to(packed)
    run("pack", rows, "-o", link)
    assert link.is_symlink()
    assert stat.S_IMODE(packed.stat().st_mode) == 0o640


FAILING = {
    "learn": ("learn", "{bad}", "--missing", "error", "-o", "{m}"),
    "learn of a method that is not": ("learn", "{rows}", "-m", "magic", "-o", "{m}"),
    "learn of a table too large": ("learn", "{rows}", "-m", "chow-liu", "--memory", "1B", "-o", "{m}"),
    "trace": ("learn", "{bad}", "--missing", "error", "--trace", "{t}"),
    "sample": ("sample", "{m}", "nothing=1", "-n", "5", "-o", "{r}"),
    "convert": ("convert", "{bad}", "{m}"),
    "explore": ("explore", "{m}", "nothing=1", "-o", "{p}"),
    "predict": ("predict", "{m}", "{bad}", "--target", "lung", "-o", "{r}"),
    "report": ("report", "{m}", "{bad}", "-o", "{p}"),
    "pack": ("pack", "{bad}", "--missing", "error", "-o", "{r}"),
    "checkpoint over rows": ("learn", "{rows}", "--checkpoint", "{r}"),
    "checkpoint over a model": ("learn", "{rows}", "--checkpoint", "{m}", "--force"),
}


@pytest.mark.parametrize("command", FAILING)
def test_a_command_that_fails_leaves_every_file_as_it_was(command, there, tmp_path, run):
    bad = tmp_path / "bad.csv"
    bad.write_text("a,b\n1,\n2,3\n")
    other = tmp_path / "r.csv"
    other.write_bytes(there["rows"].read_bytes())
    names = {
        "bad": bad,
        "rows": there["rows"],
        "m": there["model"],
        "t": there["trace"],
        "r": other,
        "p": there["page"],
    }
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    code = 2 if "too large" in command else 1
    run(*(part.format(**names) for part in FAILING[command]), code=code)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


ENDINGS = {"model": ".twm", "page": ".html", "rows": ".csv", "trace": ".json", "packed": ".twp"}


@pytest.mark.parametrize(
    ("error", "code"), [(OSError(28, "No space left on device"), 1), (KeyboardInterrupt(), 130)]
)
@pytest.mark.parametrize("command", NAMES)
def test_a_write_that_ends_half_way_leaves_the_old_file(
    command, error, code, commands, tmp_path, run, monkeypatch
):
    kind, said = commands[command]
    path = tmp_path / f"out{ENDINGS[kind]}"
    run(*said(path))
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}

    def fail(self, target):
        raise type(error)(*error.args)  # a new one: what is told is written into it

    monkeypatch.setattr("pathlib.Path.replace", fail)
    words = {130: "interrupted\n", 1: f"error: {str(path)!r}: No space left on device\n"}[code]
    if command == "pack" and code == 1:  # which may be too large for a disk, and says so
        code = 2
        words = f"error: the disk of {str(tmp_path)!r} is full; make room, or pack to another disk. "
        words += "Nothing was left there\n"
    assert run(*said(path), code=code).stderr == words
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before

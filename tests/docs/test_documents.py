"""What the documents say is so: their code runs, their links lead somewhere, their lists are complete."""

from __future__ import annotations

import doctest
import inspect
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.docs.markdown import (
    Block,
    blocks_of,
    documents,
    expect,
    prose_of,
    relative_links,
    run_block,
    run_page,
)
from tests.docs.shell import SHELLS
from typer.main import get_command

import treewright as tw
from treewright.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
WITH_CODE = [
    ROOT / "README.md",
    ROOT / "docs" / "index.md",
    ROOT / "docs" / "command_line.md",
    *sorted(ROOT.glob("docs/guides/*.md")),
]
WITH_CODE += sorted(ROOT.glob("docs/tutorial/*.md"))
EXAMPLES = sorted(ROOT.glob("examples/*.py"))


# Blocks that run, those that show what is printed or lies in a file, and the pool for Ray, which
# tests/statistics/cluster/test_guide_pool.py runs.
SAID_TO_READERS = [*WITH_CODE, *sorted(ROOT.glob("docs/papers/*.md"))]
LANGUAGES = {"python", *SHELLS, "text", "py"}
DOOR = get_command(app)
SERVER = "postgresql://ada@db.example/clinic"


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.slow
@pytest.mark.parametrize("path", WITH_CODE, ids=name_of)
def test_code_runs_and_prints_what_is_shown(path, tmp_path, monkeypatch, request):
    """All blocks in turn, those of the shell too: in an empty folder, with the files that a reader has."""
    monkeypatch.chdir(tmp_path)
    there = {}
    if SERVER in path.read_text(encoding="utf-8"):
        server = request.getfixturevalue("postgres")
        server.put("visits", tw.load_network("asia").sample(500, rng=np.random.default_rng(0)).to_dict())
        there[SERVER] = server.url()
    assert run_page(path, SHELLS, there) > 0


def test_every_block_runs_here_or_is_no_code():
    runs = {*WITH_CODE, *ROOT.glob("docs/papers/*.md"), ROOT / "docs" / "adding_a_learner.md"}
    for page in ROOT.glob("docs/**/*.md"):
        kinds = {block.language for block in blocks_of(page.read_text(encoding="utf-8"))}
        assert kinds <= (LANGUAGES if page in runs else {"text"}), name_of(page)
        assert re.findall(r"\n\n {4}.*", prose_of(page.read_text(encoding="utf-8"))) == []


def options_of(command: Any) -> set[str]:
    opts = {option for parameter in command.params for option in parameter.opts}
    return {option for option in opts if option.startswith("-")} | {"--help"}


@pytest.mark.parametrize("path", SAID_TO_READERS, ids=name_of)
def test_commands_and_options_in_sentences_are_there(path):
    known = options_of(DOOR).union(*map(options_of, DOOR.commands.values()))
    for said in re.findall(r"`((?:treewright |--)[^`]+)`", prose_of(path.read_text(encoding="utf-8"))):
        words = said.split()
        given = {word.partition("=")[0] for word in words if word.startswith("--")}
        if words[0] == "treewright" and words[1] in DOOR.commands:
            assert given <= options_of(DOOR.commands[words[1]]), said
        else:
            assert words[0] != "treewright" or words[1].startswith("--"), f"{said}: there is no such command"
            assert given <= known, f"{said}: no command has such an option"


@pytest.mark.parametrize("path", list(documents(ROOT)), ids=name_of)
def test_links_lead_somewhere(path):
    for target in relative_links(path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), f"{name_of(path)} links to {target}, which is not there"


def test_every_page_is_reached_from_the_readme():
    reached: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        links = relative_links(page.read_text(encoding="utf-8"))
        waiting += [(page.parent / target).resolve() for target in links]
    assert set(ROOT.glob("docs/**/*.md")) <= reached


def test_the_readme_opens_with_two_commands():
    blocks = blocks_of((ROOT / "README.md").read_text(encoding="utf-8"))
    assert [block.text for block in blocks[:2]] == [
        "pip install . && treewright demo\n",
        "pip install '.[test]' && pytest -q\n",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=name_of)
def test_examples_run_as_they_are(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out


def public_things():
    """What is at the top, and every public function of the rooms that people call directly."""
    yield from ((f"tw.{name}", getattr(tw, name)) for name in tw.__all__)
    for room in (tw.learners, tw.models, tw.networks, tw.reports):
        functions = inspect.getmembers(room, inspect.isfunction)
        yield from ((f"{room.__name__}.{name}", thing) for name, thing in functions)


@pytest.mark.parametrize(("name", "thing"), list(public_things()))
def test_public_names_come_with_an_example(name, thing):
    assert ">>>" in (inspect.getdoc(thing) or ""), f"{name} has no example"


def test_the_reference_is_up_to_date():
    made = runpy.run_path(str(ROOT / "docs" / "make_reference.py"))
    for path, text in ((made["TARGET"], made["reference"]()), (made["STUB"], made["stub"]())):
        assert Path(path).read_text(encoding="utf-8") == text, (
            f"{Path(path).name} is behind the code; run: python docs/make_reference.py"
        )


def test_the_page_of_the_command_line_is_up_to_date():
    made = runpy.run_path(str(ROOT / "docs" / "make_command_line.py"))
    shown = made["TARGET"].read_text(encoding="utf-8")
    assert shown == made["page"](), "run: python docs/make_command_line.py"
    assert all(f"### treewright {command}\n" in shown for command in DOOR.commands)
    options = set().union(*map(options_of, DOOR.commands.values())) - {"--help"}
    assert [option for option in options if f"`{option}" not in shown] == []


def test_changelog_fragments_are_one_sentence_of_a_known_kind():
    collect = runpy.run_path(str(ROOT / "changelog.d" / "collect.py"))
    fragments = collect["fragments"](ROOT / "changelog.d")
    assert all(text.endswith(".") and "\n" not in text for texts in fragments.values() for text in texts)


def test_fragments_become_an_entry(tmp_path):
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n<!-- entries -->\n\n## 0.1.0\n\nOld.\n")
    folder = tmp_path / "changelog.d"
    folder.mkdir()
    (folder / "b.fixed.md").write_text("Mended.\n")
    (folder / "z.added.md").write_text("Later.\n")
    (folder / "a.added.md").write_text("New.\n")
    (folder / "README.md").write_text("# What this folder is for\n\nTwo paragraphs.\n")
    script = ROOT / "changelog.d" / "collect.py"
    subprocess.run([sys.executable, script, "0.2.0", "--date", "2030-01-02", "--root", tmp_path], check=True)
    assert (tmp_path / "CHANGELOG.md").read_text() == (
        "# Changelog\n\n<!-- entries -->\n"
        "\n## 0.2.0 (2030-01-02)\n\n### Added\n\n- New.\n- Later.\n\n### Fixed\n\n- Mended.\n"
        "\n## 0.1.0\n\nOld.\n"
    )
    assert [path.name for path in folder.glob("*.md")] == ["README.md"]


def test_wrong_output_is_noticed():
    with pytest.raises(AssertionError, match="shows\n3\nbut the code gives\n2"):
        run_block(Block("python", "1 + 1  # -> 3\n", 1), Path("page.md"), {})
    with pytest.raises(AssertionError, match="page"):
        expect("a\n", "b\n", "page")


@pytest.mark.parametrize("script", [".ci/run", ".ci/sanitize"])
def test_scripts_are_executable_bash(script):
    path = ROOT / script
    if not path.exists():
        pytest.skip("a source distribution has no gate")
    assert os.access(path, os.X_OK)
    subprocess.run(["bash", "-n", path], check=True)


def test_the_learner_to_copy_works_and_its_tests_pass():
    source, tests = (
        block.text
        for block in blocks_of((ROOT / "docs" / "adding_a_learner.md").read_text(encoding="utf-8"))
        if block.language == "python"
    )
    namespace: dict[str, object] = {"__name__": "strong_pairs"}
    exec(source, namespace)
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner(verbose=False)
    for example in finder.find(namespace["learn_strong_pairs"], "learn_strong_pairs", globs=namespace):
        runner.run(example)
    assert runner.summarize(verbose=False) == doctest.TestResults(failed=0, attempted=4)
    exec(tests, namespace)
    for seed in range(3):
        namespace["test_an_oracle_gives_the_skeleton_of_a_tree"](seed)
    namespace["test_no_question_is_evaluated_twice"]()
    namespace["test_the_order_of_columns_does_not_matter"]()

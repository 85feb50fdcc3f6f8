"""No file that is read can bring code with it: nothing in the package turns data into something that runs."""

import ast

from tests.survey import ROOT, python_files, short, tree_of

RUNS_TEXT = {"eval", "exec", "compile", "__import__"}
BRINGS_CODE = {"pickle", "cPickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "yaml"}


def named(node):
    return node.id if isinstance(node, ast.Name) else ""


def test_nothing_runs_what_was_read():
    found = []
    for file in python_files("src"):
        for node in ast.walk(tree_of(file)):
            if isinstance(node, ast.Call) and named(node.func) in RUNS_TEXT:
                found.append((short(file), named(node.func)))
            if isinstance(node, ast.Call) and any(word.arg == "allow_pickle" for word in node.keywords):
                found.append((short(file), "allow_pickle"))
            if isinstance(node, ast.Attribute) and node.attr in ("read_pickle", "to_pickle"):
                found.append((short(file), node.attr))
    assert found == []


def test_nothing_that_brings_code_is_imported():
    found = []
    for file in python_files("src"):
        for node in ast.walk(tree_of(file)):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            found += [(short(file), module) for module in modules if module.split(".")[0] in BRINGS_CODE]
    assert found == []


def test_every_file_of_the_promises_is_there():
    """The page names the tests that hold each promise."""
    from tests.promises.__main__ import PROMISES

    page = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")
    for promise, tests in PROMISES.items():
        assert f"| {promise} |" in page
        for test in tests:
            assert (ROOT / test).exists(), test
            assert f"`{test}`" in page, test

"""The house: budgets of what people see first, layers that imports respect, and one name for one thing.

A budget is a ratchet: it may be lowered when there is room, and is never raised to let a change in. Lines of
Python are a ledger instead: the package was brought below 45,000 with all that it could do then, and what it
learned to do since has a row with the lines that this took; a row is not raised either.
"""

import inspect
import re
import typing
from importlib import import_module
from itertools import chain

import pytest
from tests.survey import (
    PACKAGE,
    PYTHON_FOLDERS,
    ROOT,
    asked_of_the_core,
    core_files,
    core_functions,
    crowded,
    functions,
    imported_modules,
    mentions,
    n_body_lines,
    n_lines,
    n_parameters,
    python_files,
    repeated_bodies,
    sets_of_options,
    short,
    tree_of,
)

import treewright as tw
from treewright import _core

FILES_IN_A_FOLDER = {"Python": 18, "C++": 25}
LINES_OF_A_FILE = 400
LINES_OF_A_FUNCTION = 60  # without its docstring
PARAMETERS = 12
# How a source is read, how a file is laid out, how EM starts and ends: named once, handed on by several doors
# as `**options: Unpack[...]`, where they count as one parameter.
OPTIONS_TOGETHER = {"ReadingCells": 13, "Reading": 1, "Layout": 4, "MoreReading": 3, "EmOptions": 5}
NAMES_AT_THE_TOP = 100
LINES_OF_PYTHON = 44_510  # of what the package could do when the plan asked for 45,000
# What it learned to do since, each with the lines that this took: a new capability brings a new row, and no
# row is raised to let another change in.
LINES_OF_CAPABILITIES = {
    "cuts by description length and by information kept": 420,
    "findings, mending, dates": 1_690,
    "outputs, unseen labels, the best so far": 580,
    "where a model came from": 210,
    "log-linear export of deep feature graphs, LEM by size": 100,
    "edges that rows cannot direct, kept and drawn": 460,
    "files read in the core": 140,
    "rows, numbers and names in every question": 430,
    "predict": 240,
    "cross-validate": 290,
    "report": 440,
    "the default": 750,
    "prices of chance, tables of many axes": 140,
    "layers with the least span": 200,
    "the explorer page": 700,
    "pages without what only authors need, and without what a page never calls": 190,
    "how much each number of a table moves an answer": 240,
    "pictures in notebooks, two structures in one": 370,
    "no memory, no disk, hostile labels": 110,
    "prices of chance for every edge and for BDeu": 150,
    "a clock for the default": 110,
    "rows from experiments": 370,
    "what interrupted tests and blankets keep, progress of every method": 190,
    "progress of the graphical lasso and of LPACJT": 20,
    "weights in cuts, dates as whole numbers, rows refused beforehand": 110,
    "packed files": 1_070,
    "blocks of rows, any stream of Arrow": 300,
    "tables remembered, tables kept in a file": 520,
    "rows that workers count: pieces, pools, rounds, tasks": 1_130,
    "a structure from some rows, a search on with all": 310,
    "files that stop no reader, numbers checked at the door": 780,
    "forks beside threads, headers that lie": 90,
    "commas between thousands, numbers as the rows write them": 80,
    "files of another kind kept, all ways judged by densities": 170,
    "options of reading in the default, rows scored with gaps, plans as learn keeps them": 60,
    "rows of a server, counts inside a database, what learners ask": 1_520,
    "scikit-learn's checks, y, weights, further rows; classifiers": 1_810,
    "mixed tables: states and numbers in one network, uncut": 2_620,
    "causal reading: actions, adjustment, effects over a class; the catalogue": 1_100,
    "rows with gaps: structural EM, available cells, indicators, what gaps do": 960,
    "parts of packed files, draws of many rows": 240,
    "repeated rows put together some at a time": 60,
    "folders of rows, large files learned from packed, counters added": 90,
    "scores of many rows from counts and by blocks": 130,
    "gaps: the better of two searches, scores of what is there, gaps of numbers": 75,
    "what moves answers of Markov and Gaussian networks, cells that a page works through": 440,
    "a test of states and numbers together": 235,
    "what moves answers of feature graphs and of mixed networks, keys by page": 780,
    "narrower bounds as a start, kicks as long as they gain": 140,
    "bins, chance, paths and structures refused at every door": 235,
    "one reading of all rows for a classifier, declared states, further rows, requests of weights": 650,
    "effects by the set that is named, front doors, what acting assumes": 170,
    "rows from experiments by option and by estimator, rows dropped with what is beside them": 200,
    "mixed networks on pages and in reports, numbers as curves in pictures": 330,
    "folds of pieces, dealt where they are": 75,
    "mixed tables under a bound on the width": 310,
    "numbers with gaps: expected moments, EM for lines, structural EM": 480,
    "files of many small parts in time": 45,
    "mixed networks that are acted on": 45,
    "checkpoints that grow by parts": 136,
    "ten thousand variables: dependence without copies, kinds of pairs in blocks": 30,
    "disks asked beforehand, columns read in their place, queries copied to disk": 123,
    "lines before a table, short lines, names again, numbers with signs, columns that no table holds": 575,
    "dates with names of months, rows that are dictionaries": 55,
    "rows of labels and numbers with gaps": 550,
    "EM of mixed networks by name": 30,
    "no bound that ends below a narrower one": 60,
    "rows of known labels packed as they come, what to do about full disks, files without names": 225,
    "exports: rows that are none, texts of digits, times, answers, points of thousands": 590,
    "bounded networks in stacks, budgets that many rows keep": 465,
    "Newton steps for pseudo-likelihood": 56,
    "very wide tables in time": 50,
    "things of another kind refused at every public door": 225,
    "hidden trees, mixtures and other densities from rows with gaps": 165,
    "rounds that begin at tests, search on where they are and price what is shown": 245,
    "prices of pairs of rare states": 50,
    "later rows of exports as the first, clocks of instants, edges of bins in few digits": 115,
    "averages of networks in a classifier, signs of a missing label": 67,
}
LISTS_OF_A_SCORE = 2  # beside its own file
PLACES_OF_A_LEARNER = 3  # its own file among them
BYTES_OF_A_PAPER = 20_480
LINES_SAID_TWICE = 5
SRC = python_files("src")


@pytest.mark.parametrize(
    ("kind", "files"), [("Python", python_files(*PYTHON_FOLDERS)), ("C++", core_files())]
)
def test_a_folder_is_seen_at_a_glance(kind, files):
    assert crowded(files, FILES_IN_A_FOLDER[kind]) == {}


def test_a_file_is_read_in_one_sitting():
    files = [*python_files("src", "experiments", "benchmarks"), *core_files()]
    assert {short(file): n_lines(file) for file in files if n_lines(file) > LINES_OF_A_FILE} == {}


@pytest.mark.slow
def test_a_function_does_one_thing():
    sizes = {
        f"{short(file)} {function.name}": n_body_lines(function)
        for file in python_files("src", "experiments", "benchmarks")
        for function in functions(file)
    }
    assert {name: size for name, size in sizes.items() if size > LINES_OF_A_FUNCTION} == {}


def test_a_function_of_the_core_does_one_thing():
    """Those of the bindings that list what is bound, a line for each name, are not counted."""
    files = [file for file in core_files() if not {"bindings", "tests"} & set(file.parts)]
    sizes = dict(chain.from_iterable(map(core_functions, files)))
    assert len(sizes) > 1_500
    assert {name: size for name, size in sizes.items() if size > LINES_OF_A_FUNCTION} == {}


def test_options_come_together_where_they_are_handed_on():
    assert sets_of_options(SRC) == OPTIONS_TOGETHER


def test_a_function_asks_for_few_things():
    asked = {
        f"{short(file)} {function.name}": n_parameters(function)
        for file in SRC
        for function in functions(file)
    }
    assert {name: n for name, n in asked.items() if n > PARAMETERS} == {}


def test_few_names_at_the_top():
    assert len(tw.__all__) <= NAMES_AT_THE_TOP


def test_names_at_the_top_come_from_one_table():
    """What `dir` and `import *` offer; `tests/docs` holds the type checker's view against it."""
    assert {*tw.__all__} == {*tw._HOMES} <= {*dir(tw)}
    assert [name for name in tw.__all__ if not hasattr(import_module(tw._HOMES[name]), name)] == []


def test_the_package_stays_small():
    assert sum(map(n_lines, SRC)) <= LINES_OF_PYTHON + sum(LINES_OF_CAPABILITIES.values())


def test_a_name_is_listed_once():
    """Rooms say what they offer by importing it; only the top has a table of its own."""
    listing = [
        short(file)
        for file in PACKAGE.rglob("__init__.py")
        if file != PACKAGE / "__init__.py" and any(map(_lists_names, tree_of(file).body))
    ]
    assert listing == []


def _lists_names(node):
    return any(getattr(target, "id", "") == "__all__" for target in getattr(node, "targets", ()))


def test_a_score_is_entered_in_two_lists():
    """One that is not among the names at the top: its room's, and the registry's."""
    places = set(mentions("GroupedQNML", SRC)) - {"src/treewright/criteria/scores/edge_prior.py"}
    assert {"src/treewright/criteria/__init__.py"} <= places
    assert len(places) <= LISTS_OF_A_SCORE, places


def test_a_learner_is_entered_in_three_places():
    places = mentions("learn_tabu", SRC)
    assert len(places) <= PLACES_OF_A_LEARNER, places


@pytest.mark.slow
def test_no_body_stands_twice():
    assert repeated_bodies(SRC, LINES_SAID_TWICE) == []


def test_pages_of_papers_are_read_in_one_sitting():
    for page in (ROOT / "docs" / "papers").glob("*.md"):
        assert page.stat().st_size <= BYTES_OF_A_PAPER, page.name
        text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
        assert len(re.findall(r"^# ", text, flags=re.M)) == 1, page.name


# Layers

ABOVE = {
    "tables": set(),
    "statistics": {"tables"},
    "graphs": {"tables"},
    "criteria": {"tables", "statistics", "graphs"},
    "learners": {"tables", "statistics", "graphs", "criteria", "inference"},
    "inference": {"tables", "graphs"},
    "models": {"tables", "statistics", "graphs", "inference"},
    "automatic": {"tables", "statistics", "graphs", "criteria", "learners", "inference", "models"},
    "networks": {"tables", "graphs", "models"},
    "verification": {"tables", "graphs", "models"},
    "reports": {"tables", "statistics", "graphs", "criteria", "learners", "inference", "models", "networks"},
}
ABOVE["estimators"] = {*ABOVE, "reports"} - {"networks", "verification", "estimators"}
ABOVE["cli"] = {*ABOVE} - {"cli"}
EVERYWHERE = {"arguments", "errors", "files", "kinds", "limits", "once", "origins", "ranges", "text"}
EVERYWHERE |= {"types", "_core", "collector"}
# Inside learners: the rooms beside its own that a room may use.
ROOMS_OF_LEARNERS = {
    "classes": {"independence"},
    "independence": {"classes"},
    "bounded_treewidth": {"classes"},
    "bayesian_knots": {"classes", "independence"},
    "separation_trees": {"classes", "independence"},
    "blanket_scores": {"classes", "independence"},
    "efficient_markov": {"bounded_treewidth", "classes"},  # a stack has bounded networks as members
    "markov_baselines": set(),
    "classifiers": {"classes"},
}


@pytest.mark.parametrize("part", ABOVE)
def test_imports_point_up(part):
    for file in sorted((PACKAGE / part).rglob("*.py")):
        parts = {module.split(".")[1] for module in imported_modules(file)}
        unexpected = parts - ABOVE[part] - EVERYWHERE - {part, "__version__"}
        assert not unexpected, f"{short(file)} imports {sorted(unexpected)}"


@pytest.mark.parametrize("room", ROOMS_OF_LEARNERS)
def test_a_learner_uses_few_rooms(room):
    for file in sorted((PACKAGE / "learners" / room).rglob("*.py")):
        inside = [module for module in imported_modules(file) if module.startswith("treewright.learners.")]
        allowed = ROOMS_OF_LEARNERS[room] | {room, "learned", "settings"}
        unexpected = {module.split(".")[2] for module in inside} - allowed
        assert not unexpected, f"{short(file)} imports {sorted(unexpected)}"


def test_every_room_is_in_the_tables():
    assert {file.parent.name for file in PACKAGE.glob("*/__init__.py")} == set(ABOVE)
    assert {file.parent.name for file in (PACKAGE / "learners").glob("*/__init__.py")} == set(
        ROOMS_OF_LEARNERS
    )


def test_graphs_know_names_but_never_a_row():
    for file in python_files("src/treewright/graphs"):
        tables = {module for module in imported_modules(file) if module.startswith("treewright.tables")}
        assert tables <= {"treewright.tables.schema", "treewright.tables.features"}, file.name


# Names

PAPERS = ("bounded_treewidth", "efficient_markov", "blanket_scores", "separation_trees", "bayesian_knots")
IN_THE_CORE = PAPERS[:3]  # the others search by what is in other rooms
LEARNERS = {name: thing for name, thing in vars(tw.learners).items() if name.startswith("learn_")}


@pytest.mark.parametrize("paper", PAPERS)
def test_who_knows_one_name_can_open_every_room(paper):
    rooms = [
        f"src/treewright/learners/{paper}/__init__.py",
        f"tests/learners/{paper}",
        f"docs/papers/{paper}.md",
        f"docs/measured/{paper}.md",
        f"experiments/{paper}/NOTES.md",
    ]
    if paper in IN_THE_CORE:
        rooms += [f"cpp/include/treewright/{paper}", f"cpp/src/{paper}"]
    assert [room for room in rooms if not (ROOT / room).exists()] == []
    assert list((ROOT / "benchmarks").rglob(f"bench_{paper}.py"))


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_returns_what_was_learned(name):
    returned = typing.get_type_hints(LEARNERS[name])["return"]
    assert issubclass(typing.get_origin(returned) or returned, tw.Learned)


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_tells_where_it_is(name):
    at_once = {"learn_class_blanket", "learn_k_dependence", "learn_naive_bayes", "learn_tree_augmented"}
    assert ("progress" in inspect.signature(LEARNERS[name]).parameters) == (name not in at_once)


def test_learners_of_networks_return_one_shape():
    """A network or a class was promised; both are there."""
    for kind in (tw.learners.LearnedNetwork, tw.learners.LearnedPattern):
        offered = {*dir(kind), *inspect.signature(kind).parameters}
        assert {"structure", "dag", "cpdag", "score", "notes", "trace"} <= offered


def test_native_names_are_used_or_made_for_tests():
    asked = frozenset(chain.from_iterable(map(asked_of_the_core, SRC)))
    public = {name for name in vars(_core) if not name.startswith("_")}
    assert sorted(public - asked - {"testing"}) == []
    assert [name for name in asked if name.startswith("testing.")] == []
    tests = python_files("tests")
    made = [name for name in vars(_core.testing) if not name.startswith("_")]
    assert [name for name in made if not mentions(name, tests)] == []


def test_a_source_lies_beside_its_header_or_in_the_folder_of_its_class():
    files = core_files()
    headers = {file.stem for file in files if file.suffix == ".hpp"}
    src = ROOT / "cpp" / "src"
    for file in files:
        if file.suffix == ".cpp" and src in file.parents:
            in_a_class = len(file.relative_to(src).parts) > 2 and file.parent.name in headers
            assert file.stem in headers or in_a_class, short(file)


def test_the_tree_of_contributing_names_every_folder():
    """Those below a room of the core hold a class in parts; tests mirror the package."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    tree = text[text.index("```") : text.index("The five papers have")]
    kinds = {".py", ".cpp", ".hpp", ".md", ".js", ".css", ".json", ".gz", ".svg"}
    looked_at = ("src", "cpp", "docs", "benchmarks", "experiments", "examples", "changelog.d")
    files = [file for folder in looked_at for file in (ROOT / folder).rglob("*") if file.suffix in kinds]
    rooms = [short(file.parent).split("/") for file in [*files, *(ROOT / "tests").glob("*/*.py")]]
    parts = {part for room in rooms for part in (room[:3] if room[:2] == ["cpp", "src"] else room)}
    assert sorted(part for part in parts if f"{part}/" not in tree) == []

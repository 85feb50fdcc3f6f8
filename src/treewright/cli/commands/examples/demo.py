"""`treewright demo`: the four verbs on an embedded example, told as a short story."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import numpy as np
import typer

from treewright.automatic.learn import LearnedModel, learn
from treewright.cli.answers.output import Line, Lines, Output, bar, heading, listing, remark
from treewright.cli.files import check_output, write_text
from treewright.cli.options import Force, command
from treewright.graphs import Dag
from treewright.graphs.compare import Comparison, compare
from treewright.models import BayesianNetwork, fit
from treewright.networks import load_network
from treewright.reports import to_html
from treewright.statistics import count

TRAINING_ROWS, TEST_ROWS = 20_000, 10_000
TITLE = "ALARM, learned from 20,000 rows"

Folder = Annotated[
    str, typer.Option("--output", "-o", metavar="DIR", help="Folder for demo.twm and demo.html.")
]
DemoSeed = Annotated[int, typer.Option("--seed", min=0, help="Another seed, other patients.")]


@dataclass(frozen=True)
class Question:
    """A question in words and in the model's terms."""

    question: str
    variable: str
    state: str
    given: dict[str, str]


QUESTIONS = (
    Question("No air moves in the tube. Has it come loose?", "DISCONNECT", "TRUE", {"VENTTUBE": "ZERO"}),
    Question("The heart has failed before. Is it failing now?", "LVFAILURE", "TRUE", {"HISTORY": "TRUE"}),
    Question(
        "Shunt and lung pressure are high. An embolism?",
        "PULMEMBOLUS",
        "TRUE",
        {"PAP": "HIGH", "SHUNT": "HIGH"},
    ),
)


@dataclass(frozen=True)
class Story:
    """Everything the demo found out."""

    truth: BayesianNetwork
    model: BayesianNetwork
    learned: LearnedModel
    scores: dict[str, tuple[float, float]]  # mean log-likelihood of training and test rows
    comparison: Comparison
    answers: list[tuple[Question, float, float, float]]  # before, learned, true
    seconds: float


@command("threads")
def demo(out: Output, *, output: Folder = ".", seed: DemoSeed = 1, force: Force = False) -> None:
    """Learn, score, ask and draw on an embedded example; writes demo.twm and demo.html.

    Example: treewright demo --seed 7
    """
    model_path, page_path = str(Path(output) / "demo.twm"), str(Path(output) / "demo.html")
    check_output(out, model_path, "model", force=force)
    check_output(out, page_path, "page", force=force)
    with out.progress("learning"):
        story = tell(seed)
        story.learned.save(model_path, replace=True)
        write_text(page_path, to_html(story.model, title=TITLE))
    paths = model_path, page_path
    out.answer(lambda: document(story, *paths), shown=lambda: shown(story, *paths))


def tell(seed: int) -> Story:
    """Sample, count, learn, fit, ask."""
    started = perf_counter()
    truth, rng = load_network("alarm"), np.random.default_rng(seed)
    training, test = truth.sample(TRAINING_ROWS, rng=rng), truth.sample(TEST_ROWS, rng=rng)
    learned = learn(training)
    model = learned.model
    assert isinstance(model, BayesianNetwork)
    models = {
        "independent columns": fit(Dag(truth.schema, []), count(training)),
        "the learned network": model,
        "the truth": truth,
    }
    scores = {name: (each.score(training), each.score(test)) for name, each in models.items()}
    answers = [
        (
            question,
            probability(model, question, {}),
            probability(model, question, question.given),
            probability(truth, question, question.given),
        )
        for question in QUESTIONS
    ]
    return Story(truth, model, learned, scores, compare(truth, model), answers, perf_counter() - started)


def probability(model: BayesianNetwork, question: Question, given: dict[str, str]) -> float:
    return model.query(question.variable, given)[question.state]


def document(story: Story, model_path: str, page_path: str) -> dict[str, Any]:
    return {
        "rows": TRAINING_ROWS,
        "test_rows": TEST_ROWS,
        "variables": list(story.model.schema.names),
        "edges": [list(edge) for edge in story.model.dag.edges()],
        "log_likelihood": {
            name: {"training": training, "test": test} for name, (training, test) in story.scores.items()
        },
        "comparison": story.comparison.to_dict(),
        "reason": story.learned.reason,
        "questions": [
            {**vars(question), "before": before, "learned": learned, "truth": true}
            for question, before, learned, true in story.answers
        ],
        "seconds": story.seconds,
        "model": model_path,
        "page": page_path,
    }


def shown(story: Story, model_path: str, page_path: str) -> Lines:
    schema, skeleton = story.model.schema, story.comparison.skeleton
    yield heading("ALARM: 37 measurements of patients in intensive care")
    yield remark("Beinlich and others wrote this network in 1989; here it plays the truth that nobody sees.")
    yield ""
    yield step("1  count", f"{TRAINING_ROWS:,} patients drawn from it, {len(schema)} columns each")
    n_edges, seconds = skeleton.tp + skeleton.fp, story.learned.trace.seconds
    width = story.learned.width
    yield step(
        "2  learn", f"the network that suits them: {n_edges} edges, treewidth {width}, in {seconds:.3f} s"
    )
    yield step("", f"{skeleton.tp} of them are edges of the truth, which has {skeleton.tp + skeleton.fn}")
    yield step("", f"why so: {story.learned.reason}")
    yield step(
        "3  fit", f"{story.model.n_parameters} parameters; how well it foresees {TEST_ROWS:,} new patients:"
    )
    yield scores_table(story)
    yield step("4  ask", "exact answers, beside those of the truth:")
    yield answers_table(story)
    yield step("", f"model in {model_path}, picture in {page_path}; all in {story.seconds:.1f} s")
    yield ""
    yield heading("Your turn")
    yield f"  treewright query {model_path} PULMEMBOLUS --given PAP=HIGH"
    yield "  treewright inspect your.csv"
    yield "  treewright learn your.csv -o your.twm"


def step(name: str, text: str) -> Line:
    from rich.text import Text

    return Text.assemble((f"  {name:<10}", "bold cyan"), text)


def scores_table(story: Story) -> Line:
    header = "log-likelihood per patient"
    worst, best = story.scores["independent columns"][1], story.scores["the truth"][1]
    tests = ((name, test) for name, (_, test) in story.scores.items())
    rows = ((name, f"{test:.3f}", bar((test - worst) / (best - worst))) for name, test in tests)
    return indented(listing("", header, "", numeric=[header], rows=rows))


def answers_table(story: Story) -> Line:
    columns = ("before", "learned", "truth")
    rows = ((question.question, *(f"{each:.1%}" for each in found)) for question, *found in story.answers)
    return indented(listing("question", *columns, numeric=columns, rows=rows))


def indented(table: Line) -> Line:
    from rich.padding import Padding

    return Padding(table, (0, 0, 0, 10), expand=False)

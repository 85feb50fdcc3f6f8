"""`treewright marginals`: the distribution of every variable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from treewright.cli.answers.continuous import answer_marginals
from treewright.cli.answers.discrete import given_in_words, nested, rows_of
from treewright.cli.answers.output import bar, heading, listing, remark
from treewright.cli.answers.question import Question
from treewright.cli.options import with_options
from treewright.models import GaussianNetwork, Marginals, SigmoidNetwork
from treewright.tables.schema import Label

if TYPE_CHECKING:
    from rich.console import RenderableType


@with_options(Question)
def marginals(question: Question) -> None:
    """Ask for the distribution of every variable, given what is known.

    Example: treewright marginals asia --given smoke=yes
    """
    out, network, known = question.open()
    if isinstance(network, GaussianNetwork | SigmoidNetwork):
        answer_marginals(out, network, known)
        return
    answer = network.marginals(known)
    out.answer(
        lambda: {name: nested(distribution) for name, distribution in answer.items()},
        shown=lambda: marginals_shown(answer, known),
        bare=lambda: ((name, *states, p) for name, each in answer.items() for states, p in rows_of(each)),
    )


def marginals_shown(answer: Marginals, known: Mapping[str, Label]) -> Iterator[RenderableType]:
    yield heading(f"{len(answer)} variables{given_in_words(known)}")
    table = listing("variable", "state", "probability", "", numeric=["probability"])
    for name, distribution in answer.items():
        for position, (states, p) in enumerate(rows_of(distribution)):
            table.add_row("" if position else name, *states, f"{p:.6f}", bar(p))
    yield table
    if known:
        yield remark(f"  probability of what is given: {answer.probability_of_evidence:.6g}")

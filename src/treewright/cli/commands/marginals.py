"""`treewright marginals`: the distribution of every variable."""

from __future__ import annotations

from collections.abc import Mapping

from treewright.cli import options as opt
from treewright.cli.answers.continuous import answer_both, answer_marginals
from treewright.cli.answers.given import given_in_words, holds_numbers, nested, rows_of
from treewright.cli.answers.output import Lines, Output, bar, heading, listing, remark
from treewright.cli.model_files import open_with_given
from treewright.models import ConditionalGaussianNetwork, GaussianNetwork, Marginals, SigmoidNetwork
from treewright.tables.schema import Label


@opt.command("threads", "memory")
def marginals(
    out: Output, model: opt.Model, more_given: opt.MoreGiven = None, *, given: opt.Given = None
) -> None:
    """Ask for the distribution of every variable, given what is known.

    Example: treewright marginals asia --given smoke=yes
    """
    network, known = open_with_given(model, given, more_given)
    if isinstance(network, GaussianNetwork | SigmoidNetwork):
        answer_marginals(out, network, known)
        return
    if isinstance(network, ConditionalGaussianNetwork):
        answer_both(out, network, known)
        return
    answer = network.marginals(known)
    out.answer(
        lambda: {name: nested(distribution) for name, distribution in answer.items()},
        shown=lambda: marginals_shown(answer, known, holds_numbers(network.schema, known)),
        bare=lambda: ((name, *states, p) for name, each in answer.items() for states, p in rows_of(each)),
    )


def marginals_shown(answer: Marginals, known: Mapping[str, Label], is_density: bool) -> Lines:
    yield heading(f"{len(answer)} variables{given_in_words(known)}")
    rows = (
        ("" if position else name, *states, f"{p:.6f}", bar(p))
        for name, distribution in answer.items()
        for position, (states, p) in enumerate(rows_of(distribution))
    )
    yield listing("variable", "state", "probability", "", numeric=["probability"], rows=rows)
    if known:
        what = "density" if is_density else "probability"
        yield remark(f"  {what} of what is given: {answer.probability_of_evidence:.6g}")

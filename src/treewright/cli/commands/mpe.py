"""`treewright mpe`: the states of all variables that are jointly most probable."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from treewright.cli import options as opt
from treewright.cli.answers.continuous import answer_mpe
from treewright.cli.answers.given import given_in_words, written_states
from treewright.cli.answers.output import Lines, Output, heading, listing, remark
from treewright.cli.model_files import open_with_given
from treewright.models import (
    BoundedExplanation,
    ConditionalGaussianNetwork,
    Explanation,
    FeatureNetwork,
    GaussianNetwork,
    SigmoidNetwork,
)
from treewright.tables.exports import counted
from treewright.tables.schema import Label


@opt.command("threads", "memory")
def mpe(out: Output, model: opt.Model, more_given: opt.MoreGiven = None, *, given: opt.Given = None) -> None:
    """Ask for the states of all variables that are jointly most probable, given what is known.

    A feature network with hidden choices answers with probable states and says how far they may be off.

    Example: treewright mpe asia --given xray=yes
    """
    network, known = open_with_given(model, given, more_given)
    if isinstance(network, GaussianNetwork | SigmoidNetwork | ConditionalGaussianNetwork):
        answer_mpe(out, network, known)
        return
    if isinstance(network, FeatureNetwork) and not network.is_exact:
        answer: Explanation = network.mpe_bound(known)
    else:
        answer = network.mpe(known)
    variables = [network.schema[name] for name in answer]
    states = [(v.name, written_states(v)[v.code(answer[v.name])]) for v in variables]
    out.answer(
        lambda: mpe_document(states, answer),
        shown=lambda: mpe_shown(states, answer, known),
        bare=lambda: states,
    )


def mpe_document(states: Sequence[tuple[str, str]], answer: Explanation) -> dict[str, Any]:
    document: dict[str, Any] = {
        "states": dict(states),
        "probability": answer.probability,
        "log_probability": answer.log_probability,
    }
    if isinstance(answer, BoundedExplanation):
        document |= {"exact": answer.is_exact, "log_upper_bound": answer.log_upper_bound}
    return document


def mpe_shown(states: Sequence[tuple[str, str]], answer: Explanation, known: Mapping[str, Label]) -> Lines:
    bounded = isinstance(answer, BoundedExplanation) and not answer.is_exact
    which = "probable" if bounded else "most probable"
    yield heading(f"{which} states of {counted(len(states), 'variable')}{given_in_words(known)}")
    yield listing("variable", "state", rows=states)
    yield remark(f"  together with what is given: {answer.probability:.6g}")
    if isinstance(answer, BoundedExplanation) and bounded:
        most = math.exp(answer.log_upper_bound)
        yield remark(f"  a lower bound: no states have more than {most:.6g}")

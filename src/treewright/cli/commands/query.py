"""`treewright query`: the distribution of one variable, or of several together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import Annotated, Any, cast

import typer

from treewright.cli import options as opt
from treewright.cli.answers.continuous import answer_query
from treewright.cli.answers.given import given_in_words, holds_numbers, is_item, nested, read_given, rows_of
from treewright.cli.answers.output import Lines, Output, bar, heading, listing, remark, say_how_many_more
from treewright.cli.model_files import open_model
from treewright.errors import SchemaError
from treewright.models import (
    ConditionalGaussianNetwork,
    Distribution,
    GaussianNetwork,
    SigmoidNetwork,
)
from treewright.models.causal.doors import Actable
from treewright.models.causal.told import assumptions_about
from treewright.models.model import AnyModel
from treewright.tables.schema import Label

_SHOWN_ROWS = 100

Do = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=STATE",
        help="Set a variable from outside (its arcs from parents are cut), if the arcs are causes; repeat.",
    ),
]
Targets = Annotated[
    list[str],
    typer.Argument(
        metavar="TARGET", help="What to ask about; several give a joint table.", show_default=False
    ),
]


@opt.command("threads", "memory")
def query(out: Output, model: opt.Model, targets: Targets, *, given: opt.Given = None, do: Do = None) -> None:
    """Ask for the distribution of one variable, or of several together, given what is known.

    Example: treewright query asia lung --given smoke=yes --given xray=yes
    """
    network = open_model(model)
    if do:
        network = _after(network, do)
        out = cast("Output", Assuming(out, tuple(sorted(read_given(network.schema, do)))))
    names = [text for text in targets if not is_item(network.schema, text)]
    if not names:
        raise SchemaError("a query asks about at least one variable; found only what is given")
    items = [text for text in targets if is_item(network.schema, text)]
    known = read_given(network.schema, [*(given or ()), *items])
    of_numbers = not all(network.schema[one].is_discrete for one in names)
    if of_numbers and isinstance(network, GaussianNetwork | SigmoidNetwork | ConditionalGaussianNetwork):
        answer_query(out, network, names, known)
        return
    answer = cast("Distribution", cast("Any", network).query(names, known))
    out.answer(
        lambda: query_document(answer),
        shown=lambda: query_shown(answer, known, holds_numbers(network.schema, known)),
        bare=lambda: ((*states, p) for states, p in rows_of(answer)),
    )


@dataclass(frozen=True)
class Assuming:
    """Answers about acting: each says what has to hold."""

    out: Output
    names: tuple[str, ...]

    def answer(self, document: Callable[[], Any], *, shown: Callable[[], Lines], bare: Any) -> None:
        told = assumptions_about(" and ".join(self.names))
        lines = [remark(f"  if {one}") for one in told]
        self.out.answer(
            lambda: {**document(), "assumptions": list(told)},
            shown=lambda: chain(shown(), lines),
            bare=bare,
        )


def _after(network: AnyModel, do: list[str]) -> AnyModel:
    """The network once variables are set."""
    if not isinstance(network, Actable):
        raise SchemaError(f"--do is for networks of tables or lines; found a {type(network).__name__}")
    return network.do(read_given(network.schema, do))


def query_document(answer: Distribution) -> dict[str, Any]:
    """One target: state -> probability; several: nested, in the order asked for."""
    alone = {"variable": answer.names[0]} if len(answer.names) == 1 else {}
    return {
        **alone,
        "variables": list(answer.names),
        "distribution": nested(answer),
        "probability_of_evidence": answer.probability_of_evidence,
        "log_probability_of_evidence": answer.log_probability_of_evidence,
    }


def query_shown(answer: Distribution, known: Mapping[str, Label], is_density: bool) -> Lines:
    yield heading(f"{', '.join(answer.names)}{given_in_words(known)}")
    rows = ((*states, f"{p:.6f}", bar(p)) for states, p in islice(rows_of(answer), _SHOWN_ROWS))
    yield listing(*answer.names, "probability", "", numeric=["probability"], rows=rows)
    yield from say_how_many_more(answer.array.size, _SHOWN_ROWS)
    if known:
        what = "density" if is_density else "probability"
        yield remark(f"  {what} of what is given: {answer.probability_of_evidence:.6g}")

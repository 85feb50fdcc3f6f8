"""`treewright query`, `marginals`, `mpe` and `score`: questions to a model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from treewright.cli.answers.continuous import answer_marginals, answer_mpe, answer_query
from treewright.cli.answers.given import is_item, read_given, written, written_states
from treewright.cli.answers.output import Output, bar, figures, heading, listing, remark
from treewright.cli.data import DataOptions
from treewright.cli.model_files import open_model, open_with_given
from treewright.cli.options import (
    AsJson,
    Data,
    Given,
    Memory,
    Missing,
    MissingOption,
    MissingValue,
    Model,
    MoreGiven,
    NoHeader,
    Quiet,
    Threads,
    use_resources,
)
from treewright.errors import SchemaError
from treewright.models import (
    BoundedExplanation,
    Distribution,
    Explanation,
    FeatureNetwork,
    GaussianNetwork,
    Marginals,
    SigmoidNetwork,
)
from treewright.tables.exports import counted
from treewright.tables.schema import Label

if TYPE_CHECKING:
    from rich.console import RenderableType

_SHOWN_ROWS = 100

Targets = Annotated[
    list[str],
    typer.Argument(
        metavar="TARGET", help="What to ask about; several give a joint table.", show_default=False
    ),
]


def query(
    model: Model,
    targets: Targets,
    *,
    given: Given = None,
    threads: Threads = None,
    memory: Memory = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Ask for the distribution of one variable, or of several together, given what is known.

    Example: treewright query asia lung --given smoke=yes --given xray=yes
    """
    out = Output(as_json=as_json, quiet=quiet)
    use_resources(threads, memory)
    network = open_model(model)
    names = [text for text in targets if not is_item(network.schema, text)]
    if not names:
        raise SchemaError("a query asks about at least one variable; found only what is given")
    items = [text for text in targets if is_item(network.schema, text)]
    known = read_given(network.schema, [*(given or ()), *items])
    if isinstance(network, GaussianNetwork | SigmoidNetwork):
        answer_query(out, network, names, known)
        return
    answer = network.query(names, known)
    out.answer(
        lambda: query_document(answer),
        shown=lambda: query_shown(answer, known),
        bare=lambda: ((*states, p) for states, p in rows_of(answer)),
    )


def marginals(
    model: Model,
    more_given: MoreGiven = None,
    *,
    given: Given = None,
    threads: Threads = None,
    memory: Memory = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Ask for the distribution of every variable, given what is known.

    Example: treewright marginals asia --given smoke=yes
    """
    out = Output(as_json=as_json, quiet=quiet)
    use_resources(threads, memory)
    network, known = open_with_given(model, given, more_given)
    if isinstance(network, GaussianNetwork | SigmoidNetwork):
        answer_marginals(out, network, known)
        return
    answer = network.marginals(known)
    out.answer(
        lambda: {name: nested(distribution) for name, distribution in answer.items()},
        shown=lambda: marginals_shown(answer, known),
        bare=lambda: ((name, *states, p) for name, each in answer.items() for states, p in rows_of(each)),
    )


def mpe(
    model: Model,
    more_given: MoreGiven = None,
    *,
    given: Given = None,
    threads: Threads = None,
    memory: Memory = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Ask for the states of all variables that are jointly most probable, given what is known.

    A feature network with hidden choices answers with probable states and says how far they may be off.

    Example: treewright mpe asia --given xray=yes
    """
    out = Output(as_json=as_json, quiet=quiet)
    use_resources(threads, memory)
    network, known = open_with_given(model, given, more_given)
    if isinstance(network, GaussianNetwork | SigmoidNetwork):
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


def score(
    model: Model,
    data: Data,
    *,
    missing: MissingOption = Missing.error,
    missing_value: MissingValue = None,
    no_header: NoHeader = False,
    threads: Threads = None,
    memory: Memory = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Say how probable rows are under a model: the mean log-likelihood per row, in nats.

    Example: treewright score survey.twm later.csv
    """
    out = Output(as_json=as_json, quiet=quiet)
    use_resources(threads, memory)
    network = open_model(model)
    with out.progress("reading", total=2) as update:
        options = DataOptions(missing.value, missing_value or (), header=not no_header)
        table = options.read_like(data, network.schema)
        update(1, "scoring")
        mean = network.score(table)
        # only a mean of minus infinity has impossible rows behind it
        n_impossible = 0 if math.isfinite(mean) else int(np.isneginf(network.log_probability(table)).sum())
    out.answer(
        lambda: {"log_likelihood": mean, "rows": table.n_rows, "impossible_rows": n_impossible},
        shown=lambda: score_shown(mean, table.n_rows, n_impossible),
        bare=lambda: [(mean,)],
    )


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


def nested(answer: Distribution) -> Any:
    states = [written_states(variable) for variable in answer.variables]

    def level(values: Any, depth: int) -> Any:
        if depth == len(states):
            return values
        return {s: level(value, depth + 1) for s, value in zip(states[depth], values, strict=True)}

    return level(answer.array.tolist(), 0)


def rows_of(answer: Distribution) -> Iterator[tuple[tuple[str, ...], float]]:
    """Joint states, each with its probability."""
    states = product(*(written_states(variable) for variable in answer.variables))
    return zip(states, answer.array.ravel().tolist(), strict=True)


def query_shown(answer: Distribution, known: Mapping[str, Label]) -> Iterator[RenderableType]:
    yield heading(f"{', '.join(answer.names)}{given_in_words(known)}")
    table = listing(*answer.names, "probability", "", numeric=["probability"])
    for states, p in islice(rows_of(answer), _SHOWN_ROWS):
        table.add_row(*states, f"{p:.6f}", bar(p))
    yield table
    if answer.array.size > _SHOWN_ROWS:
        yield remark(f"  and {answer.array.size - _SHOWN_ROWS:,} more; --json lists them all")
    if known:
        yield remark(f"  probability of what is given: {answer.probability_of_evidence:.6g}")


def mpe_document(states: Sequence[tuple[str, str]], answer: Explanation) -> dict[str, Any]:
    document: dict[str, Any] = {
        "states": dict(states),
        "probability": answer.probability,
        "log_probability": answer.log_probability,
    }
    if isinstance(answer, BoundedExplanation):
        document |= {"exact": answer.is_exact, "log_upper_bound": answer.log_upper_bound}
    return document


def mpe_shown(
    states: Sequence[tuple[str, str]], answer: Explanation, known: Mapping[str, Label]
) -> Iterator[RenderableType]:
    bounded = isinstance(answer, BoundedExplanation) and not answer.is_exact
    which = "probable" if bounded else "most probable"
    yield heading(f"{which} states of {counted(len(states), 'variable')}{given_in_words(known)}")
    table = listing("variable", "state")
    for name, state in states:
        table.add_row(name, state)
    yield table
    yield remark(f"  together with what is given: {answer.probability:.6g}")
    if isinstance(answer, BoundedExplanation) and bounded:
        most = math.exp(answer.log_upper_bound)
        yield remark(f"  a lower bound: no states have more than {most:.6g}")


def marginals_shown(answer: Marginals, known: Mapping[str, Label]) -> Iterator[RenderableType]:
    yield heading(f"{len(answer)} variables{given_in_words(known)}")
    table = listing("variable", "state", "probability", "", numeric=["probability"])
    for name, distribution in answer.items():
        for position, (states, p) in enumerate(rows_of(distribution)):
            table.add_row("" if position else name, *states, f"{p:.6f}", bar(p))
    yield table
    if known:
        yield remark(f"  probability of what is given: {answer.probability_of_evidence:.6g}")


def score_shown(mean: float, n_rows: int, n_impossible: int) -> Sequence[RenderableType]:
    lines: list[RenderableType] = [
        figures(("log-likelihood", f"{mean:.6f} nats per row"), ("rows", f"{n_rows:,}"))
    ]
    if n_impossible:
        lines.append(remark(f"  {counted(n_impossible, 'row')} with probability zero under the model"))
    return lines


def given_in_words(known: Mapping[str, Label]) -> str:
    items = ", ".join(f"{name}={written(state)}" for name, state in known.items())
    return f", given {items}" if items else ""

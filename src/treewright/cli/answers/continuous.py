"""Answers of models of continuous variables: means and deviations in the place of distributions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from treewright.cli.answers.output import Output, figures, heading, listing, remark
from treewright.models import (
    Explanation,
    GaussianNetwork,
    JointNormal,
    Normal,
    NormalMarginals,
    SigmoidNetwork,
)
from treewright.tables.exports import counted

if TYPE_CHECKING:
    from rich.console import RenderableType

_LEVEL = 0.95

Continuous = GaussianNetwork | SigmoidNetwork
Known = Mapping[str, Any]


def answer_query(out: Output, network: Continuous, names: Sequence[str], known: Known) -> None:
    if len(names) > 1:
        answer_joint(out, network, names, known)
        return
    answer = network.query(names[0], known)
    out.answer(
        lambda: {
            "variable": answer.name,
            "variables": [answer.name],
            **numbers(answer),
            "interval": list(answer.interval(_LEVEL)),
            "log_density_of_evidence": answer.log_density_of_evidence,
        },
        shown=lambda: query_shown(answer, known),
        bare=lambda: [(answer.mean, answer.variance)],
    )


def answer_joint(out: Output, network: Continuous, names: Sequence[str], known: Known) -> None:
    answer = network.query(names, known)
    assert isinstance(answer, JointNormal)  # a sigmoid network has refused by now
    out.answer(
        lambda: joint_document(answer),
        shown=lambda: joint_shown(answer, known),
        bare=lambda: (
            (name, mean, *row)
            for name, mean, row in zip(
                answer.names, answer.mean.tolist(), answer.covariance.tolist(), strict=True
            )
        ),
    )


def answer_marginals(out: Output, network: Continuous, known: Known) -> None:
    answer: NormalMarginals = network.marginals(known)
    out.answer(
        lambda: {name: numbers(each) for name, each in answer.items()},
        shown=lambda: marginals_shown(answer, known),
        bare=lambda: ((name, each.mean, each.variance) for name, each in answer.items()),
    )


def answer_mpe(out: Output, network: Continuous, known: Known) -> None:
    answer: Explanation = network.mpe(known)
    out.answer(
        lambda: {"values": dict(answer), "log_density": answer.log_probability},
        shown=lambda: mpe_shown(answer, known),
        bare=answer.items,
    )


def numbers(answer: Normal) -> dict[str, float]:
    return {
        "mean": answer.mean,
        "variance": answer.variance,
        "standard_deviation": answer.standard_deviation,
    }


def joint_document(answer: JointNormal) -> dict[str, Any]:
    covariance = answer.covariance.tolist()
    return {
        "variables": list(answer.names),
        **{
            key: {name: numbers(answer[name])[key] for name in answer.names}
            for key in numbers(answer[answer.names[0]])
        },
        "covariance": {
            name: dict(zip(answer.names, row, strict=True))
            for name, row in zip(answer.names, covariance, strict=True)
        },
        "log_density_of_evidence": answer.log_density_of_evidence,
    }


def query_shown(answer: Normal, known: Known) -> Iterator[RenderableType]:
    low, high = answer.interval(_LEVEL)
    yield heading(f"{answer.name}{known_in_words(known)}")
    yield figures(
        ("mean", f"{answer.mean:.6g}"),
        ("standard deviation", f"{answer.standard_deviation:.6g}"),
        ("95 % of the values", f"{low:.6g} to {high:.6g}"),
    )
    yield from density_shown(answer.log_density_of_evidence, known)


def joint_shown(answer: JointNormal, known: Known) -> Iterator[RenderableType]:
    yield heading(f"{', '.join(answer.names)}{known_in_words(known)}")
    columns = ["mean", *(f"cov {name}" for name in answer.names)]
    table = listing("variable", *columns, numeric=columns)
    for name, mean, row in zip(answer.names, answer.mean, answer.covariance, strict=True):
        table.add_row(name, f"{mean:.6g}", *(f"{number:.6g}" for number in row))
    yield table
    yield from density_shown(answer.log_density_of_evidence, known)


def marginals_shown(answer: NormalMarginals, known: Known) -> Iterator[RenderableType]:
    yield heading(f"{counted(len(answer), 'variable')}{known_in_words(known)}")
    table = listing("variable", "mean", "standard deviation", numeric=["mean", "standard deviation"])
    for name, each in answer.items():
        table.add_row(name, f"{each.mean:.6g}", f"{each.standard_deviation:.6g}")
    yield table
    yield from density_shown(answer.log_density_of_evidence, known)


def mpe_shown(answer: Explanation, known: Known) -> Iterator[RenderableType]:
    yield heading(f"most probable values of {counted(len(answer), 'variable')}{known_in_words(known)}")
    table = listing("variable", "value", numeric=["value"])
    for name, value in answer.items():
        table.add_row(name, f"{value:.6g}")
    yield table
    yield remark(f"  log-density, together with what is given: {answer.log_probability:.6g}")


def density_shown(log_density: float, known: Known) -> Iterator[RenderableType]:
    if known:
        yield remark(f"  log-density of what is given: {log_density:.6g}")


def known_in_words(known: Known) -> str:
    items = ", ".join(f"{name}={value:g}" for name, value in known.items())
    return f", given {items}" if items else ""

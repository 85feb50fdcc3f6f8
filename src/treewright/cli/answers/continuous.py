"""Answers of models of continuous variables: means and deviations in the place of distributions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from treewright import models
from treewright.cli.answers.given import nested, rows_of, written
from treewright.cli.answers.output import Lines, Output, figures, heading, listing, remark
from treewright.models import ConditionalGaussianNetwork, GaussianNetwork, SigmoidNetwork
from treewright.tables.exports import counted

_LEVEL = 0.95

Continuous = GaussianNetwork | SigmoidNetwork | ConditionalGaussianNetwork
Known = Mapping[str, Any]


def answer_query(out: Output, network: Continuous, names: Sequence[str], known: Known) -> None:
    if len(names) > 1:
        answer_joint(out, network, names, known)
        return
    answer: Any = network.query(names[0], known)
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
    assert isinstance(answer, models.JointNormal)  # a sigmoid network has refused by now
    out.answer(
        lambda: joint_document(answer),
        shown=lambda: joint_shown(answer, known),
        bare=lambda: ((name, *row) for name, row in zip(answer.names, joint_numbers(answer), strict=True)),
    )


def answer_marginals(out: Output, network: GaussianNetwork | SigmoidNetwork, known: Known) -> None:
    answer: models.NormalMarginals = network.marginals(known)
    out.answer(
        lambda: {name: numbers(each) for name, each in answer.items()},
        shown=lambda: marginals_shown(answer, known),
        bare=lambda: ((name, each.mean, each.variance) for name, each in answer.items()),
    )


def answer_both(out: Output, network: ConditionalGaussianNetwork, known: Known) -> None:
    """The marginals of states and numbers."""
    answer: models.MixedMarginals = network.marginals(known)
    out.answer(
        lambda: {
            name: nested(each) if isinstance(each, models.Distribution) else numbers(each)
            for name, each in answer.items()
        },
        shown=lambda: both_shown(answer, known),
        bare=lambda: both_rows(answer, "r"),
    )


def both_rows(answer: models.MixedMarginals, digits: str) -> list[tuple[str, ...]]:
    """A line for each state with its probability, and for each number with mean and deviation."""
    form = repr if digits == "r" else lambda x: format(x, digits)
    rows: list[tuple[str, ...]] = []
    for name, each in answer.items():
        if isinstance(each, models.Distribution):
            rows += [(name, *states, form(p), "") for states, p in rows_of(each)]
        else:
            rows.append((name, "", form(each.mean), form(each.standard_deviation)))
    return rows


def both_shown(answer: models.MixedMarginals, known: Known) -> Lines:
    yield heading(f"{counted(len(answer), 'variable')}{known_in_words(known)}")
    columns = ("probability or mean", "standard deviation")
    yield listing("variable", "state", *columns, numeric=columns, rows=both_rows(answer, ".6g"))
    yield from density_shown(answer.log_density_of_evidence, known)


def answer_mpe(out: Output, network: Continuous, known: Known) -> None:
    answer: models.Explanation = network.mpe(known)
    out.answer(
        lambda: {"values": dict(answer), "log_density": answer.log_probability},
        shown=lambda: mpe_shown(answer, known),
        bare=answer.items,
    )


def numbers(answer: models.Normal | models.NormalMixture) -> dict[str, float]:
    return {"mean": answer.mean, "variance": answer.variance, "standard_deviation": answer.standard_deviation}


def joint_numbers(answer: models.JointNormal) -> list[list[float]]:
    """Of each variable its mean and its row of the covariance."""
    found: list[list[float]] = np.column_stack([answer.mean, answer.covariance]).tolist()
    return found


def joint_document(answer: models.JointNormal) -> dict[str, Any]:
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


def query_shown(answer: models.Normal, known: Known) -> Lines:
    low, high = answer.interval(_LEVEL)
    yield heading(f"{answer.name}{known_in_words(known)}")
    yield figures(
        ("mean", f"{answer.mean:.6g}"),
        ("standard deviation", f"{answer.standard_deviation:.6g}"),
        ("95 % of the values", f"{low:.6g} to {high:.6g}"),
    )
    yield from density_shown(answer.log_density_of_evidence, known)


def joint_shown(answer: models.JointNormal, known: Known) -> Lines:
    yield heading(f"{', '.join(answer.names)}{known_in_words(known)}")
    columns = ["mean", *(f"cov {name}" for name in answer.names)]
    rows = (
        (name, *(f"{number:.6g}" for number in row))
        for name, row in zip(answer.names, joint_numbers(answer), strict=True)
    )
    yield listing("variable", *columns, numeric=columns, rows=rows)
    yield from density_shown(answer.log_density_of_evidence, known)


def marginals_shown(answer: models.NormalMarginals, known: Known) -> Lines:
    yield heading(f"{counted(len(answer), 'variable')}{known_in_words(known)}")
    columns = ("mean", "standard deviation")
    rows = ((name, f"{each.mean:.6g}", f"{each.standard_deviation:.6g}") for name, each in answer.items())
    yield listing("variable", *columns, numeric=columns, rows=rows)
    yield from density_shown(answer.log_density_of_evidence, known)


def mpe_shown(answer: models.Explanation, known: Known) -> Lines:
    yield heading(f"most probable values of {counted(len(answer), 'variable')}{known_in_words(known)}")
    rows = ((name, in_words(value, ".6g")) for name, value in answer.items())
    yield listing("variable", "value", numeric=["value"], rows=rows)
    yield remark(f"  log-density, together with what is given: {answer.log_probability:.6g}")


def density_shown(log_density: float, known: Known) -> Lines:
    if known:
        yield remark(f"  log-density of what is given: {log_density:.6g}")


def in_words(value: Any, digits: str = "g") -> str:
    """A number in few digits, or a state as files have it."""
    return format(value, digits) if type(value) is float else written(value)


def known_in_words(known: Known) -> str:
    items = ", ".join(f"{name}={in_words(value)}" for name, value in known.items())
    return f", given {items}" if items else ""

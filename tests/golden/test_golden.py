"""Models learned by every method equal those that were kept: structure, score and parameters."""

import json
from pathlib import Path

import pytest
from tests.golden.cases import CASES

KEPT = json.loads((Path(__file__).parent / "models.json").read_text(encoding="utf-8"))


def test_every_case_is_kept():
    assert sorted(KEPT) == sorted(CASES)


@pytest.mark.slow
@pytest.mark.parametrize("case", sorted(CASES))
def test_the_same_model_is_learned(case):
    assert json.loads(json.dumps(CASES[case]())) == KEPT[case]

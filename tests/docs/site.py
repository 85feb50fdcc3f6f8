"""The manual, built as a site, and what a stranger asks it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS = {
    "which learner should I choose": "guides/learning.html",
    "read a csv file": "guides/reading_tables.html",
    "missing values marked NA in a number column": "guides/messy_tables.html",
    "decimal comma": "guides/messy_tables.html",
    "more rows than memory": "guides/scale.html",
    "rows in a PostgreSQL database": "guides/databases.html",
    "several tables with overlapping columns": "guides/several_tables.html",
    "BIC or BDeu which score": "guides/criteria.html",
    "forbid an arc": "guides/knowledge.html",
    "cross validation folds": "guides/cross_validation.html",
    "what does an arrow without a head mean": "guides/pictures.html",
    "html page to share with a colleague": "guides/explorer.html",
    "most probable explanation": "guides/asking.html",
    "soft evidence": "guides/asking.html",
    "prior of imaginary rows": "guides/fitting.html",
    "read a BIF file": "guides/files.html",
    "Gaussian network for numbers": "guides/continuous.html",
    "coming from pgmpy": "guides/coming_from.html",
    "how is the treewidth bounded": "papers/bounded_treewidth.html",
    "what is promised about Ctrl-C": "promises.html",
}


def build_site(target: Path) -> Path:
    """The site, built without a warning."""
    pytest.importorskip("mkdocs", reason="the site needs pip install '.[docs]'")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(target)]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr[-3_000:]
    return target

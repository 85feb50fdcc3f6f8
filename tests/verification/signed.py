"""Files with an edit and a checksum that fits it, so that only the edit is wrong."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

from treewright.graphs import JunctionTree
from treewright.models import BayesianNetwork
from treewright.models.formats.twm import to_bytes


def sign(content: dict[str, Any]) -> bytes:
    rest = {key: value for key, value in content.items() if key != "checksum"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return json.dumps({**rest, "checksum": "sha256:" + hashlib.sha256(text.encode()).hexdigest()}).encode()


def edited(model: BayesianNetwork, change: Callable[[dict[str, Any]], object]) -> bytes:
    """The file of a model with its own certificate, after a change."""
    tree = JunctionTree.of(model.dag.moral_graph())
    content = json.loads(to_bytes(model, certificate=tree, treewidth=tree.width))
    change(content)
    return sign(content)

"""What the commands take that ask about all variables of a model."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.cli import options as opt
from treewright.cli.answers.output import Output
from treewright.cli.model_files import open_with_given
from treewright.cli.options import use_resources
from treewright.models.model import AnyModel
from treewright.tables.schema import Label


@dataclass(frozen=True, kw_only=True)
class Question:
    """The options of `marginals` and `mpe`."""

    model: opt.Model
    more_given: opt.MoreGiven = None
    given: opt.Given = None
    threads: opt.Threads = None
    memory: opt.Memory = None
    as_json: opt.AsJson = False
    quiet: opt.Quiet = False

    def open(self) -> tuple[Output, AnyModel, dict[str, Label]]:
        """How to answer, the model, and what is known."""
        use_resources(self.threads, self.memory)
        model, known = open_with_given(self.model, self.given, self.more_given)
        return Output(as_json=self.as_json, quiet=self.quiet), model, known

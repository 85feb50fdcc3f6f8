"""Try mutants of one module in one warm process: the tests are collected once, every mutant is a fork.

A mutant costs only the tests that come past its line, the quickest first, until one fails. What they do not
catch, all tests of the module's files get a second chance to.
"""

from __future__ import annotations

import ast
import doctest
import gc
import importlib
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest
from tests.mutation.operators import Mutant, mutated

LEAST_SECONDS = 5.0  # of processor time for a mutant, beyond what its tests take
TIMES_LONGER = 10


class Recorder:
    """Whether a test failed, in whatever phase."""

    def __init__(self) -> None:
        self.failed = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed |= report.failed


@contextmanager
def tracing(file: str) -> Iterator[set[int]]:
    """The lines of a file that were come past."""
    lines: set[int] = set()

    def local(frame: FrameType, event: str, _: object) -> Any:
        lines.add(frame.f_lineno)
        return local

    def begin(frame: FrameType, event: str, argument: object) -> Any:
        return local(frame, event, argument) if frame.f_code.co_filename == file else None

    sys.settrace(begin)
    try:
        yield lines
    finally:
        sys.settrace(None)


def in_a_fork(work: Callable[[], object], seconds: float) -> object:
    """What `work` returned in a process of its own, or a word: "time" when it took too long, "died"."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1), os.dup2(silence, 2)
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
        resource.setrlimit(resource.RLIMIT_CPU, (int(used + seconds) + 1, int(used + seconds) + 2))
        code = 1
        try:
            os.write(writer, json.dumps(work()).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(writer)
    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    signal.setitimer(signal.ITIMER_REAL, 30 + 20 * seconds)  # for what waits instead of working
    with os.fdopen(reader, "rb") as answer:
        told = answer.read()
    _, status = os.waitpid(child, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    if os.WIFSIGNALED(status):
        return "time" if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL) else "died"
    return json.loads(told) if told else "died"


def code_of(module: CodeType, name: str) -> CodeType | None:
    """The code of a function or method in the code of its module."""
    found = module
    for part in name.split("."):
        inner = [c for c in found.co_consts if isinstance(c, CodeType) and c.co_name == part]
        if not inner:
            return None
        found = inner[-1]
    return found


class Surgeon:
    """Changes a module that is loaded already: code goes into the functions that are there."""

    def __init__(self, name: str) -> None:
        self.module = importlib.import_module(name)
        self.file = str(self.module.__file__)
        self.source = Path(self.file).read_text(encoding="utf-8")
        self.functions: dict[str, list[FunctionType]] = {}
        for one in gc.get_objects():
            if isinstance(one, FunctionType) and one.__code__.co_filename == self.file:
                self.functions.setdefault(one.__code__.co_qualname, []).append(one)

    def operate(self, mutant: Mutant) -> bool:
        """False when the mutant cannot be put in."""
        tree = mutated(self.source, mutant)
        code = compile(tree, self.file, "exec")
        changed = code_of(code, mutant.function)
        if changed is None:
            return self.replace_constant(mutant.function, tree)
        try:
            for function in self.functions.get(mutant.function, []):
                function.__code__ = changed
        except ValueError:  # another number of variables from outside
            return False
        return mutant.function in self.functions

    def replace_constant(self, name: str, tree: Any) -> bool:
        before = getattr(self.module, name, None)
        if before is None:
            return False
        (statement,) = [s for s in tree.body if getattr(getattr(s, "targets", [None])[0], "id", "") == name]
        value = eval(ast_expression(statement.value), vars(self.module))
        for other in list(sys.modules.values()):
            if getattr(other, "__name__", "").startswith("treewright") and vars(other).get(name) is before:
                setattr(other, name, value)
        return True


def ast_expression(node: Any) -> CodeType:
    return compile(ast.fix_missing_locations(ast.Expression(node)), "<constant>", "eval")


Item = pytest.Item | doctest.DocTest


class MutationLoop:
    """Takes the place of pytest's loop over tests; the examples in the module's docstrings are tests too."""

    def __init__(self, module: str, mutants: list[Mutant]) -> None:
        self.surgeon = Surgeon(module)
        self.mutants = mutants
        self.verdicts: list[tuple[Mutant, str]] = []
        self.items: list[Item] = []
        self.broken: object = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        examples = [e for e in doctest.DocTestFinder().find(self.surgeon.module) if e.examples]
        self.items = [*session.items, *examples]
        told = in_a_fork(lambda: self.watch(session), 600)
        if not isinstance(told, list) or any(failed for _, _, failed in told):
            self.broken = told if isinstance(told, str) else "tests fail without a mutant"
            return True
        quickest = sorted(range(len(told)), key=lambda i: told[i][0])
        for mutant in self.mutants:
            first = [i for i in quickest if mutant.line in told[i][1]]
            rest = [i for i in quickest if mutant.line not in told[i][1]]
            verdict = "survived"
            for chosen in (first, rest):
                if chosen and verdict == "survived":
                    limit = LEAST_SECONDS + TIMES_LONGER * sum(told[i][0] for i in chosen)
                    verdict = str(in_a_fork(partial(self.try_mutant, session, mutant, chosen), limit))
            self.verdicts.append((mutant, verdict if first or verdict != "survived" else "not reached"))
        return True

    def run(self, session: pytest.Session, item: Item) -> Recorder:
        recorder = Recorder()
        if isinstance(item, doctest.DocTest):
            flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
            found = doctest.DocTestRunner(verbose=False, optionflags=flags).run(item, out=lambda _: None)
            recorder.failed = found.failed > 0
            return recorder
        session.config.pluginmanager.register(recorder)
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        session.config.pluginmanager.unregister(recorder)
        return recorder

    def watch(self, session: pytest.Session) -> list[tuple[float, list[int], bool]]:
        """Seconds, lines and failure of every test, without a mutant."""
        told = []
        for item in self.items:
            begin = time.process_time()
            with tracing(self.surgeon.file) as lines:
                recorder = self.run(session, item)
            told.append((time.process_time() - begin, sorted(lines), recorder.failed))
        return told

    def try_mutant(self, session: pytest.Session, mutant: Mutant, chosen: list[int]) -> str:
        if not self.surgeon.operate(mutant):
            return "no mutant"
        return "killed" if any(self.run(session, self.items[i]).failed for i in chosen) else "survived"

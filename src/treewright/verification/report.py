"""What a check found: a verdict, a width, and every violation by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

SHOWN_NAMES = 8


@dataclass(frozen=True)
class Violation:
    """One rule that is broken (``"checksum"`` ...), what was found, and the variables it is about."""

    check: str
    message: str
    variables: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.check}: {self.message}"


@dataclass(frozen=True)
class VerifyReport:
    """What :func:`treewright.verify` found.

    Attributes
    ----------
    source, kind
        The file, or the kind of the object; what the content says it is, such as ``"bayesian network"``.
    n_variables, n_scopes
        Variables, and sets of variables (families, factors) that a cluster has to hold.
    certificate
        ``"stored"`` in the file, ``"given"`` by the caller or ``"computed"`` by the library; None if there
        was nothing to check.
    n_clusters, bound, width
        Clusters of the certificate, the treewidth that it claims not to exceed and the one that it proves not
        to be exceeded; None where it claims or proves none.
    checks, violations
        The rules that were checked, in order, and what is broken; empty for a valid model.
    """

    source: str
    kind: str | None = None
    n_variables: int = 0
    n_scopes: int = 0
    certificate: str | None = None
    n_clusters: int = 0
    bound: int | None = None
    width: int | None = None
    checks: tuple[str, ...] = ()
    violations: tuple[Violation, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether nothing is broken and the width is proved."""
        return not self.violations and self.width is not None

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values, `valid` and `width` first."""
        return {"valid": self.valid, "width": self.width, **asdict(self)}

    def __str__(self) -> str:
        n = len(self.violations)
        verdict = f"valid, width {self.width}" if self.valid else f"{n} violation{'s' if n != 1 else ''}"
        return "\n  ".join((f"{self.source}: {verdict}", *map(str, self.violations)))


@dataclass
class Findings:
    """Collects what is checked and what is broken."""

    checks: list[str] = field(default_factory=list)
    violations: list[Violation] = field(default_factory=list)

    def begin(self, check: str) -> None:
        if check not in self.checks:
            self.checks.append(check)

    def add(self, check: str, message: str, variables: Iterable[str] = ()) -> None:
        self.begin(check)
        self.violations.append(Violation(check, message, tuple(variables)))

    def expect(self, condition: bool, check: str, message: str, variables: Iterable[str] = ()) -> bool:
        """Note a violation unless the condition holds; whether it does."""
        self.begin(check)
        if not condition:
            self.add(check, message, variables)
        return condition

    def broken(self, check: str) -> bool:
        return any(violation.check == check for violation in self.violations)


def braced(names: Iterable[str]) -> str:
    """A set of names for a message, not too many of them."""
    listed = sorted(names)
    more = f" and {len(listed) - SHOWN_NAMES} more" if len(listed) > SHOWN_NAMES else ""
    return "{" + ", ".join(listed[:SHOWN_NAMES]) + more + "}"

"""The parts of a suite: programs, cases and outcomes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Program:
    """A program to build. `part` is its directory in the suite. The table has a row for each
    directory."""

    part: str
    name: str
    sources: tuple[Path, ...]
    flags: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return f"{self.part}/{self.name}"


@dataclass(frozen=True)
class Case:
    """One run of a program."""

    program: Program
    ranks: int
    arguments: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    limit_s: float = 0  # 0: the command's --limit
    wanted: int = 0  # ranks that the suite asks for, if more than `ranks`
    may_fail: bool = False  # the suite wants an exit status other than 0, or does not care

    @property
    def title(self) -> str:
        return " ".join([self.program.title, f"n={self.ranks}", *self.arguments])


@dataclass(frozen=True)
class LeftOut:
    """A part of a suite that is not run. `programs`: their number, 0 if unknown."""

    part: str
    reason: str
    programs: int = 0


@dataclass
class Outcome:
    """The end of a job. `status` None: the time limit ended it."""

    status: int | None
    output: str
    seconds: float = 0.0


@dataclass
class Suite:
    """A checkout that was recognised."""

    key: str
    title: str
    root: Path
    revision: str = ""
    cases: list[Case] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)

    def default_cases(self) -> list[Case]:
        """The cases without arguments that make benchmarks short. Suites that measure nothing have
        the same cases."""
        return self.cases

    def helpers(self, mpicc: Path, place: Path) -> list[str]:
        """Builds in `place` the parts that programs share. Returns the words that each compilation
        needs for them."""
        return []

    def build(self, program: Program, mpicc: Path, place: Path, helpers: list[str]) -> Path:
        """Builds the program in `place`. Raises NotBuilt if that fails."""
        from suites import build

        return build.compiled(program, mpicc, place, helpers)

    def wrong(self, case: Case, alone: Outcome) -> str:
        """The reason why a run alone does not count as right, or empty."""
        if case.may_fail or alone.status == 0:
            return ""
        return f"fails alone (status {alone.status})"

    def normal(self, line: str) -> str:
        """A line of output without parts that differ from run to run."""
        return line


class NotBuilt(Exception):
    """A program or its helpers cannot be built. The text is the compiler's first complaint."""


def revision_of(root: Path) -> str:
    """The short commit of a checkout. Empty if the folder is not a checkout."""
    import subprocess

    asked = subprocess.run(["git", "-C", root, "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True, check=False)
    return asked.stdout.strip()


def makefile_variables(text: str) -> dict[str, str]:
    """The variables that a Makefile sets, by name. Joins continued lines; `+=` adds."""
    found: dict[str, str] = {}
    for name, sign, value in re.findall(r"^[ \t]*([\w.]+)[ \t]*(\+?=)[ \t]*(.*)$", text.replace("\\\n", " "), re.MULTILINE):
        words = " ".join(value.split("#")[0].split())
        found[name] = f"{found[name]} {words}" if sign == "+=" and name in found else words
    return found

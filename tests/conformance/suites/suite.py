"""What a suite is. Nothing here starts a process."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Program:
    """A program to be built. `part` is the directory in the suite, by which the table sums up."""

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
    wanted: int = 0  # ranks that the suite asks for, where that is more
    may_fail: bool = False  # the suite wants an exit status other than 0, or does not care

    @property
    def title(self) -> str:
        return " ".join([self.program.title, f"n={self.ranks}", *self.arguments])


@dataclass(frozen=True)
class LeftOut:
    """Something of a suite that is not run at all. `programs`: how many, 0 if that is unknown."""

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

    def helpers(self, mpicc: Path, place: Path) -> list[str]:
        """Builds in `place` what the programs share; the words that each compilation needs for it."""
        return []

    def build(self, program: Program, mpicc: Path, place: Path, helpers: list[str]) -> Path:
        """The program, built in `place`; NotBuilt if that does not work."""
        from suites import build

        return build.compiled(program, mpicc, place, helpers)

    def wrong(self, case: Case, alone: Outcome) -> str:
        """Why a run alone does not count as right; empty if it does."""
        if case.may_fail or alone.status == 0:
            return ""
        return f"fails alone (status {alone.status})"

    def normal(self, line: str) -> str:
        """A line of output without what differs from run to run by its nature."""
        return line


class NotBuilt(Exception):
    """A program or its helpers cannot be built; the text is the compiler's first complaint."""


def revision_of(root: Path) -> str:
    """The commit of a checkout, shortened; empty if it is none."""
    import subprocess

    asked = subprocess.run(["git", "-C", root, "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True, check=False)
    return asked.stdout.strip()


def makefile_variables(text: str) -> dict[str, str]:
    """The variables that a Makefile sets, by name; lines that go on are joined, `+=` adds."""
    found: dict[str, str] = {}
    for name, sign, value in re.findall(r"^[ \t]*([\w.]+)[ \t]*(\+?=)[ \t]*(.*)$", text.replace("\\\n", " "), re.MULTILINE):
        words = " ".join(value.split("#")[0].split())
        found[name] = f"{found[name]} {words}" if sign == "+=" and name in found else words
    return found

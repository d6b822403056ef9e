"""Programs of several ranks behind `heddle bench`. The MPI's own mpiexec starts them, with or
without Heddle preloaded.

One measurement is a list of runs: Heddle's choice, Heddle with each forced scheme, the null Heddle.
The host's own path and the contiguous message are in every run, so that ratios compare numbers
measured side by side.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from heddle import installations, jobs, native, preload
from heddle.families import Family
from heddle.installations import Installation
from heddle.jobs import go_first, output
from heddle.problem import Problem

from .native import With, loaded_mpi
from .rows import Row

SCHEMES = ("bc-spup", "rwg-up", "p-rrs", "multi-w")
MAPPED_SCHEMES = ("direct", "both")  # of memory that the peer can map
ALL_SCHEMES = SCHEMES + MAPPED_SCHEMES
LOADED_FROM = "LD_LIBRARY_PATH"
DISTURBED = "BENCH_DISTURBED"  # tells the programs that disturbed messages count


@dataclass(frozen=True)
class Run:
    """One start of a program. `variant`: the name of interposed calls in the rows."""

    variant: str
    between: With
    settings: dict[str, str] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()


@cache
def known_settings() -> frozenset[str]:
    """The HEDDLE_ variables that this build reads."""
    answer, _ = native.ask("settings", "--json")
    return frozenset(row["name"] for row in answer)


def chosen(arguments: tuple[str, ...] = ()) -> Run:
    """A run with Heddle's choice, unless the environment sets a scheme."""
    forced = "HEDDLE_SCHEME" not in known_settings() or "HEDDLE_SCHEME" in os.environ
    return Run("heddle", With.heddle, {} if forced else {"HEDDLE_SCHEME": "auto"}, arguments)


def wanted_schemes(asked: list[str] | None, mapped: bool) -> tuple[str, ...]:
    """The schemes of --scheme. Without it: all schemes that can work with this memory."""
    if asked:
        unknown = set(asked) - {*SCHEMES, *MAPPED_SCHEMES, "none"}
        if unknown:
            known = ", ".join((*SCHEMES, *MAPPED_SCHEMES, "none"))
            raise Problem(f"there is no scheme {', '.join(sorted(unknown))}. --scheme takes: {known}.", code=2)
        return tuple(name for name in asked if name != "none")
    return SCHEMES + (MAPPED_SCHEMES if mapped else ())


def schemes(wanted: tuple[str, ...], arguments: tuple[str, ...] = ()) -> list[Run]:
    """A run for each forced scheme. If this build cannot force a scheme: no runs."""
    if "HEDDLE_SCHEME" not in known_settings():
        return []
    return [Run(name, With.heddle, {"HEDDLE_SCHEME": name}, arguments) for name in wanted]


def command(
    program: str, mpi: Family | Installation, run: Run, ranks: int, arguments: list[str]
) -> tuple[list[str], dict[str, str]]:
    """The words and the environment that start `ranks` ranks. The program pins itself, the same way
    under every MPI. For a family, the program keeps the MPI that it was linked with. An
    installation replaces that MPI."""
    if isinstance(mpi, Family):
        binary = native.program(f"heddle-bench-{program}-{mpi.name}")
        return start_line(installations.at_path(loaded_mpi(binary, mpi)), binary, run, ranks, arguments, "none")
    binary = native.program(f"heddle-bench-{program}-{mpi.family.name}")
    words, env = start_line(mpi, binary, run, ranks, arguments, "none")
    folder = _alone(mpi.library, loaded_mpi(binary, mpi.family).name)
    return words, env | {LOADED_FROM: ":".join(filter(None, (folder.name, env.get(LOADED_FROM))))}


@cache
def _alone(library: Path, name: str) -> tempfile.TemporaryDirectory:
    """A temporary folder that has only the library, by this name. The files beside the library must
    not serve other libraries of the program."""
    folder = tempfile.TemporaryDirectory(prefix="heddle-bench-")
    (Path(folder.name) / name).symlink_to(library)
    return folder


def start_line(
    mpi: Installation, binary: Path, run: Run, ranks: int, arguments: list[str], binding: str
) -> tuple[list[str], dict[str, str]]:
    """jobs.start_line with the library that stands between the program and this MPI."""
    value = {
        With.heddle: lambda: preload.value(mpi.family, mpi.library),
        With.null: lambda: str(native.FOLDER / "lib" / f"libheddle_null_{mpi.family.name}.so"),
        With.nothing: lambda: "",
    }[run.between]()
    return jobs.start_line(mpi, [str(binary), *arguments, *run.arguments], ranks, value, run.settings, binding)


def lines(program: str, mpi: Family | Installation, run: Run, ranks: int, arguments: list[str]) -> Iterator[dict]:
    """Yields the JSON lines that rank 0 prints, as it prints them."""
    yield from output(*command(program, mpi, run, ranks, arguments))


@contextlib.contextmanager
def busy(processes: int) -> Iterator[None]:
    """Runs so many processes that compute without end, each with the priority of a job."""
    if processes == 0:
        yield
        return
    words = [sys.executable, "-c", "while True: pass"]
    started = [subprocess.Popen(words, start_new_session=True, stdin=subprocess.DEVNULL) for _ in range(processes)]
    before = os.environ.get(DISTURBED)
    os.environ[DISTURBED] = str(processes)
    try:
        for process in started:
            go_first(process.pid)
        yield
    finally:
        os.environ.pop(DISTURBED) if before is None else os.environ.update({DISTURBED: before})
        for process in started:
            process.kill()
            process.wait()


class Collector:
    """The rows of one run, and its progress."""

    def __init__(self, mpi: Family | Installation, run: Run, ranks: int = 2, disturb: int = 0):
        self.mpi, self.run, self.ranks, self.disturb = mpi, run, ranks, disturb
        self.rows: list[Row] = []
        self.wrong: list[str] = []
        self.steps = 0
        self._facts: dict = {}

    def take(self, line: dict) -> None:
        if "plan" in line:
            self._plan(line)
        elif "bench" in line:
            interposed = line["variant"] in ("heddle", "null")
            variant = self.run.variant if interposed else line["variant"]
            self.rows.append(Row.of(line, variant=variant, **self._facts))
        elif "wrong" in line:
            self.wrong.append(f"{line['wrong']} ({self._facts['mpi']}, {self.run.variant}): {line['why']}")

    def _plan(self, line: dict) -> None:
        expected = {With.nothing: "host"}.get(self.run.between, self.run.between.value)
        if line["interposer"] != expected:
            found = line["interposer"]
            raise Problem(f"{expected} should stand before {self.mpi.name}, but {found} answers its calls")
        self.steps = line["plan"]
        self._facts = {name: line[name] for name in ("mpi", "core", "pinning")} | {"ranks": self.ranks, "disturb": self.disturb}

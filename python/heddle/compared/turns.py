"""The runs of `heddle compare`, their order and their evaluation."""

from __future__ import annotations

import contextlib
import datetime
import itertools
import os
import platform
import re
import shlex
import signal
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import heddle
from heddle import disturbance, launch, native, reported, verdict
from heddle.launch import Command
from heddle.problem import Problem
from heddle.reported import LAST
from heddle.reported.carried import carried as said_to_be_carried
from heddle.reported.carried import carries, handed_on

from . import Compared, Failure, Round
from .calls import carried, changed, sites
from .runs import Run, Written, started


@dataclass(frozen=True)
class Asked:
    """The options of the command line."""

    words: list[str]
    ranks: int | None
    mpi: str | None
    rounds: int
    warm_up: bool
    calls: bool
    files: list[Path]
    ignore: list[re.Pattern[bytes]]
    stdin: Path
    timeout: float | None


class Stopped(Exception):
    """A run has failed."""


def compare(asked: Asked) -> Compared:
    (switch,) = (one for one in native.tool("settings", "--json") if one["name"] == "HEDDLE")
    if switch["value"] == "off":
        where = f" ({switch['from']})" if switch["from"] else ""
        raise Problem(f"HEDDLE=off is set{where}: there is nothing to compare. Unset it.", code=2)
    if not asked.stdin.exists():
        raise Problem(f"there is no {asked.stdin} (--input).", code=2)
    with _environment(HEDDLE_REPORT=None), _terminated_as_interrupted(), Written(asked.files, asked.ignore) as written:
        turns = _Turns(asked, written)
        with contextlib.suppress(Stopped):
            try:
                turns.all()
            except KeyboardInterrupt:
                print(f"heddle: interrupted after {turns.rounds} of {asked.rounds} rounds: no verdict", file=sys.stderr)
                raise
        return turns.found()


class _Turns:
    def __init__(self, asked: Asked, written: Written):
        self._asked, self._written = asked, written
        self._with = self._plan(True)  # first, because it fails if Heddle cannot run
        self._without = self._plan(False)
        launcher = launch.mpi_of(Path(self._with.file))
        self._found = Compared(
            command=shlex.join(asked.words) + (f" ({asked.ranks} ranks)" if asked.ranks else ""),
            mpi=f"{_TITLES.get(launcher.name, launcher.name)} {launcher.version}" if launcher else "",
            date=datetime.datetime.now().astimezone().isoformat(" ", "minutes"),
            heddle=heddle.__version__,
            machine=machine(),
            settings={name: value for name, value in sorted(os.environ.items()) if name.startswith("HEDDLE_")},
            rounds=[],
            ignored=[pattern.pattern.decode() for pattern in asked.ignore],
            looked=asked.calls,
        )

    @property
    def rounds(self) -> int:
        """The rounds that are done."""
        return len(self._found.rounds)

    def _plan(self, with_heddle: bool) -> Command:
        return launch.plan(self._asked.words, self._asked.ranks, self._asked.mpi, with_heddle)

    def all(self) -> None:
        asked = self._asked
        steps = 2 * (asked.rounds + asked.warm_up + asked.calls)
        with _progress(steps) as step:
            self._step = step
            if asked.warm_up:
                self._pair(without_first=True)
            with disturbance.watched(asked.words[0]) as others:
                for _ in range(asked.rounds):
                    first = verdict.shuffled((True, False))[0]
                    without, ours = self._pair(first)
                    self._found.rounds.append(Round(first, without.seconds, ours.seconds))
            self._found = replace(self._found, others=others.words)
            if self._written.unknown():
                self._run(self._without, "a second run without Heddle, for its output")
                self._written.without.append(self._last.contents)
            if asked.calls:
                self._calls()

    def _pair(self, without_first: bool) -> tuple[Run, Run]:
        runs = {}
        for with_heddle in (not without_first, without_first):
            name = f"{'with' if with_heddle else 'without'} Heddle"
            runs[with_heddle] = self._run(self._with if with_heddle else self._without, name)
        without, ours = runs[False], runs[True]
        if without.code or ours.code or None in (without.code, ours.code):
            self._found = replace(self._found, failure=Failure((without.code, ours.code), (without.errors, ours.errors)))
            raise Stopped
        self._written.without.append(without.contents)
        self._written.with_heddle.append(ours.contents)
        for name, content in without.contents.items():
            if content is None and ours.contents[name] is None:
                raise Problem(f"no run has written {name} (--output).")
        return without, ours

    def _run(self, command: Command, name: str) -> Run:
        self._step(name)
        self._last = started(command, self._written, self._asked.stdin, self._asked.timeout)
        return self._last

    def _calls(self) -> None:
        """Runs with reports, which take a little time themselves."""
        found = []
        with tempfile.TemporaryDirectory(prefix="heddle-compare-") as folder:
            for switch in ("off", "on"):
                file = Path(folder) / f"{switch}.json"
                with _environment(HEDDLE_REPORT=str(file), HEDDLE=switch):
                    run = self._run(self._plan(True), f"the calls {'without' if switch == 'off' else 'with'} Heddle")
                if run.code or not file.exists():
                    why = f"ended with code {run.code}" if run.code else "wrote no report: it did not reach MPI_Finalize"
                    self._found.notes.append(f"no times of calls: a run with HEDDLE={switch} {why}")
                    return
                found.append(reported.rows_of(file))
        if all(each.name == LAST for one in found for each in one.procedures):
            self._found.notes.append("the program makes no MPI call that communicates")
        elif not found[1].rows:
            self._found.notes.extend(filter(None, (said_to_be_carried(found[1]), handed_on(found[1]))))
        calls = {"calls": changed(*found), "sites": sites(*found), "carried": carried(found[1])}
        self._found = replace(self._found, **calls, carries=carries(found[1]))

    def found(self) -> Compared:
        if self._found.failure:
            return self._found
        return replace(self._found, outputs=self._written.outputs())


_TITLES = {"mpich": "MPICH", "openmpi": "Open MPI", "intelmpi": "Intel MPI", "prrte": "PRRTE"}


def machine() -> str:
    """The processor and how many of its cores this process may use."""
    model = ""
    with contextlib.suppress(OSError):
        found = re.search(r"^model name\s*: (.*)", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
        model = found[1] if found else ""
    cores = len(os.sched_getaffinity(0))
    return f"{model or platform.machine()}, {cores} core{'s' if cores > 1 else ''}"


@contextlib.contextmanager
def _environment(**settings: str | None) -> Iterator[None]:
    """Sets variables in the environment, because launchers hand it to ranks of other nodes, too."""
    before = {name: os.environ.get(name) for name in settings}
    _set(settings)
    try:
        yield
    finally:
        _set(before)


def _set(settings: dict[str, str | None]) -> None:
    for name, value in settings.items():
        os.environ.pop(name, None) if value is None else os.environ.update({name: value})


@contextlib.contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """Ends the ranks and puts moved files back, even if a batch system ends us."""

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def _progress(steps: int) -> Iterator:
    """Names each run before it starts. Draws a bar if stderr is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
        bar = progress.add_task("", total=steps)
        begun = itertools.count()

        def step(name: str) -> None:
            progress.update(bar, completed=next(begun), description=name)

        yield step

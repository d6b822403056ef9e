"""The runs of `heddle compare`, their order and their evaluation."""

from __future__ import annotations

import contextlib
import datetime
import itertools
import os
import platform
import re
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import heddle
from heddle import disturbance, launch, native, verdict
from heddle.interrupted import Interrupted, interruptible
from heddle.launch import Command
from heddle.problem import Problem
from heddle.reported import LAST
from heddle.reported.carried import carried as said_to_be_carried
from heddle.reported.carried import carries, handed_on
from heddle.reported.reading import rows_of
from heddle.reported.words import counted, duration
from heddle.waited import Waited, in_words

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


def compare(asked: Asked, tell: Callable[[Compared], None] = lambda found: None) -> Compared:
    """@param tell: gets the times and the outputs before the runs for the calls, which add the
    rest."""
    (switch,) = (one for one in native.tool("settings", "--json") if one["name"] == "HEDDLE")
    if switch["value"] == "off":
        where = f" ({switch['from']})" if switch["from"] else ""
        raise Problem(f"HEDDLE=off is set{where}: there is nothing to compare. Unset it.", code=2)
    if not asked.stdin.exists():
        raise Problem(f"there is no {asked.stdin} (--input).", code=2)
    with _environment(HEDDLE_REPORT=None), interruptible(), Written(asked.files, asked.ignore) as written:
        turns = _Turns(asked, written, tell)
        with contextlib.suppress(Stopped):
            try:
                turns.all()
            except Interrupted as signal:
                print(f"heddle: {signal.name}: stopped {turns.place}", file=sys.stderr)
                raise
        return turns.found()


class _Turns:
    def __init__(self, asked: Asked, written: Written, tell: Callable[[Compared], None]):
        self._asked, self._written, self._tell = asked, written, tell
        self._with = self._plan(True)  # first, because it fails if Heddle cannot run
        self._without = self._plan(False)
        self._begin = time.monotonic()
        self._pair_s = 0.0  # of the first pair, and then of the rounds on average
        self._warming = asked.warm_up
        launcher = launch.mpi_of(Path(self._with.file))
        self._found = Compared(
            command=shlex.join(asked.words) + (f" ({counted(asked.ranks, 'rank')})" if asked.ranks else ""),
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
    def place(self) -> str:
        """How far we are, and the figures so far: "after 2 of 7 rounds ..."."""
        done, all_of_them = len(self._found.rounds), self._asked.rounds
        if self._warming:
            return "in the warm-up; there are no figures yet"
        if done == all_of_them:
            return f"{'after the round' if done == 1 else f'after all {done} rounds'}, before the calls are known"
        if not done:
            return f"after 0 of {all_of_them} rounds; there are no figures yet"
        medians = f"{_time(self._found.without)} without Heddle, {_time(self._found.with_heddle)} with it"
        return f"after {done} of {all_of_them} rounds (medians so far: {medians}): no verdict"

    @property
    def _state(self) -> str:
        """How far we are, for a user who waits."""
        done, all_of_them = len(self._found.rounds), self._asked.rounds
        where = f"{done} of {all_of_them} rounds are done" if not self._warming else "in the warm-up"
        spent = in_words(time.monotonic() - self._begin)
        if not self._pair_s:
            return f"{where}, {spent} so far; the first pair of runs has not ended"
        left = self._pair_s * (all_of_them - done + self._asked.calls)
        if done == all_of_them:
            return f"{'the round is' if done == 1 else f'all {done} rounds are'} done; the runs for the calls are under way"
        return f"{where}, {spent} so far; about {in_words(left)} to go"

    def _plan(self, with_heddle: bool) -> Command:
        return launch.plan(self._asked.words, self._asked.ranks, self._asked.mpi, with_heddle)

    def all(self) -> None:
        asked = self._asked
        steps = 2 * (asked.rounds + asked.warm_up + asked.calls)
        terminal = sys.stderr.isatty()
        with _progress(steps, terminal) as (step, hidden), Waited(lambda: self._state, not terminal) as waited:
            self._step = step
            waited.say(f"{steps} runs: {_parts(asked)}")
            if asked.warm_up:
                self._pair(without_first=True)
                self._warming = False
                waited.say(self._expected())
            with disturbance.watched(asked.words[0]) as others:
                for _ in range(asked.rounds):
                    first = verdict.shuffled((True, False))[0]
                    without, ours = self._pair(first)
                    self._found.rounds.append(Round(first, without.seconds, ours.seconds))
                    if not asked.warm_up and len(self._found.rounds) == 1 < asked.rounds:
                        waited.say(self._expected())
            self._found = replace(self._found, others=others.words)
            if self._written.unknown():
                self._run(self._without, "a second run without Heddle, for its output")
                self._written.without.append(self._last.contents)
            with hidden():
                self._tell(self.found())
            if asked.calls:
                self._calls()

    def _expected(self) -> str:
        left = self._pair_s * (self._asked.rounds - len(self._found.rounds) + self._asked.calls)
        return f"the first pair of runs took {duration(1e6 * self._pair_s)}; about {in_words(left)} to go"

    def _pair(self, without_first: bool) -> tuple[Run, Run]:
        runs = {}
        for with_heddle in (not without_first, without_first):
            name = f"{'with' if with_heddle else 'without'} Heddle"
            runs[with_heddle] = self._run(self._with if with_heddle else self._without, name)
        without, ours = runs[False], runs[True]
        self._pair_s = self._pair_s or without.seconds + ours.seconds
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
                found.append(rows_of(file))
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


def _time(spread: verdict.Spread) -> str:
    return duration(1e6 * spread.median)


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


def _parts(asked: Asked) -> str:
    """a warm-up, 7 rounds, and the calls; 2 runs each"""
    rounds = f"{asked.rounds} round{'s' * (asked.rounds > 1)}"
    named = [*(["a warm-up"] if asked.warm_up else []), rounds, *(["the calls"] if asked.calls else [])]
    first, last = ", ".join(named[:-1]), named[-1]
    return (f"{first} and {last}" if first else last) + ", with and without Heddle"


@contextlib.contextmanager
def _progress(steps: int, terminal: bool) -> Iterator[tuple[Callable[[str], None], Callable]]:
    """Names each run before it starts. Draws a bar if stderr is a terminal. The second function
    makes a context without the bar."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not terminal) as progress:
        bar = progress.add_task("", total=steps)
        begun = itertools.count()

        def step(name: str) -> None:
            progress.update(bar, completed=next(begun), description=name)

        @contextlib.contextmanager
        def hidden() -> Iterator[None]:
            progress.stop()
            yield
            progress.start()

        yield step, hidden

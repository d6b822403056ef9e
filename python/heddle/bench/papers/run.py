"""Runs the commands of the papers' figures one after the other, each in a process of its own, and
keeps their results.

If a command fails, this is printed and the next one runs. Ctrl-C ends the running command and keeps
the results so far.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from heddle import native
from heddle.problem import Problem

from . import results
from .model import Step
from .results import Outcome

LOOKS = 0.5  # seconds between two looks at a command that runs
PRIOR = 60  # so many seconds of the table weigh as much as measured seconds
PATIENCE = 15  # seconds in which an interrupted command must end its ranks


def line(step: Step, words: tuple[str, ...], folder: Path) -> list[str]:
    """The command line: `words`, with the files for rows and pictures."""
    program, *rest = words
    begin = {"heddle": [sys.executable, "-m", "heddle"], "python": [sys.executable]}.get(program) or [
        str(native.program(program))
    ]
    files = ["--json", str(folder / "rows.json")]
    files += ["--plot", str(folder / "figure")] if step.draws else []
    return [*begin, *rest, *files]


def perform(step: Step, words: tuple[str, ...], folder: Path, tick: Callable[[float], None]) -> Outcome:
    """Runs a command.

    @param tick  gets the seconds so far
    """
    folder.mkdir(parents=True, exist_ok=True)
    for old in ("run.json", "rows.json", "figure.svg", "figure.png"):
        (folder / old).unlink(missing_ok=True)
    began, load = datetime.now().astimezone().isoformat(timespec="seconds"), os.getloadavg()[0]
    started = time.monotonic()
    with open(folder / "output.txt", "w") as output, open(folder / "errors.txt", "w+") as errors:
        options = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": errors, "start_new_session": True}
        with subprocess.Popen(line(step, words, folder), **options) as process:
            try:
                while process.poll() is None:
                    time.sleep(LOOKS)
                    tick(time.monotonic() - started)
            except BaseException:
                _end(process)
                raise
        errors.seek(0)
        said = [text.strip() for text in errors.read().splitlines() if text.strip()]
    code = process.returncode
    why = "" if code == 0 else " ".join(said[-3:]).removeprefix("heddle: ") or f"it ended with code {code}"
    took = time.monotonic() - started
    return Outcome(words, code, why[:600], round(took, 1), began, (round(load, 1), round(os.getloadavg()[0], 1)))


def _end(process: subprocess.Popen) -> None:
    """Ends a benchmark as Ctrl-C does: then it ends its ranks, which are in other sessions."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def _terminable() -> Iterator[None]:
    """If this process is ended, or its terminal closed, the running command is ended, too."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    heeded = [one for one in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(one) is signal.SIG_DFL]  # not under nohup
    before = {one: signal.signal(one, interrupted) for one in heeded}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def run(todo: Sequence[tuple[Step, tuple[str, ...]]], out: Path, quick: bool, screen: Console) -> bool:
    """Runs all commands. False: interrupted."""
    about = {step.name: _about(step, words, out, quick) for step, words in todo}
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TextColumn("{task.fields[left]}"),
    )
    with _terminable(), Progress(*columns, console=screen, transient=True) as progress:
        whole, past, took = sum(about.values()), 0.0, 0.0
        bar = progress.add_task("", total=whole, left="")
        for place, (step, words) in enumerate(todo, 1):
            pace = (took + PRIOR) / (past + PRIOR)  # a busy machine is slower than the table says
            begin = {"description": shortened(f"{place} of {len(todo)}: {' '.join(words)}")}
            told_by = partial(_tick, progress, bar, begin, past, about[step.name], pace)
            told_by(0)
            found = _outcome(step, words, out / step.name, told_by)
            results.keep(found, out / step.name)
            if found.why == INTERRUPTED:
                return False
            past, took = past + about[step.name], took + (found.seconds if found.fine else about[step.name] * pace)
            screen.print(told(step, found), highlight=False)
    return True


INTERRUPTED = "it was interrupted"


def _tick(progress: Progress, bar: TaskID, begin: dict, past: float, needs: float, pace: float, seconds: float) -> None:
    """Moves the bar on.

    @param past, needs  seconds by the table: of earlier commands, and of this one. @param pace  the real time over them
    """
    done = past + min(seconds / pace, 0.98 * needs)
    whole = progress.tasks[0].total
    left = f"{_clock(seconds)} of about {_clock(pace * needs)}; {_clock(pace * (whole - done))} left in all"
    progress.update(bar, completed=done, left=left, **begin)


def _outcome(step: Step, words: tuple[str, ...], folder: Path, tick: Callable[[float], None]) -> Outcome:
    if (why := step.missing()) and not step.instead:
        return Outcome(words, None, why)
    try:
        return perform(step, words, folder, tick)
    except Problem as problem:  # a program of Heddle's is missing
        return Outcome(words, 1, str(problem))
    except KeyboardInterrupt:
        return Outcome(words, None, INTERRUPTED)


def shortened(text: str, most: int = 60) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def told(step: Step, found: Outcome) -> str:
    if found.fine:
        return f"[green]✓[/] {step.name}, {_clock(found.seconds)}"
    mark = "[yellow]–[/]" if found.code is None else "[red]✗[/]"
    return f"{mark} {step.name}: {found.why}".replace("\n", " ")


def _about(step: Step, words: tuple[str, ...], out: Path, quick: bool) -> float:
    """The time of the same command in its last run here, or else the table's estimate."""
    seen = results.outcome(out / step.name)
    return max(1.0, seen.seconds) if seen and seen.fine and seen.words == words else step.about(quick)


def _clock(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 60 else f"{seconds // 60:.0f} min {seconds % 60:02.0f} s"

"""Runs of a program, and their output. The output goes into our own places, so that no run sees the
output of the run before.

with Written(files, ignore) as written:
    run = started(command, written, Path(os.devnull), timeout=None)
    written.without.append(run.contents)
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from heddle.interrupted import end
from heddle.launch import Command
from heddle.problem import Problem

from .outputs import Content, Line, Output, Verdict, content, first_difference, judge, kept

STDOUT = "stdout"
TAIL_LINES = 12


@dataclass(frozen=True)
class Run:
    seconds: float
    code: int | None  # None: it took too long
    errors: str
    contents: dict[str, Content | None]


class Written:
    """stdout and the files of --output. Each content is kept once. Files that were there before
    come back at the end."""

    def __init__(self, files: Sequence[Path], ignore: Sequence[re.Pattern[bytes]]):
        self._files = {str(file): file for file in files}
        self._ignore = ignore
        self._aside: dict[str, Path] = {}
        self._known: dict[Content, Path] = {}
        self._left_out: set[str] = set()  # names of outputs without the lines of --ignore
        self.without: list[dict[str, Content | None]] = []
        self.with_heddle: list[dict[str, Content | None]] = []

    def __enter__(self) -> Written:
        self.folder = Path(tempfile.mkdtemp(prefix="heddle-compare-"))
        try:
            self._put_aside()
        except OSError as error:
            self.__exit__()
            raise Problem(f"cannot move {error.filename} aside between runs ({error.strerror}).") from None
        return self

    def _put_aside(self) -> None:
        for name, file in self._files.items():
            if file.is_dir():
                self.__exit__()
                raise Problem(f"--output {name} is a folder; name the files in it.", code=2)
            if file.exists():
                aside = file.with_name(f".heddle-compare-{os.getpid()}-{file.name}")  # the same file system: a mere renaming
                file.rename(aside)
                self._aside[name] = aside

    def __exit__(self, *_) -> None:
        for name, file in self._files.items():
            if aside := self._aside.get(name):
                aside.rename(file)
            elif not file.is_dir():
                file.unlink(missing_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def taken(self) -> dict[str, Content | None]:
        """Takes the output of a run away, before the next run."""
        return {name: self._take(name, place) for name, place in {STDOUT: self.folder / STDOUT, **self._files}.items()}

    def _take(self, name: str, place: Path) -> Content | None:
        if not place.is_file():
            return None
        whole = place.read_bytes()
        data = kept(whole, self._ignore)
        if len(data) < len(whole):
            self._left_out.add(name)
        place.unlink()
        found = content(data)
        if found not in self._known:
            copy = self.folder / found.bytes
            copy.write_bytes(data)
            self._known[found] = copy
        return found

    def outputs(self) -> list[Output]:
        return [replace(self._output(name), left_out=name in self._left_out) for name in (STDOUT, *self._files)]

    def unknown(self) -> bool:
        """The outputs differ, and a single run without Heddle cannot show whether they always
        do."""
        return len(self.without) == 1 and any(one.verdict is Verdict.different for one in self.outputs())

    def _output(self, name: str) -> Output:
        host, ours = ([run[name] for run in side] for side in (self.without, self.with_heddle))
        verdict = judge(host, ours)
        if verdict is Verdict.different:
            other = next(one for one in ours if _lines(one) != _lines(host[0]))
            return Output(name, verdict, *self._difference(host[0], other))
        if verdict is Verdict.unsteady:
            other = next(one for one in host if _lines(one) != _lines(host[0]))
            return Output(name, verdict, *self._difference(host[0], other))
        return Output(name, verdict)

    def _difference(self, one: Content | None, other: Content | None) -> tuple[Line, Line]:
        absent = Line(0, "not written")
        if one is None or other is None:
            return (absent if one is None else Line(0, "written")), (absent if other is None else Line(0, "written"))
        return first_difference(self._known[one].read_bytes(), self._known[other].read_bytes())


def _lines(one: Content | None) -> str | None:
    return one.lines if one else None


def started(command: Command, written: Written, stdin: Path, timeout: float | None) -> Run:
    with open(stdin, "rb") as source, open(written.folder / STDOUT, "wb") as out, tempfile.TemporaryFile() as errors:
        begin = time.perf_counter()
        code = _ended(command, source, out, errors, timeout)
        seconds = time.perf_counter() - begin
        errors.seek(0)
        tail = errors.read().decode("utf-8", "replace").splitlines()[-TAIL_LINES:]
    return Run(seconds, code, "\n".join(tail), written.taken())


def _ended(command: Command, stdin, stdout, stderr, timeout: float | None) -> int | None:
    with _interrupts_held_back() as let_in:
        try:
            process = subprocess.Popen(
                command.words,
                executable=command.file,
                env=command.environment,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
        except OSError as error:
            raise Problem(f"{command.file} cannot be started ({error.strerror}).", code=126) from None
        with process:
            try:
                let_in()
                return process.wait(timeout)
            except subprocess.TimeoutExpired:
                end(process)
                return None
            except BaseException:  # Ctrl-C
                end(process)
                raise


@contextlib.contextmanager
def _interrupts_held_back() -> Iterator[Callable[[], None]]:
    """Holds signals back until the yielded function is called. A signal while Popen starts a
    process would leave a process that no one ends."""
    came: list[int] = []
    theirs = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    theirs = {number: handler for number, handler in theirs.items() if callable(handler)}  # ignored signals stay ignored

    def let_in() -> None:
        while theirs:
            signal.signal(*theirs.popitem())
        if came:
            first = came[0]
            came.clear()
            signal.raise_signal(first)

    for number in theirs:
        signal.signal(number, lambda number, _: came.append(number))
    try:
        yield let_in
    finally:
        let_in()

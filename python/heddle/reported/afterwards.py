"""heddle run --report: runs the program, and says in a few lines on stderr at its end what Heddle
did. Also heddle run with HEDDLE_TRACE.

run(["./app"], ranks=4, mpi=None, kept="")     # ends the process with the program's exit code
run_with_timeline(["./app"], ranks=4, mpi=None)
lines(found, seconds, file)                    # the lines about a report
check_writable(kept, words)                    # checks the file of HEDDLE_REPORT or HEDDLE_TRACE before the program runs
"""

from __future__ import annotations

import contextlib
import glob
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, NoReturn

from heddle import disturbance, launch, listing, written
from heddle.foreign import clean
from heddle.problem import Problem

from . import Found, lost, timeline
from .advice import advice
from .carried import FILES_OFF, carried, handed_on, ours
from .estimate import COMPARE, estimate
from .imbalance import Late, latest
from .lines import Place, missing, places
from .reading import rows_of
from .table import share
from .waits import waits_of
from .words import duration

VARIABLE = "HEDDLE_REPORT"
FORWARDED = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
ENDING = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP)  # signals that ask a program to end
MOST = 3  # calls that are named
LOOKED_UP = 20  # places; several may be one line of the program
LITTLE = 0.05  # of the run: less time in MPI is not worth a change


def run(words: list[str], ranks: int | None, mpi: str | None, kept: str) -> NoReturn:
    """`kept`: the file that stays. "": the file of HEDDLE_REPORT, or else no file stays."""
    option = "--report" if kept else VARIABLE
    kept = kept or os.environ.get(VARIABLE, "")
    check_writable(kept, words)
    with _place(kept) as file:
        os.environ[VARIABLE] = str(file)
        command = launch.plan(words, ranks, mpi)
        before = _identities(file)
        begin = time.perf_counter()
        with _timelines():
            with disturbance.watched(command.file) as others:
                ended = _run(command)
            seconds = time.perf_counter() - begin
        found = None if _streams(kept) else next(reversed(_written(file, before)), None)
        _say(found, seconds, kept, option, words, compare(words, ranks, mpi), ended)
        if found and others.busy:
            print(clean(f"heddle: {others.words}"), file=sys.stderr)
    _end(ended.code)


def run_with_timeline(words: list[str], ranks: int | None, mpi: str | None) -> NoReturn:
    """Runs the program, and adds the lines of its calls to the files of HEDDLE_TRACE.

    Ends the process with the program's exit code.
    """
    with _timelines():
        ended = _run(launch.plan(words, ranks, mpi))
    _end(ended.code)


@contextlib.contextmanager
def _timelines() -> Iterator[None]:
    """Adds lines to the timelines that appear meanwhile."""
    pattern = os.environ.get(timeline.VARIABLE, "")
    file = Path(pattern).absolute()
    before = _identities(file) if pattern else {}
    yield
    for path in _written(file, before) if pattern else ():
        timeline.name_lines(path)


def _end(code: int) -> NoReturn:
    if code < 0:
        _die(-code)
    sys.exit(code)


def compare(words: list[str], ranks: int | None, mpi: str | None) -> str:
    """The command that measures the gain of the same line."""
    options = [*(["-n", str(ranks)] if ranks else []), *(["--mpi", mpi] if mpi else [])]
    return f"{COMPARE} {shlex.join([*options, '--', *words])}"


def check_writable(kept: str, words: list[str], name: str = "the report") -> None:
    """Checks the file before a run of perhaps hours. It checks nothing under a launcher, whose
    ranks may see other folders, and nothing if the folder has a %, whose value only the ranks
    know."""
    if kept and not launch.is_launcher(words[0]) and "%" not in str(Path(kept).absolute().parent):
        written.check(kept, name)


def _die(number: int) -> None:
    """Dies by the signal that killed the program, without a core file of its own."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError):  # SIGKILL
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


@contextlib.contextmanager
def _place(kept: str) -> Iterator[Path]:
    if kept:
        yield Path(kept).absolute()
        return
    folder = tempfile.mkdtemp(prefix="heddle-report-")
    try:
        yield Path(folder) / "report.json"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _why_not(kept: str) -> str:
    """Why the file cannot be written, which the ranks of a launcher find out at their end. "": it
    can, or only the ranks know its folder."""
    return "" if not kept or "%" in str(Path(kept).absolute().parent) else written.why_not(Path(kept).absolute())


def _streams(kept: str) -> bool:
    """True: the report goes to /dev/stdout or a pipe, and cannot be read again."""
    return bool(kept) and "%" not in kept and written.is_stream(Path(kept).absolute())


def _identities(file: Path) -> dict[Path, tuple[int, int]]:
    """The files that may be the report, by inode and time: a report is always a new file. A name
    with %h, %p, %j or %r (src/report/file_name.hpp) may mean several files."""
    pattern = re.sub(r"%([hpjr%])", lambda found: "%" if found[1] == "%" else "*", glob.escape(str(file)))
    found = {}
    for path in map(Path, glob.glob(pattern)):
        with contextlib.suppress(OSError):
            status = path.stat()
            found[path] = status.st_ino, status.st_mtime_ns
    return dict(sorted(found.items(), key=lambda item: item[1][1]))


def _written(file: Path, before: dict[Path, tuple[int, int]]) -> list[Path]:
    """The files that are new since then, the last one at the end."""
    return [path for path, identity in _identities(file).items() if before.get(path) != identity]


class Ended(NamedTuple):
    code: int  # negative: the signal that killed it
    interrupted: str  # the name of the signal that asked it to end; empty: none


def _run(command: launch.Command) -> Ended:
    """Runs the program, and leaves signals to it. A terminal's signals reach it by themselves, as
    it is in the same group."""
    came: list[int] = []

    def forward(taken: int, _) -> None:
        came.append(taken)
        process.send_signal(taken)

    try:
        process = subprocess.Popen(command.words, executable=command.file, env=command.environment)
    except OSError as error:
        raise Problem(f"{command.file} cannot be started ({error.strerror}).", code=126) from None
    for number in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, lambda taken, _: came.append(taken))
    for number in FORWARDED:
        signal.signal(number, forward)
    code = process.wait()
    # A launcher that a signal has killed, and a shell whose program it has killed.
    ends = [number for number in (*came, -code, code - 128) if number in ENDING]
    return Ended(code, signal.Signals(ends[0]).name if ends else "")


def _say(file: Path | None, seconds: float, kept: str, option: str, words: list[str], compare: str, ended: Ended) -> None:
    """`option`: the option or the variable that has named the file `kept`."""
    interrupted = ended.interrupted
    try:
        if file is None and interrupted:
            raise Problem(f"{interrupted} came during the run, and there is no report")
        if file is None and (why := _why_not(kept)):
            raise Problem(f"there is no report in {kept}: {why}. {option}=FILE names another file")
        if file is None:
            where = "" if kept else " on another node (use --report=FILE with a FILE that all nodes see)"
            said = lost.known(words, ended.code)
            if not said and _streams(kept):
                said = f"the report goes to {kept}; {option}=FILE with another FILE gives a summary here, too"
            raise Problem(said or lost.unknown(where or " elsewhere"))
        said = lines(rows_of(file), seconds, str(file) if "%" in kept else kept, compare, interrupted)
    except Problem as problem:
        said = [str(problem)]
    sys.stdout.flush()
    for line in said:
        print(clean(f"heddle: {line}"), file=sys.stderr)


def lines(found: Found, seconds: float, kept: str = "", compare: str = COMPARE, interrupted: str = "") -> list[str]:
    """Some lines: the time, the dearest calls, imbalance, waits, the carried data, the calls that
    were handed on, the estimated gain, one advice or the next step.
    @param interrupted: the name of the signal that asked the program to end."""
    ranks = max(1, found.ranks)
    said = [
        f"{duration(seconds * 1e6)} in all; {_spent(found)}"
        + (f". heddle report {shlex.quote(kept)} shows more" if kept else "")
    ]
    calls, why = _calls(found)
    if interrupted:
        said.insert(0, f"{interrupted} came during the run, so the report may have only a part of it")
    if calls:
        said += [f"most time in MPI (mean of a rank, share of the run; calls of all ranks){f'. {why}' if why else ''}", *calls]
    late = latest(found)
    if late:
        said.append(late.sentence)
    if waits := waits_of(found):
        said.append(waits.sentence(places([waits.site.place])))
    said += filter(None, (carried(found), handed_on(found)))
    gains = bool(ours(found)) or any(one.carried for one in found.procedures)
    if gains:
        said.append(estimate(found).gain(ranks, compare))
    advices = [f"→ {one.sentence}" for one in advice(found)[:1]]
    return said + (advices or ([] if gains or interrupted else _next(found, late)))


def _spent(found: Found) -> str:
    """The time of a rank in MPI: the mean and the range."""
    spread, whole = found.in_mpi, found.elapsed_us
    where = "in MPI" if found.all_of_mpi else "in MPI calls that Heddle replaces"
    spent = f"a rank spent {duration(spread.mean)} {where}"
    if whole > 0:
        mean, least, most = (f"{100 * (us or 0) / whole:.0f}" for us in (spread.mean, spread.least, spread.most))
        part = f"{mean} % on average, {least} to {most} %" if len(found.by_rank) > 1 and least != most else f"{mean} %"
        spent = f"of {duration(whole)} from MPI_Init to MPI_Finalize {spent} ({part})"
    return spent + (f"; the times of up to {found.threads} threads of a rank are added up" if found.threads > 1 else "")


def _next(found: Found, late: Late | None) -> list[str]:
    """The next step if Heddle had nothing to carry."""
    if found.heddle == "off" or not found.all_of_mpi or found.elapsed_us <= 0:
        return []
    if any(FILES_OFF in one.passed for one in found.procedures):
        return ["next: try it without HEDDLE_FILES=off: Heddle then carries collective accesses to files with holes"]
    if late:
        return [f"next: {late.advice}; Heddle carries none of these calls"]
    if found.in_mpi.mean < LITTLE * found.elapsed_us:
        return ["next: nothing to gain in MPI; the program spends its time elsewhere"]
    return ["next: nothing to gain with Heddle, which carries none of these calls"]


def _calls(found: Found) -> tuple[list[str], str]:
    """The dearest calls with their places, a line each, and why some places are not known. Calls of
    one line of the program are summed: a compiler may make several calls of one."""
    where: dict[Place, str] = {}
    sums: dict[str, tuple[float, int]] = {}
    if found.sites:
        where = places(one.place for one in found.sites[:LOOKED_UP])
        for one in found.sites[:LOOKED_UP]:
            named = f"{one.name} in {where[one.place]}" if where[one.place] else one.name
            us, calls = sums.get(named, (0, 0))
            sums[named] = us + one.us, calls + one.calls
    else:
        sums = {one.name: (one.us, one.calls) for one in found.procedures}
    dearest = sorted(sums.items(), key=lambda one: -one[1][0])[:MOST]
    rows = []
    for named, (us, calls) in dearest:
        mean = us / max(1, found.ranks)
        rows.append((f"  {named}", duration(mean), share(mean, found), f"{calls:,} {'calls' if calls != 1 else 'call '}"))
    right = ("time", "share", "calls")
    return listing.listing(("", *right), rows, right=right)[1:], missing(where)

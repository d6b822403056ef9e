"""The command `heddle`. `heddle run` with a plain line starts at once. app.py does the rest: its
imports take longer than the start of a short job."""

from __future__ import annotations

import os
import sys

from heddle import lines, streams
from heddle.problem import Problem

_RANKS = ("-n", "-np", "--ranks")
_MPI = "--mpi"
VALUED = (*_RANKS, _MPI)  # options whose value may be the next word
_REPORT = "--report"


def plain_run(words: list[str]) -> tuple[list[str], int | None, str | None, str | None] | None:
    """The command that `heddle run WORDS` starts, its ranks, its MPI, and the file for its report
    ("": a temporary file). None: the words ask for help, have a mistake, or need app.py for another
    reason."""
    ranks: int | None = None
    mpi: str | None = None
    report: str | None = None
    rest = list(words)
    while rest and rest[0].startswith("-"):
        option, equals, value = rest.pop(0).partition("=")
        if option == "--" and not equals:
            break
        if option == _REPORT:
            report = value
            continue
        if option not in VALUED or (equals and option in ("-n", "-np")):
            return None
        if not equals:
            if not rest:
                return None
            value = rest.pop(0)
        if option == _MPI:
            mpi = value
        elif value.isascii() and value.isdigit() and int(value) > 0:
            ranks = int(value)
        else:
            return None
    return (rest, ranks, mpi, report) if rest else None


def main() -> None:
    if os.path.basename(sys.argv[0]) == "heddle-python":
        sys.argv[0] = "heddle"  # the program that a user starts (src/command/), for messages
    lines.take_over()
    _leave_locale()
    try:
        _main()
    except streams.Unwritable as full:
        _give_up(full)
    finally:
        _flush()


def _leave_locale() -> None:
    """Python sets LC_CTYPE for itself and its children if the locale is C (PEP 538). A program gets
    the user's environment."""
    if "LC_CTYPE" in os.environ:
        try:
            with open("/proc/self/environ", "rb") as file:
                given = file.read().split(b"\0")
        except OSError:
            return
        if not any(entry.startswith(b"LC_CTYPE=") for entry in given):
            del os.environ["LC_CTYPE"]


def _flush() -> None:
    """The reader of our output, such as head, may end early. This is no mistake."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        streams.silence()
    except streams.Unwritable as full:
        _give_up(full)


def _give_up(full: streams.Unwritable) -> None:
    streams.silence()
    print(f"heddle: {full}", file=sys.stderr)
    sys.exit(1)


def _main() -> None:
    try:
        streams.prepare(closed_is_fine=sys.argv[1:2] == ["run"])
        if sys.argv[1:2] == ["run"] and (line := plain_run(sys.argv[2:])):
            from heddle.launch import start

            start(*line)
        else:
            from heddle.app import run_app

            run_app()
    except Problem as problem:
        from heddle.foreign import clean_lines

        print(clean_lines(f"heddle: {problem}"), file=sys.stderr)
        sys.exit(problem.code)

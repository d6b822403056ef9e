"""heddle compare: runs a program alternately with Heddle and without."""

import re
import sys
from pathlib import Path
from typing import Annotated, Optional

import typer

from heddle import verdict, written
from heddle.problem import Problem

from .starting import Mpi, Ranks, Words


def compare(
    words: Words,
    ranks: Ranks = None,
    mpi: Mpi = None,
    rounds: Annotated[
        int, typer.Option("--rounds", "-r", min=1, help="Measured runs with Heddle, and as many without.")
    ] = verdict.ROUNDS,
    warm_up: Annotated[bool, typer.Option(help="Run both variants once, unmeasured, before the first round.")] = True,
    calls: Annotated[bool, typer.Option(help="Run both variants once more afterwards, to see which MPI calls changed.")] = True,
    output: Annotated[
        Optional[list[Path]],
        typer.Option("--output", metavar="FILE", help="Compare this file, which the program writes, too."),
    ] = None,
    ignore: Annotated[
        Optional[list[str]],
        typer.Option("--ignore", metavar="REGEX", help="Ignore lines in which REGEX is found, such as times and dates."),
    ] = None,
    stdin: Annotated[
        Path, typer.Option("--input", metavar="FILE", help="The standard input of every run.", show_default=False)
    ] = Path("/dev/null"),
    timeout: Annotated[
        Optional[float], typer.Option("--timeout", min=1, help="A run fails if it takes longer (seconds).", show_default=False)
    ] = None,
    html: Annotated[
        Optional[Path], typer.Option("--html", metavar="FILE", help="Write the comparison as a page.", show_default=False)
    ] = None,
    png: Annotated[
        Optional[Path],
        typer.Option("--png", metavar="FILE", help="Draw the comparison (needs matplotlib).", show_default=False),
    ] = None,
    json: Annotated[
        Optional[Path], typer.Option("--json", metavar="FILE", help="Write all of it as JSON; - is stdout.", show_default=False)
    ] = None,
) -> None:
    """Run a program with Heddle and without, in turn. How much faster is the program, and is its
    output the same?

    A verdict needs 6 rounds; with 9 rounds, one spoilt round does not prevent it. Each round has a
    run of both ways in random order. The bracket holds the median of the rounds' ratios with a
    probability of at least 95 %.

    The runs without Heddle do not preload it. The command compares the printed output instead of
    showing it. It also compares the files of --output. It moves them aside between the runs, and
    puts files that were there before back at the end. The exit code is 1 if a run fails, or if the
    outputs differ.

    \b
    heddle compare -n 4 -- ./app input.dat
    heddle compare --output result.dat -- mpiexec -n 4 ./app input.dat
    heddle compare -r 10 --ignore seconds --html page.html -- srun -n 64 ./app
    """
    from heddle import pages
    from heddle.compared import Compared, chart, text
    from heddle.compared.turns import Asked, compare
    from heddle.interrupted import Interrupted

    if png:
        chart.require(png)
    if html:
        pages.require()
    for file, name in ((html, "the page"), (png, "the picture"), (json, "the JSON")):
        if file and str(file) != "-":
            written.check(file, name)
    asked = Asked(words, ranks, mpi, rounds, warm_up, calls, output or [], _patterns(ignore or []), stdin, timeout)
    quiet = str(json) == "-"
    told = []

    def tell(found: Compared) -> None:
        told.append(found)
        if not quiet:
            text.show_rounds(found)

    try:
        found = compare(asked, tell)
    except Interrupted as signal:
        raise typer.Exit(signal.code) from None
    if not quiet and told:
        text.show_calls(found, told[0])
    elif not quiet:
        text.show(found)
    if json:
        _write(json, text.as_json(found, sys.stdout.encoding if quiet else "utf-8"))
    if found.failure is None:
        if html:
            from heddle.compared import page

            _write(html, page.draw(found))
        if png:
            chart.draw(found, png)
    raise typer.Exit(0 if found.good else 1)


def _patterns(texts: list[str]) -> list[re.Pattern[bytes]]:
    try:
        return [re.compile(text.encode()) for text in texts]
    except re.error as error:
        raise Problem(f"--ignore {error.pattern.decode()!r} is no regular expression ({error.msg}).", code=2) from None


def _write(file: Path, text: str) -> None:
    if str(file) == "-":
        print(text, end="")
        return
    try:
        written.write(file, text)
    except OSError as error:
        raise Problem(f"cannot write {file} ({error.strerror}).") from None

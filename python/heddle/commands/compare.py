"""heddle compare: a program with Heddle and without, by turns."""

import re
from pathlib import Path
from typing import Annotated, Optional

import typer

from heddle import written
from heddle.problem import Problem

from .starting import Mpi, Ranks, Words


def compare(
    words: Words,
    ranks: Ranks = None,
    mpi: Mpi = None,
    rounds: Annotated[int, typer.Option("--rounds", "-r", min=1, help="Runs of each way that count.")] = 3,
    warm_up: Annotated[bool, typer.Option(help="One more of each before them.")] = True,
    calls: Annotated[bool, typer.Option(help="One more of each after them, to see which MPI calls changed.")] = True,
    output: Annotated[
        Optional[list[Path]],
        typer.Option("--output", metavar="FILE", help="A file that the program writes and that is compared, too."),
    ] = None,
    ignore: Annotated[
        Optional[list[str]],
        typer.Option("--ignore", metavar="REGEX", help="Lines that may differ (times, dates): those that it is found in."),
    ] = None,
    stdin: Annotated[
        Path, typer.Option("--input", metavar="FILE", help="What every run reads as its standard input.", show_default=False)
    ] = Path("/dev/null"),
    timeout: Annotated[
        Optional[float], typer.Option("--timeout", min=1, help="Seconds after which a run has failed.", show_default=False)
    ] = None,
    html: Annotated[
        Optional[Path], typer.Option("--html", metavar="FILE", help="Write it there as a page.", show_default=False)
    ] = None,
    png: Annotated[
        Optional[Path], typer.Option("--png", metavar="FILE", help="Draw it there (needs matplotlib).", show_default=False)
    ] = None,
    json: Annotated[
        Optional[Path], typer.Option("--json", metavar="FILE", help="As JSON; - is stdout.", show_default=False)
    ] = None,
) -> None:
    """Run a program with Heddle and without, by turns: how much faster is it, and does it write the same?

    The runs without Heddle have nothing of it in them. What the program prints is kept from the terminal and compared, and so
    are the files of --output: they are moved aside between the runs, and what lay there before comes back at the end.
    The exit code is 1 if a run fails, or if the output is not the same.

    \b
    heddle compare -n 4 -- ./app input.dat
    heddle compare --output result.dat -- mpiexec -n 4 ./app input.dat
    heddle compare -r 10 --ignore seconds --html page.html -- srun -n 64 ./app
    """
    from heddle.compared import chart, text
    from heddle.compared.turns import Asked, compare

    if png:
        chart.require(png)
    asked = Asked(words, ranks, mpi, rounds, warm_up, calls, output or [], _patterns(ignore or []), stdin, timeout)
    found = compare(asked)
    if str(json) != "-":
        text.show(found)
    if json:
        _write(json, text.as_json(found))
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

"""heddle run: starts an MPI program with Heddle between it and its MPI."""

from typing import Annotated, Optional

import typer

from heddle.cli import VALUED

from .starting import Mpi, Ranks, Words


def spelled_out(words: list[str]) -> list[str]:
    """`--report` as `--report=`, which says that no file follows."""
    plain = list(words)
    i = 0
    while i < len(words) and words[i].startswith("-") and words[i] != "--":
        if words[i] == "--report":
            plain[i] = "--report="
        i += 2 if words[i] in VALUED else 1
    return plain


def run(
    words: Words,
    ranks: Ranks = None,
    mpi: Mpi = None,
    report: Annotated[
        Optional[str],
        typer.Option(
            "--report",
            metavar="[=FILE]",
            help="Say at the end on stderr what Heddle did and which calls took longest; FILE keeps the whole report.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Start an MPI program with Heddle in it.

    The program stays as it is. Heddle finds out which MPI it uses, preloads
    the matching library into the ranks and steps aside: input, output,
    signals and the exit code are the program's own.

    \b
    heddle run -n 4 -- ./app input.dat             Heddle picks the launcher
    heddle run -- mpiexec -n 4 ./app input.dat     your own launcher line
    heddle run -- srun -N 2 -n 64 ./app            a batch system's
    heddle run -n 2 --mpi openmpi -- python script.py
    heddle run --report -n 4 -- ./app              what did it do?
    """
    from heddle.launch import start

    start(words, ranks, mpi, report)

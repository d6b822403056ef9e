"""heddle run: starts an MPI program with Heddle between it and its MPI."""

from typing import Annotated, Optional

import typer

from heddle.cli import VALUED

from .starting import Mpi, Ranks, Words


def spelled_out(words: list[str]) -> list[str]:
    """Writes `--report` as `--report=`, so that the next word is not taken for its file."""
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
            help="At the end, print on stderr what Heddle did and which calls took longest; FILE keeps the whole report.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Start an MPI program with Heddle in it.

    The program stays unchanged. The command finds out which MPI the program
    uses, and preloads the matching library into the ranks. Input, output,
    signals and the exit code are those of the program.

    \b
    heddle run -n 4 -- ./app input.dat             Heddle picks the launcher
    heddle run -- mpiexec -n 4 ./app input.dat     your own launcher line
    heddle run -- srun -N 2 -n 64 ./app            a batch system's launcher
    heddle run -n 2 --mpi openmpi -- python script.py
    heddle run --report -n 4 -- ./app              prints what Heddle did
    """
    from heddle.launch import start

    start(words, ranks, mpi, report)

"""heddle run: starts an MPI program with Heddle between it and its MPI."""

from typing import Annotated, Optional

import typer

SETTINGS = {"allow_interspersed_args": False, "ignore_unknown_options": False}


def run(
    words: Annotated[
        list[str], typer.Argument(metavar="PROGRAM [ARGS]... | LAUNCHER ...", help="What to start.", show_default=False)
    ],
    ranks: Annotated[
        Optional[int],
        typer.Option("-n", "--ranks", min=1, help="Ranks to start; without it, one for each core.", show_default=False),
    ] = None,
    mpi: Annotated[
        Optional[str],
        typer.Option(
            "--mpi",
            metavar="NAME|PATH",
            help="mpich, openmpi, another name of `heddle mpi`, or an installation's folder.",
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
    """
    from heddle.launch import start

    start(words, ranks, mpi)

"""What `heddle run`, `heddle compare` and `heddle doctor` take alike: a program, or a launcher's line."""

from typing import Annotated, Optional

import typer

SETTINGS = {"allow_interspersed_args": False, "ignore_unknown_options": False}


def names_of_mpi(incomplete: str) -> list[tuple[str, str]]:
    """For a shell that completes --mpi."""
    from heddle import installations

    return [(mpi.name, f"{mpi.version}, {mpi.mpiexec}") for mpi in installations.find() if mpi.name.startswith(incomplete)]


Words = Annotated[
    list[str], typer.Argument(metavar="PROGRAM [ARGS]... | LAUNCHER ...", help="What to start.", show_default=False)
]


def _ranks(without: str) -> object:
    what = f"Ranks to start; without it, {without}."
    return Annotated[Optional[int], typer.Option("-n", "-np", "--ranks", min=1, help=what, show_default=False)]


Ranks = _ranks("one for each core")
RanksOrOne = _ranks("one")
Mpi = Annotated[
    Optional[str],
    typer.Option(
        "--mpi",
        metavar="NAME|PATH",
        help="mpich, openmpi, another name of `heddle mpi`, or an installation's folder.",
        autocompletion=names_of_mpi,
    ),
]

"""The arguments that `heddle run`, `heddle compare` and `heddle doctor` share: a program, or a
launcher's line."""

from typing import Annotated, Optional

import typer

SETTINGS = {"allow_interspersed_args": False, "ignore_unknown_options": False}


def names_of_mpi(incomplete: str) -> list[tuple[str, str]]:
    """The values with which a shell completes --mpi."""
    from heddle import installations

    return [(mpi.name, f"{mpi.version}, {mpi.mpiexec}") for mpi in installations.find() if mpi.name.startswith(incomplete)]


Words = Annotated[
    list[str], typer.Argument(metavar="PROGRAM [ARGS]... | LAUNCHER ...", help="The command to start.", show_default=False)
]


def _ranks(without: str) -> object:
    what = f"Ranks to start. Without it: {without}."
    return Annotated[Optional[int], typer.Option("-n", "-np", "--ranks", min=1, help=what, show_default=False)]


Ranks = _ranks("one for each core")
RanksOrOne = _ranks("one")
Mpi = Annotated[
    Optional[str],
    typer.Option(
        "--mpi",
        metavar="NAME|PATH",
        help="mpich, openmpi, another name that `heddle mpi` lists, or the folder of an installation.",
        autocompletion=names_of_mpi,
    ),
]

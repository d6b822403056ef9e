"""heddle mpi: the MPI libraries that Heddle can use on this machine."""

import json
import sys
from typing import Annotated

import typer


def mpi(
    as_json: Annotated[bool, typer.Option("--json", help="A list of {name, version, mpicc, mpiexec}.")] = False,
) -> None:
    """List the MPI libraries that Heddle can use here.

    The command searches a checkout's .mpi, HEDDLE_MPI_PATH, the PATH and the usual places.
    """
    from heddle import installations, native

    found = installations.find()
    if as_json:
        print(json.dumps([mpi.as_json() for mpi in found], indent=2))
        return
    if not found:
        print(f"No MPI found. {native.MEND_MPI}; HEDDLE_MPI_PATH adds folders to search.")
        raise typer.Exit(1)

    from heddle import listing

    rows = []
    for mpi in found:
        compiler = mpi.mpicc.name if mpi.mpicc else "(none)"
        rows.append((mpi.name, mpi.version, mpi.family.interposer, str(mpi.mpiexec), compiler))
    listing.show(("name", "version", "Heddle", "launcher", "compiler"), rows, above=("launcher",))
    for library in installations.without_launcher(found):
        print(f"heddle: {library} {installations.ALONE}.", file=sys.stderr)

"""`heddle bench NAME`: measurements against the host MPI, one module and one command each.

Every bench runs a native program, checks the results before it times them, prints a table,
and writes JSON rows with --json.
"""

from typing import Annotated

import typer

from . import (
    allgatherv,
    alltoall_struct,
    alltoallv_sparse,
    estimate,
    fft2d,
    files,
    goals,
    groups,
    hpl,
    lattice_cg,
    mpi4py_fft,
    multigrid,
    neighbours,
    one_sided,
    overhead,
    pack,
    peers,
    seek,
    startup,
    study,
    transpose,
    vecscatter,
    vector,
)
from .papers import command as papers

app = typer.Typer(no_args_is_help=True)


@app.callback()
def about(
    wanted: Annotated[bool, typer.Option("--goals", help="Also show the goals of the project.")] = False,
) -> None:
    """Measure Heddle against the host MPI."""
    goals.ask(wanted)


app.command("all")(papers.command)
app.command("pack")(pack.command)
app.command("overhead")(overhead.command)
app.command("seek")(seek.command)
app.command("groups")(groups.command)
app.command("hpl")(hpl.command)
app.command("vector")(vector.command)
app.command("transpose")(transpose.command)
app.command("alltoall-struct")(alltoall_struct.command)
app.command("alltoallv-sparse")(alltoallv_sparse.command)
app.command("allgatherv")(allgatherv.command)
app.command("alltoallw-ring")(neighbours.ring)
app.command("startup")(startup.bench)
app.command("study", cls=study.Lists, help=study.HELP)(study.command)
app.command("estimate", cls=study.Lists, help=estimate.HELP)(estimate.command)
app.command("peers")(peers.command)
app.command("halo")(neighbours.halo)
app.command("one-sided")(one_sided.command)
app.command("files")(files.command)
app.command("fft2d")(fft2d.command)
app.command("mpi4py-fft")(mpi4py_fft.command)
app.command("lattice-cg")(lattice_cg.command)
app.command("vecscatter")(vecscatter.command)
app.command("multigrid")(multigrid.command)

"""`heddle bench NAME`: measurements against the host MPI, one module and one command each.

Every bench runs a native program, checks the results before it times them, prints a table,
and writes JSON rows with --json.
"""

from typing import Annotated

import typer

from heddle.commands.values import Command

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


app.command("all", cls=Command)(papers.command)
app.command("pack", cls=Command)(pack.command)
app.command("overhead", cls=Command)(overhead.command)
app.command("seek", cls=Command)(seek.command)
app.command("groups", cls=Command)(groups.command)
app.command("hpl", cls=Command)(hpl.command)
app.command("vector", cls=Command)(vector.command)
app.command("transpose", cls=Command)(transpose.command)
app.command("alltoall-struct", cls=Command)(alltoall_struct.command)
app.command("alltoallv-sparse", cls=Command)(alltoallv_sparse.command)
app.command("allgatherv", cls=Command)(allgatherv.command)
app.command("alltoallw-ring", cls=Command)(neighbours.ring)
app.command("startup", cls=Command)(startup.bench)
app.command("study", cls=study.Lists, help=study.HELP)(study.command)
app.command("estimate", cls=study.Lists, help=estimate.HELP)(estimate.command)
app.command("peers", cls=Command)(peers.command)
app.command("halo", cls=Command)(neighbours.halo)
app.command("one-sided", cls=Command)(one_sided.command)
app.command("files", cls=Command)(files.command)
app.command("fft2d", cls=Command)(fft2d.command)
app.command("mpi4py-fft", cls=Command)(mpi4py_fft.command)
app.command("lattice-cg", cls=Command)(lattice_cg.command)
app.command("vecscatter", cls=Command)(vecscatter.command)
app.command("multigrid", cls=Command)(multigrid.command)

"""`heddle bench multigrid`: Poisson's equation on a cube of 101^3 points by PETSc's multigrid on
three grids.

Figure 17 of Balaji et al. 2007: PETSc's own messages, and its neighbourhood collectives with Heddle
and without.
"""

from __future__ import annotations

import time
from typing import Annotated

import typer

from . import applications, figure, messages, petsc
from .applications import HEDDLE, HOST, Job, Measured
from .messages import Figures
from .petsc import BY_PETSC, NEIGHBOUR
from .rows import Row

METRIC = "solution"
REPORTED = 0.97  # collectives of the improved MPI over PETSc's own messages: less than 3 % slower, 128 ranks
GAIN = "PETSc's neighbourhood collectives under Heddle over its messages on the host"
SAME = "PETSc's neighbourhood collectives under Heddle over the same on the host"
MESSAGES = "PETSc's messages under Heddle over the same on the host"
GAINS = {
    GAIN: (("heddle", NEIGHBOUR), ("host", BY_PETSC)),
    SAME: (("heddle", NEIGHBOUR), ("host", NEIGHBOUR)),
    MESSAGES: (("heddle", BY_PETSC), ("host", BY_PETSC)),
}


def rows_of(measured: Measured) -> list[Row]:
    def times(line: dict) -> dict[str, float]:
        return {way: 1e3 * found["median"] for way, found in line["seconds"].items()}

    return applications.rows_of(measured, "multigrid", measured.job.case, METRIC, "ms", times, GAINS)


def goals(figures: Figures) -> list:
    gains = {name: applications.gains_of(figures, name) for name in GAINS}
    return [
        messages.at_least(f"{GAIN}", 1.0, gains[GAIN]),
        messages.at_least(f"{GAIN} (the paper's factor)", REPORTED, gains[GAIN]),
        messages.at_least(f"{SAME}", 1.0, gains[SAME]),
    ]


SHOWN = applications.Shown(
    title="multigrid",
    metric=METRIC,
    gain=GAIN,
    goals=goals,
    picture="3-D Laplacian multigrid",
    gains=list(GAINS),
    reported=REPORTED,
    text="Balaji et al. 2007, figure 17: 3 % slower than PETSc's messages, 128 ranks",
)


def command(
    json: messages.JsonFile = None,
    quick: Annotated[bool, typer.Option("--quick", help="Short and rough: two rounds of 33^3 points.")] = False,
    rounds: Annotated[int, typer.Option(min=1, help="Runs with Heddle, and as many without.")] = 7,
    ranks: Annotated[
        list[int] | None,
        typer.Option("--ranks", min=1, max=128, metavar="N", help="A number of ranks; may be repeated. [2, 4]"),
    ] = None,
    points: Annotated[
        list[int] | None,
        typer.Option("--points", min=5, metavar="N", help="Points along each side, 4 k + 1; may be repeated. [33, 101]"),
    ] = None,
    plot: messages.PlotFile = None,
) -> None:
    """Solve Poisson's equation by PETSc's multigrid: its messages and neighbourhood collectives,
    with Heddle and without."""
    if plot is not None:
        figure.base(plot)
    started = time.monotonic()
    binary, mpi = petsc.program("multigrid"), petsc.mpi()
    jobs = [
        Job(f"{side}^3", mpi, binary, count, ("--points", str(side), "--repetitions", str(repetitions(side, quick))))
        for count in ranks or ([2] if quick else [2, 4])
        for side in points or ([33] if quick else [33, 101])
    ]
    measured = applications.by_turns(jobs, (HOST, HEDDLE), 2 if quick else rounds, lambda line: line["fingerprint"])
    rows = [row for one in measured for row in rows_of(one)]
    applications.present(rows, SHOWN, json, plot, time.monotonic() - started)


def repetitions(points: int, quick: bool) -> int:
    return 3 if quick or points > 60 else 15

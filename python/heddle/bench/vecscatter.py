"""`heddle bench vecscatter`: elements of one PETSc vector to unique places of another, the vectors
growing with the ranks.

Figure 16 of Balaji et al. 2007: PETSc's own messages, its neighbourhood collectives, and derived
types in one MPI_Alltoallw. In the paper's MPI this call went to all ranks in turn.
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

PATTERNS = ("sides", "transpose", "mixed")
TYPES, ROUND_ROBIN = "alltoallw", "round-robin"
METRIC = "scatter"
REPORTED = 1 / (1 - 0.95)  # 95 % less than a round-robin, 128 ranks
HAND_TUNED = 0.96  # the paper's report on PETSc's own messages: nearly 4 % faster
OVER_ROUND_ROBIN = "MPI_Alltoallw of types under Heddle over a round-robin on the host"
OVER_PETSC = "MPI_Alltoallw of types under Heddle over PETSc's messages on the host"
OVER_ALLTOALLW = "MPI_Alltoallw of types under Heddle over the same on the host"
BY_NEIGHBOURS = "PETSc's neighbourhood collectives under Heddle over its messages on the host"
SAME_NEIGHBOURS = "PETSc's neighbourhood collectives under Heddle over the same on the host"
GAINS = {
    OVER_PETSC: (("heddle", TYPES), ("host", BY_PETSC)),
    OVER_ROUND_ROBIN: (("heddle", TYPES), ("host", ROUND_ROBIN)),
    OVER_ALLTOALLW: (("heddle", TYPES), ("host", TYPES)),
    BY_NEIGHBOURS: (("heddle", NEIGHBOUR), ("host", BY_PETSC)),
    SAME_NEIGHBOURS: (("heddle", NEIGHBOUR), ("host", NEIGHBOUR)),
}


def rows_of(measured: Measured) -> list[Row]:
    def times(line: dict) -> dict[str, float]:
        return {way: 1e6 * found["median"] for way, found in line["seconds"].items()}

    return applications.rows_of(measured, "vecscatter", measured.job.case, METRIC, "us", times, GAINS)


def goals(figures: Figures) -> list:
    of = {name: applications.gains_of(figures, name) for name in GAINS}
    return [
        messages.best(f"{OVER_ROUND_ROBIN} (the paper: 20, at 128 ranks)", REPORTED, of[OVER_ROUND_ROBIN]),
        messages.at_least(f"{OVER_PETSC}, everywhere (the paper: 0.96)", HAND_TUNED, of[OVER_PETSC]),
        messages.at_least(f"{BY_NEIGHBOURS}, everywhere", 1.0, of[BY_NEIGHBOURS]),
        messages.at_least(f"{SAME_NEIGHBOURS}, everywhere", 1.0, of[SAME_NEIGHBOURS]),
    ]


SHOWN = applications.Shown(
    title="vector scatter",
    metric=METRIC,
    gain=OVER_PETSC,
    goals=goals,
    picture="PETSc vector scatter",
    gains=list(GAINS),
    reported=REPORTED,
    text="Balaji et al. 2007, figure 16: 95 % less than a round-robin, 128 ranks",
)


def command(
    json: messages.JsonFile = None,
    quick: Annotated[bool, typer.Option("--quick", help="Short and rough: two rounds of 2 ranks.")] = False,
    rounds: Annotated[int, typer.Option(min=1, help="Runs with Heddle, and as many without.")] = 9,
    ranks: Annotated[
        list[int] | None,
        typer.Option("--ranks", min=1, max=128, metavar="N", help="A number of ranks; may be repeated. [2, 4, 8, 16]"),
    ] = None,
    elements: Annotated[int, typer.Option(min=2, help="Doubles of a rank.")] = 4096,
    pattern: Annotated[
        list[str] | None, typer.Option("--pattern", metavar="NAME", help=f"{', '.join(PATTERNS)}; may be repeated. [all]")
    ] = None,
    plot: messages.PlotFile = None,
) -> None:
    """Scatter a PETSc vector: its messages, neighbourhood collectives and MPI_Alltoallw of types,
    with Heddle and without."""
    if plot is not None:
        figure.base(plot)
    started = time.monotonic()
    binary, mpi = petsc.program("vecscatter"), petsc.mpi()
    repetitions = ("--repetitions", "3" if quick else "9", "--elements", str(elements))
    jobs = [
        Job(name, mpi, binary, count, ("--pattern", name, *repetitions))
        for count in ranks or ([2] if quick else [2, 4, 8, 16])
        for name in pattern or PATTERNS
    ]
    measured = applications.by_turns(jobs, (HOST, HEDDLE), 2 if quick else rounds, lambda line: line["wrong"])
    rows = [row for one in measured for row in rows_of(one)]
    applications.present(rows, SHOWN, json, plot, time.monotonic() - started)

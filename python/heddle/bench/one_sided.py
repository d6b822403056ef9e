"""`heddle bench one-sided`: MPI_Put and MPI_Get with the same datatype on both sides, between two
ranks of a node.

Columns of a matrix of 128 × 4096 ints, a face and a block of a cube of 130³ doubles. Heddle is
compared with the host's path for datatypes, and with the same bytes without holes. In windows of
MPI_Win_create, Heddle carries out the accesses that a fence completes; with HEDDLE_WINDOWS=on also
those that a flush completes.
"""

from __future__ import annotations

import time
from enum import StrEnum
from typing import Annotated

import typer

from . import messages
from .jobs import Run
from .messages import Figures
from .native import Mpi, With
from .rows import Row

METRICS = {"put": "MPI_Put and MPI_Win_flush, or MPI_Win_fence", "get": "MPI_Get and MPI_Win_flush, or MPI_Win_fence"}


class Window(StrEnum):
    allocate = "allocate"
    create = "create"
    fence = "fence"


def goals(figures: Figures) -> list:
    """The goals for windows of MPI_Win_allocate, whose memory is mapped, and for MPI_Win_create of
    Open MPI."""
    gains, ratios = {}, {}
    for metric in METRICS:
        gains |= {f"{metric}, {case}": gain for case, gain in figures.gains(metric).items()}
        ratios |= {f"{metric}, {case}": ratio for case, ratio in figures.series("heddle", f"{metric} over contiguous").items()}
    mapped = {case: ratio for case, ratio in ratios.items() if "allocate" in case}
    faces = {case: ratio for case, ratio in mapped.items() if "face" in case}
    fenced = {case: gain for case, gain in gains.items() if "fence, " in case}
    return [
        messages.at_least("never slower than the host's path for datatypes (5 % is noise)", 0.95, gains),
        messages.at_most("over contiguous, columns of mapped windows", 1.3, {c: r for c, r in mapped.items() if "128 ×" in c}),
        messages.at_most("over contiguous, the face of mapped windows", 3.0, faces),
        messages.best("over the host, MPI_Win_create and fence, best point (Open MPI)", 5.0, fenced),
    ]


def report(rows: list[Row]) -> None:
    for figures in messages.by_mpi(rows):
        for metric, title in METRICS.items():
            if figures.cases(metric):
                messages.screen().print(messages.table(figures, metric, title))
    messages.show_goals({figures.mpi: goals(figures) for figures in messages.by_mpi(rows)})


def command(
    mpi: messages.WhichMpi = Mpi.both,
    json: messages.JsonFile = None,
    quick: messages.Quick = False,
    rounds: messages.Rounds = None,
    disturb: messages.Disturb = 0,
    window: Annotated[
        list[Window] | None,
        typer.Option("--window", help="A kind of window, or MPI_Win_create with MPI_Win_fence; may be repeated."),
    ] = None,
) -> None:
    """Put into the window of another rank, and get from it: Heddle, the host's path for datatypes,
    and contiguous data."""
    started = time.monotonic()
    arguments = ["--quick"] if quick else []
    arguments += ["--windows", *(kind.value for kind in window)] if window else []
    rows = messages.measure(
        "one-sided", mpi, [Run("heddle", With.heddle)], messages.number_of(rounds, quick), arguments, disturb=disturb
    )
    report(rows)
    messages.finish(rows, json, time.monotonic() - started)
